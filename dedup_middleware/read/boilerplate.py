"""Boilerplate detection: what of a page is main text, what its frame, what its readers wrote."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, compress
from typing import TYPE_CHECKING

from .labels import (
    ARTICLE,
    ASIDE,
    COMMENTS,
    FORM,
    HEADER,
    LINKS,
    MAIN,
    OUTSIDE,
    PART,
    TAG,
    TEASERS,
    WORDS,
)
from .outline import BY_STRUCTURE, COMMENT, KINDS
from .siblings import link_groups
from .words import fold, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .columns import Columns, Span

_HEADING = KINDS.index("heading")
_TITLE_PARTS = re.compile(" [|\u2013\u2014\u00bb\u00b7-] ")

# A word of class or id describes the page, not a part, if one element with it holds most of the
# page; or if all of them do, and one has the main heading in it or they are this many.
_MANY = 12
# A part of the page is there once, or a few times for other screens.
_FEW_PARTS = 3
_NEARLY_ALL = 0.9
_LONG = 60  # characters from which on a text is more than a label
# Text above the heading that names the page, as a share of what is below.
_LITTLE = 0.2
# Comments need a page to comment on: characters above, and the least share of text that is not
# comments; less than this many characters are no comment.
_COMMENTED = 150
_COMMENTED_SHARE = 0.2
_COMMENT = 200
_COPY = 200  # characters of a run of texts that repeats an earlier one
_ENOUGH_PROSE = 1000  # characters above teasers
_TEASERS_TO_PROSE = 2  # the most teasers for one text, by characters
# One node with this many links, this long on average, is a bar of links.
_LINKS = 3
_LINK_SHARE = 0.6
_LONGEST_LINK = 45
_SENTENCE_ENDS = frozenset(".!?\u3002")
# Less main text than this, as a share of all text, means that too much was marked: if it is few
# words as well, or next to nothing beside lists of links.
_FEW = 0.1
_FEW_WORDS = 5
_VERY_FEW = 0.05


def mark_boilerplate(page: Columns, title: str) -> bytes:
    """Return the mark of each node: 0 for main text, BY_STRUCTURE or COMMENT."""
    levels = bytearray(len(page.texts))
    if page.spans:
        named = _naming_headings(page, title)
        _mark_spans(levels, page, named)
        _unmark_titles(levels, page, named)
        _mark_outside(levels, page)
        _mark_above(levels, page, named)
        _mark_comments(levels, page)
    if page.spans or page.links:  # else it is plain text, or as good as that
        _mark_bars(levels, page)
        _mark_copies(levels, page)
        _mark_groups(levels, page)
    if not any(levels):
        return bytes(levels)
    _mark_emptied(levels, page)
    return _with_enough_left(levels, page.texts).translate(_MARKS)


_MARKS = bytes(
    COMMENT if level == COMMENTS else BY_STRUCTURE if level else 0 for level in range(256)
)
_IS_LINKS = bytes(int(level == LINKS) for level in range(256))
_IS_MAIN = bytes(int(level == 0) for level in range(256))


def _naming_headings(page: Columns, title: str) -> list[int]:
    """Return the main headings that are in the title, the site's name at its end left out."""
    name = fold(_TITLE_PARTS.split(title, maxsplit=1)[0])
    return [
        node
        for node in page.tops
        if len(page.texts[node]) <= 2 * len(name) and fold(page.texts[node]) in name
    ]


class _Sizes:
    """How much text, and how much of it outside links, any run of nodes has."""

    def __init__(self, page: Columns) -> None:
        lengths = list(map(len, page.texts))
        self.text = list(accumulate(lengths, initial=0))
        for node, (characters, _) in page.links.items():
            if node < len(lengths):
                lengths[node] -= min(characters, lengths[node])
        self.prose = list(accumulate(lengths, initial=0))

    def of(self, start: int, end: int) -> tuple[int, int]:
        return self.text[end] - self.text[start], self.prose[end] - self.prose[start]

    def is_most(self, text: int, prose: int) -> bool:
        return prose > self.prose[-1] / 2 and text > self.text[-1] / 3

    def is_nearly_all(self, text: int, prose: int) -> bool:
        return prose > _NEARLY_ALL * self.prose[-1] and text > _NEARLY_ALL * self.text[-1]


class _Uses:
    """All elements with one word in class or id, those inside others left out."""

    def __init__(self) -> None:
        self.count = self.end = self.text = self.prose = 0
        self.headed = False

    def add(self, span: Span, text: int, prose: int, *, headed: bool) -> None:
        if span.start >= self.end:
            self.count += 1
            self.end = span.end
            self.text += text
            self.prose += prose
            self.headed |= headed


