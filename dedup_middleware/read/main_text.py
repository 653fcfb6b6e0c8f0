"""The main text of a page, without what its host repeats: plain, in Markdown, and by section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from .blocks import Block, blocks, joined, marks_of, own_nodes
from .decode import to_utf8
from .inline import InlineMarkup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dedup_middleware.page import Page

    from .outline import Outline


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
    by tabs. It keeps the page; `str(text)`, copies and pickles of it are plain strings that do not.
    """

    __slots__ = ("_blocks", "_outline", "_page")
    _blocks: tuple[Block, ...]
    _outline: Outline
    _page: Page

    def __new__(cls, page: Page, outline: Outline, own: Outline | None = None) -> Self:
        """Return the text of a page that was read, given what is its own on its host if known."""
        marks = marks_of(outline, own or outline)
        shown = tuple(blocks(outline, own_nodes(outline, marks)))
        text = super().__new__(cls, joined(shown, Block.plain))
        text._blocks, text._outline, text._page = shown, outline, page
        return text

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    def markdown(self, *, links: bool = False) -> str:
        """Return the text with headings, lists, quotes, code and rows of tables in Markdown.

        Links are plain text unless asked for. White space in code is that of the page.
        """
        return joined(self._blocks, self._form(links=links))

    def sections(self, max_words: int | None = None, *, links: bool = False) -> list[Section]:
        """Return the text under each heading; one of more words in several pieces.

        Pieces end between paragraphs, items and rows, so that a long one of these stays whole.
        """
        form = self._form(links=links)
        names = {block.nodes[0]: block.cells[0] for block in self._blocks}
        return [
            Section(tuple([names[node] for node in above]), joined(shown, form))
            for above, shown in _pieces(self._blocks, max_words)
        ]

    def _form(self, *, links: bool) -> Callable[[Block], str]:
        """Return what makes Markdown of blocks that come in order."""
        outline, html = self._outline, self._page.html
        has_code = any(block.kind == "code" for block in self._blocks)
        if html is None or not (links or has_code):
            return Block.markdown
        source, _ = to_utf8(html, self._page.encoding, len(html))
        markup = InlineMarkup(source.decode(), self._page.url)

        def form(block: Block) -> str:
            share = outline.links[block.nodes[0]] / 255
            if block.kind == "code":
                return block.markdown(markup.as_written(block.cells[0]))
            if links and share and block.kind != "row":
                linked = markup.linked(block.cells[0], share)
                return block.markdown(linked if linked != block.cells[0] else None)
            return block.markdown()

        return form


def _pieces(
    shown: tuple[Block, ...], max_words: int | None
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
