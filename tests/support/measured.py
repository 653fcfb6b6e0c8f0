"""Tasks and measurements made up for tests of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dedup_middleware.methods import Method
from dedup_middleware.verdict import Kind
from lab.accuracy.methods import OWN, Entry
from lab.accuracy.passes import MAIN
from lab.accuracy.results import Measured
from lab.accuracy.scoring import COUNTS, Figures, Score
from lab.accuracy.sets import find_sets
from lab.accuracy.tasks import Task


def task(folder: Path, name: str, group: str = OWN, text: str = MAIN) -> Task:
    (page_set,) = find_sets([folder], [])
    return Task(Entry(group, name), page_set, text, "data", "code")


def made(
    name: str = "x", method: str = "methods/x", text: str = MAIN, **counts: list[int]
) -> Measured:
    """Make a result of three thresholds, .2, .5 and .8, with 10 positives and 200 negatives."""
    none = [0, 0, 0]
    arrays = {key: np.array(counts.get(key, none), np.int64) for key in COUNTS}
    shipped = Score(10, 200, finds=int(arrays["finds"][1]), drops=int(arrays["drops"][1]))
    return Measured(
        method=method,
        set=name,
        text=text,
        data="",
        code="",
        label=method.partition("/")[2],
        knob="threshold",
        thresholds=[0.2, 0.5, 0.8],
        default=1,
        figures=Figures(10, 200, **arrays),
        shipped=shipped,
        confusion={},
        actions=[],
        pages=210,
        ms_parsing=1.0,
        ms_reading=2.0,
        ms=3.0,
        peak=100,
        peak_before=50,
    )


@dataclass
class OwnRules(Method):
    """A method with a rule of its own: near or nothing, by the first share."""

    threshold: float = 0.4

    def add(self, document):
        if "broken" in document.text:
            raise RuntimeError("no such luck")

    def candidates(self, _document):
        return []

    def kind(self, match):
        return Kind.NEAR if match.forward >= self.threshold else None
