"""Calibration: the strictness that fits the answers of people about their own pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.settings import STRICTNESS
from dedup_middleware.similarity.loss import compare_units, units_of
from lab.labels import label_pair

from .evaluation import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Level

    from .folder import LabelFolder

FEWEST = 20
"""Answers of either side below which nothing is fitted."""
ALLOWED = 0.02
"""Share of the pages that are their own that may be dropped."""
_LOOSEST_FIRST = sorted(STRICTNESS, key=lambda name: STRICTNESS[name].near)


class Answered(NamedTuple):
    """How much of a page and of an earlier one is known, and whether people call them alike."""

    known: tuple[float, float]
    alike: bool

    def is_found(self, level: Level) -> bool:
        """Return True if the page would be near the other or contained in it."""
        return min(self.known) >= level.near or self.known[0] >= level.contained


class Calibration(NamedTuple):
    """A strictness, and what it does to the pairs that were answered."""

    strictness: str
    found: int
    alike: int
    dropped: int
    different: int

    @property
    def is_safe(self) -> bool:
        """Whether hardly any page that is its own would be dropped."""
        return self.dropped <= ALLOWED * self.different

    @property
    def most_dropped(self) -> float:
        """The share of different pages that may be dropped, with 95 % confidence."""
        return wilson(self.dropped / self.different, self.different)[1]


def answered_pairs(folder: LabelFolder) -> Iterator[Answered]:
    """Compare the pairs of a labelled pool that people agree on."""
    assert folder.pool
    for place, one in enumerate(folder.pool.pairs):
        gold = label_pair(one.pair, folder.answers).gold
        if gold in ("positive", "negative"):
            yield Answered(_known(*folder.outlines(place)), gold == "positive")


def missing_answers(answered: Sequence[Answered]) -> tuple[int, int]:
    """Count the answers that a calibration still needs: alike, different."""
    alike = sum(one.alike for one in answered)
    return max(0, FEWEST - alike), max(0, FEWEST - (len(answered) - alike))


def calibrate(answered: Sequence[Answered]) -> Calibration:
    """Find the loosest strictness at which hardly any page that is its own would be dropped."""
    results = [_at(name, answered) for name in _LOOSEST_FIRST]
    return next((one for one in results if one.is_safe), results[-1])


def _at(strictness: str, answered: Sequence[Answered]) -> Calibration:
    level = STRICTNESS[strictness]
    alike = [one for one in answered if one.alike]
    different = [one for one in answered if not one.alike]
    return Calibration(
        strictness,
        sum(one.is_found(level) for one in alike),
        len(alike),
        sum(one.is_found(level) for one in different),
        len(different),
    )


def _known(first: Outline, second: Outline) -> tuple[float, float]:
    """Return how much is known of the second page and of the first; nothing if facts differ."""
    (loss,) = compare_units(units_of(second), [units_of(first)])
    if loss.mine.facts or loss.theirs.facts:
        return 0.0, 0.0
    return 1 - loss.mine.share, 1 - loss.theirs.share
