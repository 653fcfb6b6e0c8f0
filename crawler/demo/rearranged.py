"""Families of pages that only sentences, or only the tree, distinguish or match.

The two pages of a family have the same title, and nearly the same words. What differs is where
these stand, one fact, or how it is said. `wording` names all that a reader would miss of a page: of
two copies with the same wording one is dropped, of two with different ones neither.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from .articles import sibling_url
from .templates import DESIGNS, sections_html
from .web import Resource, Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .articles import Article, Inputs
    from .texts import Section

_PRICES = range(12, 60)
_DEAREST = 9  # more than the other price
_SAID = (
    "The harbour was built by monks who traded salt and wool with towns across the bay.",
    "Storms destroyed the wooden pier twice before merchants paid for a wall of granite.",
    "Fishermen still repair nets behind the church whenever the wind blows from the north.",
    "A narrow railway carried herring from the quay to factories beyond the hills.",
    "The lighthouse keeper wrote a diary about ships, fog, birds and lonely winters.",
    "Children learned to swim in the basin because the river was cold and dangerous.",
    "After the war engineers deepened the channel so that larger ferries could enter.",
    "Tourists arrive every summer to taste oysters, watch seals and paint the cliffs.",
    "The council wants to protect the old warehouses, although investors plan a hotel.",
    "Volunteers restored the oldest sailing boat and now teach visitors to steer it.",
)
_IN_OTHER_WORDS = (
    "Monks, who traded wool and salt with towns across the bay, had built the harbour.",
    "Before merchants paid for a granite wall, the wooden pier was twice destroyed by storms.",
    "Whenever the wind is blowing from the north, fishermen repair their nets behind the church.",
    "From the quay herring was carried to factories beyond the hills on a narrow railway.",
    "About fog, ships, lonely winters and birds the keeper of the lighthouse wrote a diary.",
    "Because the river was dangerous and cold, children learned to swim inside the basin.",
    "So that larger ferries could enter, the channel was deepened by engineers after the war.",
    "Every summer tourists arrive to paint the cliffs, to watch seals and to taste oysters.",
    "Although investors plan a hotel, the old warehouses are what the council wants to protect.",
    "The oldest sailing boat was restored by volunteers, who now teach visitors how to steer it.",
)


def questions(inputs: Inputs) -> Iterator[Resource]:
    """Yield answers to questions, and the same answers under other questions: another page."""
    sections = _sections(inputs.articles)
    asked = [replace(one, name=f"What is {one.name}?") for one in sections]
    pairs = zip(asked, [*asked[1:], asked[0]], strict=True)
    confused = [replace(one, paragraphs=other.paragraphs) for one, other in pairs]
    yield _page(inputs, "questions", sections_html(asked))
    yield _page(inputs, "other answers", sections_html(confused), other=True)


def tables(inputs: Inputs) -> Iterator[Resource]:
    """Yield a table, and one with the same cells in other rows: another page."""
    heads, cells = [], []
    for section in _sections(inputs.articles):
        heads.append(section.name)
        cells.append((section.paragraphs[0].text, f"{inputs.rng.choice(_PRICES)} euros"))
    yield _page(inputs, "table", _table(heads, cells))
    yield _page(inputs, "other rows", _table(heads, [*cells[1:], cells[0]]), other=True)


def lists(inputs: Inputs) -> Iterator[Resource]:
    """Yield a list, and the same list in another order: a copy."""
    items = [one.text for section in _sections(inputs.articles) for one in section.paragraphs]
    yield _page(inputs, "list of texts", _list(items), wording="list")
    html = _list([*items[1::2], *items[::2]])
    yield _page(inputs, "other order", html, other=True, wording="list")


def moved_sections(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article, and one whose sections moved with their headings: a copy."""
    sections = _sections(inputs.articles)
    yield _page(inputs, "sections", sections_html(sections), wording="sections")
    html = sections_html(reversed(sections))
    yield _page(inputs, "moved sections", html, other=True, wording="sections")


def prices(inputs: Inputs) -> Iterator[Resource]:
    """Yield an offer, and the same one at another price: near, but both are kept."""
    html = sections_html(_sections(inputs.articles))
    price = inputs.rng.choice(_PRICES)
    for what, amount in (("offer", price), ("other price", price + _DEAREST)):
        offer = f"<p>Ask for a copy on paper: it costs {amount} euros by mail.</p>"
        wording = f"{amount} euros"
        yield _page(inputs, what, html + offer, other=amount > price, wording=wording)


def other_words(inputs: Inputs) -> Iterator[Resource]:
    """Yield a text, and one that says the same in other words: near, but both are kept."""
    for what, sentences in (("text", _SAID), ("other words", _IN_OTHER_WORDS)):
        html = "".join(f"<p>{one}</p>\n" for one in sentences)
        other = sentences is _IN_OTHER_WORDS
        yield _page(inputs, what, html, other=other, pieces=("harbour",), wording=what)


def grown(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article, and one that has all of it and new paragraphs: it contains the other."""
    article, other = sorted(inputs.articles, key=lambda one: one.text.words)
    new = iter(one for section in other.text.sections for one in section.paragraphs)
    sections = []
    for section in article.text.sections:
        pairs = [(one, next(new, None)) for one in section.paragraphs]
        both = tuple(one for pair in pairs for one in pair if one)
        sections.append(replace(section, paragraphs=both))
    sections[-1] = replace(sections[-1], paragraphs=(*sections[-1].paragraphs, *new))
    short = sections_html(article.text.sections)
    yield _page(inputs, "article", short, pieces=(article.key,))
    long = sections_html(sections)
    yield _page(inputs, "grown", long, other=True, pieces=(article.key, other.key))


def _sections(articles: Sequence[Article]) -> list[Section]:
    return [section for one in articles for section in one.text.sections]


def _page(
    inputs: Inputs,
    what: str,
    content: str,
    *,
    other: bool = False,
    pieces: tuple[str, ...] = (),
    wording: str = "",
) -> Resource:
    """Return a page with the title and the design of the first article, or the other such page."""
    article, *more = inputs.articles
    html = DESIGNS[article.design](article.site, replace(article.data, content=content))
    if wording and not pieces:
        pieces = (article.key,)
    version = Version(html.encode(), frozenset(pieces), f"{article.key}/{what}", wording)
    # each article that a family takes has a page at its URL
    urls = [one.url for one in more] or [sibling_url(article, "other")]
    url = urls[0] if other else article.url
    return Resource(url, what, (version,), what)


def _list(items: Sequence[str]) -> str:
    return "\n".join(["<ul>", *(f"<li>{escape(one, quote=False)}</li>" for one in items), "</ul>"])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["<table>", "<tr><th>Name</th><th>Meaning</th><th>Price</th></tr>"]
    for head, cells in zip(heads, rows, strict=True):
        columns = "".join(f"<td>{escape(one, quote=False)}</td>" for one in cells)
        lines.append(f"<tr><th>{escape(head)}</th>{columns}</tr>")
    return "\n".join([*lines, "</table>"])
