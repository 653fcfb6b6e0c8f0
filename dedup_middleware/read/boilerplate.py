"""Boilerplate detection: menus, footers, forms, link lists."""

from __future__ import annotations

from itertools import accumulate, compress
from operator import itemgetter
from typing import NamedTuple

from .blocks import ARTICLE, FORM, HEADER, LINKS, TAG, WORDS
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
_SENTENCE_ENDS = frozenset(".!?\u3002")
# Less main text than this, as a share of all text, means that too much was marked: if it is few
# words as well, or next to nothing beside lists of links.
_FEW = 0.1
_FEW_WORDS = 20
_VERY_FEW = 0.05


class Columns(NamedTuple):
    """What the builder has gathered."""

    kinds: bytearray
    parents: list[int]
    texts: list[str]
    links: dict[int, tuple[int, int]]
    """Node: its characters inside links, its links."""
    tops: list[int]
    """The nodes that are headings of rank 1."""


def mark_boilerplate(page: Columns, spans: list[Span], title: str) -> bytes:
    """Return 1 for each node that is boilerplate, 0 for main text."""
    levels = bytearray(len(page.texts))
    if spans:
        _mark_spans(levels, page, spans)
        _unmark_titles(levels, page, spans, title)
    if page.links:
        _mark_link_groups(levels, page)
    if not any(levels):
        return bytes(levels)
    _mark_emptied_headings(levels, page)
    return _with_enough_left(levels, page.texts).translate(_IS_BOILERPLATE)


_IS_BOILERPLATE = bytes(int(level > 0) for level in range(256))
_IS_LINKS = bytes(int(level == LINKS) for level in range(256))
_IS_MAIN = bytes(int(level == 0) for level in range(256))


def _mark_spans(levels: bytearray, page: Columns, spans: list[Span]) -> None:
    sizes = list(map(len, page.texts))
    ends = list(accumulate(sizes, initial=0))
    for node, (characters, _) in page.links.items():
        if node < len(sizes):
            sizes[node] -= min(characters, sizes[node])
    prose = list(accumulate(sizes, initial=0))
    most_prose, much_text = prose[-1] / 2, ends[-1] / 3
    for start, end, level in sorted(spans, key=_level):  # the most certain last: it overwrites
        # a weak sign on what holds most of the page describes the page
        if level == TAG or (
            level > ARTICLE
            and not (prose[end] - prose[start] > most_prose and ends[end] - ends[start] > much_text)
        ):
            levels[start:end] = _LEVEL[level] * (end - start)


_LEVEL = tuple(bytes((level,)) for level in range(TAG + 1))


_level = itemgetter(2)


def _unmark_titles(levels: bytearray, page: Columns, spans: list[Span], title: str) -> None:
    """Unmark a main heading in a page header if it belongs to an article or names the page."""
    for node in page.tops:
        if levels[node] in (WORDS, HEADER) and (
            title.startswith(page.texts[node])
            or any(level == ARTICLE and start <= node < end for start, end, level in spans)
        ):
            levels[node] = 0


def _mark_link_groups(levels: bytearray, page: Columns) -> None:
    kinds, parents, texts, links, _ = page
    groups: dict[int, list[int]] = {}
    count = len(levels)
    for node, (characters, anchors) in links.items():
        if node >= count or levels[node] or kinds[node] == _HEADING:
            continue
        text = texts[node]
        if characters < _LINK_SHARE * len(text) or text[-1] in _SENTENCE_ENDS:
            continue
        enumeration = anchors < _GROUP or text.count(",") >= anchors - 1
        if not enumeration and len(text) * 2 < _LONGEST * anchors:
            levels[node] = LINKS
        parent = parents[node]
        if parent in groups:
            groups[parent].append(node)
        else:
            groups[parent] = [node]
    for parent, nodes in groups.items():
        if len(nodes) >= _GROUP:
            if parent >= 0 and page.kinds[parent] in _CONTAINERS:
                _mark_container(levels, page, parent)
            else:
                _mark_runs(levels, page, nodes)


def _mark_container(levels: bytearray, page: Columns, parent: int) -> None:
    end = _end_of(parent, page.parents)
    nodes = range(parent, end)
    length = sum(map(len, page.texts[parent:end]))
    linked = sum(page.links[node][0] for node in nodes if node in page.links)
    if linked >= _LINK_SHARE * length and length <= _LONGEST * len(nodes):
        for node in nodes:
            levels[node] = max(levels[node], LINKS)


def _mark_runs(levels: bytearray, page: Columns, nodes: list[int]) -> None:
    run: list[int] = []
    for node in (*nodes, -1):
        if run and node != run[-1] + 1:
            if len(run) >= _GROUP and sum(len(page.texts[n]) for n in run) < _LONGEST * len(run):
                levels[run[0] : run[-1] + 1] = bytes((LINKS,)) * len(run)
            run = []
        run.append(node)


def _mark_emptied_headings(levels: bytearray, page: Columns) -> None:
    """Mark a heading when all that is under it is boilerplate."""
    tops = set(page.tops)
    node = page.kinds.rfind(_HEADING)
    while node >= 0:
        if not levels[node] and node not in tops:
            end = node + 1
            while end < len(levels) and page.parents[end] >= node and levels[end]:
                end += 1
            if end > node + 1 and (end == len(levels) or page.parents[end] < node):
                levels[node] = min(levels[node + 1 : end])
        node = page.kinds.rfind(_HEADING, 0, node)


def _end_of(node: int, parents: list[int]) -> int:
    end = node + 1
    while end < len(parents) and parents[end] >= node:
        end += 1
    return end


def _with_enough_left(levels: bytearray, texts: list[str]) -> bytes:
    """Undo the less certain marks on a page that would be left without main text."""
    total = sum(map(len, texts))
    if _size(levels, texts, _IS_LINKS) > _size(levels, texts, _IS_MAIN):
        levels = levels.translate(_UNDO[LINKS])  # an index page: the links are what it is about
    for undo in (LINKS, WORDS, FORM, TAG):
        left = list(compress(texts, levels.translate(_IS_MAIN)))
        size = sum(map(len, left))
        if size >= _FEW * total or (undo == TAG and size):
            break
        if (undo != LINKS or size >= _VERY_FEW * total) and _words(left) >= _FEW_WORDS:
            break
        levels = levels.translate(_UNDO[undo])
    return bytes(levels)


def _size(levels: bytearray, texts: list[str], wanted: bytes) -> int:
    return sum(map(len, compress(texts, levels.translate(wanted))))


def _words(texts: list[str]) -> int:
    return sum(len(text.split()) for text in texts)


_UNDO = {
    limit: bytes(level if level > limit else 0 for level in range(256))
    for limit in (LINKS, WORDS, FORM, TAG)
}
