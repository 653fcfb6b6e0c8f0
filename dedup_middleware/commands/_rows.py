"""Decisions as rows of a table on the terminal, and of a CSV file."""

from __future__ import annotations

import csv
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import CUT, fit, pad, safe, spreadsheet_cell

from ._screen import VERDICT_STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from dedup_middleware.inspect.decisions import Decision

    from ._screen import Screen

_VERDICT, _SCORE, _GAP = 9, 5, 2
_INDENT = _VERDICT + _SCORE + 2 * _GAP
_REASON_LINES = 2

COLUMNS: dict[str, Callable[[Decision], object]] = {
    "verdict": lambda one: one.verdict,
    "action": lambda one: one.action,
    "score": lambda one: one.score,
    "url": lambda one: one.url,
    "original": lambda one: one.original,
    "reason": lambda one: one.reason,
    "stage": lambda one: one.stage,
    "time": lambda one: one.entry.get("time"),
    "run": lambda one: one.run,
    "spider": lambda one: one.spider,
    "seq": lambda one: one.sequence,
    "ms": lambda one: one.milliseconds,
    "bytes": lambda one: one.size,
}
"""Columns of the CSV file."""


class Table:
    """Rows fitted to the width of a terminal; elsewhere complete, separated by tabs."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._has_header = False

    def add(self, decision: Decision) -> None:
        score = "" if decision.score is None else f"{decision.score:.2f}"
        verdict, url = safe(decision.verdict), safe(decision.url)
        original = safe(decision.original or "")
        if not self._screen.terminal:
            reason = safe(decision.reason)
            self._screen.write(f"{verdict}\t{score}\t{url}\t{original}\t{reason}\n")
            return
        lines = []
        if not self._has_header:
            lines = [self._row(("VERDICT", "SCORE", "URL", "ORIGINAL"), ("bold",) * 4)]
            self._has_header = True
        styles = (VERDICT_STYLES.get(decision.verdict, ""), "", "", "")
        lines.append(self._row((verdict, score, url, original), styles))
        reason = decision.reason
        if decision.original and "://" in decision.original:  # the row above names it
            reason = reason.replace(decision.original, "the original")
        room = self._screen.columns - _INDENT
        wrapped = textwrap.wrap(safe(reason), room, max_lines=_REASON_LINES, placeholder=CUT)
        lines += [" " * _INDENT + self._screen.paint(line, "dim") for line in wrapped]
        self._screen.write("".join(f"{line}\n" for line in lines))

    def _row(self, cells: tuple[str, str, str, str], styles: tuple[str, ...]) -> str:
        verdict, score, url, original = cells
        room = self._screen.columns - _INDENT - _GAP
        fitted = (
            pad(verdict, _VERDICT),
            f"{score:>{_SCORE}}",
            pad(url, room // 2),
            fit(original, room - room // 2),
        )
        painted = (
            self._screen.paint(text, style) for text, style in zip(fitted, styles, strict=True)
        )
        return (" " * _GAP).join(painted).rstrip()


def write_csv(decisions: Iterable[Decision], name: str, sources: Iterable[Path]) -> int:
    """Write decisions to a file, or to stdout for `-`; return how many there were."""
    count = 0
    with _opened(name, sources) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for count, decision in enumerate(decisions, 1):  # noqa: B007  # counted
            writer.writerow([spreadsheet_cell(value(decision)) for value in COLUMNS.values()])
    return count


@contextmanager
def _opened(name: str, sources: Iterable[Path]) -> Iterator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    try:
        if path.exists() and any(path.samefile(source) for source in sources):
            raise DedupError(f"{path} is the journal itself; name another file")
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
