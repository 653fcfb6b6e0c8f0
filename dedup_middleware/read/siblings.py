"""Groups of sibling elements that link elsewhere: menus and teasers.

The builder keeps no tree of plain elements; but the depths at which neighbouring nodes meet tell
which nodes are siblings.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .outline import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .columns import Columns

    Group = tuple[int, int]
    """First node, node after the last."""

_HEADING = KINDS.index("heading")
_LEAST = 3
_MOST = 0.75  # of the members of a group must be of its kind
# The texts of a menu are links, and short on average.
_MENU_LINKED = 0.8
_MENU_MEAN = 90
# A teaser is a link with a few words, or has a heading that is a link.
_TEASER_LINKED = 0.6
_TEASER_TITLE = 0.9
_TEASER_LONGEST = 600
_SENTENCE_ENDS = frozenset(".!?\u3002")


class _Element:
    """What is inside an element, and, while it is open, how many of its children are alike."""

    __slots__ = (
        *("characters", "depth", "headed", "linked", "links", "start", "teasers", "teasing"),
        *("texts", "titled"),
    )

    def __init__(self, depth: int, start: int) -> None:
        self.depth = depth
        self.start = start
        self.texts = self.characters = self.linked = 0
        self.headed = self.titled = False  # it has a heading; the first is a link
        self.links = 0  # texts in children that are mostly links
        self.teasers = self.teasing = 0  # children that are teasers, their characters

    def add(self, child: _Element) -> None:
        self.texts += child.texts
        self.characters += child.characters
        self.linked += child.linked
        if child.headed and not self.headed:
            self.headed, self.titled = True, child.titled
        if child.linked >= _MENU_LINKED * child.characters:
            self.links += child.texts
        if child.characters <= _TEASER_LONGEST and (
            child.titled or child.linked >= _TEASER_LINKED * child.characters
        ):
            self.teasers += 1
            self.teasing += child.characters

    @property
    def is_menu(self) -> bool:
        return (
            not self.headed
            and self.links >= max(_LEAST, _MOST * self.texts)
            and self.linked >= _MENU_LINKED * self.characters
            and self.characters <= _MENU_MEAN * self.texts
        )

    @property
    def has_teasers(self) -> bool:
        return self.teasers >= _LEAST and self.teasing >= _MOST * self.characters


def link_groups(page: Columns, levels: Sequence[int]) -> tuple[list[Group], list[Group]]:
    """Return the outermost menus and groups of teasers among the nodes whose level is 0."""
    menus: list[Group] = []
    teasers: list[Group] = []
    open_elements: list[_Element] = []
    last: _Element | None = None  # the last that is complete, not yet added to the one around
    end = 0

    def close() -> _Element:
        element = open_elements.pop()
        if last is not None:
            element.add(last)
        if element.is_menu:
            _replace_inner(menus, element.start, end)
        if element.has_teasers:
            _replace_inner(teasers, element.start, end)
        return element

    low = sys.maxsize
    for node, text in enumerate(page.texts):
        low = min(low, page.lows[node])
        if not text or levels[node]:
            continue
        if last is not None:
            while open_elements and open_elements[-1].depth > low:
                last = close()
            if not open_elements or open_elements[-1].depth < low:
                open_elements.append(_Element(low, last.start))
            open_elements[-1].add(last)
        last = _leaf(page, node, text)
        end = node + 1
        low = sys.maxsize
    while open_elements:
        last = close()
    return menus, teasers


def _leaf(page: Columns, node: int, text: str) -> _Element:
    leaf = _Element(sys.maxsize, node)
    leaf.texts, leaf.characters = 1, len(text)
    if node in page.links:
        leaf.linked = min(page.links[node][0], len(text))
    leaf.headed = page.kinds[node] == _HEADING
    leaf.titled = leaf.headed and leaf.linked >= _TEASER_TITLE * len(text)
    return leaf


def _replace_inner(groups: list[Group], start: int, end: int) -> None:
    while groups and groups[-1][0] >= start:
        groups.pop()
    groups.append((start, end))
