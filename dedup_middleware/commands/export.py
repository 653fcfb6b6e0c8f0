"""Decisions as CSV, for spreadsheets that take some cells for formulas."""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError

from .terminal import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from dedup_middleware.review.decisions import Decision

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
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # the wide ones are taken for the others


def write_csv(decisions: Iterable[Decision], name: str, sources: Iterable[Path]) -> int:
    """Write decisions to a file, or to stdout for `-`; return how many there were."""
    count = 0
    with _opened(name, sources) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for count, decision in enumerate(decisions, 1):  # noqa: B007  # counted
            writer.writerow([cell(value(decision)) for value in COLUMNS.values()])
    return count


def cell(value: object) -> object:
    r"""Make a value that no spreadsheet calculates, and that can't steer a terminal.

    >>> cell("=1+1"), cell("\t@SUM(A1)"), cell("plain"), cell(-0.5), cell(None)
    ("'=1+1", "'\\t@SUM(A1)", 'plain', -0.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return value
    text = str(value)
    mark = "'" if text.strip().startswith(_FORMULA) else ""
    return mark + safe(text)


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
