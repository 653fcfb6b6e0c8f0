"""Pictures of two compared pages, their texts side by side, and the page with both."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from lxml import etree, html

from dedup_middleware import DedupError, Page
from dedup_middleware.read import Identity, Outline, read
from dedup_middleware.similarity.sentences import Edge, Match, Sentence, Side
from dedup_middleware.viewer.comparison_page import comparison_page
from dedup_middleware.viewer.document import script_json
from dedup_middleware.viewer.dotplot import MAX_MARKS, dotplot
from dedup_middleware.viewer.drawing import Circle, Curve, Drawing, Rect, Text, to_png, to_svg
from dedup_middleware.viewer.side_by_side import MAX_SENTENCES, Diff, State, diff, lines_of, pair_up
from dedup_middleware.viewer.trees import MAX_LINKS, MAX_ROWS, collapse, outline_rows, trees
from tests.support.decisions import HOSTILE


@dataclass(frozen=True)
class Compared:
    """What pictures and pages need of a `PageComparison`."""

    first: Side
    second: Side
    pairs: tuple[Match, ...]
    edges: tuple[Edge, ...]
    names: tuple[str, str] = ("https://example.org/a", "https://example.org/b")
    summary: str = "The pages are much alike."
    measures: Mapping[str, str] = field(default_factory=lambda: {"Resemblance": "0.75"})

    @property
    def sentences(self) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        return self.first.sentences, self.second.sentences


def side(outline: Outline, matched: set[int]) -> Side:
    sentences = tuple(
        Sentence(text, node, tuple(text.lower().split()))
        for node, (block, boilerplate) in enumerate(
            zip(outline.texts, outline.boilerplate, strict=True)
        )
        if block and not boilerplate
        for text in re.split(r"(?<=\.) ", block)
    )
    return shaded(outline, sentences, matched)


def shaded(outline: Outline, sentences: tuple[Sentence, ...], matched: set[int]) -> Side:
    totals = Counter(sentence.node for sentence in sentences)
    hits = Counter(sentences[index].node for index in matched)
    return Side(outline, sentences, {node: hits[node] / totals[node] for node in totals})


def compared(first: str, second: str, pairs: list[tuple[int, int, float]], **more) -> Compared:
    matches = tuple(Match(*pair) for pair in pairs)
    outlines = (read(Page("https://example.org/", html=source)) for source in (first, second))
    one = side(next(outlines), {match.first for match in matches})
    other = side(next(outlines), {match.second for match in matches})
    return joined(one, other, matches, **more)


def joined(one: Side, other: Side, matches: tuple[Match, ...], **more) -> Compared:
    shared = Counter(
        (one.sentences[match.first].node, other.sentences[match.second].node) for match in matches
    )
    edges = tuple(Edge(*nodes, count) for nodes, count in shared.items())
    return Compared(one, other, matches, edges, **more)


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
    ordered = tuple(sorted(matches))
    one = shaded(outlines[0], sentences, {match.first for match in ordered})
    other = shaded(outlines[1], sentences, {match.second for match in ordered})
    return joined(one, other, ordered)


def parse_svg(drawing: Drawing) -> etree._Element:
    return etree.fromstring(to_svg(drawing).encode())


def tags(root: etree._Element, name: str) -> list[etree._Element]:
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def texts_of(drawing: Drawing) -> list[str]:
    return [shape.text for shape in drawing.shapes if isinstance(shape, Text)]


def test_plot_has_a_dot_for_each_pair(library):
    dots = [dot for dot in tags(parse_svg(dotplot(library)), "circle") if dot.get("data-first")]
    pairs = {(int(dot.get("data-first")), int(dot.get("data-second"))) for dot in dots}
    assert pairs == {pair[:2] for pair in PAIRS}
    assert len(dots) == len(PAIRS)


def test_reworded_dots_are_hollow(library):
    dots = [shape for shape in dotplot(library).shapes if shape.data]
    assert {(dot.data["first"], bool(dot.fill)) for dot in dots} == {
        (0, True),
        (1, False),
        (4, True),
        (5, True),
        (6, True),
    }


def test_plot_names_pages_and_lengths(library):
    shown = texts_of(dotplot(library))
    assert {"https://example.org/a", "→ 8 sentences: ", "↓ 7 sentences: "} <= set(shown)


@pytest.mark.parametrize("count", [0, 1, 10, 500])
def test_plot_stays_in_its_frame(count):
    drawing = dotplot(big(count) if count else compared("<p></p>", "<p></p>", []))
    for shape in drawing.shapes:
        if isinstance(shape, Circle):
            assert 0 < shape.x < drawing.width
            assert 0 < shape.y < drawing.height


def test_trees_show_shares_and_links(library):
    drawing = trees(library)
    shown = texts_of(drawing)
    assert Counter(text for text in shown if re.fullmatch(r"\d+ %", text)) == {
        "100 %": 2,
        "33 %": 1,
        "50 %": 1,
        "75 %": 2,
    }
    bars = [
        shape.width for shape in drawing.shapes if isinstance(shape, Rect) and shape.fill == "same"
    ]
    assert sorted({round(width / max(bars), 2) for width in bars}) == [0.33, 0.5, 0.75, 1.0]
    curves = tags(parse_svg(drawing), "path")
    assert len(curves) == len(library.edges) == 3
    assert float(curves[-1].get("stroke-width")) > float(curves[0].get("stroke-width"))
    assert (curves[-1].get("data-first"), curves[-1].get("data-count")) == ("4", "3")


def test_trees_mention_boilerplate_in_one_line():
    menu = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>News</a></ul></nav>"
    drawing = trees(compared(menu + FIRST, SECOND, PAIRS))
    assert "… 2 blocks of boilerplate, not compared" in texts_of(drawing)
    assert not any("News" in text for text in texts_of(drawing))


@pytest.mark.parametrize("count", [10, 500, 20_000])
def test_trees_have_few_rows(count):
    comparison = big(count)
    rows = collapse(outline_rows(comparison.first), MAX_ROWS)
    assert len(rows) <= MAX_ROWS
    assert sorted(node for row in rows for node in row.nodes) == list(range(count))
    assert sum(row.sentences for row in rows) == count
    if count == 20_000:
        assert [len(row.nodes) for row in rows] == [10_000, 1, 9_999]
        assert "Sentence number 0 is here. + 9,999 blocks" in texts_of(trees(comparison))
        assert [row.share for row in rows] == [1, 0, 1]


def test_irregular_pages_are_folded_too():
    cells = "".join(f"<tr><td>Cell {row}<td>Value {row}.</tr>" for row in range(300))
    sections = "".join(
        f"<h2>Part {part}</h2>" + "<p>One is said. Two is not.</p>" * 3 for part in range(90)
    )
    source = f"<h1>All of it</h1><table>{cells}</table>{sections}"
    outline = read(Page("https://example.org/", html=source))
    full = side(outline, set())
    half = shaded(outline, full.sentences, set(range(0, len(full.sentences), 3)))
    rows = outline_rows(half)
    collapsed = collapse(rows, MAX_ROWS)
    assert len(rows) > 4 * MAX_ROWS
    assert MAX_ROWS / 3 < len(collapsed) <= MAX_ROWS
    assert sum(row.sentences for row in collapsed) == len(half.sentences)
    assert all(-1 <= row.parent < index for index, row in enumerate(collapsed))


def test_links_of_folded_nodes_are_merged():
    comparison = big(500)
    curves = [shape for shape in trees(comparison).shapes if isinstance(shape, Curve)]
    assert [curve.data["count"] for curve in curves] == [249, 250]


def test_long_and_repetitive_pages_stay_small():
    comparison = big(20_000, repeats=100)
    plot, tree = dotplot(comparison), trees(comparison)
    assert sum(bool(shape.data) for shape in plot.shapes) <= MAX_MARKS
    assert sum(isinstance(shape, Curve) for shape in tree.shapes) <= MAX_LINKS
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
    assert {index: match.second for index, match in found.first.items()} == {0: 0, 1: 1, 2: 2}


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
    assert page.xpath("count(//*[local-name()='svg'])") == 2
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
        return joined(
            shaded(outline, sentences, {0, 1}),
            shaded(outline, other, {0, 1}),
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
    (data,) = page.xpath("//script[@type='application/json']/text()")
    visible = page.xpath("string(//p[@id='a0']/span)")
    assert json.loads(data)["first"]["0"] == [visible]
    for drawing in (dotplot(comparison), trees(comparison)):
        allowed = {"svg", "rect", "circle", "path", "text", "title"}
        assert {etree.QName(one).localname for one in parse_svg(drawing).iter()} <= allowed
        assert to_png(drawing, scale=1)


@pytest.mark.parametrize("attack", HOSTILE)
def test_embedded_json_holds_any_text(attack):
    text = script_json({"text": attack})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"text": attack}


def test_png_is_painted(library):
    image = pytest.importorskip("PIL.Image", reason="needs the extra [report]")
    drawing = dotplot(library)
    picture = image.open(io.BytesIO(to_png(drawing, scale=2)))
    assert picture.size == (round(2 * drawing.width), round(2 * drawing.height))
    dots = [shape for shape in drawing.shapes if isinstance(shape, Circle) and shape.data]
    for dot in dots:
        centre = picture.getpixel((round(2 * dot.x), round(2 * dot.y)))
        assert (centre == (0, 0x72, 0xB2)) == bool(dot.fill)
    assert picture.getpixel((1, 1)) == (255, 255, 255)


def test_png_of_any_script():
    pytest.importorskip("PIL", reason="needs the extra [report]")
    names = ("https://example.org/价格/🙂/\u0301\ud800", "\u202eعربي\n\t\x00")
    comparison = compared(FIRST, SECOND, PAIRS, names=names)
    assert to_png(dotplot(comparison), scale=1)
    assert to_png(trees(comparison), scale=1)


def test_png_without_pillow_names_the_extra(library, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DedupError, match=r"scrapy-dedup\[report\]"):
        to_png(dotplot(library))
