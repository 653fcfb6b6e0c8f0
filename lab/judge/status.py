"""The status of a labelled pool: answers, agreement of judges, precision of methods."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lab.labels import in_conflict, label_pair, unresolved

from .evaluation import compare_judges, measure_methods

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.answers import Answers

    from .evaluation import Agreement, MethodFigures, TwoJudges
    from .pool import Pool

_LABEL = 12
_HEADER = ("", "alike", "judged", "right", "precision", "found")


def status_json(pool: Pool, answers: Answers) -> dict[str, Any]:
    """Return all figures, for programs."""
    gold = Counter(label_pair(one.pair, answers).gold for one in pool.pairs)
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
        "answered": dict(_answered(pool, answers)),
        "gold": {name: gold[name] for name in ("positive", "negative", "ignore")},
        "conflicts": sum(in_conflict(one.pair, answers) for one in pool.pairs),
        "unresolved": len(unresolved(pool, answers)),
        "agreement": [
            {
                "judges": list(one.judges),
                "table": list(one.table),
                "alike": one.sides._asdict() if one.sides else None,
                "answers": one.answers._asdict() if one.answers else None,
            }
            for one in compare_judges(pool, answers)
        ],
        "methods": {
            name: {
                **one._asdict(),
                "precision": one.precision._asdict() if one.precision else None,
            }
            for name, one in measure_methods(pool, answers).items()
        },
    }


def status_lines(pool: Pool, answers: Answers, folder: str) -> Iterator[str]:
    """Yield a summary of the pool, the answers, and the precision of each method."""
    strata = Counter(str(one.stratum) for one in pool.pairs)
    gold = Counter(label_pair(one.pair, answers).gold for one in pool.pairs)
    answered = sorted(_answered(pool, answers).items())
    pairs = (
        f"{len(pool.pairs):,} pairs of {pool.pages:,} pages: methods disagree on "
        f"{strata['disputed']:,}, all call {strata['alike']:,} alike, none {strata['apart']:,}"
    )
    rows = [
        ("Pool", pairs),
        ("Answers", ", ".join(f"{judge} {count:,}" for judge, count in answered) or "none yet"),
        *_conflicts(pool, answers),
        (
            "Settled",
            f"{gold['positive']:,} alike, {gold['negative']:,} different; {gold['ignore']:,} open",
        ),
    ]
    yield from (f"{name:<{_LABEL}} {value}" for name, value in rows)
    if gold["positive"] or gold["negative"]:
        yield from _methods(measure_methods(pool, answers))
    yield f"{'Set':<{_LABEL}} {folder}"


def _answered(pool: Pool, answers: Answers) -> Counter[str]:
    return Counter(judge for one in pool.pairs for judge in answers.of(one.pair))


def _conflicts(pool: Pool, answers: Answers) -> Iterator[tuple[str, str]]:
    count = sum(in_conflict(one.pair, answers) for one in pool.pairs)
    if count:
        left = len(unresolved(pool, answers))
        yield "Conflicts", f"{count:,}, {left:,} to be resolved{': --resolve' if left else ''}"


def _methods(methods: dict[str, MethodFigures]) -> Iterator[str]:
    rows = [
        (
            name,
            f"{one.called:,}",
            f"{one.judged:,}",
            f"{one.right:,}",
            "{:.2f} [{:.2f}–{:.2f}]".format(*one.precision) if one.precision else "–",
            f"{one.found:,} of {one.alike:,}",
        )
        for name, one in methods.items()
    ]
    yield "Methods"
    yield from _table([_HEADER, *rows])
    yield "  alike: pairs that the method calls so; judged, right: those of them in the pool;"
    yield "  precision: estimate for all of them, with its 95 % interval; found: of alike pairs"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        shown = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        yield f"  {name:<{widths[0]}}  {'  '.join(shown)}"


def kappa_lines(pool: Pool, answers: Answers) -> Iterator[str]:
    """Yield how well each two judges agree, and how to read it."""
    found = compare_judges(pool, answers)
    if not found:
        yield "There is nothing to compare before two judges have answered: --judge NAME"
        return
    for one in found:
        yield from _two_judges(one)
    yield ""
    yield "P(a) is the share of answers that agree, P(c) what chance would give, and"
    yield "kappa = (P(a) - P(c)) / (1 - P(c)). Up to 0.2 agreement is called slight, up to 0.4"
    yield "fair, up to 0.6 moderate, up to 0.8 substantial, beyond that almost perfect."


def _two_judges(one: TwoJudges) -> Iterator[str]:
    first, second = one.judges
    yes_yes, yes_no, no_yes, no_no = one.table
    yield f"{first} and {second}"
    yield (
        f"  both alike {yes_yes:,}, only {first} {yes_no:,}, only {second} {no_yes:,}, "
        f"both different {no_no:,}"
    )
    yield f"  alike or different  {_agreement(one.sides)}"
    yield f"  all answers         {_agreement(one.answers)}"


def _agreement(found: Agreement | None) -> str:
    if found is None:
        return "no pair that both have answered"
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    return (
        f"{found.pairs:,} pairs, P(a) {found.observed:.2f}, P(c) {found.chance:.2f}, "
        f"kappa {kappa}: {found.reading}"
    )
