"""How judging stands, for people: progress, agreement, and what it says about the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.judging.labels import in_conflict, settled
from dedup_middleware.judging.status import compared, conflicts, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.judging.answers import Answers
    from dedup_middleware.judging.folder import Pool
    from dedup_middleware.judging.kappa import Agreement
    from dedup_middleware.judging.status import Compared, Measured

_LABEL = 12
_HEAD = ("", "alike", "judged", "right", "precision", "found")


def standing(pool: Pool, answers: Answers, output: str) -> Iterator[str]:
    """Sum up the pool, the answers, and each method's precision on what is settled."""
    strata = [str(one.stratum) for one in pool.pairs]
    gold = [settled(one.pair, answers).name for one in pool.pairs]
    answered = [judge for one in pool.pairs for judge in answers.of(one.pair)]
    judges = ", ".join(f"{judge} {answered.count(judge):,}" for judge in sorted({*answered}))
    pairs = (
        f"{len(strata):,} pairs of {pool.pages:,} pages: methods disagree on "
        f"{strata.count('disputed'):,}, all call {strata.count('alike'):,} alike, none "
        f"{strata.count('apart'):,}"
    )
    held = (
        f"{gold.count('positive'):,} alike, {gold.count('negative'):,} different; "
        f"{gold.count('ignore'):,} open"
    )
    rows = [
        ("Pool", pairs),
        ("Answers", judges or "none yet"),
        *_conflicts(pool, answers),
        ("Settled", held),
    ]
    yield from (f"{name:<{_LABEL}} {value}" for name, value in rows)
    if len(gold) > gold.count("ignore"):
        yield from _methods(measured(pool, answers))
    yield f"{'Set':<{_LABEL}} {output}"


def _conflicts(pool: Pool, answers: Answers) -> Iterator[tuple[str, str]]:
    count = sum(in_conflict(one.pair, answers) for one in pool.pairs)
    if count:
        left = len(conflicts(pool, answers))
        yield "Conflicts", f"{count:,}, {left:,} to be resolved{': --resolve' if left else ''}"


def _methods(methods: dict[str, Measured]) -> Iterator[str]:
    """Write a table; pairs that a method calls alike count by how many of them were drawn."""
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
    yield from _table([_HEAD, *rows])
    yield "  alike: pairs that the method calls so; judged, right: those of them in the pool;"
    yield "  precision: estimate for all of them, with its 95 % interval; found: of alike pairs"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        shown = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        yield f"  {name:<{widths[0]}}  {'  '.join(shown)}"


def kappa_lines(pool: Pool, answers: Answers) -> Iterator[str]:
    """Tell how well each two judges agree, and how to read that."""
    found = compared(pool, answers)
    if not found:
        yield "There is nothing to compare before two judges have answered: --judge NAME"
        return
    for one in found:
        yield from _two(one)
    yield ""
    yield "P(a) is the share of answers that agree, P(c) what chance would give, and"
    yield "kappa = (P(a) - P(c)) / (1 - P(c)). Up to 0.2 agreement is called slight, up to 0.4"
    yield "fair, up to 0.6 moderate, up to 0.8 substantial, beyond that almost perfect."


def _two(one: Compared) -> Iterator[str]:
    first, second = one.judges
    yes_yes, yes_no, no_yes, no_no = one.table
    yield f"{first} and {second}"
    yield (
        f"  both alike {yes_yes:,}, only {first} {yes_no:,}, only {second} {no_yes:,}, "
        f"both different {no_no:,}"
    )
    yield f"  alike or different  {_figures(one.sides)}"
    yield f"  all answers         {_figures(one.answers)}"


def _figures(found: Agreement | None) -> str:
    if found is None:
        return "no pair that both have answered"
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    return (
        f"{found.pairs:,} pairs, P(a) {found.observed:.2f}, P(c) {found.chance:.2f}, "
        f"kappa {kappa}: {found.reading}"
    )
