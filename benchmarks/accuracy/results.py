"""All that was measured, ready to be asked: by method, set and text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .choice import Choice, best, best_for_all, within
from .methods import CASCADE, OWN
from .stream import MAIN, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .measured import Measured
    from .scoring import Score

OURS = f"{OWN}/{CASCADE}"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a method takes on average over all pages of all sets."""

    milliseconds: float
    ratio: float
    """As a multiple of parsing with `lxml.html`."""
    peak: int
    """The most bytes on any set."""


@dataclass(frozen=True, slots=True)
class Rival:
    """What a method reaches on a set."""

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

    @cached_property
    def sets(self) -> list[str]:
        return list(dict.fromkeys(one.set for one in self.measured))

    @cached_property
    def with_positives(self) -> list[str]:
        """The sets in which there is something to find."""
        found = {one.set for one in self.measured if one.figures.positives}
        return [name for name in self.sets if name in found]

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What each method is called in the report."""
        return {one.method: one.label for one in self.measured}

    @cached_property
    def _found(self) -> Mapping[tuple[str, str, str], Measured]:
        return {(one.method, one.set, one.text): one for one in self.measured}

    def of(self, method: str, name: str, text: str = MAIN) -> Measured | None:
        return self._found.get((method, name, text))

    def all_of(self, method: str, text: str) -> list[Measured]:
        """Give what is known of a method, in the order of the sets."""
        return [one for name in self.sets if (one := self.of(method, name, text))]

    def best(self, method: str, name: str, text: str) -> Choice | None:
        """Give the best that a method reaches on a set under the limit."""
        measured = self.of(method, name, text)
        return best(measured, self.limit) if measured else None

    def for_all(self, method: str, text: str) -> Mapping[str, Choice] | None:
        """Give the best that a method reaches with one threshold for all sets."""
        found = self.all_of(method, text)
        return best_for_all(found, self.limit) if len(found) == len(self.sets) else None

    def cost(self, method: str, text: str) -> Cost | None:
        found = self.all_of(method, text)
        pages = sum(one.pages for one in found)
        if not pages:
            return None
        needed = sum(one.ms * one.pages for one in found)
        parsing = sum(one.ms_parsing * one.pages for one in found)
        peak = max(one.peak for one in found)
        return Cost(needed / pages, needed / parsing if parsing else 0.0, peak)

    def rivals(self, name: str) -> list[Rival]:
        """Give what all others reach on a set under the limit, on either text, best first."""
        found = [
            Rival(self.labels[method], text, choice)
            for method in self.labels
            for text in TEXTS
            if method != OURS and (choice := self.best(method, name, text))
        ]
        return sorted(found, key=lambda rival: (-rival.choice.score.f1, rival.choice.score.drops))

    def shipped_rivals(self, name: str) -> list[tuple[str, Score]]:
        """Give what all others say as they ship, where that is within the limit."""
        return [one for one in self._shipped(name) if within(one[1], self.limit)]

    def beyond(self, name: str) -> list[tuple[str, Score]]:
        """Give what all others say as they ship, where that is beyond the limit."""
        return [one for one in self._shipped(name) if not within(one[1], self.limit)]

    def _shipped(self, name: str) -> Iterator[tuple[str, Score]]:
        for method, label in self.labels.items():
            for text, called in TEXTS.items():
                one = self.of(method, name, text)
                if method != OURS and one:
                    yield f"{label} on {called}", one.shipped
