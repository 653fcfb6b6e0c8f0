"""The builder: tree → columns, in one walk; the twin of `native/src/build.rs`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from .blocks import (
    BLOCKS,
    CONTAINERS,
    GAPS,
    INHERITED,
    ITEM,
    SKIPPED,
    SPACED,
    TEXT,
    Block,
    block_of,
)
from .columns import Columns, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .tree import Element

_NO_ITEM = -2  # not directly inside a list item
_NO_TEXT_YET = -1
_NEVER = sys.maxsize
_SPACES = re.compile(r"\s+")


class _Frame(NamedTuple):
    """An open block, and what is restored at its end."""

    block: Block
    kind: int
    """Of the text directly in it."""
    rank: int
    sections: int
    """How many sections were open before it, if it is a scope."""
    floor: int
    item: int
    start: int
    """Its first node, if it has a level or is a list or table."""


class Builder:
    """Gathers the nodes of a page."""

    def __init__(self, *, scripts: bool = True) -> None:
        self.columns = Columns(bytearray(), [], [], {}, [], [], [])
        self.has_noscript = False
        self._scripts = scripts
        self._frames = [_Frame(Block(TEXT, False, 0, 0, ""), TEXT, 0, _NEVER, 1, _NO_ITEM, _NEVER)]
        # nodes and ranks of all open sections; the last is the parent of what follows
        self._sections, self._ranks = [-1], [0]
        self._floor = 1  # so many of them no heading ends
        self._item = _NO_ITEM
        self._reach = 0  # the least depth since the last node
        self._parts: list[str] = []  # of the line
        self._links: list[list[str]] = []  # those in the line, each with its parts
        self._open_links = 0

    def walk(self, page: Element) -> None:
        """Go through all that is shown of a page."""
        stack: list[tuple[Iterator[Element | str], Callable[[], None]]]
        stack = [(iter(page.children), self._line)]
        while stack:
            children, leave = stack[-1]
            for child in children:
                if isinstance(child, str):
                    self._text(child)
                elif inside := self._enter(child):
                    stack.append((iter(child.children), inside))
                    break
            else:
                stack.pop()
                leave()

    def _enter(self, element: Element) -> Callable[[], None] | None:
        """Begin an element; return what ends it, None if nothing in it is shown."""
        tag = element.tag
        if element.hidden or tag in SKIPPED:
            return None
        if tag == "noscript":
            self.has_noscript = True
            if self._scripts:
                return None
        if tag in BLOCKS:
            self._line()
            self._open(block_of(element))
            return self._close
        if tag == "a" and "href" in element.attributes:
            if not self._open_links:
                self._links.append([])
            self._open_links += 1
            return self._end_link
        if tag in SPACED or tag in GAPS:
            self._text(" ")
        return None if tag in GAPS else _nothing

    def _end_link(self) -> None:
        self._open_links -= 1

    def _text(self, text: str) -> None:
        self._parts.append(text)
        if self._open_links:
            self._links[-1].append(text)

    def _open(self, block: Block) -> None:
        nodes, sections, around = self.columns, len(self._sections), self._frames[-1]
        node = len(nodes.texts)
        is_container = block.kind in CONTAINERS
        kind, rank = block.kind, block.rank
        if is_container:
            kind = TEXT
        elif kind == INHERITED:
            kind, rank = around.kind, around.rank
        self._frames.append(
            _Frame(
                block,
                kind,
                rank,
                sections if block.scope else _NEVER,
                self._floor,
                self._item,
                node if block.level or is_container else _NEVER,
            )
        )
        if is_container:
            nodes.add(block.kind, self._sections[-1] if self._item < 0 else self._item, "")
            nodes.lows.append(self._reach)
            self._sections.append(node)
            self._ranks.append(0)
            self._floor = sections + 1
            self._item = _NO_ITEM
            return
        if block.scope:
            self._floor = sections
        if kind == ITEM and block.kind == ITEM:
            self._item = _NO_TEXT_YET

    def _close(self) -> None:
        self._line()
        nodes, frame = self.columns, self._frames.pop()
        self._reach = min(self._reach, len(self._frames) - 1)
        del self._sections[frame.sections :], self._ranks[frame.sections :]
        if frame.block.scope or frame.block.level:
            self._floor, self._item = frame.floor, frame.item
        end = len(nodes.texts)
        if end == frame.start + 1 and not nodes.texts[-1]:  # a list or table, and empty
            nodes.pop()
        elif end > frame.start and frame.block.level:
            nodes.spans.append(Span(frame.start, end, frame.block.level, frame.block.word))

    def _line(self) -> None:
        """Make a node of the text since the last block began or ended."""
        line = folded("".join(self._parts))
        links, self._links = self._links, [[]] if self._open_links else []
        self._parts.clear()
        if not line:
            return
        nodes, frame = self.columns, self._frames[-1]
        node = len(nodes.texts)
        if links:
            characters = sum(len(_SPACES.sub(" ", "".join(parts))) for parts in links)
            nodes.links[node] = characters, len(links)
        if frame.rank:
            while len(self._sections) > self._floor and self._ranks[-1] >= frame.rank:
                self._sections.pop()
                self._ranks.pop()
        nodes.add(frame.kind, self._sections[-1], line)
        nodes.lows.append(self._reach)
        self._reach = len(self._frames) - 1
        if frame.rank:
            self._sections.append(node)
            self._ranks.append(frame.rank)
            if frame.rank == 1:
                nodes.tops.append(node)
        elif self._item == _NO_TEXT_YET and frame.kind == ITEM:
            self._item = node


def folded(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def _nothing() -> None:
    pass
