"""Two pages on the terminal, and a question: one pair after the other, until all are answered."""

from __future__ import annotations

import pydoc
import shutil
import sys
import textwrap
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING

from dedup_middleware.lab.answers import Answer
from dedup_middleware.lab.status import compared, conflicts, in_conflict, measured, settled
from dedup_middleware.text import fit, safe

from ._side_by_side import Columns, sentence_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dedup_middleware.lab.answers import Agreement, Answers, Pair
    from dedup_middleware.lab.folder import Pool
    from dedup_middleware.lab.status import Compared, Measured
    from dedup_middleware.viewer.comparison import PageComparison


KEYS = {
    "s": Answer.SAME,
    "1": Answer.FIRST_IN_SECOND,
    "2": Answer.SECOND_IN_FIRST,
    "d": Answer.DIFFERENT,
    "?": Answer.OPEN,
}
_HELP = """\
Who has read one of the two pages: does the other one say anything new?
  s  no, they say the same        d  yes, both do: they are different
  1  page 1 does not: all that it says stands in page 2
  2  page 2 does not: all that it says stands in page 1
  ?  can't tell                   v  see all of both
  b  back to the pair before      q  stop; what was answered is kept""".splitlines()
_PROMPT = "s same · 1 or 2 adds nothing · d different · ? unsure · v b q h help > "
_SAID = {
    Answer.SAME: "they say the same",
    Answer.FIRST_IN_SECOND: "page 1 adds nothing to page 2",
    Answer.SECOND_IN_FIRST: "page 2 adds nothing to page 1",
    Answer.DIFFERENT: "they are different",
    Answer.OPEN: "can't tell",
}
_AROUND = 12  # rows of the terminal that head and question take
_FEWEST_ROWS, _ROWS = 10, 60
_TITLE_ROWS = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to be shown, and where it is kept what was said about it."""

    pair: Pair
    compare: Callable[[], PageComparison]
    answer: Callable[[], Answer | None]
    record: Callable[[Answer], None]


def ask(questions: Sequence[Question]) -> bool:
    """Ask what has no answer yet; False if that was ended before all had one."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    _print(*_HELP)
    rows_taken = len(_HELP)
    place = _next(questions)
    while place is not None:
        question = questions[place]
        comparison = question.compare()
        _show(f"{place + 1}/{len(questions)}", question.pair, comparison, rows_taken)
        rows_taken = 0
        said = _heard(question, comparison)
        if said == "q":
            return False
        if said == "b":
            if place == 0:
                _print("This is the first pair.")
            place = max(0, place - 1)
            continue
        if said in KEYS:
            question.record(KEYS[said])
            _print(f"Kept: {_SAID[KEYS[said]]}.")
        place = _next(questions)
    return True


def _next(questions: Sequence[Question]) -> int | None:
    return next((at for at, one in enumerate(questions) if one.answer() is None), None)


def _heard(question: Question, comparison: PageComparison) -> str:
    """Read lines until one says what to do: an answer, back, quit, or nothing to keep what was."""
    known = question.answer()
    if known:
        _print(f"Your answer was: {_SAID[known]}. Press Enter to keep it.")
    while True:
        sys.stdout.write(_PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:  # nobody will say more
            _print("")
            return "q"
        said = line.strip().lower()
        if not sys.stdin.isatty():
            _print(safe(said))
        if said in KEYS or said in {"b", "q"} or (known and not said):
            return said
        if said == "v":
            _page(comparison)
        elif said == "h":
            _print(*_HELP)
        else:
            _print(f"{safe(said[:20])!r} is none of {' '.join((*KEYS, 'v', 'b', 'h', 'q'))}.")


def _show(number: str, pair: Pair, comparison: PageComparison, rows_taken: int) -> None:
    """Show a pair, and as much of what differs as the terminal has rows for."""
    columns = Columns()
    _print("", f"{number} {'=' * (columns.all - len(number) - 1)}")
    _print(*_head(pair, comparison, columns), columns.rule)
    lines = shutil.get_terminal_size().lines if sys.stdout.isatty() else _ROWS
    rows = sentence_rows(comparison, columns, same=False)
    _print(*islice(rows, max(_FEWEST_ROWS, lines - _AROUND - rows_taken)))
    if next(rows, None) is not None:
        _print("  … and more: v shows all")
    else:
        _print(*columns.legend)


def _head(pair: Pair, comparison: PageComparison, columns: Columns) -> Iterator[str]:
    sides = zip(pair, (comparison.first, comparison.second), comparison.deep.counts, strict=True)
    titles: list[str] = []
    facts: list[tuple[str, str]] = []
    for number, (url, side, counts) in enumerate(sides, 1):
        titles.append(f"{number}  {safe(side.outline.title) or '(no title)'}")
        told = f"{counts.total} sentences, {counts.same} same, {counts.reworded} reworded"
        facts.append((fit(f"   {safe(url)}", columns.width), f"   {told}"))
    first, second = (
        [fit(row, columns.width) for row in _wrapped(title, columns.width)] for title in titles
    )
    yield from columns.rows("  ", first, second)
    yield from columns.rows("  ", *facts)


def _wrapped(title: str, width: int) -> list[str]:
    return textwrap.wrap(
        title, width, max_lines=_TITLE_ROWS, placeholder="…", subsequent_indent="   "
    )


def _page(comparison: PageComparison) -> None:
    """Show all sentences, through a pager where somebody can leaf."""
    columns = Columns(colours=False)
    rows = [*sentence_rows(comparison, columns, same=True), *columns.legend]
    if sys.stdin.isatty() and sys.stdout.isatty():
        pydoc.pager("\n".join(rows))
    else:
        _print(*rows)


def _print(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


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
