"""Pictures of two compared pages, their texts side by side, and the page with both."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from lxml import etree, html

from dedup_middleware import DedupError, Page
from dedup_middleware.read import Identity, Outline, read
from dedup_middleware.similarity.sentences import Match, Sentence
from dedup_middleware.viewer.comparison_page import comparison_page
from dedup_middleware.viewer.document import script_json
from dedup_middleware.viewer.dotplot import MAX_MARKS, Dotplot
from dedup_middleware.viewer.side_by_side import MAX_SENTENCES, State, lines_of, pair_up
from dedup_middleware.viewer.word_diff import Diff, diff
from tests.support.decisions import HOSTILE


class Side(NamedTuple):
    """What is shown of a page."""

    outline: Outline
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Compared:
    """What pictures and pages need of a `PageComparison`."""

    first: Side
    second: Side
    pairs: tuple[Match, ...]
    names: tuple[str, str] = ("https://example.org/a", "https://example.org/b")
    summary: str = "The pages are much alike."
    measures: Mapping[str, str] = field(default_factory=lambda: {"Resemblance": "0.75"})
    cut: tuple[int, int] = (0, 0)

    @property
    def sentences(self) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        return self.first.sentences, self.second.sentences


def side(source: str) -> Side:
    outline = read(Page("https://example.org/", html=source))
    sentences = tuple(
        Sentence(text, node, tuple(text.lower().split()))
        for node, (block, boilerplate) in enumerate(
            zip(outline.texts, outline.boilerplate, strict=True)
        )
        if block and not boilerplate
        for text in re.split(r"(?<=\.) ", block)
    )
    return Side(outline, sentences)


def compared(first: str, second: str, pairs: list[tuple[int, int, float]], **more) -> Compared:
    return Compared(side(first), side(second), tuple(Match(*pair) for pair in pairs), **more)


FIRST = (
    "<h1>Opening hours of the town library</h1>"
    "<p>The library opens at nine. It closes at five. Dogs may wait outside.</p>"
    "<p>Bring your card. Renew it yearly. Ask at the desk. Cards are free.</p>"
)
SECOND = (
    "<h1>Opening hours of the town library</h1>"
    "<p>The library opens at ten. Cats may not come in.</p>"
    "<p>Bring your card. Renew it yearly. Ask at the desk. Pay two pounds.</p>"
)
PAIRS = [(0, 0, 1.0), (1, 1, 0.8), (4, 3, 1.0), (5, 4, 1.0), (6, 5, 1.0)]


@pytest.fixture
def library() -> Compared:
    return compared(FIRST, SECOND, PAIRS)


def big(count: int, repeats: int = 1) -> Compared:
    """A long page and its copy with a new sentence in the middle; some sentences are repeated."""
    texts = [f"Sentence number {index} is here." for index in range(count)]
    outlines = [
        Outline.of_nodes(
            Identity(language="en"), bytes([1]) * count, (-1,) * count, bytes(count), tuple(texts)
        )
        for _ in range(2)
    ]
    sentences = tuple(Sentence(text, node, (text,)) for node, text in enumerate(texts))
    matches = {Match(index, index, 1.0) for index in range(count) if index != count // 2}
    matches |= {Match(one, other, 1.0) for one in range(repeats) for other in range(repeats)}
    one, other = (Side(outline, sentences) for outline in outlines)
    return Compared(one, other, tuple(sorted(matches)))


def parse_svg(comparison: Compared) -> etree._Element:
    return etree.fromstring(Dotplot(comparison).svg().encode())


def tags(root: etree._Element, name: str) -> list[etree._Element]:
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def dots_of(comparison: Compared) -> list[etree._Element]:
    return [dot for dot in tags(parse_svg(comparison), "circle") if dot.get("data-first")]


def test_plot_has_a_dot_for_each_pair(library):
    dots = dots_of(library)
    pairs = {(int(dot.get("data-first")), int(dot.get("data-second"))) for dot in dots}
    assert pairs == {pair[:2] for pair in PAIRS}
    assert len(dots) == len(PAIRS)


def test_reworded_dots_are_hollow(library):
    dots = dots_of(library)
    assert {(int(dot.get("data-first")), dot.get("fill") != "none") for dot in dots} == {
        (0, True),
        (1, False),
        (4, True),
        (5, True),
        (6, True),
    }


def test_plot_names_pages_and_lengths(library):
    shown = [text.text for text in tags(parse_svg(library), "text")]
    names = (
        "Across: 8 sentences of https://example.org/a",
        "Down: 7 sentences of https://example.org/b",
    )
    assert {*names} <= {*shown}


@pytest.mark.parametrize("count", [0, 1, 10, 500])
def test_plot_stays_in_its_frame(count):
    picture = parse_svg(big(count) if count else compared("<p></p>", "<p></p>", []))
    for dot in tags(picture, "circle"):
        assert 0 < float(dot.get("cx")) < float(picture.get("width"))
        assert 0 < float(dot.get("cy")) < float(picture.get("height"))


def test_long_and_repetitive_pages_stay_small():
    comparison = big(20_000, repeats=100)
    assert len(dots_of(comparison)) <= MAX_MARKS
    lines = lines_of(comparison)
    shown = [one.index for line in lines for one in line.first]
    assert len(shown) == MAX_SENTENCES
    assert 10_000 in shown
    assert sum(line.left_out[0] for line in lines) == 20_000 - MAX_SENTENCES
    assert len(comparison_page(comparison)) < 4_000_000


def test_partners_are_in_order_where_they_can_be():
    pairs = [(one, other, 1.0) for one in range(3) for other in range(3)]
    found = pair_up(compared("<p>Yes. Yes. Yes.</p>", "<p>Yes. Yes. Yes.</p>", pairs))
    assert [match[:2] for match in found.chain] == [(0, 0), (1, 1), (2, 2)]
    assert {index: match.second for index, match in found.sides[0].items()} == {0: 0, 1: 1, 2: 2}


def test_lines_put_pairs_side_by_side(library):
    lines = lines_of(library)
    found = [
        ([one.index for one in line.first], [one.index for one in line.second], line.state)
        for line in lines
    ]
    assert found == [
        ([0], [0], State.SAME),
        ([1], [1], State.REWORDED),
        ([2, 3], [2], State.ONLY),
        ([4], [3], State.SAME),
        ([5], [4], State.SAME),
        ([6], [5], State.SAME),
        ([7], [6], State.ONLY),
    ]


SECTIONS = "<h1>Guide</h1>Hello all.<h2>Boats</h2><h3>Oars</h3>{}<h2>Tides</h2><h3>Low</h3>Mud."


def test_headings_stay_above_what_differs():
    first, second = (SECTIONS.format(text) for text in ("Made of ash.", "Made of oak."))
    same = [(at, at, 1.0) for at in range(7) if at != 4]
    page = html.document_fromstring(comparison_page(compared(first, second, same)))
    above = page.xpath("//li[contains(@class, 'line-above')]/div[1]/p")
    assert [one.xpath("string(span)") for one in above] == ["Guide", "Boats", "Oars"]
    depths = [re.findall(r"depth(\d)(?: (heading))?", one.get("class"))[0] for one in above]
    assert depths == [("0", "heading"), ("1", "heading"), ("2", "heading")]
    assert page.xpath("count(//table[@class='around'])") == 0


def test_what_is_around_equal_main_texts_is_shown():
    menu = "<nav><a href=/a>{}</a></nav>"
    same = [(at, at, 1.0) for at in range(8)]
    sources = [menu.format(name) + FIRST for name in ("Home", "Start")]
    page = html.document_fromstring(comparison_page(compared(*sources, same)))
    cells = page.xpath("//table[@class='around']//td")
    assert [cell.text_content() for cell in cells] == ["Home", "Start"]
    page = html.document_fromstring(comparison_page(compared(sources[0], sources[0], same)))
    assert "so is what is around them" in page.text_content()


def test_changed_words_are_found_in_any_script():
    assert diff("价格是三元。", "价格是四元。").first == ("价格是", "三", "元。")
    found = diff("a b", "a b c")
    assert (found.first, found.second) == (("a b",), ("a b ", "c", ""))
    long = "word " * 500
    assert diff(long + "a", long + "b") == Diff((long + "a",), (long + "b",))


def test_page_shows_states_and_changed_words(library):
    page = html.document_fromstring(comparison_page(library))
    assert page.xpath("string(//p[@class='summary'])") == "The pages are much alike."
    assert page.xpath("string(//table[@class='measures']//td)") == "0.75"
    assert [mark.text for mark in page.xpath("//li//p//mark")] == ["nine", "ten"]
    assert page.xpath("count(//p[contains(@class, 'only')])") == 5
    assert page.xpath("count(//p[contains(@class, 'same')])") == 8
    assert page.xpath("string(//p[@id='a1']//em)") == "reworded, 80 % similar"
    assert page.xpath("//p[@id='a4']/a/@href") == ["#b3"]
    assert page.xpath("count(//*[local-name()='svg'])") == 1
    for target in page.xpath("//p/a/@href"):
        assert page.get_element_by_id(target[1:]) is not None


def test_page_allows_only_its_own_style_and_script(library):
    source = comparison_page(library)
    page = html.document_fromstring(source)
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", source, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not page.xpath("//@style | //@src | //link | //img | //iframe | //@onclick")


def test_links_are_web_links_only(library):
    names = ("https://example.org/?a=1&b=2", "page.html")
    page = html.document_fromstring(comparison_page(compared(FIRST, SECOND, PAIRS, names=names)))
    (link,) = page.xpath("//header//a")
    assert link.get("href") == names[0]
    assert link.get("rel") == "noreferrer noopener"


def shape_of(page: etree._Element) -> list[tuple[object, tuple[str, ...]]]:
    return [(element.tag, tuple(element.attrib)) for element in page.iter()]


@pytest.mark.parametrize("attack", HOSTILE)
def test_foreign_text_stays_text(attack):
    def build(text: str) -> Compared:
        outline = Outline.of_nodes(
            Identity(title=text, language=text),
            bytes([0, 1, 1]),
            (-1, 0, 0),
            bytes(3),
            (text, text, text),
        )
        sentences = tuple(Sentence(text, node, (text,)) for node in range(3))
        other = (sentences[0], Sentence(f"{text} too", 1, (text,)), sentences[2])
        matches = (Match(0, 0, 1.0), Match(1, 1, 0.7))
        return Compared(
            Side(outline, sentences),
            Side(outline, other),
            matches,
            names=(text, text),
            summary=text,
            measures={text: text},
        )

    comparison = build(attack)
    source = comparison_page(comparison)
    source.encode()
    page, harmless = (
        html.document_fromstring(comparison_page(one)) for one in (comparison, build("harmless"))
    )
    assert shape_of(page) == shape_of(harmless)
    allowed = {"svg", "rect", "circle", "text", "title"}
    assert {etree.QName(one).localname for one in parse_svg(comparison).iter()} <= allowed
    assert Dotplot(comparison).png()


@pytest.mark.parametrize("attack", HOSTILE)
def test_embedded_json_holds_any_text(attack):
    text = script_json({"text": attack})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"text": attack}


def test_png_is_painted(library):
    image = pytest.importorskip("PIL.Image", reason="needs the extra [report]")
    picture, drawn = image.open(io.BytesIO(Dotplot(library).png())), parse_svg(library)
    assert picture.size == tuple(round(2 * float(drawn.get(side))) for side in ("width", "height"))
    for dot in dots_of(library):
        centre = picture.getpixel(tuple(round(2 * float(dot.get(name))) for name in ("cx", "cy")))
        assert (centre == (0, 0x72, 0xB2)) == (dot.get("fill") != "none")
    assert picture.getpixel((1, 1)) == (255, 255, 255)


def test_png_of_any_script():
    pytest.importorskip("PIL", reason="needs the extra [report]")
    names = ("https://example.org/价格/🙂/\u0301\ud800", "\u202eعربي\n\t\x00")
    comparison = compared(FIRST, SECOND, PAIRS, names=names)
    assert Dotplot(comparison).png()


def test_png_without_pillow_names_the_extra(library, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DedupError, match=r"scrapy-dedup\[report\]"):
        Dotplot(library).png()