def _mark_spans(levels: bytearray, page: Columns, named: list[int]) -> None:
    """Mark elements that are boilerplate by name, role, class or id, unless they hold the page."""
    sizes = _Sizes(page)
    spans = sorted(page.spans, key=_outer_first)
    uses: dict[str, _Uses] = {}
    for span in spans:
        size = sizes.of(span.start, span.end)
        if span.level in (PART, WORDS) and not sizes.is_most(*size):
            of_word = uses.setdefault(span.word, _Uses())
            of_word.add(span, *size, headed=_is_in(span, page.tops))

    def is_boilerplate(span: Span) -> bool:
        size = sizes.of(span.start, span.end)
        if span.level == TAG:
            # with nearly all in it, it was never closed
            return not (sizes.is_nearly_all(*size) and _is_in(span, page.tops))
        if span.level == ASIDE:
            return not _is_in(span, named)
        if span.level <= ARTICLE or span.level == COMMENTS or sizes.is_most(*size):
            return False
        if span.level in (FORM, HEADER):
            return span.level == HEADER or not _is_in(span, page.tops)
        of_word = uses[span.word]
        if span.level == PART and of_word.count > _FEW_PARTS:
            return False
        common = sizes.is_most(of_word.text, of_word.prose) and (
            of_word.headed or of_word.count >= _MANY
        )
        return not common and not _is_in(span, named)

    _paint(levels, filter(is_boilerplate, spans))


def _outer_first(span: Span) -> tuple[int, int]:
    return span.start, -span.end


def _is_in(span: Span, nodes: Sequence[int]) -> bool:
    """Return True if one of the nodes, which ascend, is in a span."""
    place = bisect_left(nodes, span.start)
    return place < len(nodes) and nodes[place] < span.end


def _paint(levels: bytearray, spans: Iterable[Span]) -> None:
    """Give each node the greatest level of the spans around it, which come outer first."""
    done = 0
    around = [(len(levels), 0)]  # the ends and levels of all spans that are open

    def fill(end: int) -> None:
        nonlocal done
        if end > done:
            if around[-1][1]:
                levels[done:end] = bytes((around[-1][1],)) * (end - done)
            done = end

    for start, end, level, _ in spans:
        while around[-1][0] <= start and len(around) > 1:
            fill(around[-1][0])
            around.pop()
        fill(start)
        around.append((end, max(level, around[-1][1])))
    while len(around) > 1:
        fill(around[-1][0])
        around.pop()


def _painted(page: Columns, *wanted: int) -> bytearray:
    """Return for each node whether an element of one of these levels is around it."""
    painted = bytearray(len(page.texts))
    spans = [span for span in page.spans if span.level in wanted]
    _paint(painted, sorted(spans, key=_outer_first))
    return painted


def _unmark_titles(levels: bytearray, page: Columns, named: list[int]) -> None:
    """Unmark main headings that name the page, and what is more than a label in article headers."""
    for node in named:
        if levels[node] in (PART, WORDS, HEADER):
            levels[node] = 0
    in_article = _painted(page, MAIN, ARTICLE)
    for node in page.tops:
        if levels[node] in (PART, WORDS) and in_article[node]:
            levels[node] = 0
    node = levels.find(HEADER)
    while node >= 0:
        if in_article[node] and (page.kinds[node] == _HEADING or len(page.texts[node]) >= _LONG):
            levels[node] = 0
        node = levels.find(HEADER, node + 1)


def _mark_outside(levels: bytearray, page: Columns) -> None:
    """Mark what is beside the main element, if that has most of the text."""
    inside = _painted(page, MAIN)
    if not any(inside):
        return
    left = _left(levels, page)
    if sum(compress(left, inside)) * 2 >= sum(left):
        for node, marked in enumerate(inside):
            if not marked and not levels[node]:
                levels[node] = OUTSIDE


def _mark_above(levels: bytearray, page: Columns, named: list[int]) -> None:
    """Mark what is above the heading that names the page, if that is little."""
    first = next((node for node in named if not levels[node]), 0)
    left = _left(levels, page)
    if sum(left[:first]) <= _LITTLE * sum(left[first:]):
        _mark(levels, 0, first, OUTSIDE)


def _mark_comments(levels: bytearray, page: Columns) -> None:
    """Mark comments, unless they are what the page is about, as in a forum."""
    first = _main_heading(levels, page)
    sums = list(accumulate(_left(levels, page), initial=0))
    found: list[Span] = []
    end = size = 0
    for span in sorted(page.spans, key=_outer_first):
        if span.level == COMMENTS and span.start >= end:
            end = span.end
            if sums[end] - sums[span.start] >= _COMMENT:
                found.append(span)
                size += sums[end] - sums[span.start]
    if not found or sums[max(found[0].start, first)] - sums[first] < _COMMENTED:
        return
    if sums[-1] - sums[first] - size >= _COMMENTED_SHARE * (sums[-1] - sums[first]):
        for span in found:
            _mark(levels, span.start, span.end, COMMENTS)


