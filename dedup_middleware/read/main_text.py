"""The main text of a page, without what its host repeats: plain, in Markdown, and by section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from .blocks import DEEPEST, Block, blocks, joined, marks_of, own_nodes
from .decode import to_utf8
from .inline import InlineMarkup
from .outline import BY_STRUCTURE, KINDS, title_parts
from .words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dedup_middleware.page import Page

    from .outline import Outline

_WIDTH = 2  # of the mark of an item without a number
_HEADING = KINDS.index("heading")
_LONGEST = 300  # characters of a name
_MOST_LINKED = 127  # of 255: what is a link names another page, unless it is a heading
_ABOVE = 0.2
"""The share of the main text that may stand above the name of the page."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, or before the first."""

    headings: tuple[str, ...]
    """The heading, and those above it, the highest first."""
    text: str
    """In Markdown, without the headings."""


class MainText(str):
    """The main text of a page: a `str` of paragraphs that knows other forms of itself.

    Paragraphs stand between empty lines, items and rows have a line each, and cells are separated
    by tabs. The name of the page is above them though it is in a header of the page. It keeps
    the page; `str(text)`, copies and pickles of it are plain strings that do not.
    """

    __slots__ = ("_blocks", "_outline", "_page")
    _blocks: tuple[Block, ...]
    _outline: Outline
    _page: Page

    def __new__(cls, page: Page, outline: Outline, own: Outline | None = None) -> Self:
        """Return the text of a page that was read, given what is its own on its host if known."""
        own = own or outline
        chosen = own_nodes(outline, marks_of(outline, own))
        shown = tuple(blocks(outline, chosen, outer_heading(outline, own, chosen)))
        text = super().__new__(cls, joined(shown, Block.plain))
        text._blocks, text._outline, text._page = shown, outline, page
        return text

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    def markdown(self, *, links: bool = False) -> str:
        """Return the text with headings, lists, quotes, code and rows of tables in Markdown.

        Links are plain text unless asked for. White space in code and numbers of items are those of
        the page.
        """
        return joined(*self._in_markdown(links=links))

    def sections(self, max_words: int | None = None, *, links: bool = False) -> list[Section]:
        """Return the text under each heading; one of more words in several pieces.

        Pieces end between paragraphs, items and rows, so that a long one of these stays whole.
        """
        blocks, form = self._in_markdown(links=links)
        names = {block.nodes[0]: block.cells[0] for block in blocks}
        return [
            Section(tuple([names[node] for node in above]), joined(shown, form))
            for above, shown in _pieces(blocks, max_words)
        ]

    def _in_markdown(self, *, links: bool) -> tuple[Sequence[Block], Callable[[Block], str]]:
        """Return the blocks, and what makes Markdown of each."""
        html = self._page.html
        is_plain = all(block.kind not in ("code", "item") for block in self._blocks)
        if html is None or (is_plain and not links):
            return self._blocks, Block.markdown
        source, _ = to_utf8(html, self._page.encoding, len(html))
        markup = InlineMarkup(source.decode(), self._page.url)
        shares = self._outline.links if links else bytes(len(self._outline.links))
        return _marked_up(self._blocks, markup, shares)


def _marked_up(
    blocks: Iterable[Block], markup: InlineMarkup, shares: bytes
) -> tuple[list[Block], Callable[[Block], str]]:
    """Return blocks with what the markup says of them, and what makes Markdown of each.

    Given are the shares of links in the nodes of a page.
    """
    found: list[Block] = []
    lines: dict[int, str] = {}
    seen: set[int] = set()  # places of items
    widths = [_WIDTH] * DEEPEST  # of the last mark in each list that a block is in
    for shown in blocks:
        block, mark, text = shown, None, None
        if shown.kind == "item" and (item := markup.item(shown.cells[0])):
            if item.place in seen:  # another paragraph of it
                block = shown._replace(kind="text", depth=shown.depth + 1)
            else:
                seen.add(item.place)
                mark = f"{item.number}. " if item.number is not None else None
        if block.kind == "item" and block.depth < DEEPEST:
            widths[block.depth] = len(mark) if mark else _WIDTH
        if block.kind == "code":
            text = markup.as_written(block.cells[0])
        elif block.kind != "row" and (share := shares[block.nodes[0]]):
            text = markup.linked(block.cells[0], share / 255)
        lines[block.nodes[0]] = block.markdown(text, mark, sum(widths[: block.depth]))
        found.append(block)
    return found, lambda block: lines[block.nodes[0]]


