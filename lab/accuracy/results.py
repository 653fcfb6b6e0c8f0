"""Measurements: of one method on one set, in files, and all of a run with their best thresholds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .methods import CASCADE, OWN
from .passes import MAIN, TEXTS
from .scoring import COUNTS, Figures, Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .scoring import Values

    Row = dict[str, Any]

OURS = f"{OWN}/{CASCADE}"
VERSION = 2
"""Of the files."""


@dataclass(slots=True)
class Measured:
    """A method on a set: its accuracy at each threshold, and its cost."""

    method: str
    set: str
    text: str
    data: str
    """The digest of the set."""
    code: str
    """The digest of the program."""
    label: str
    knob: str
    thresholds: list[float]
    default: int
    figures: Figures
    shipped: Score
    """At its default threshold; of the cascade, as the deduplicator judges."""
    confusion: dict[str, dict[str, int]]
    """How often pages of each label got each verdict."""
    actions: list[Row]
    """What was done with the pages of each group and label, drops, tags and `contains` apart."""
    pages: int
    ms_parsing: float
    ms_reading: float
    ms: float
    """Mean milliseconds of a page, with reading it."""
    peak: int
    peak_before: int
    seconds: float = 0.0
    """CPU time of all of it."""
    errors: list[Row] = field(default_factory=list)
    obtained: list[tuple[float, float]] = field(default_factory=list)
    """For synthetic documents: the share of a source that is in one, and the score."""
    problems: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Its time as a multiple of `lxml.html` parsing of the same pages."""
        return self.ms / self.ms_parsing if self.ms_parsing else 0.0