def _mark_bars(levels: bytearray, page: Columns) -> None:
    """Mark texts that are several links in a row, and no enumeration."""
    for node, (characters, links) in page.links.items():
        if node >= len(levels) or links < _LINKS or levels[node] or page.kinds[node] == _HEADING:
            continue
        text = page.texts[node]
        if (
            characters >= _LINK_SHARE * len(text)
            and len(text) < _LONGEST_LINK * links
            and text.count(",") < links - 1
            and text[-1] not in _SENTENCE_ENDS
        ):
            levels[node] = LINKS


def _mark_copies(levels: bytearray, page: Columns) -> None:
    """Mark runs of texts that repeat an earlier run: for other screens, or quoted."""
    texts = page.texts
    order = [node for node, text in enumerate(texts) if text and not levels[node]]
    first: dict[str, int] = {}
    start = source = size = 0  # of the run: its place, the place it repeats, its characters

    def mark(end: int) -> None:
        if size >= _COPY:
            for node in order[start:end]:
                levels[node] = OUTSIDE

    for place, node in enumerate(order):
        text = texts[node]
        if size:
            following = source + place - start
            if following < start and texts[order[following]] == text:
                size += len(text)
                first.setdefault(text, place)
                continue
            mark(place)
        start, source = place, first.setdefault(text, place)
        size = len(text) if source < place else 0
    mark(len(order))


def _mark_groups(levels: bytearray, page: Columns) -> None:
    """Mark menus; and teasers below a text that is longer than all of them."""
    menus, teasers = link_groups(page, levels)
    if not menus and not teasers:
        return
    left = _left(levels, page)
    first = _main_heading(levels, page)
    grouped = bytearray(len(levels))
    for start, end in (*menus, *teasers):
        grouped[start:end] = b"\1" * (end - start)
    prose = [0] * (len(levels) + 1)
    for node, size in enumerate(left):
        unlinked = size - page.links.get(node, (0, 0))[0]
        counts = node >= first and not grouped[node] and unlinked >= _LONG
        prose[node + 1] = prose[node] + (unlinked if counts else 0)
    for start, end in menus:
        _mark(levels, start, end, LINKS if prose[start] < _ENOUGH_PROSE else TEASERS)
    size = sum(sum(left[start:end]) for start, end in teasers)
    for start, end in teasers:
        if prose[start] >= max(_ENOUGH_PROSE, size / _TEASERS_TO_PROSE):
            _mark(levels, start, end, TEASERS)


def _mark_emptied(levels: bytearray, page: Columns) -> None:
    """Mark lists, tables and headings when all that is under them is boilerplate."""
    nothing = 255
    least = bytearray((nothing,)) * len(levels)  # the least level under each node
    tops = set(page.tops)
    for node in range(len(levels) - 1, -1, -1):
        heading = page.kinds[node] == _HEADING
        # a heading that is a link heads nothing
        if heading and (levels[node] or node in tops or node in page.links):
            pass
        elif (heading or not page.texts[node]) and 0 < least[node] < nothing:
            levels[node] = least[node]
        elif not page.texts[node]:
            levels[node] = 0
        parent = page.parents[node]
        if parent >= 0:
            own = levels[node] if page.texts[node] else nothing
            least[parent] = min(least[parent], least[node], own)


def _with_enough_left(levels: bytearray, texts: list[str]) -> bytes:
    """Undo the less certain marks on a page that would be left without main text."""
    total = sum(map(len, texts))
    if _size(levels, texts, _IS_LINKS) > _size(levels, texts, _IS_MAIN):
        levels = levels.translate(_UNDO[LINKS])  # an index page: the links are what it is about
    for undo, table in _UNDO.items():
        left = list(compress(texts, levels.translate(_IS_MAIN)))
        size = sum(map(len, left))
        if size >= _FEW * total or (undo == TAG and size):
            break
        if (undo != LINKS or size >= _VERY_FEW * total) and sum(
            len(words(text)) for text in left
        ) >= _FEW_WORDS:
            break
        levels = levels.translate(table)
    return bytes(levels)


_UNDO = {
    limit: bytes(level if level > limit else 0 for level in range(256))
    for limit in (LINKS, TEASERS, OUTSIDE, WORDS, FORM, TAG)
}


def _size(levels: bytearray, texts: list[str], wanted: bytes) -> int:
    return sum(map(len, compress(texts, levels.translate(wanted))))


def _main_heading(levels: bytearray, page: Columns) -> int:
    return next((node for node in page.tops if not levels[node]), 0)


def _left(levels: bytearray, page: Columns) -> list[int]:
    """Return the length of each text that is not marked, 0 for the others."""
    return [0 if level else len(text) for text, level in zip(page.texts, levels, strict=True)]


def _mark(levels: bytearray, start: int, end: int, level: int) -> None:
    for node in range(start, end):
        if not levels[node]:
            levels[node] = level
