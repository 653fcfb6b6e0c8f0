"""What a store would say at many thresholds at once, from what a method scores.

What was judged redundant is not registered and never an original, but for small parts of long
pages; the best original wins by (score, earliest page), pages of which this one is a small part
only if there are no others; equal pages go before all else. So does `Deduplicator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.fit.simulate import Figures
from dedup_middleware.settings import Settings

from .points import CONTAINED, CONTAINS, EXACT, KINDS, NEAR, NONE
from .scoring import NOTHING, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from .points import Kinds, Values
    from .scoring import Label

    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.int64]


class Found(NamedTuple):
    """What a page was found to be like."""

    earlier: Sequence[int]
    """Earlier pages by number, ascending."""
    score: Values
    """A row for each of them; a column a threshold, or one for all."""
    kinds: Kinds
    """A row for each of them; a column a threshold."""


class Simulation:
    """A store at each of some thresholds."""

    def __init__(self, points: int) -> None:
        self._points = points
        self._urls: list[str] = []
        self._words: list[int] = []
        self._ratio = Settings().contained_ratio
        self._originals = np.zeros((64, points), bool)
        self._said: dict[str, tuple[Kinds, Numbers]] = {}

    def see(self, url: str, words: int, equal: Sequence[int], found: Found | None) -> None:
        """Judge the next page, which equals some earlier ones and may be like others."""
        number = len(self._urls)
        self._urls.append(url)
        self._words.append(words)
        if number == len(self._originals):
            self._originals = np.concatenate([self._originals, np.zeros_like(self._originals)])
        kind = np.zeros(self._points, np.int8)
        original = np.zeros(self._points, np.int64)
        passes = np.zeros(self._points, bool)
        if found and len(found.earlier):
            kind, original, passes = self._chosen(found)
        for earlier in reversed(equal):  # the earliest has the last word
            there = self._originals[earlier]
            kind[there], original[there], passes[there] = EXACT, earlier, False
        self._originals[number] = (kind == NONE) | (kind == CONTAINS) | passes
        self._said[url] = kind, original

    def said(self, point: int) -> dict[str, Said]:
        """Give the verdicts at a threshold."""
        return {
            url: Said(KINDS[kind[point]], self._urls[original[point]]) if kind[point] else NOTHING
            for url, (kind, original) in self._said.items()
        }

    def figures(self, labels: Iterable[Label]) -> Figures:
        """Count for all thresholds what the labels say to the verdicts, as `score` does for one."""
        positives = negatives = 0
        finds, wrong, alarms, drops, kinds, right = np.zeros((6, self._points), np.int64)
        nothing = np.zeros(self._points, np.int8), np.zeros(self._points, np.int64)
        for label in labels:
            kind, original = self._said.get(label.url, nothing)
            alarm = kind != NONE
            if label.gold == "positive":
                positives += 1
                listed, neutral, fitting = self._checked(label, kind, original)
                finds += alarm & (listed | neutral)
                wrong += alarm & ~(listed | neutral)
                kinds += alarm & listed
                right += alarm & fitting
            elif label.gold == "negative":
                negatives += 1
                alarms += alarm
                drops += alarm & (kind != CONTAINS)
        return Figures(positives, negatives, finds, wrong, alarms, drops, kinds, right)

    def _chosen(self, found: Found) -> tuple[Kinds, Numbers, Flags]:
        """Choose the best original for each threshold, else the best of what is swallowed.

        Tell also where the page passes although another holds it.
        """
        kinds = np.where(self._originals[found.earlier], found.kinds, np.int8(NONE))
        around = np.array([self._words[earlier] for earlier in found.earlier])
        longer = around[:, None] / max(self._words[-1], 1) > self._ratio
        small = (kinds == CONTAINED) & longer
        redundant, contains = (kinds == NEAR) | (kinds == CONTAINED), kinds == CONTAINS
        redundant &= ~small | ~(redundant & ~small).any(axis=0)
        best = np.where(redundant, found.score, -1.0).argmax(axis=0)
        swallowed = np.where(contains, found.score, -1.0).argmax(axis=0)
        row, columns = np.where(redundant.any(axis=0), best, swallowed), np.arange(self._points)
        original = np.array(found.earlier, np.int64)[row]
        return kinds[row, columns], original, small[row, columns]

    def _checked(self, label: Label, kind: Kinds, original: Numbers) -> tuple[Flags, Flags, Flags]:
        """Tell where the original is listed, left open, and listed with the kind that was said."""
        listed, neutral, fitting = np.zeros((3, self._points), bool)
        for number in np.unique(original).tolist():
            url, here = self._urls[number], original == number
            if url in label.positives:
                listed |= here
                right = [KINDS.index(name) for name in label.positives[url] if name in KINDS]
                fitting |= here & np.isin(kind, right)
            elif url in label.neutral:
                neutral |= here
        return listed, neutral, fitting
