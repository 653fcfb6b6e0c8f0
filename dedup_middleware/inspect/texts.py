"""Texts of pages, as far as a store still has them, and what each block of a page counts as."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import without
from dedup_middleware.read.blocks import Block, blocks, marks_of
from dedup_middleware.read.outline import BY_MEMORY, BY_STRUCTURE, COMMENT, VOLATILE, Identity
from dedup_middleware.store import open_reader
from dedup_middleware.urls import host_key, url_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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

        Exact copies have the text of their original; their own title and URL are not kept.
        """
        with self._store.snapshot() as view:  # a short one: the store may be in use
            outline = view.last_text(url_key(url), own=True)
            if outline is None and (outline := view.last_text(url_key(url))):
                heading, language = outline.identity.heading, outline.identity.language
                outline = replace(outline, identity=Identity(heading=heading, language=language))
        return outline

    def own(self, url: str) -> Outline | None:
        """Return the same page with what its host repeats marked, as far as that is known now."""
        outline = self.outline(url)
        return self.on_host(outline, url) if outline else None

    def on_host(self, outline: Outline, url: str) -> Outline:
        """Return a page at a URL with what its host repeats marked."""
        with self._store.snapshot() as view:
            return without(outline, view.host(host_key(url)))


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
_BY_MARK = {
    0: Counted.OWN,
    BY_MEMORY: Counted.REPEATED,
    BY_STRUCTURE: Counted.BOILERPLATE,
    COMMENT: Counted.COMMENT,
    VOLATILE: Counted.VOLATILE,
}
# of the nodes of a row one decides: it is the page's own if any of them is
_RANK = (0, COMMENT, VOLATILE, BY_MEMORY, BY_STRUCTURE)


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


def pieces_of(outline: Outline, own: Outline) -> list[Piece]:
    """Return the blocks of a page in order, given its outline without and with its host's marks.

    Among them is the beginning of what is hidden, which an outline has.
    """
    marks, waiting, found = marks_of(outline, own), deque(outline.hidden), []
    for block in blocks(outline):
        while waiting and waiting[0].node <= block.nodes[0]:
            found.append(_hidden_piece(waiting.popleft()))
        mark = min((marks[node] for node in block.nodes), key=_RANK.index)
        found.append(Piece(_BY_MARK[mark], block))
    return [*found, *map(_hidden_piece, waiting)]


def _hidden_piece(hidden: HiddenText) -> Piece:
    return Piece(Counted.HIDDEN, Block("text", (), (hidden.text,)))


def words_of(pieces: Iterable[Piece]) -> dict[Counted, int]:
    """Count the words of a page by what they count as; only what is there."""
    found: Counter[Counted] = Counter()
    for piece in pieces:
        found[piece.counted] += piece.words
    return {counted: found[counted] for counted in Counted if found[counted]}
