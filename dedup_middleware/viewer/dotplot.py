"""Dot plot of matched sentences: copies are diagonals, moves are jumps, gaps are new text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.text import clean, percent, quantity, truncate

from .drawing import Png, Svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.similarity.sentences import Match

    from .comparison import PageComparison

TITLE = "Matched sentences of both pages by their position"
CAPTION = "Each dot is a sentence that appears in both pages."
MAX_CELLS = 1_000
"""The most cells on a side of the plot; in longer pages, several sentences share a cell."""
MAX_MARKS = 4_000
"""The most dots in a plot; pages that repeat themselves get coarser cells."""
_LONG, _SHORT = 560.0, 200.0  # sides of the plot
_LEFT, _TOP, _RIGHT, _BOTTOM = 56.0, 86.0, 28.0, 64.0
_LEGEND = 436.0
_QUOTE = 90  # characters
_LETTER = 7.5  # the width of most

Cells = dict[tuple[int, int, bool], list["Match"]]
"""Matches that share a place in the plot, by column, row, and whether they are the same."""


class Dotplot:
    """The matches of sentences of the first page (across) and the second (down)."""

    def __init__(self, comparison: PageComparison) -> None:
        self._comparison = comparison
        self._columns, self._rows = map(len, comparison.sentences)
        longest = max(1, self._columns, self._rows)
        self._width = max(_SHORT, _LONG * self._columns / longest)
        self._height = max(_SHORT, _LONG * self._rows / longest)
        self._step, self._cells = cells(comparison.pairs, longest)

    def svg(self) -> str:
        canvas = Svg(*self._size, TITLE)
        self._draw(canvas)
        return str(canvas)

    def png(self) -> bytes:
        canvas = Png(*self._size)
        self._draw(canvas)
        return bytes(canvas)

    @property
    def _size(self) -> tuple[float, float]:
        width = max(_LEFT + self._width + _RIGHT, _LEFT + _LEGEND)
        return width, _TOP + self._height + _BOTTOM

    def _draw(self, canvas: Svg | Png) -> None:
        self._draw_axes(canvas)
        # Reworded ones come last: there are fewer, and they must not be covered.
        for column, row, exact in sorted(self._cells, key=lambda cell: not cell[2]):
            self._draw_dot(canvas, column, row, exact=exact)
        x, y = _LEFT, _TOP + self._height + 28
        canvas.circle(x + 5, y - 4, 5, fill="same")
        canvas.text(x + 18, y, "same", fill="ink")
        canvas.circle(x + 79, y - 4, 4.5, stroke="reworded")
        canvas.text(x + 92, y, "reworded", fill="ink")
        if self._step > 1:
            note = f"A dot represents up to {self._step:,} × {self._step:,} sentences."
            canvas.text(x, y + 22, note, fill="muted")

    def _draw_axes(self, canvas: Svg | Png) -> None:
        for number in ticks(self._columns):
            x = self._x(number - 0.5)
            canvas.rect(x - 0.5, _TOP, 1, self._height, fill="faint")
            canvas.text(x, _TOP - 8, f"{number:,}", fill="muted", anchor="middle")
        for number in ticks(self._rows):
            y = self._y(number - 0.5)
            canvas.rect(_LEFT, y - 0.5, self._width, 1, fill="faint")
            canvas.text(_LEFT - 8, y + 4, f"{number:,}", fill="muted", anchor="end")
        canvas.rect(_LEFT, _TOP, self._width, self._height, stroke="muted")
        lengths = (self._columns, self._rows), self._comparison.cut, self._comparison.names
        letters = int(max(self._width, _LEGEND) / _LETTER)
        for y, axis, count, cut, name in zip((26, 48), ("Across", "Down"), *lengths, strict=True):
            more = f" (and {cut:,} more, not compared)" if cut else ""
            length = f"{axis}: {quantity(count, 'sentence')}{more} of "
            text = length + truncate(clean(name), letters - len(length))
            canvas.text(_LEFT, y, text, fill="ink")

    def _draw_dot(self, canvas: Svg | Png, column: int, row: int, *, exact: bool) -> None:
        best, *others = self._cells[column, row, exact]
        unit = self._step * self._width / max(1, self._columns)
        state = "same" if exact else f"reworded, {percent(best.similarity)} similar"
        more = f", and {quantity(len(others), 'more pair')} here" if others else ""
        quote = clean(self._comparison.first.sentences[best.first].text[:_QUOTE])
        canvas.circle(
            self._x(min((column + 0.5) * self._step, self._columns)),
            self._y(min((row + 0.5) * self._step, self._rows)),
            min(7.0, max(1.6, 0.3 * unit)) if exact else min(6.5, max(3.2, 0.27 * unit)),
            fill="same" if exact else "",
            stroke="" if exact else "reworded",
            label=f"{best.first + 1:,} and {best.second + 1:,}: {state}{more}. {quote}",
            first=best.first,
            second=best.second,
            count=1 + len(others),
        )

    def _x(self, column: float) -> float:
        return _LEFT + self._width * column / max(1, self._columns)

    def _y(self, row: float) -> float:
        return _TOP + self._height * row / max(1, self._rows)


def cells(matches: Iterable[Match], length: int) -> tuple[int, Cells]:
    """Return how many sentences a cell has to a side, and the cells with matches."""
    step = -(-length // MAX_CELLS)
    found: Cells = {}
    for match in matches:
        key = match.first // step, match.second // step, match.similarity >= 1
        found.setdefault(key, []).append(match)
    return (step, found) if len(found) <= MAX_MARKS else cells(matches, 2 * step * MAX_CELLS)


def ticks(count: int) -> list[int]:
    """Return the sentence numbers to label on an axis: the ends of its quarters.

    >>> ticks(3), ticks(146), ticks(0)
    ([1, 2, 3], [37, 73, 110, 146], [])
    """
    return sorted({-(-count * part // 4) for part in range(1, 5)} - {0})
