"""Streams of pages through CoDet and its rivals, and through CoDet with other parameters."""

from __future__ import annotations

from dataclasses import asdict
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from .material import read_sets
from .scored import THRESHOLDS, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .material import Labelled
    from .scored import Scored

Options = dict[str, Any]
METHODS: dict[str, tuple[str, Options, float]] = {
    # with the parameters of the thesis, and its threshold; that of CoDet is not told
    "FFP": ("fingerprints", {"width": 4, "containment": True}, 0.6),
    "CoDet": ("codet", {"depth": 5, "suffixes": 1, "sorting": True, "power": 1.0}, 0.5),
    "I-Match": ("imatch", {"skip": 2, "words": 10}, 1.0),
    "SimHash": ("simhash", {"skip": 2, "reach": 16}, 1 - 2 / 64),
    "DSC": ("dsc", {"width": 4, "containment": True}, 0.6),
}
POWERS = (0, 1, 2, 3)
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15)
SUFFIXES = (1, 2, 3, 5)
LIMIT = 300
"""Pages of each set by which the parameters are compared: there are many runs."""


def measure_methods(data: Path, problems: list[str]) -> dict[str, Any]:
    """Send all streams through all methods."""
    sets = read_sets(data, problems, "stream")
    found = {}
    for name, (method, options, threshold) in METHODS.items():
        scores = _scores(sets, method, options, f"Table 5.2 of C, {name}", problems)
        if scores:
            total = reduce(add, scores.values())
            found[name] = {
                **_figures(total, threshold),
                "sets": {one: asdict(scored.at(threshold)) for one, scored in scores.items()},
                "curve": [total.at(threshold).f1 for threshold in THRESHOLDS],
            }
    return {
        "methods": found,
        "sets": {one.name: len(one.documents) for one in sets},
    }


def measure_parameters(data: Path, problems: list[str]) -> dict[str, Any]:
    """Send the beginnings of all streams through CoDet with one parameter changed at a time."""
    sets = read_sets(data, problems, "stream")
    _, base, threshold = METHODS["CoDet"]
    found = {}
    for name, options in tqdm(list(variants()), desc="CoDet's parameters", disable=None):
        scores = _scores(sets, "codet", {**base, **options}, "", problems, LIMIT)
        if not scores:
            break  # it is not there, and that is said
        total = reduce(add, scores.values())
        found[name] = _figures(total, threshold)
    return {"variants": found, "pages": sum(min(LIMIT, len(one.documents)) for one in sets)}


def variants() -> Iterator[tuple[str, Options]]:
    """Name the runs, each with what it changes."""
    yield "base", {}
    yield from ((f"power {power}", {"power": float(power)}) for power in POWERS if power != 1)
    for sorting in (True, False):
        for depth in DEPTHS:
            if not (sorting and depth == 5):
                yield f"depth {depth} {sorting}", {"depth": depth, "sorting": sorting}
    yield from ((f"suffixes {count}", {"suffixes": count}) for count in SUFFIXES if count != 1)
    yield from ((f"stemming {kind}", {"stemming": kind}) for kind in ("none", "stems"))


def _scores(
    sets: Sequence[Labelled],
    method: str,
    options: Mapping[str, object],
    about: str,
    problems: list[str],
    limit: int | None = None,
) -> dict[str, Scored]:
    try:
        shown = tqdm(sets, desc=about, unit="set", disable=None if about else True)
        return {one.name: score(one, method, options, limit) for one in shown}
    except ImportError as error:
        problems.append(f"Tables of C without {method}: {error}")
        return {}


def _figures(scored: Scored, threshold: float) -> dict[str, Any]:
    best = scored.best()
    return {
        "given": _row(scored, threshold),
        "best": _row(scored, best),
        "threshold": threshold,
        "best_threshold": best,
        "values": len(scored.pairs) / max(1, scored.documents),
    }


def _row(scored: Scored, threshold: float) -> list[float]:
    counts = scored.at(threshold)
    return [counts.precision, counts.recall, counts.f1]
