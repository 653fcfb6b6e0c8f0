"""Texts of pages, as far as a store still has them, and what each block of a page counts as."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import without
from dedup_middleware.read.blocks import Block, blocks, marks_of
from dedup_middleware.read.outline import BY_MEMORY, BY_STRUCTURE, COMMENT, VOLATILE
from dedup_middleware.read.reader import with_hidden
from dedup_middleware.similarity.sentences import sentences_of
from dedup_middleware.store import open_reader
from dedup_middleware.urls import host_key, url_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.read.outline import HiddenText


class Texts(AbstractContextManager["Texts"]):
    """The texts of a store, looked up by URL; the store stays as it is."""

    def __init__(self, store: Path | str, map_size: int = 1 << 40) -> None:
        self._store = open_reader(store, map_size=map_size)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def outline(self, url: str) -> Outline | None:
        """Return what a URL showed last; None if the store does not have it (any more).

        Of exact copies that is the text of their original, and its title.
        """
        with self._store.snapshot() as view:  # a short one: the store may be in use
            return view.last_text(url_key(url))

    def own(self, url: str) -> Outline | None:
        """Return the same page with what its host repeats marked, as far as that is known now."""
        outline = self.outline(url)
        return self.on_host(outline, url) if outline else None

    def on_host(self, outline: Outline, url: str) -> Outline:
        """Return a page at a URL with what its host repeats marked."""
        with self._store.snapshot() as view:
            return without(outline, view.host(host_key(url)))

    def title(self, url: str) -> str | None:
        """Return the title of a page; None if it is not kept, as that of an exact copy."""
        with self._store.snapshot() as view:
            outline = view.last_text(url_key(url), own=True)
        return outline.title if outline else None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two pages differ: a sentence of each, None where it has none there."""

    first: str | None
    second: str | None


def first_difference(first: Outline, second: Outline) -> Difference | None:
    """Return the first sentence of two pages that differs; None if there is none.

    The main text is looked at first, then the rest.

    >>> from dedup_middleware import Page
    >>> from dedup_middleware.read import read
    >>> texts = "Tides turn. Boats swing. Dogs bark.", "Tides turn. Dogs bark. Nobody sleeps."
    >>> first_difference(*(read(Page(url="", text=text)) for text in texts))
    Difference(first='Boats swing.', second=None)
    """
    sides = [[text for _, text in sentences_of(page)] for page in (first, second)]
    if sides[0] == sides[1]:
        sides = [[text for text in page.texts if text] for page in (first, second)]
    one, other = sides
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    if at == len(one) == len(other):
        return None
    here, there = ((*side[at:], None)[0] for side in sides)
    if here is not None and there is not None:  # what the other has too is not what differs
        new = here not in set(other[at:]), there not in set(one[at:])
        if new == (True, False):
            there = None
        elif new == (False, True):
            here = None
    return Difference(here, there)


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
