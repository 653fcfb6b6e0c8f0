"""`compare`, as it is called from Python."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from dedup_middleware import DedupError, Kind, Page, PageComparison, compare
from dedup_middleware.similarity.model import save
from lab.training import Limits, train
from tests.support.texts import article, html

A, B = "https://a.example/", "https://b.example/"


@pytest.fixture(scope="module")
def comparison() -> PageComparison:
    parts = article(5, 300)
    other = [*parts[1:], "Nobody ever came back for the hat."]
    return compare(Page(url=A, html=html(parts)), Page(url=B, html=html(other)))


def test_a_comparison(comparison):
    assert isinstance(comparison, PageComparison)
    first, second = comparison.sentences
    assert comparison.names == (A, B)
    assert len(first) > 5
    assert second[-1].text == "Nobody ever came back for the hat."
    for pair in comparison.pairs:
        assert 0.6 <= pair.similarity <= 1
        if pair.similarity == 1:
            assert first[pair.first].words == second[pair.second].words
    assert comparison.pairs == tuple(sorted(comparison.pairs))
    for both in (comparison.rs, comparison.tree, comparison.known):
        assert all(0.6 < share < 1 for share in both)
    assert comparison.odds_ratio > 1
    assert comparison.kind in {Kind.NEAR, Kind.CONTAINED, Kind.CONTAINS}
    assert B in comparison.summary
    assert f"would be judged {comparison.kind}" in comparison.summary
    assert f"of {len(first)} sentences" in comparison.summary


def test_measures_are_text_with_a_name(comparison):
    measures = comparison.measures
    first, second = comparison.sentences
    assert measures["sentences"] == f"{len(first)} / {len(second)}"
    assert "{:.0%} / {:.0%}".format(*comparison.known) == measures["found in the other page"]
    assert "{:.0%} / {:.0%}".format(*comparison.rs) == measures["sentences with a partner (RS)"]
    assert measures["odds ratio"] == f"{comparison.odds_ratio:.2f}"
    assert all(isinstance(value, str) and value for value in measures.values())


def test_swapped_pages_give_swapped_figures():
    parts = article(5, 300)
    one, other = (
        Page(url=A, html=html(parts)),
        Page(url=B, html=html(parts[: len(parts) // 2 + 1])),
    )
    forth, back = compare(one, other), compare(other, one)
    for name in ("rs", "tree", "known"):
        assert getattr(forth, name) == pytest.approx(getattr(back, name)[::-1])
    assert forth.odds_ratio == pytest.approx(back.odds_ratio)
    assert (forth.kind, back.kind) == (Kind.CONTAINS, Kind.CONTAINED)


def test_a_page_compared_with_itself():
    page = Page(url=A, html=html(article(5)))
    found = compare(page, page)
    assert found.rs == found.tree == (1, 1)
    assert 0.98 < min(found.known) <= max(found.known) <= 1
    assert (found.odds_ratio, found.kind) == (100, Kind.EXACT)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        (place, place) for place in range(len(found.sentences[0]))
    ]


def test_different_pages_are_compared_too():
    found = compare(Page(url=A, html=html(article(1))), Page(url=B, html=html(article(2))))
    assert found.kind is None
    assert "would pass as a page of its own" in found.summary
    assert max(found.known) < 0.3


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("The tide lifted seven boats.", "also appears"),
        ("The tide lifted seven ships.", "appears reworded"),
        ("Copper kettles like vinegar.", "does not appear"),
    ],
)
def test_the_only_sentence_of_a_page(other, told):
    found = compare(Page(url="a", text="The tide lifted seven boats."), Page(url="b", text=other))
    assert found.summary.startswith(f"Its only sentence {told} in b. With that page known")


class Texts(HTMLParser):
    """Collects the text of a page, and the elements that are not closed."""

    VOID = frozenset("meta link br hr img input".split())

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002  # as in the base class
        self.seen.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_to_html(comparison):
    page = Texts()
    page.feed(comparison.to_html())
    page.close()
    assert page.open == []
    assert A in page.text
    assert B in page.text
    assert "Nobody ever came back for the hat." in page.text
    assert {"html", "body", "title"} <= page.seen


def test_to_html_shows_foreign_text_as_text():
    bad = "</script><script>alert(1)</script> <img src=x onerror=alert(2)>"
    name = 'https://a.example/"><script>alert(3)</script>'
    parts = article(5, 80)
    texts = ["\n\n".join([*parts, bad]), "\n\n".join([*parts, f"{bad} again and again"])]
    source = compare(Page(url=name, text=texts[0]), Page(url=B, text=texts[1])).to_html()
    page = Texts()
    page.feed(source)
    assert "<img src=x" not in source
    assert "<script>alert" not in source
    assert name in page.text


def test_to_png(comparison):
    with Image.open(io.BytesIO(comparison.to_png())) as image:
        image.load()
        assert image.format == "PNG"
        assert min(image.size) > 100
        colours = image.convert("RGB").getcolors(1 << 24)
        assert colours is not None
        assert len(colours) > 3


def test_settings_are_those_of_a_deduplicator(tmp_path: Path):
    parts = article(5)
    pages = Page(url=A, html=html(parts)), Page(url=B, html=html(parts[:-2]))
    assert compare(*reversed(pages), strictness="eager").kind is Kind.NEAR
    assert compare(*reversed(pages), strictness="strict").kind is Kind.CONTAINED
    assert compare(*pages, strictness="eager").kind is Kind.NEAR
    assert compare(*pages).kind is Kind.CONTAINS
    for name in ("fuzzy", "thesis", "fourgrams", "overlap", "off"):
        assert compare(*pages, method_options={"sentences": name}).rs[0] > 0.4
    with pytest.raises(DedupError, match="DEDUP_MAX_LOSS"):
        compare(*pages, max_loss=7)
    with pytest.raises(DedupError, match=r"python -m lab\.train"):
        compare(*pages, method_options={"sentences": "thesis", "model": tmp_path / "absent"})


def test_a_model_knows_synonyms(tmp_path: Path):
    road = [["car", "road"], ["automobil", "road"]]
    documents = [[["car", "automobil", f"a{n}", *road[n % 2]]] for n in range(8)]
    documents += [[["car", "sea", f"b{n}"]] for n in range(2)]
    save(train(documents, limits=Limits(copied=2)), tmp_path / "model")
    texts = ["A small car stopped quickly.", "A small automobile stopped quickly."]
    pages = [Page(url=f"https://{n}.example/", text=text) for n, text in enumerate(texts)]
    assert compare(*pages).pairs[0].similarity == pytest.approx(0.75)
    options = {"sentences": "thesis", "model": tmp_path / "model"}
    learned = compare(*pages, method_options=options).pairs[0].similarity
    assert learned == pytest.approx((3 + 0.8) / 4)


@pytest.mark.parametrize("text", ["", " ", "…", "12 14", "the of and", "word", "\x00"])
def test_pages_with_almost_no_text(text):
    for one, other in ((text, text), (text, "The tide came in."), ("The tide came in.", text)):
        found = compare(Page(url=A, text=one), Page(url=B, text=other))
        assert found.summary
        assert A in found.to_html()
        assert found.to_png().startswith(b"\x89PNG")


@pytest.mark.parametrize("count", range(1, 8))
def test_a_page_is_wholly_known_from_itself(count):
    page = Page(
        url="a", text=" ".join("tide boats harbour night bread river stone".split()[:count])
    )
    comparison = compare(page, page)
    assert comparison.known == (1, 1)
    assert comparison.deep.covered == comparison.deep.aligned == (1, 1)
