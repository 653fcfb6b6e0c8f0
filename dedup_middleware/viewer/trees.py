"""The outlines of two pages as trees side by side, with links between blocks that match."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from math import log2
from typing import TYPE_CHECKING

from dedup_middleware.read.outline import CONTAINERS
from dedup_middleware.text import clean, percent, quantity

from .drawing import Curve, Drawing, Rect, Text, line, text_width, truncate, truncate_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.similarity.sentences import Match, Side

    from .comparison import PageComparison
    from .drawing import Shape

MAX_ROWS = 120
"""The most rows that a page gets; the rest is collapsed."""
MAX_LINKS = 600
"""The strongest; pages that repeat themselves have a great many."""
_MARGIN, _COLUMN, _GAP = 20.0, 500.0, 180.0
_TOP, _ROW, _FOOT = 84.0, 24.0, 20.0
_INDENT, _DEEPEST = 14.0, 8
_BAR, _BAR_HEIGHT, _PERCENT = 56.0, 12.0, 52.0
_SIZE, _SMALL = 13.0, 11.0
_BOLD = 1.12  # times as wide as regular letters
_THICKEST = 9.0
_LONGEST = 160  # characters of a block that are shown on hover


@dataclass(frozen=True, slots=True)
class Link:
    """Two rows that share sentences."""

    first: int
    second: int
    matches: int
    example: Match | None


def trees(comparison: PageComparison, most: int = MAX_ROWS) -> Drawing:
    """Draw both outlines, shaded by the share of matched sentences, with links between them."""
    first = collapse(outline_rows(comparison.first), most)
    second = collapse(outline_rows(comparison.second), most)
    left, right = _MARGIN, _MARGIN + _COLUMN + _GAP
    shapes: list[Shape] = [
        *_head(left, comparison.names[0], comparison.first),
        *_head(right, comparison.names[1], comparison.second),
        *map(_curve, links(comparison, first, second)),
        *_column(left, first, mirrored=False),
        *_column(right, second, mirrored=True),
    ]
    for x, side, rows in ((left, comparison.first, first), (right, comparison.second, second)):
        shapes += _boilerplate(x, side, len(rows))
    lines = max(len(first), len(second)) + 1
    return Drawing(
        title="Outlines of both pages and the blocks that share sentences",
        width=2 * (_MARGIN + _COLUMN) + _GAP,
        height=_TOP + lines * _ROW + _FOOT,
        shapes=tuple(shapes),
        caption="Bars show how much of a block also appears in the other page.",
    )


def links(comparison: PageComparison, first: Rows, second: Rows) -> list[Link]:
    """Return the links between rows, the weakest first: the strongest are painted on top."""
    row_of = tuple(
        {node: index for index, row in enumerate(rows) for node in row.nodes}
        for rows in (first, second)
    )
    totals: dict[tuple[int, int], int] = {}
    for edge in comparison.edges:
        if edge.first in row_of[0] and edge.second in row_of[1]:
            key = row_of[0][edge.first], row_of[1][edge.second]
            totals[key] = totals.get(key, 0) + edge.matches
    examples: dict[tuple[int, int], Match] = {}
    for match in comparison.pairs:
        one = row_of[0].get(comparison.first.sentences[match.first].node, -1)
        other = row_of[1].get(comparison.second.sentences[match.second].node, -1)
        examples.setdefault((one, other), match)
    found = [Link(*key, matches, examples.get(key)) for key, matches in totals.items()]
    found.sort(key=lambda link: (link.matches, -link.first, -link.second))
    return found[-MAX_LINKS:]


def _head(x: float, name: str, side: Side) -> Iterator[Shape]:
    total = len(side.sentences)
    matched = sum(side.shading.get(sentence.node, 0.0) for sentence in side.sentences)
    share = f", {percent(matched / total)} of them matched" if total else ""
    cut = f"; {side.cut:,} more not compared" if side.cut else ""
    yield Text(x, 34, truncate_name(name, _COLUMN, 14 * _BOLD), 14, bold=True, fill="ink")
    note = truncate(quantity(total, "sentence") + share + cut, _COLUMN, 12)
    yield Text(x, 55, note, 12, fill="muted")
    yield line(x, 68, x + _COLUMN, 68)


def _column(x: float, rows: Rows, *, mirrored: bool) -> Iterator[Shape]:
    """Draw the rows of a page; the bars are on the side of the links."""
    bar = x if mirrored else x + _COLUMN - _BAR
    number = x + _BAR + _PERCENT - 8 if mirrored else bar - 8
    start = x + _BAR + _PERCENT + 6 if mirrored else x
    end = start + _COLUMN - _BAR - _PERCENT - 14
    yield from _guides(start, rows)
    for index, row in enumerate(rows):
        middle = _middle(index)
        yield from _words(start + _indent(row), end, middle, row)
        if row.share is not None:
            yield from _share(bar, number, middle, row)


def _words(x: float, end: float, middle: float, row: Row) -> Iterator[Shape]:
    base = middle + 4.5
    yield Text(x, base, row.kind, _SMALL, fill="muted")
    x += text_width(row.kind, _SMALL) + 6
    more = f" + {quantity(len(row.nodes) - 1, 'block')}" if len(row.nodes) > 1 else ""
    bold = row.kind == "heading"
    size = _SIZE * _BOLD if bold else _SIZE
    text = truncate(row.text, end - x - text_width(more, size), size) + more
    unremarkable = row.share in {None, 1.0} and not bold
    label = clean(row.text[:_LONGEST])
    fill = "muted" if unremarkable else "ink"
    yield Text(x, base, text, _SIZE, bold=bold, fill=fill, label=label)


def _share(bar: float, number: float, middle: float, row: Row) -> Iterator[Shape]:
    share = row.share or 0.0
    top = middle - _BAR_HEIGHT / 2
    if share:
        yield Rect(bar, top, _BAR * share, _BAR_HEIGHT, fill="same", opacity=0.8)
    yield Rect(
        bar,
        top,
        _BAR,
        _BAR_HEIGHT,
        stroke="same" if share else "only",
        label=f"{round(row.matched):,} of {quantity(row.sentences, 'sentence')} matched",
    )
    yield Text(
        number,
        middle + 4,
        percent(share),
        _SMALL,
        "end",
        bold=share < 1,
        fill="muted" if share == 1 else "ink" if share else "only",
    )


def _guides(x: float, rows: Rows) -> Iterator[Shape]:
    """Draw a line from each row down to its last child."""
    last = {row.parent: index for index, row in enumerate(rows) if row.parent >= 0}
    for parent, child in last.items():
        if rows[parent].depth < _DEEPEST:
            at = x + _indent(rows[parent]) + 3
            yield line(at, _middle(parent) + 9, at, _middle(child))
            yield line(at, _middle(child), at + 7, _middle(child))


def _boilerplate(x: float, side: Side, rows: int) -> Iterator[Shape]:
    count = sum(
        bool(boilerplate and text)
        for boilerplate, text in zip(side.outline.boilerplate, side.outline.texts, strict=True)
    )
    if count:
        note = f"… {quantity(count, 'block')} of boilerplate, not compared"
        yield Text(x, _middle(rows) + 4.5, note, _SMALL, fill="muted", opacity=0.8)


def _curve(link: Link) -> Shape:
    pairs = quantity(link.matches, "shared sentence")
    pair = link.example
    data = {"first": pair.first, "second": pair.second, "count": link.matches} if pair else {}
    return Curve(
        _MARGIN + _COLUMN + 4,
        _middle(link.first),
        _MARGIN + _COLUMN + _GAP - 4,
        _middle(link.second),
        stroke="same",
        stroke_width=min(_THICKEST, 1.25 + 1.25 * log2(link.matches)) if link.matches else 1,
        opacity=0.4,
        label=pairs,
        data=data,
    )


def _indent(row: Row) -> float:
    return _INDENT * min(row.depth, _DEEPEST)


def _middle(index: int) -> float:
    return _TOP + (index + 0.5) * _ROW


@dataclass(frozen=True, slots=True)
class Row:
    """A node, or several collapsed into one."""

    kind: str
    text: str
    parent: int
    """The index of the parent row, -1 at the top."""
    depth: int
    nodes: tuple[int, ...]
    sentences: int
    matched: float

    @property
    def share(self) -> float | None:
        """The share of the sentences that also appear in the other page."""
        return self.matched / self.sentences if self.sentences else None


Rows = tuple[Row, ...]
Key = tuple[float, ...]
"""By which merges are ranked; the lowest comes first."""


def outline_rows(side: Side) -> Rows:
    """Return a row for each node with sentences, and for its ancestors."""
    outline = side.outline
    counts = Counter(sentence.node for sentence in side.sentences)
    needed = set(counts)
    for index in range(len(outline.parents) - 1, -1, -1):
        if index in needed:
            needed.add(outline.parents[index])
    rows: list[Row] = []
    places = [-1]  # the last is for the parent -1
    for index, node in enumerate(outline.nodes):
        parent = places[node.parent]
        place = parent
        if index in needed and not node.boilerplate:
            place = len(rows)
            depth = rows[parent].depth + 1 if parent >= 0 else 0
            matched = side.shading.get(index, 0.0) * counts[index]
            rows.append(Row(node.kind, node.text, parent, depth, (index,), counts[index], matched))
        places.insert(index, place)
    return tuple(rows)


def collapse(rows: Rows, most: int) -> Rows:
    """Merge rows until there are at most so many: first where that hides no difference."""
    while len(rows) > most:
        targets, surplus = list(range(len(rows))), len(rows) - most
        used: set[int] = set()
        for _, group in sorted(_groups(rows)):
            if surplus > 0 and used.isdisjoint(group):
                used |= {*group}
                surplus -= len(group) - 1
                for index in group:
                    targets[index] = group[0]
        rows = _merged(rows, targets)
    return rows


def _groups(rows: Rows) -> Iterator[tuple[Key, list[int]]]:
    """Yield rows that may be merged into the first of them, and how early that should be done.

    These are a row with all its children, if they have none; neighbours among these that are
    matched alike; and any two neighbours.
    """
    children: dict[int, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        children[row.parent].append(index)
    for parent, family in children.items():
        if parent >= 0 and not any(child in children for child in family):
            branch = [parent, *family]
            is_text = rows[parent].kind not in CONTAINERS
            hidden = _hidden(rows, branch)
            rank = 2 * is_text if not hidden else 3 + 2 * is_text
            yield (rank, -rows[parent].depth, hidden, -len(branch)), branch
        leaves = [(index not in children, rows[index].share) for index in family]
        for (is_leaf, _), run in groupby(range(len(family)), leaves.__getitem__):
            alike = [family[at] for at in run]
            if is_leaf and len(alike) > 1:
                yield (1, 0, 0, -len(alike)), alike
        for at in range(0, len(family) - 1, 2):
            pair = family[at : at + 2]
            if leaves[at][0] and leaves[at + 1][0]:
                yield (4, 0, _hidden(rows, pair), 0), pair


def _hidden(rows: Rows, group: list[int]) -> float:
    """Return how much the shares differ that would become one."""
    shares = [share for index in group if (share := rows[index].share) is not None]
    return round(max(shares, default=0.0) - min(shares, default=0.0), 1)


def _merged(rows: Rows, targets: list[int]) -> Rows:
    """Merge each row into its target."""
    groups: dict[int, list[Row]] = {}
    for row, target in zip(rows, targets, strict=True):
        groups.setdefault(target, []).append(row)
    place = {target: index for index, target in enumerate(groups)}
    return tuple(
        replace(
            group[0],
            parent=place[targets[group[0].parent]] if group[0].parent >= 0 else -1,
            nodes=tuple(node for row in group for node in row.nodes),
            sentences=sum(row.sentences for row in group),
            matched=sum(row.matched for row in group),
        )
        for group in groups.values()
    )
