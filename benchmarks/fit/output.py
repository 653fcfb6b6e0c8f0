"""The results as text and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.accuracy.scoring import COUNTS
from benchmarks.table import table

from .choose import CURVE, figures_at
from .points import gap, shipped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.accuracy.scoring import Figures

    from .choose import Chosen, Fit, Without
    from .points import Point

HEAD = ("precision", "recall", "F1", "false drops", "wrong orig.", "right kind")
PARTS = ("weights", "against", "near", "contained")
EACH = 5  # every fifth threshold of a curve is in the table


def as_text(fit: Fit) -> str:
    """Format everything as tables with titles."""
    parts = [
        *(_chosen(title, one) for title, one in _points(fit)),
        _left_out(fit),
        *(_curve(name, figures) for name, figures in fit.curves.items()),
        *(_safe(name, chosen) for name, chosen in fit.safe.items()),
        _ablations(fit.ablations),
    ]
    return "\n\n".join(part for part in parts if part)


def as_json(fit: Fit, problems: Sequence[str]) -> str:
    """Format everything as JSON, the curves with all their thresholds."""
    curves = {
        name: [
            {"near": near, **_plain(figures_at(figures, place))} for place, near in enumerate(CURVE)
        ]
        for name, figures in fit.curves.items()
    }
    found = {
        "best": _plain_chosen(fit.best),
        "shipped": _plain_chosen(fit.shipped),
        "left_out": {name: _plain_chosen(one) for name, one in fit.left_out.items()},
        "curves": curves,
        "none_dropped": {name: one and _plain_chosen(one) for name, one in fit.safe.items()},
        "ablations": {
            name: {"fixed": _plain_chosen(one.fixed), "refitted": _plain_chosen(one.refitted)}
            for name, one in fit.ablations.items()
        },
        "problems": list(problems),
    }
    return json.dumps(found, indent=1)


def _points(fit: Fit) -> list[tuple[str, Chosen]]:
    return [("Best point of the grid", fit.best), ("Shipped point", fit.shipped)]


def _chosen(title: str, chosen: Chosen) -> str:
    rows = [[name, *_row(figures)] for name, figures in chosen.figures.items()]
    return "\n".join(
        [
            f"{title}: {chosen.point}; goodness {chosen.goodness:.4f}",
            table(["set", *HEAD], rows),
        ]
    )


def _left_out(fit: Fit) -> str:
    if not fit.left_out:
        return ""
    rows = [
        row
        for name, chosen in fit.left_out.items()
        for row in (
            [name, "others'", *_parts(chosen.point), *_row(chosen.figures[name])],
            ["", "shipped", *_parts(fit.shipped.point), *_row(fit.shipped.figures[name])],
        )
    ]
    title = "Each set at the point that the other sets choose, and at the shipped one"
    return f"{title}\n{table(['set', 'point', *PARTS, *HEAD], rows)}"


def _curve(name: str, figures: Figures) -> str:
    rows = [
        [f"{near:.2f}", *_row(figures_at(figures, place))]
        for place, near in enumerate(CURVE)
        if place % EACH == 0
    ]
    title = f"{name} at the shipped weights, contained = near + {gap(shipped()):g}"
    return f"{title}\n{table(['near', *HEAD], rows)}"


def _safe(name: str, chosen: Chosen | None) -> str:
    if chosen is None:
        return f"{name}: some negative is dropped at all thresholds"
    found = chosen.figures[name]
    return (
        f"{name}: best recall with no negative dropped: {found.recall[0]:.4f} "
        f"({found.finds[0]} of {found.positives}) at near {chosen.point.near:.3f}, "
        f"contained {chosen.point.contained:.3f}; precision {found.precision[0]:.4f}"
    )


def _ablations(ablations: Mapping[str, Without]) -> str:
    rows = [
        [
            name,
            *_short(one.fixed),
            f"{one.refitted.point.near:.2f}",
            *_short(one.refitted),
        ]
        for name, one in ablations.items()
    ]
    short = ("mean F1", "drops", "goodness")
    head = ["parts", *short, "refitted near", *short]
    title = "Parts left out, at the shipped thresholds and at the best ones for the rest"
    return f"{title}\n{table(head, rows)}"


def _short(chosen: Chosen) -> list[str]:
    return [f"{_mean_f1(chosen):.4f}", str(_drops(chosen)), f"{chosen.goodness:.4f}"]


def _mean_f1(chosen: Chosen) -> float:
    """Average over the sets that have positives."""
    values = [one.f1[0] for one in chosen.figures.values() if one.positives]
    return float(np.mean(values)) if values else 0.0


def _drops(chosen: Chosen) -> int:
    return sum(int(one.drops[0]) for one in chosen.figures.values())


def _parts(point: Point) -> list[str]:
    numbers = [f"{value:.3g}" for value in point]
    return [" ".join(numbers[:4]), " ".join(numbers[4:-2]), *numbers[-2:]]


def _row(figures: Figures) -> list[str]:
    kinds = int(figures.kinds[0])
    shares = (figures.precision[0], figures.recall[0], figures.f1[0])
    return [
        *(f"{share:.4f}" if figures.positives else "–" for share in shares),
        f"{figures.drops[0]} of {figures.negatives}",
        str(figures.wrong_originals[0]),
        f"{figures.right_kinds[0] / kinds:.1%} of {kinds}" if kinds else "–",
    ]


def _plain(figures: Figures) -> dict[str, Any]:
    shares = {name: getattr(figures, name)[0] for name in ("precision", "recall", "f1")}
    return {
        "positives": figures.positives,
        "negatives": figures.negatives,
        **{name: round(float(share), 4) for name, share in shares.items()},
        **{name: int(getattr(figures, name)[0]) for name in COUNTS},
    }


def _plain_chosen(chosen: Chosen) -> dict[str, Any]:
    return {
        "point": chosen.point._asdict(),
        "goodness": round(chosen.goodness, 5),
        "sets": {name: _plain(figures) for name, figures in chosen.figures.items()},
    }
