"""What the judges' answers to a pair add up to, and the labels of a set that follow from it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.verdict import Kind

from .answers import Answer, agreement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .answers import Agreement, Answers, Pair
    from .folder import Pool
    from .pool import Nominated


KINDS = {
    Answer.SAME: (Kind.EXACT, Kind.NEAR),
    Answer.FIRST_IN_SECOND: (Kind.CONTAINS,),
    Answer.SECOND_IN_FIRST: (Kind.CONTAINED,),
}
"""What the second page may be called if the first is known, by what people say."""


class Gold(NamedTuple):
    """What holds for a pair."""

    name: str
    """positive, negative or ignore."""
    kinds: tuple[str, ...] = ()


def gold_of(answers: Collection[Answer]) -> Gold:
    """Put answers together: who left a pair open has no say, who is contradicted settles nothing.

    >>> gold_of([Answer.SAME, Answer.SECOND_IN_FIRST, Answer.OPEN])
    Gold(name='positive', kinds=('exact', 'near', 'contained'))
    >>> gold_of([Answer.SAME, Answer.DIFFERENT]).name
    'ignore'
    """
    sides = {answer.alike for answer in answers} - {None}
    if len(sides) != 1:
        return Gold("ignore")
    if not sides.pop():
        return Gold("negative")
    kinds = [str(kind) for answer in Answer if answer in answers for kind in KINDS.get(answer, ())]
    return Gold("positive", tuple(dict.fromkeys(kinds)))


def settled(pair: Pair, answers: Answers) -> Gold:
    """Tell what holds for a pair: what a conflict was resolved to, else what all judges say."""
    resolution = answers.resolution(pair)
    return gold_of([resolution] if resolution else [*answers.of(pair).values()])


def in_conflict(pair: Pair, answers: Answers) -> bool:
    """Tell whether two judges have said different things, kinds of likeness among them."""
    return len({*answers.of(pair).values()} - {Answer.OPEN}) > 1


def rows(number: int, pooled: Nominated, gold: Gold) -> tuple[dict[str, Any], dict[str, Any]]:
    """Label the two pages of a pair; only the second, which comes later, has anything to find."""
    first, second = names_of(number, pooled.pair)
    group = {"group": str(pooled.stratum)}
    positives = {first: list(gold.kinds)} if gold.name == "positive" else {}
    neutral = [first] if gold.name == "ignore" else []
    return (
        {"url": first, "gold": "skip", "positives": {}, "neutral": [], **group},
        {"url": second, "gold": gold.name, "positives": positives, "neutral": neutral, **group},
    )


def names_of(number: int, pair: Pair) -> tuple[str, str]:
    """Name the pages of a pair in the set: in other pairs the same pages have other labels.

    >>> from dedup_middleware.lab.answers import Pair
    >>> names_of(3, Pair("https://a.example/", "https://b.example/"))
    ('https://a.example/#pair-3', 'https://b.example/#pair-3')
    """
    return f"{pair.first}#pair-{number}", f"{pair.second}#pair-{number}"


_Z = 1.959964  # of the standard normal distribution, 95 % in the middle


class Sampled(NamedTuple):
    """Pairs that a method calls alike, as as many others do."""

    all: int
    answered: int
    """Of those that were drawn, which is left to chance."""
    settled: int
    """Of those that were answered: neither left open nor in conflict."""
    right: int


class Precision(NamedTuple):
    """A share, and the interval that holds the true one with 95 % confidence."""

    share: float
    low: float
    high: float


def precision(strata: Sequence[Sampled]) -> Precision | None:
    """Estimate the precision over all pairs that a method calls alike; None if nothing is settled.

    Strata are sampled unequally, so each counts by its size, less what would be left open there
    too. One without answers is taken to be as its neighbour. The interval is Wilson's, for as many
    pairs as would say as much if they were drawn from all alike (Kish).

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
    """Add strata without answers to the next that has some, or else to the last."""
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
    """Give Wilson's 95 % interval of a share that was found among so many.

    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = _Z**2 / count
    middle = share + square / 2
    spread = math.sqrt(share * (1 - share) * square + square**2 / 4)
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # rounding may go beyond


class Compared(NamedTuple):
    """Two judges."""

    judges: tuple[str, str]
    table: tuple[int, int, int, int]
    """Pairs that both call alike, only the first, only the second, neither."""
    sides: Agreement | None
    """On alike or different, as in the published evaluation."""
    answers: Agreement | None
    """On all answers, the direction of a containment among them."""


class Measured(NamedTuple):
    """What the judged pairs say about a method."""

    called: int
    """Nominated pairs that it calls alike, in the pool or not."""
    judged: int
    """Pairs of the pool that it calls alike and that judges have settled."""
    right: int
    found: int
    """Settled pairs that are alike, and that it calls so; of `alike`."""
    alike: int
    precision: Precision | None


def conflicts(pool: Pool, answers: Answers) -> list[int]:
    """Give the places of pairs on which judges disagree, and that nobody has resolved."""
    return [
        place
        for place, one in enumerate(pool.pairs)
        if in_conflict(one.pair, answers) and answers.resolution(one.pair) is None
    ]


def compared(pool: Pool, answers: Answers) -> list[Compared]:
    """Compare each two judges on the pairs of the pool that both have answered."""
    given = [answers.of(one.pair) for one in pool.pairs]
    judges = sorted({judge for one in given for judge in one})
    return [
        _compared(judges, [(one[a], one[b]) for one in given if a in one and b in one])
        for judges in combinations(judges, 2)
        for a, b in [judges]
    ]


def _compared(judges: tuple[str, str], both: list[tuple[Answer, Answer]]) -> Compared:
    sure = [(one, other) for one, other in both if Answer.OPEN not in (one, other)]
    sides = [(bool(one.alike), bool(other.alike)) for one, other in sure]
    counts = Counter(sides)
    yes, no = True, False
    table = counts[yes, yes], counts[yes, no], counts[no, yes], counts[no, no]
    return Compared(judges, table, agreement(sides), agreement(both))


def measured(pool: Pool, answers: Answers) -> dict[str, Measured]:
    """Measure each method on the pairs that are settled, leaving out what was not drawn."""
    drawn = [(one, settled(one.pair, answers).name) for one in pool.pairs if one.drawn]
    answered = [(one, gold) for one, gold in drawn if answers.of(one.pair)]
    alike = [one for one, gold in answered if gold == "positive"]
    found: dict[str, Measured] = {}
    for method in pool.methods:
        strata = []
        for votes in range(1, len(pool.methods) + 1):
            gold = [gold for one, gold in answered if one.said[method] and one.votes == votes]
            right, wrong = gold.count("positive"), gold.count("negative")
            size = pool.called.get(method, {}).get(str(votes), 0)
            strata.append(Sampled(size, len(gold), right + wrong, right))
        found[method] = Measured(
            called=sum(one.all for one in strata),
            judged=sum(one.settled for one in strata),
            right=sum(one.right for one in strata),
            found=sum(one.said[method] is not None for one in alike),
            alike=len(alike),
            precision=precision(strata),
        )
    return found


def status(pool: Pool, answers: Answers) -> dict[str, Any]:
    """Gather everything for programs."""
    counts = Counter(settled(one.pair, answers).name for one in pool.pairs)
    answered = Counter(judge for one in pool.pairs for judge in answers.of(one.pair))
    return {
        "pairs": len(pool.pairs),
        "strata": dict(Counter(str(one.stratum) for one in pool.pairs)),
        "nominated": dict(pool.strata),
        "pages": pool.pages,
        "left_out": dict(pool.left_out),
        "store": pool.store,
        "paths": list(pool.paths),
        "seed": pool.seed,
        "made": pool.made,
        "answered": dict(answered),
        "gold": {name: counts[name] for name in ("positive", "negative", "ignore")},
        "conflicts": sum(in_conflict(one.pair, answers) for one in pool.pairs),
        "unresolved": len(conflicts(pool, answers)),
        "agreement": [
            {
                "judges": list(one.judges),
                "table": list(one.table),
                "alike": one.sides._asdict() if one.sides else None,
                "answers": one.answers._asdict() if one.answers else None,
            }
            for one in compared(pool, answers)
        ],
        "methods": {
            name: {
                **one._asdict(),
                "precision": one.precision._asdict() if one.precision else None,
            }
            for name, one in measured(pool, answers).items()
        },
    }
