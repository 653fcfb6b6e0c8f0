"""Dot plot of matched sentences: copies are diagonals, moves are jumps, gaps are new text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.text import clean, percent, quantity

from .drawing import Circle, Drawing, Rect, Text, line, text_width, truncate_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware.similarity.sentences import Match, Side

    from .comparison import PageComparison
    from .drawing import Shape

MAX_CELLS = 1_000
"""The most cells on a side of the plot; in longer pages, several sentences share a cell."""
MAX_MARKS = 4_000
"""The most dots in a plot; pages that repeat themselves get coarser cells."""
_LONG, _SHORT = 560.0, 200.0  # sides of the plot
_LEFT, _TOP, _RIGHT, _BOTTOM = 56.0, 86.0, 28.0, 64.0
_LEGEND = 436.0
_TICKS = 14
_ROOMY = 8.0
_QUOTE = 90  # characters


@dataclass(frozen=True, slots=True)
class Cell:
    """Matches that share a place in the plot; most often one."""

    column: int
    row: int
    best: Match
    count: int
    exact: bool


class _Frame:
    """Coordinates of sentences in the plot."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        longest = max(1, columns, rows)
        self.width = max(_SHORT, _LONG * columns / longest)
        self.height = max(_SHORT, _LONG * rows / longest)

    def x(self, column: float) -> float:
        return _LEFT + self.width * column / max(1, self.columns)

    def y(self, row: float) -> float:
        return _TOP + self.height * row / max(1, self.rows)


def dotplot(comparison: PageComparison) -> Drawing:
    """Draw the matches of sentences of the first page (across) and the second (down)."""
    frame = _Frame(len(comparison.first.sentences), len(comparison.second.sentences))
    step, found = cells(comparison.pairs, max(frame.columns, frame.rows))
    # Reworded ones come last: there are fewer, and they must not be covered.
    found.sort(key=lambda cell: not cell.exact)
    shapes: list[Shape] = [
        *_grid(frame),
        *(_mark(cell, step, frame, comparison) for cell in found),
        *_axes(comparison, frame),
        *_legend(step, frame),
    ]
    return Drawing(
        title="Matched sentences of both pages by their position",
        width=max(_LEFT + frame.width + _RIGHT, _LEFT + _LEGEND),
        height=_TOP + frame.height + _BOTTOM,
        shapes=tuple(shapes),
        caption="Each dot is a sentence that appears in both pages.",
    )


def cells(matches: Sequence[Match], length: int) -> tuple[int, list[Cell]]:
    """Return how many sentences a cell has to a side, and the cells with matches."""
    step = -(-length // MAX_CELLS) or 1
    found = _group(matches, step)
    while len(found) > MAX_MARKS:
        step *= 2
        found = _group(matches, step)
    return step, found


def ticks(count: int) -> list[int]:
    """Return the sentence numbers to label on an axis.

    >>> ticks(3), ticks(17), ticks(30)
    ([1, 2, 3], [2, 4, 6, 8, 10, 12, 14, 16], [1, 5, 10, 15, 20, 25, 30])
    """
    step = next(
        step
        for power in range(12)
        for step in (10**power, 2 * 10**power, 5 * 10**power)
        if count / step <= _TICKS
    )
    first = [1] if count and step not in {1, 2} else []  # 1 and 2 would be too close
    return [*first, *range(step, count + 1, step)]


def _group(matches: Iterable[Match], step: int) -> list[Cell]:
    groups: dict[tuple[int, int, bool], list[Match]] = {}
    for match in matches:
        key = match.first // step, match.second // step, match.similarity >= 1
        groups.setdefault(key, []).append(match)
    return [
        Cell(column, row, group[0], len(group), exact)
        for (column, row, exact), group in groups.items()
    ]


def _grid(frame: _Frame) -> Iterator[Shape]:
    left, top = frame.x(0), frame.y(0)
    for number in ticks(frame.columns):
        x = frame.x(number - 0.5)
        yield line(x, top, x, top + frame.height)
        yield Text(x, top - 8, f"{number:,}", 11, "middle", fill="muted")
    for number in ticks(frame.rows):
        y = frame.y(number - 0.5)
        yield line(left, y, left + frame.width, y)
        yield Text(left - 8, y + 4, f"{number:,}", 11, "end", fill="muted")
    yield Rect(left, top, frame.width, frame.height, stroke="muted", stroke_width=0.75)


def _mark(cell: Cell, step: int, frame: _Frame, comparison: PageComparison) -> Shape:
    unit = step * frame.width / max(1, frame.columns)
    return Circle(
        frame.x(min((cell.column + 0.5) * step, frame.columns)),
        frame.y(min((cell.row + 0.5) * step, frame.rows)),
        min(7.0, max(1.6, 0.3 * unit)) if cell.exact else min(6.5, max(3.2, 0.27 * unit)),
        fill="same" if cell.exact else "",
        stroke="" if cell.exact else "reworded",
        stroke_width=2 if unit > _ROOMY else 1.5,
        label=_label(cell, comparison),
        data={"first": cell.best.first, "second": cell.best.second, "count": cell.count},
    )


def _label(cell: Cell, comparison: PageComparison) -> str:
    match = cell.best
    state = "same" if cell.exact else f"reworded, {percent(match.similarity)} similar"
    more = f", and {quantity(cell.count - 1, 'more pair')} here" if cell.count > 1 else ""
    quote = clean(comparison.first.sentences[match.first].text[:_QUOTE])
    return f"{match.first + 1:,} and {match.second + 1:,}: {state}{more}. {quote}"


def _axes(comparison: PageComparison, frame: _Frame) -> Iterator[Shape]:
    room = max(frame.width, _LEGEND)
    sides = comparison.first, comparison.second
    for y, arrow, name, side in zip((26, 48), "→↓", comparison.names, sides, strict=True):
        length = f"{arrow} {_length(side)}: "
        yield Text(_LEFT, y, length, 12, fill="muted")
        x = text_width(length, 12)
        yield Text(_LEFT + x, y, truncate_name(name, room - x, 14.5), 13, bold=True, fill="ink")


def _length(side: Side) -> str:
    cut = f" (and {side.cut:,} more, not compared)" if side.cut else ""
    return quantity(len(side.sentences), "sentence") + cut


def _legend(step: int, frame: _Frame) -> Iterator[Shape]:
    y = frame.y(0) + frame.height + 28
    x = frame.x(0)
    yield Circle(x + 5, y - 4, 5, fill="same")
    yield Text(x + 18, y, "same", 12, fill="ink")
    yield Circle(x + 79, y - 4, 4.5, fill="paper", stroke="reworded", stroke_width=2)
    yield Text(x + 92, y, "reworded", 12, fill="ink")
    if step > 1:
        note = f"A dot represents up to {step:,} × {step:,} sentences."
        yield Text(x, y + 22, note, 12, fill="muted")
