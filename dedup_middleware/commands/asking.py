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

from dedup_middleware.judging.answers import Answer

from .beside import Columns, sentence_rows
from .terminal import fit, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dedup_middleware.compare.pages import PageComparison
    from dedup_middleware.judging.answers import Pair

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
