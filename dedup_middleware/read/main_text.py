"""The main text of a page, without what its host repeats: plain, in Markdown, and by section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from .blocks import DEEPEST, Block, blocks, joined, marks_of, own_nodes
from .decode import to_utf8
from .heading import outer_heading
from .inline import InlineMarkup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dedup_middleware.page import Page

    from .outline import Outline

_WIDTH = 2  # of the mark of an item without a number


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