def write_measured(measured: Measured, path: Path) -> None:
    """Write a file in one step."""
    row = {one.name: getattr(measured, one.name) for one in fields(measured)}
    row["figures"] = {
        "positives": measured.figures.positives,
        "negatives": measured.figures.negatives,
        **{name: getattr(measured.figures, name).tolist() for name in COUNTS},
    }
    row["shipped"] = {
        name: value for name, value in asdict(measured.shipped).items() if name != "mistakes"
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    half.write_text(json.dumps({"version": VERSION, **row}), encoding="utf-8")
    half.replace(path)


def read_measured(path: Path) -> Measured | None:
    """Read a file; None if there is none that can be used."""
    try:
        row = json.loads(path.read_bytes())
        if row.pop("version") != VERSION:
            return None
        counts = row["figures"]
        arrays = {name: np.array(counts[name], np.int64) for name in COUNTS}
        row["figures"] = Figures(counts["positives"], counts["negatives"], **arrays)
        row["shipped"] = Score(**row["shipped"])
        row["obtained"] = [(expected, score) for expected, score in row["obtained"]]
        return Measured(**row)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """A threshold, and the score there."""

    threshold: float
    score: Score


def allowed(negatives: int, limit: float) -> int:
    """Return how many negatives of a set may be dropped.

    >>> allowed(384, 0.01), allowed(46, 0.01), allowed(100, 0.29)
    (3, 0, 29)
    """
    return int(negatives * limit + 1e-9)


def within(score: Score, limit: float) -> bool:
    """Return True if the limit of false drops is kept."""
    return score.drops <= allowed(score.negatives, limit)


def best(measured: Measured, limit: float) -> Choice | None:
    """Choose the threshold with the highest F1; of equals the fewest drops, then the strictest.

    None if all thresholds drop too much.
    """
    figures = measured.figures
    fitting = np.flatnonzero(figures.drops <= allowed(figures.negatives, limit))
    if not len(fitting):
        return None
    order = np.lexsort((fitting, -figures.drops[fitting], figures.f1[fitting]))
    return _choice(measured, int(fitting[order[-1]]))


def best_for_all(measured: Sequence[Measured], limit: float) -> Mapping[str, Choice] | None:
    """Choose one threshold for all sets: that of the highest mean F1, each set within its limit.

    Sets without positives count by their limit only.
    """
    fits = [one.figures.drops <= allowed(one.figures.negatives, limit) for one in measured]
    fitting = np.flatnonzero(np.all(fits, axis=0))
    if not len(fitting):
        return None
    means = mean_f1(measured)[fitting]
    drops = np.sum([one.figures.drops for one in measured], axis=0)[fitting]
    place = int(fitting[np.lexsort((fitting, -drops, means))[-1]])
    return {one.set: _choice(one, place) for one in measured}


def mean_f1(measured: Sequence[Measured]) -> Values:
    """Average F1 over the sets that have positives, at each threshold."""
    figures = [one.figures.f1 for one in measured if one.figures.positives]
    count = len(measured[0].thresholds)
    return np.mean(figures, axis=0) if figures else np.zeros(count)


def _choice(measured: Measured, place: int) -> Choice:
    return Choice(measured.thresholds[place], measured.figures.at(place))


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a method, on average over all pages of all sets."""

    milliseconds: float
    ratio: float
    """As a multiple of parsing with `lxml.html`."""
    peak: int
    """The most bytes on any set."""


@dataclass(frozen=True, slots=True)
class Rival:
    """The best of a method on a set."""

    label: str
    text: str
    choice: Choice

    def __str__(self) -> str:
        return f"{self.label} on {TEXTS[self.text]}"


@dataclass(frozen=True)
class Results:
    """Measurements in the order of the table, with the limit of false drops for all."""

    measured: Sequence[Measured]
    limit: float
    shipped: bool = False
    """Whether methods were measured as they ship only."""

    @cached_property
    def sets(self) -> list[str]:
        return list(dict.fromkeys(one.set for one in self.measured))

    @cached_property
    def with_positives(self) -> list[str]:
        """The sets that have positives."""
        found = {one.set for one in self.measured if one.figures.positives}
        return [name for name in self.sets if name in found]

    @cached_property
    def complete(self) -> list[str]:
        """The sets on which all methods were measured, on main text."""
        return [name for name in self.sets if all(self.of(method, name) for method in self.labels)]

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The name of each method in the report."""
        return {one.method: one.label for one in self.measured}

    @cached_property
    def _found(self) -> Mapping[tuple[str, str, str], Measured]:
        return {(one.method, one.set, one.text): one for one in self.measured}

    def of(self, method: str, name: str, text: str = MAIN) -> Measured | None:
        return self._found.get((method, name, text))

    def all_of(self, method: str, text: str) -> list[Measured]:
        """Return the measurements of a method, in the order of the sets."""
        return [one for name in self.sets if (one := self.of(method, name, text))]

    def best(self, method: str, name: str, text: str) -> Choice | None:
        """Return the best of a method on a set within the limit."""
        measured = None if self.shipped else self.of(method, name, text)
        return best(measured, self.limit) if measured else None

    def for_all(self, method: str, text: str) -> Mapping[str, Choice] | None:
        """Return the best of a method with one threshold for all sets."""
        found = self.all_of(method, text)
        return best_for_all(found, self.limit) if len(found) == len(self.sets) else None

    def cost(self, method: str, text: str, sets: Sequence[str] = ()) -> Cost | None:
        """Return the cost of a method on all sets, or on some."""
        found = [one for one in self.all_of(method, text) if not sets or one.set in sets]
        pages = sum(one.pages for one in found)
        if not pages:
            return None
        needed = sum(one.ms * one.pages for one in found)
        parsing = sum(one.ms_parsing * one.pages for one in found)
        peak = max(one.peak for one in found)
        return Cost(needed / pages, needed / parsing if parsing else 0.0, peak)

    def rivals(self, name: str) -> list[Rival]:
        """Return the best of all others on a set within the limit, on either text, best first."""
        found = [
            Rival(self.labels[method], text, choice)
            for method in self.labels
            for text in TEXTS
            if method != OURS and (choice := self.best(method, name, text))
        ]
        return sorted(found, key=lambda rival: (-rival.choice.score.f1, rival.choice.score.drops))

    def shipped_rivals(self, name: str) -> list[tuple[str, Score]]:
        """Return the scores of all others as they ship, if within the limit."""
        return [one for one in self._shipped(name) if within(one[1], self.limit)]

    def beyond(self, name: str) -> list[tuple[str, Score]]:
        """Return the scores of all others as they ship, if beyond the limit."""
        return [one for one in self._shipped(name) if not within(one[1], self.limit)]

    def _shipped(self, name: str) -> Iterator[tuple[str, Score]]:
        for method, label in self.labels.items():
            for text, called in TEXTS.items():
                one = self.of(method, name, text)
                if method != OURS and one:
                    yield f"{label} on {called}", one.shipped
