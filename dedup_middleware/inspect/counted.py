"""What each block of a page counts as: the page's own text, or why it is not."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dedup_middleware.read.blocks import Block, blocks, marks_of
from dedup_middleware.read.outline import BY_MEMORY, BY_STRUCTURE, COMMENT, VOLATILE
from dedup_middleware.read.reader import with_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.read.outline import HiddenText


class Counted(StrEnum):
    """What a block of a page counts as."""

    OWN = "own"
    REPEATED = "repeated"
    BOILERPLATE = "boilerplate"
    COMMENT = "comment"
    VOLATILE = "volatile"
    HIDDEN = "hidden"


MEANINGS = {
    Counted.OWN: "its own",
    Counted.REPEATED: "repeated by its host",
    Counted.BOILERPLATE: "boilerplate by structure",
    Counted.COMMENT: "comments",
    Counted.VOLATILE: "changes by itself",
    Counted.HIDDEN: "hidden",
}
_HIDDEN_MARK = 255
_BY_MARK = {
    0: Counted.OWN,
    BY_MEMORY: Counted.REPEATED,
    BY_STRUCTURE: Counted.BOILERPLATE,
    COMMENT: Counted.COMMENT,
    VOLATILE: Counted.VOLATILE,
    _HIDDEN_MARK: Counted.HIDDEN,
}
# of the nodes of a row one decides: it is the page's own if any of them is
_RANK = (0, COMMENT, VOLATILE, BY_MEMORY, BY_STRUCTURE, _HIDDEN_MARK)


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of a page, and what it counted as."""

    counted: Counted
    block: Block

    @property
    def words(self) -> int:
        return len(self.block.plain().split())

    @property
    def is_beginning(self) -> bool:
        """Whether it is the beginning of a hidden text: an outline keeps no more of it."""
        return not self.block.nodes


def pieces_of(
    outline: Outline, own: Outline, page: Page | None = None, max_text: int = 2_000_000
) -> list[Piece]:
    """Return the blocks of a page in order, given its outline without and with its host's marks.

    With the page itself, all that is hidden is among them, else the beginning that an outline has.
    """
    marks, hidden = marks_of(outline, own), outline.hidden
    if page is not None:
        outline, shown = with_hidden(page, outline, max_text)
        marks = bytes([_HIDDEN_MARK if node is None else marks[node] for node in shown])
        hidden = ()
    return list(_pieces(outline, marks, hidden))


def _pieces(outline: Outline, marks: bytes, hidden: Iterable[HiddenText]) -> Iterator[Piece]:
    waiting = deque(hidden)
    for block in blocks(outline):
        while waiting and waiting[0].node <= block.nodes[0]:
            yield _hidden_piece(waiting.popleft())
        mark = min((marks[node] for node in block.nodes), key=_RANK.index)
        yield Piece(_BY_MARK[mark], block)
    yield from map(_hidden_piece, waiting)


def _hidden_piece(hidden: HiddenText) -> Piece:
    return Piece(Counted.HIDDEN, Block("text", (), (hidden.text,)))


def words_of(pieces: Iterable[Piece]) -> dict[Counted, int]:
    """Count the words of a page by what they count as; only what is there."""
    found: Counter[Counted] = Counter()
    for piece in pieces:
        found[piece.counted] += piece.words
    return {counted: found[counted] for counted in Counted if found[counted]}
