"""Evaluation of a labelled pool: agreement of judges, precision of methods."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from lab.answers import Answer
from lab.labels import label_pair

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from lab.answers import Answers

    from .pool import Pool

_READINGS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_Z = 1.959964  # of the standard normal distribution, for 95 %


class Agreement(NamedTuple):
    """How far two judges give the same answers to the same questions."""

    pairs: int
    observed: float
    """P(a): the share of questions with equal answers."""
    chance: float
    """P(c): the same if each judge gave as many of each answer, but at random."""
    kappa: float | None
    """Agreement beyond chance, 1 at most; None if chance alone makes all answers equal."""

    @property
    def reading(self) -> str:
        """The common name for a kappa of this size (Landis and Koch)."""
        if self.kappa is None:
            return "undefined: both gave one and the same answer throughout"
        if self.kappa < 0:
            return "less than by chance"
        return next((name for most, name in _READINGS if self.kappa <= most), "almost perfect")


def agreement(answers: Iterable[tuple[Hashable, Hashable]]) -> Agreement | None:
    """Return the agreement of two judges, given both answers to each question.

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
    # integers as long as possible: equal answers give exactly 1
    beyond, most = agreed * total - by_chance, total * total - by_chance
    return Agreement(total, agreed / total, by_chance / total**2, beyond / most if most else None)


class TwoJudges(NamedTuple):
    """The agreement of two judges on a pool."""

    judges: tuple[str, str]
    table: tuple[int, int, int, int]
    """Pairs that both call alike, only the first, only the second, neither."""
    sides: Agreement | None
    """On alike or different, as in the published evaluation (Varol 4.2)."""
    answers: Agreement | None
    """On all answers, including the direction of a containment."""


def compare_judges(pool: Pool, answers: Answers) -> list[TwoJudges]:
    """Compare each two judges on the pairs of the pool that both have answered."""
    given = [answers.of(one.pair) for one in pool.pairs]
    judges = sorted({judge for one in given for judge in one})
    return [
        _compare_two(two, [(one[a], one[b]) for one in given if a in one and b in one])
        for two in combinations(judges, 2)
        for a, b in [two]
    ]


def _compare_two(judges: tuple[str, str], both: list[tuple[Answer, Answer]]) -> TwoJudges:
    sure = [(one, other) for one, other in both if Answer.OPEN not in (one, other)]
    sides = [(bool(one.alike), bool(other.alike)) for one, other in sure]
    counts = Counter(sides)
    yes, no = True, False
    table = counts[yes, yes], counts[yes, no], counts[no, yes], counts[no, no]
    return TwoJudges(judges, table, agreement(sides), agreement(both))


class Sampled(NamedTuple):
    """A stratum: pairs that a method calls alike, together with the same number of others."""

    all: int
    answered: int
    """Of a random sample."""
    settled: int
    """Of those answered: neither left open nor in conflict."""
    right: int


class Precision(NamedTuple):
    """A share and its 95 % confidence interval."""

    share: float
    low: float
    high: float


def precision(strata: Sequence[Sampled]) -> Precision | None:
    """Estimate the precision over all pairs that a method calls alike; None if nothing is settled.

    Strata are sampled unequally, so each is weighted by its size, less the share that would be left
    open in it. One without answers is merged with its neighbour. The interval is Wilson's, for the
    effective sample size (Kish).

    >>> found = precision([Sampled(200, 20, 20, 20), Sampled(50, 40, 40, 30)])
    >>> [round(figure, 3) for figure in found]
    [0.95, 0.81, 0.988]
    """
    sized = [(one.all * one.settled / one.answered, one) for one in _merged(strata)]
    total = sum(size for size, _ in sized)
    if not total:
        return None
    parts = [(size / total, one) for size, one in sized if size]
    share = sum(weight * one.right / one.settled for weight, one in parts)
    spread = sum(weight**2 / one.settled for weight, one in parts)
    return Precision(share, *wilson(share, 1 / spread))


def _merged(strata: Sequence[Sampled]) -> list[Sampled]:
    """Merge strata without answers with the next that has some, or else with the last."""
    merged: list[Sampled] = []
    waiting = 0
    for one in strata:
        if one.answered:
            merged.append(one._replace(all=one.all + waiting))
            waiting = 0
        else:
            waiting += one.all
    if merged:
        merged[-1] = merged[-1]._replace(all=merged[-1].all + waiting)
    return merged


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share observed in a sample of some size.

    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = _Z**2 / count
    middle = share + square / 2
    spread = math.sqrt(share * (1 - share) * square + square**2 / 4)
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # rounding may exceed these


class MethodFigures(NamedTuple):
    """What the labelled pairs say about a method."""

    called: int
    """Nominated pairs that it calls alike, in the pool or not."""
    judged: int
    """Pairs of the pool that it calls alike and whose label is settled."""
    right: int
    found: int
    """Of the `alike` pairs, those that it calls so."""
    alike: int
    """Pairs of the pool labelled alike."""
    precision: Precision | None


def measure_methods(pool: Pool, answers: Answers) -> dict[str, MethodFigures]:
    """Measure each method on the labelled pairs that were drawn at random."""
    drawn = [(one, label_pair(one.pair, answers).gold) for one in pool.pairs if one.drawn]
    answered = [(one, gold) for one, gold in drawn if answers.of(one.pair)]
    alike = [one for one, gold in answered if gold == "positive"]
    found: dict[str, MethodFigures] = {}
    for method in pool.methods:
        strata = []
        for votes in range(1, len(pool.methods) + 1):
            gold = [gold for one, gold in answered if one.verdicts[method] and one.votes == votes]
            right, wrong = gold.count("positive"), gold.count("negative")
            size = pool.called.get(method, {}).get(str(votes), 0)
            strata.append(Sampled(size, len(gold), right + wrong, right))
        found[method] = MethodFigures(
            called=sum(one.all for one in strata),
            judged=sum(one.settled for one in strata),
            right=sum(one.right for one in strata),
            found=sum(one.verdicts[method] is not None for one in alike),
            alike=len(alike),
            precision=precision(strata),
        )
    return found
