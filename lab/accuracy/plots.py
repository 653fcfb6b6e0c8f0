"""The charts of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lab.charts import OURS as BLUE
from lab.charts import dress, panels

from .methods import PEER
from .passes import MAIN
from .results import OURS, allowed, within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from .results import Measured, Results

_INK, _QUIET = "#33312d", "#77736b"
# distinguishable with colour blindness, as far as so many can be; the second round is dashed
_COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a3e9d", "#4d4d4d")
_CORNER = (0.38, 1.02)  # below it, all methods are useless
_STYLES = ("-", (0, (4, 2)), (0, (1, 1.2)))


def curves(results: Results, path: Path, *, peers: bool) -> None:
    """Draw precision over recall for each set with positives, the cascade in front."""
    sets = results.with_positives
    shown = [
        method for method in results.labels if method != OURS and method.startswith(PEER) == peers
    ]
    looks = _looks(shown)
    with panels(path, len(sets) + 1, columns=3, size=4.2) as axes:
        for name, panel in zip(sets, axes, strict=False):
            for method in (*shown, OURS):
                one = results.of(method, name, MAIN)
                if one:
                    _curve(panel, one, results, looks.get(method))
            dress(panel, name, "recall", "precision")
            panel.set_xlim(*_CORNER)
            panel.set_ylim(*_CORNER)
        known = [method for method in (OURS, *shown) if method in results.labels]
        _key(axes[len(sets)], results, known, looks)


def dots(results: Results, path: Path) -> None:
    """Draw F1 of all methods, as they ship and at their best, for each set."""
    sets = results.with_positives
    methods = [method for method in results.labels if results.all_of(method, MAIN)]
    places = {method: len(methods) - place for place, method in enumerate(methods)}
    with panels(path, len(sets), columns=len(sets), size=3.1) as axes:
        drawing = axes[0].get_figure(root=True)
        assert drawing  # the panels are on it
        drawing.set_size_inches(3.1 * len(sets) + 1.2, 0.24 * len(methods) + 1.3)
        for name, panel in zip(sets, axes, strict=True):
            for method, place in places.items():
                one, found = results.of(method, name, MAIN), results.best(method, name, MAIN)
                colour = BLUE if method == OURS else _QUIET
                if one:
                    fits = within(one.shipped, results.limit)
                    mark, size = ("o", 9) if fits else ("x", 6)
                    panel.plot(one.shipped.f1, place, mark, mfc="none", mec=colour, ms=size)
                if found:
                    panel.plot(found.score.f1, place, "o", color=colour, ms=4.5)
            dress(panel, name, "F1", "")
            panel.set_xlim(-0.03, 1.03)
            labels = [results.labels[method] for method in methods] if panel is axes[0] else []
            panel.set_yticks(list(places.values()), labels or [""] * len(places))


def expected(found: Sequence[Measured], path: Path) -> None:
    """Draw the score of each method over the expected similarity of synthetic documents."""
    with panels(path, len(found), columns=min(4, len(found)), size=2.6) as axes:
        for one, panel in zip(found, axes, strict=True):
            pairs = np.array(one.obtained)
            panel.plot([0, 1], [0, 1], color=_QUIET, lw=0.8)
            panel.plot(pairs[:, 0], pairs[:, 1], ".", ms=3, alpha=0.35, color=BLUE)
            dress(panel, one.label, "expected", "obtained")
            panel.set_xlim(-0.02, 1.02)
            panel.set_ylim(-0.02, 1.02)


def difference(measured: Measured) -> float:
    """Return the mean absolute difference between expected and obtained similarity."""
    pairs = np.array(measured.obtained)
    return float(np.abs(pairs[:, 0] - pairs[:, 1]).mean()) if len(pairs) else 0.0


def _looks(methods: Sequence[str]) -> Mapping[str, tuple[str, object]]:
    rounds = len(_COLOURS)
    return {
        method: (_COLOURS[place % rounds], _STYLES[place // rounds % len(_STYLES)])
        for place, method in enumerate(methods)
    }


def _curve(panel: Axes, one: Measured, results: Results, look: tuple[str, object] | None) -> None:
    """Draw a line, pale beyond the limit of false drops, with a dot for the default threshold."""
    colour, style = look or (BLUE, "-")
    figures = one.figures
    found = figures.finds > 0  # where nothing is found there is no precision
    fits = figures.drops <= allowed(figures.negatives, results.limit)
    recall, precision = figures.recall, np.where(found, figures.precision, np.nan)
    width = 1.4 if look else 2.6
    panel.plot(recall, precision, ls=style, color=colour, lw=width, alpha=0.3)
    panel.plot(recall, np.where(fits, precision, np.nan), ls=style, color=colour, lw=width)
    if one.shipped.finds:
        panel.plot(
            one.shipped.recall, one.shipped.precision, "o", color=colour, ms=4 if look else 7
        )


def _key(
    panel: Axes,
    results: Results,
    methods: Sequence[str],
    looks: Mapping[str, tuple[str, object]],
) -> None:
    from matplotlib.lines import Line2D

    panel.set_axis_off()
    lines = []
    for method in methods:
        colour, style = looks.get(method, (BLUE, "-"))
        width = 2.6 if method == OURS else 1.4
        lines.append(Line2D([], [], color=colour, ls=style, lw=width, marker="o", ms=4))
    names = [results.labels[method] for method in methods]
    panel.legend(
        lines,
        names,
        loc="center left",
        fontsize=9,
        frameon=False,
        labelcolor=_INK,
        title="dot: as shipped\npale: beyond the limit of drops",
        title_fontsize=8,
        alignment="left",
    )
