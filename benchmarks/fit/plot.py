"""A chart of precision, recall and false drops by threshold, a panel for each set."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.viewer.drawing import Circle, Drawing, Line, Shape, Text

from .choose import CURVE
from .points import gap, shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.accuracy.scoring import Figures

    from .choose import Fit
    from .measures import Values

_COLUMNS = 2
_LEFT, _TOP = 64.0, 126.0
_WIDE, _HIGH = 300.0, 150.0
_GAP_X, _GAP_Y = 60.0, 72.0
_SERIES = {"precision": "same", "recall": "reworded", "negatives dropped": "only"}
_TICKS_X = (0.5, 0.6, 0.7, 0.8, 0.9)
_TICKS_Y = (0.0, 0.25, 0.5, 0.75, 1.0)


def plot(fit: Fit) -> Drawing:
    """Draw a panel for each set; the vertical line is the shipped threshold."""
    rows = -(-len(fit.curves) // _COLUMNS)
    title = "Accuracy of the verdicts by threshold"
    about = (
        f"Shipped weights; across: near, with contained {gap(shipped()):g} above it. "
        f"Vertical line: the shipped near, {shipped().near:g}."
    )
    shapes: list[Shape] = [
        Text(_LEFT, 30, title, 17, bold=True, fill="ink"),
        Text(_LEFT, 50, about, 11.5, fill="muted"),
        *_legend(),
    ]
    for place, (name, figures) in enumerate(fit.curves.items()):
        row, column = divmod(place, _COLUMNS)
        left, top = _LEFT + column * (_WIDE + _GAP_X), _TOP + row * (_HIGH + _GAP_Y)
        shapes += _Panel(left, top).shapes(name, figures)
    width = _LEFT + _COLUMNS * (_WIDE + _GAP_X) - _GAP_X + 36
    return Drawing(title, width, _TOP + rows * (_HIGH + _GAP_Y) - 20, tuple(shapes))


def _legend() -> Iterator[Shape]:
    for place, (name, colour) in enumerate(_SERIES.items()):
        x = _LEFT + 104 * place
        yield Line(x, 70, x + 18, 70, stroke=colour, stroke_width=3)
        yield Text(x + 24, 74, name, 12, fill="ink")


class _Panel:
    """The area in which a set is drawn."""

    def __init__(self, left: float, top: float) -> None:
        self._left, self._top = left, top

    def shapes(self, name: str, figures: Figures) -> Iterator[Shape]:
        near = shipped().near
        here = min(range(len(CURVE)), key=lambda at: abs(CURVE[at] - near))
        yield from self._axes()
        yield Text(self._left, self._top - 12, name, 13, bold=True, fill="ink")
        yield Text(
            self._left + _WIDE, self._top - 12, _caption(figures, here), 11, "end", fill="muted"
        )
        x, low, high = self._x(near), self._y(0), self._y(1)
        yield Line(x, high, x, low, stroke="muted", stroke_width=1.2)
        lines: dict[str, Values] = {
            "negatives dropped": figures.drops / max(1, figures.negatives),
        }
        if figures.positives:
            # without finds there is no precision
            precision = np.where(figures.finds > 0, figures.precision, np.nan)
            lines |= {"recall": figures.recall, "precision": precision}
        for series, values in lines.items():
            yield from self._line(values, _SERIES[series])
            if not np.isnan(values[here]):
                yield Circle(x, self._y(values[here]), 3, fill=_SERIES[series])

    def _line(self, values: Values, colour: str) -> Iterator[Shape]:
        points = [
            (self._x(near), self._y(value))
            for near, value in zip(CURVE, values, strict=True)
            if not np.isnan(value)
        ]
        for one, other in pairwise(points):
            yield Line(*one, *other, stroke=colour, stroke_width=2.2)
        for point in points:  # rounds the corners
            yield Circle(*point, 1.1, fill=colour)

    def _axes(self) -> Iterator[Shape]:
        right = self._x(CURVE[-1])
        for share in _TICKS_Y:
            y = self._y(share)
            yield Line(self._left, y, right, y, stroke="faint")
            yield Text(self._left - 8, y + 4, f"{share:g}", 11, "end", fill="muted")
        for near in _TICKS_X:
            x = self._x(near)
            yield Text(x, self._y(0) + 18, f"{near:g}", 11, "middle", fill="muted")

    def _x(self, near: float) -> float:
        return self._left + _WIDE * (near - CURVE[0]) / (CURVE[-1] - CURVE[0])

    def _y(self, share: float) -> float:
        return self._top + _HIGH * (1 - share)


def _caption(figures: Figures, here: int) -> str:
    dropped = f"{figures.drops[here]} of {figures.negatives} dropped"
    return f"F1 {figures.f1[here]:.3f}, {dropped}" if figures.positives else dropped
