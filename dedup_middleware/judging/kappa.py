"""Cohen's kappa: how much two judges agree beyond what chance would give."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

_READINGS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


class Agreement(NamedTuple):
    """How two judges' answers to the same questions go together."""

    pairs: int
    observed: float
    """P(a): the share of questions that both answered alike."""
    chance: float
    """P(c): what it would be if each had given as many of each answer, but at random."""
    kappa: float | None
    """Agreement beyond chance, 1 at most; None if chance alone would make all answers agree."""

    @property
    def reading(self) -> str:
        """What kappa is commonly called (Landis and Koch)."""
        if self.kappa is None:
            return "undefined: both gave one and the same answer throughout"
        if self.kappa < 0:
            return "less than by chance"
        return next((name for most, name in _READINGS if self.kappa <= most), "almost perfect")


def agreement(answers: Iterable[tuple[Hashable, Hashable]]) -> Agreement | None:
    """Compare two judges, given both answers to each question; None without questions.

    >>> both = [("yes", "yes")] * 40 + [("yes", "no")] * 20 + [("no", "yes")] * 10
    >>> agreement(both + [("no", "no")] * 30)
    Agreement(pairs=100, observed=0.7, chance=0.5, kappa=0.4)
    """
    given = list(answers)
    total = len(given)
    if not total:
        return None
    agreed = sum(one == other for one, other in given)
    first, second = (Counter(column) for column in zip(*given, strict=True))
    by_chance = sum(count * second[answer] for answer, count in first.items())
    # whole numbers as long as possible: equal answers give exactly 1
    beyond, most = agreed * total - by_chance, total * total - by_chance
    return Agreement(total, agreed / total, by_chance / total**2, beyond / most if most else None)