def _pieces(
    shown: Iterable[Block], max_words: int | None
) -> Iterator[tuple[tuple[int, ...], list[Block]]]:
    """Yield runs of blocks under one heading, none of them empty, with the nodes of headings."""
    above: tuple[int, ...] = ()
    piece: list[Block] = []
    words = 0
    for block in shown:
        if block.kind == "heading":
            if piece:
                yield above, piece
            above, piece, words = (*block.headings, *block.nodes), [], 0
            continue
        size = len(block.plain().split())
        ends = max_words is not None and words + size > max_words
        if piece and (block.headings != above or ends):
            yield above, piece
            piece, words = [], 0
        above = block.headings
        piece.append(block)
        words += size
    if piece:
        yield above, piece


def outer_heading(outline: Outline, own: Outline, chosen: Sequence[int]) -> int | None:
    """Return the node that names a page outside of the chosen ones; None if one of these does.

    A page is named by what its title says as well, and not by what its host repeats.
    """
    mine = [node for node, is_own in enumerate(chosen) if is_own]
    if not outline.title or not mine:
        return None
    title = _Title(outline.title)
    kinds, texts = outline.kinds, outline.texts
    headings = [node for node in mine if kinds[node] == _HEADING]
    if title.is_named_by(texts[node] for node in (*mine[:1], *headings)):
        return None
    room = _ABOVE * sum(len(texts[node]) for node in mine)
    best, found = 1, None
    for node in range(headings[0] if headings else len(kinds)):
        if chosen[node]:
            room -= len(texts[node])
        elif room >= 0 and own.boilerplate[node] == BY_STRUCTURE:
            is_heading, linked = kinds[node] == _HEADING, outline.links[node]
            is_link = linked > _MOST_LINKED and not is_heading
            rank = 0 if is_link else title.rank(texts[node], linked, is_heading=is_heading)
            if rank >= best:  # the last one is the nearest to the main text
                best, found = rank, node
    return found


class _Title:
    """The title of a page, and the names in it."""

    def __init__(self, title: str) -> None:
        parts = title_parts(title)
        # "Page - Site" and "Site: Page", as most titles are
        name = title.partition(": ")[2] or (parts[0] if parts else title)
        self._whole, self._name, *self._parts = map(_phrase, (title, name, *parts))

    def is_named_by(self, texts: Iterable[str]) -> bool:
        """Return True if one of some texts says the title or a part of it, and little else."""
        said = [_phrase(text) for text in texts if len(text) <= _LONGEST]
        return any(_says(one, name) for one in said for name in (self._whole, *self._parts))

    def rank(self, text: str, linked: int, *, is_heading: bool) -> int:
        """Return 3 for the title, 2 for the name of the page in it, 1 for what says it, else 0."""
        if not 0 < len(text) <= _LONGEST:
            return 0
        said, name = _phrase(text), self._name
        if said in (name, self._whole):
            return 2 + (said == self._whole)
        if is_heading:  # the last part of a title is mostly the name of the site
            return any(_says(said, one) for one in (self._whole, name, *self._parts[:-1]))
        # the way to a page has links, and says its name as well; one word says little
        return not linked and len(name.split()) > 1 and _says(said, name)


def _phrase(text: str) -> str:
    """Return the words of a text with a space on both sides of each."""
    return f" {' '.join(words(text))} "


def _says(said: str, name: str) -> bool:
    """Return True if a phrase has another one in it, and is at most twice as long."""
    return name.strip() != "" and name in said and said.count(" ") <= 2 * name.count(" ")
