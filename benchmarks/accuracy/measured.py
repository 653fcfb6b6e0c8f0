"""What came of one method on one set, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.fit.simulate import Figures

from .scoring import Score

if TYPE_CHECKING:
    from pathlib import Path

    Row = dict[str, Any]

VERSION = 1
COUNTS = ("finds", "wrong_originals", "alarms", "drops", "kinds", "right_kinds")


@dataclass(slots=True)
class Measured:
    """A method on a set: how right it is at each threshold, and what it took."""

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
    """At its own threshold; of the cascade, as the deduplicator judges."""
    confusion: dict[str, dict[str, int]]
    """How often each verdict was given to pages of each gold."""
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
    """For documents that were made: the share of a source that is in one, and the score."""
    problems: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Its time as a multiple of what `lxml.html` needs to parse the same pages."""
        return self.ms / self.ms_parsing if self.ms_parsing else 0.0

    def at(self, place: int) -> Score:
        """Give the counts at a threshold."""
        counts: dict[str, Any] = {n: int(getattr(self.figures, n)[place]) for n in COUNTS}
        return Score(self.figures.positives, self.figures.negatives, **counts)


def write(measured: Measured, path: Path) -> None:
    """Write a file that is there as a whole or not at all."""
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


def read(path: Path) -> Measured | None:
    """Read a file again; None if there is none, or one of another making."""
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
