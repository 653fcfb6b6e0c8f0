"""What the builder gathers of a page, for the second look that finds its main text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """The nodes of an element, its level, and the word of its class or id that says so."""

    start: int
    end: int
    level: int
    word: str


class Columns(NamedTuple):
    """What the builder has gathered."""

    title: str
    kinds: bytearray
    parents: list[int]
    texts: list[str]
    links: dict[int, tuple[int, int]]
    """Node: its characters inside links, its links."""
    tops: list[int]
    """The nodes that are headings of rank 1."""
    lows: list[int]
    """The depth of the innermost element that holds the node and the one before it."""
    spans: list[Span]
    """The elements that have a level, in no order."""
