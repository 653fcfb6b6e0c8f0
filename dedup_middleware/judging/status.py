"""How far judging has come, how well judges agree, and what it says about the methods."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from .answers import Answer
from .kappa import agreement
from .labels import in_conflict, settled
from .precision import Sampled, precision

if TYPE_CHECKING:
    from .answers import Answers
    from .folder import Pool
    from .kappa import Agreement
    from .precision import Precision


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
