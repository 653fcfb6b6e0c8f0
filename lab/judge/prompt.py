"""The prompt: pairs of pages on the terminal, one after the other, with a question about each."""

from __future__ import annotations

import pydoc
import shutil
import sys
import textwrap
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING

from dedup_middleware.commands.compare import Columns, sentence_rows
from dedup_middleware.text import escape, truncate
from lab.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dedup_middleware.viewer.comparison import PageComparison
    from lab.answers import Pair


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
  1  page 1 does not: page 2 says all of it
  2  page 2 does not: page 1 says all of it
  ?  can't tell                   v  see all of both
  b  back to the pair before      q  stop; what was answered is kept""".splitlines()
_PROMPT = "s same · 1 or 2 adds nothing · d different · ? unsure · v b q h help > "
_MEANINGS = {
    Answer.SAME: "they say the same",
    Answer.FIRST_IN_SECOND: "page 1 adds nothing to page 2",
    Answer.SECOND_IN_FIRST: "page 2 adds nothing to page 1",
    Answer.DIFFERENT: "they are different",
    Answer.OPEN: "can't tell",
}
_OTHER_ROWS = 12  # of the terminal, for the header and the question
_FEWEST_ROWS, _ROWS = 10, 60
_TITLE_ROWS = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to show, and how its answer is read and recorded."""

    pair: Pair
    compare: Callable[[], PageComparison]
    answer: Callable[[], Answer | None]
    record: Callable[[Answer], None]


def ask(questions: Sequence[Question]) -> bool:
    """Ask all questions without an answer; return False if the user stops before the end."""
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
        reply = _read_reply(question, comparison)
        if reply == "q":
            return False
        if reply == "b":
            if place == 0:
                _print("This is the first pair.")
            place = max(0, place - 1)
            continue
        if reply in KEYS:
            question.record(KEYS[reply])
            _print(f"Saved: {_MEANINGS[KEYS[reply]]}.")
        place = _next(questions)
    return True


def _next(questions: Sequence[Question]) -> int | None:
    return next((at for at, one in enumerate(questions) if one.answer() is None), None)


def _read_reply(question: Question, comparison: PageComparison) -> str:
    """Read lines until one is an answer, back, quit, or empty to keep an earlier answer."""
    known = question.answer()
    if known:
        _print(f"Your answer was: {_MEANINGS[known]}. Press Enter to keep it.")
    while True:
        sys.stdout.write(_PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:  # end of input
            _print("")
            return "q"
        reply = line.strip().lower()
        if not sys.stdin.isatty():
            _print(escape(reply))
        if reply in KEYS or reply in {"b", "q"} or (known and not reply):
            return reply
        if reply == "v":
            _show_all(comparison)
        elif reply == "h":
            _print(*_HELP)
        else:
            _print(f"{escape(reply[:20])!r} is none of {' '.join((*KEYS, 'v', 'b', 'h', 'q'))}.")


def _show(number: str, pair: Pair, comparison: PageComparison, rows_taken: int) -> None:
    """Show a pair, and as many of the differences as the terminal has rows for."""
    columns = Columns()
    _print("", f"{number} {'=' * (columns.all - len(number) - 1)}")
    _print(*_header(pair, comparison, columns), columns.rule)
    lines = shutil.get_terminal_size().lines if sys.stdout.isatty() else _ROWS
    rows = sentence_rows(comparison, columns, same=False)
    _print(*islice(rows, max(_FEWEST_ROWS, lines - _OTHER_ROWS - rows_taken)))
    if next(rows, None) is not None:
        _print("  … and more: v shows all")
    else:
        _print(*columns.legend)


def _header(pair: Pair, comparison: PageComparison, columns: Columns) -> Iterator[str]:
    sides = zip(pair, (comparison.first, comparison.second), comparison.deep.counts, strict=True)
    titles: list[str] = []
    facts: list[tuple[str, str]] = []
    for number, (url, side, counts) in enumerate(sides, 1):
        titles.append(f"{number}  {escape(side.outline.title) or '(no title)'}")
        shares = f"{counts.total} sentences, {counts.same} same, {counts.reworded} reworded"
        facts.append((truncate(f"   {escape(url)}", columns.width), f"   {shares}"))
    first, second = (
        [truncate(row, columns.width) for row in _wrapped(title, columns.width)] for title in titles
    )
    yield from columns.rows("  ", first, second)
    yield from columns.rows("  ", *facts)


def _wrapped(title: str, width: int) -> list[str]:
    return textwrap.wrap(
        title, width, max_lines=_TITLE_ROWS, placeholder="…", subsequent_indent="   "
    )


def _show_all(comparison: PageComparison) -> None:
    """Show all sentences, in a pager on a terminal."""
    columns = Columns(colours=False)
    rows = [*sentence_rows(comparison, columns, same=True), *columns.legend]
    if sys.stdin.isatty() and sys.stdout.isatty():
        pydoc.pager("\n".join(rows))
    else:
        _print(*rows)


def _print(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
