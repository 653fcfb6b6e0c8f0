"""Which nodes of a page are furniture: menus, footers, forms, link lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from .levels import ARTICLE, FORM, HEADER, LINKS, TAG, WORDS
from .outline import KINDS

Span = tuple[int, int, int]
"""First node, node after the last, level."""

_HEADING = KINDS.index("heading")
_CONTAINERS = bytes((KINDS.index("list"), KINDS.index("table")))

# A node counts as link text from this share on; a group of such nodes from this size and up to
# this mean length is no prose.
_LINK_SHARE = 0.6
_GROUP = 3
_LONGEST = 90
# Less main text than this means that the marks went too far.
_FEW_WORDS = 20
_FEW = 0.1


class Columns(NamedTuple):
    """What the builder has gathered, a column a property."""

    kinds: Sequence[int]
    parents: Sequence[int]
    texts: Sequence[str]
    linked: Sequence[int]
    """Characters inside links."""
    anchors: Sequence[int]
    """Number of links."""
    tops: Sequence[int]
    """The nodes that are headings of rank 1."""


def mark_furniture(page: Columns, spans: list[Span], title: str) -> bytes:
    """Return 1 for each node that is furniture, 0 for main text."""
    levels = bytearray(len(page.texts))
    _mark_spans(levels, page, spans)
    _free_titles(levels, page, spans, title)
    _mark_link_groups(levels, page)
    _mark_emptied_headings(levels, page)
    return _with_enough_left(levels, page.texts).translate(_IS_FURNITURE)


_IS_FURNITURE = bytes(int(level > ARTICLE) for level in range(256))


def _mark_spans(levels: bytearray, page: Columns, spans: list[Span]) -> None:
    ends = list(accumulate(map(len, page.texts), initial=0))
    link_ends = list(accumulate(page.linked, initial=0))
    prose = ends[-1] - link_ends[-1]
    for start, end, level in sorted(spans, key=_level):  # the surest last: it overwrites
        if level == ARTICLE:
            continue
        if level < TAG:
            inside = ends[end] - ends[start] - (link_ends[end] - link_ends[start])
            if inside * 2 > prose > 0:
                continue  # it holds the page, whatever its name
        levels[start:end] = bytes((level,)) * (end - start)


def _level(span: Span) -> int:
    return span[2]


def _free_titles(levels: bytearray, page: Columns, spans: list[Span], title: str) -> None:
    """A main heading in a page header is main text if it heads an article or names the page."""
    for node in page.tops:
        if levels[node] in (WORDS, HEADER) and (
            title.startswith(page.texts[node])
            or any(
                level == ARTICLE and start <= node < end for start, end, level in spans
            )
        ):
            levels[node] = 0


def _mark_link_groups(levels: bytearray, page: Columns) -> None:
    texts, parents = page.texts, page.parents
    groups: dict[int, list[int]] = {}
    for node, characters in enumerate(page.linked):
        if characters and not levels[node] and characters >= _LINK_SHARE * len(texts[node]):
            anchors = page.anchors[node]
            if anchors >= _GROUP and len(texts[node]) < _LONGEST * anchors / 2:
                levels[node] = LINKS
            if page.kinds[node] != _HEADING:
                groups.setdefault(parents[node], []).append(node)
    for parent, nodes in groups.items():
        if len(nodes) < _GROUP:
            continue
        if parent >= 0 and page.kinds[parent] in _CONTAINERS:
            _mark_container(levels, page, parent, nodes)
        else:
            _mark_runs(levels, page, nodes)


def _mark_container(levels: bytearray, page: Columns, parent: int, nodes: list[int]) -> None:
    end = _end_of(parent, page.parents)
    all_text = sum(map(len, page.texts[parent:end]))
    link_text = sum(page.linked[parent:end])
    if link_text >= _LINK_SHARE * all_text and all_text <= _LONGEST * (end - parent):
        for node in range(parent, end):
            levels[node] = max(levels[node], LINKS)


def _mark_runs(levels: bytearray, page: Columns, nodes: list[int]) -> None:
    run: list[int] = []
    for node in (*nodes, -1):
        if run and node != run[-1] + 1:
            if len(run) >= _GROUP and sum(len(page.texts[n]) for n in run) < _LONGEST * len(run):
                for member in run:
                    levels[member] = LINKS
            run = []
        run.append(node)


def _mark_emptied_headings(levels: bytearray, page: Columns) -> None:
    """Mark a heading when all that stands under it is furniture."""
    tops = set(page.tops)
    heading = page.kinds.index
    node = len(page.texts) - 1
    while node >= 0:
        if page.kinds[node] == _HEADING and not levels[node] and node not in tops:
            below = node + 1
            while below < len(levels) and page.parents[below] >= node and levels[below]:
                below += 1
            if below > node + 1 and (below == len(levels) or page.parents[below] < node):
                levels[node] = min(levels[node + 1 : below])
        node -= 1
    del heading


def _end_of(node: int, parents: Sequence[int]) -> int:
    end = node + 1
    while end < len(parents) and parents[end] >= node:
        end += 1
    return end


def _with_enough_left(levels: bytearray, texts: Sequence[str]) -> bytes:
    total = sum(map(len, texts))
    for undo in (LINKS, WORDS, FORM, TAG):
        left = [text for text, level in zip(texts, levels, strict=True) if not level]
        enough = sum(map(len, left)) >= _FEW * total
        if enough or sum(len(text.split()) for text in left) >= _FEW_WORDS:
            break
        if undo == TAG and any(left):
            break
        levels = levels.translate(_UNDO[undo])
    return bytes(levels)


_UNDO = {
    limit: bytes(level if level > limit else 0 for level in range(256))
    for limit in (LINKS, WORDS, FORM, TAG)
}
