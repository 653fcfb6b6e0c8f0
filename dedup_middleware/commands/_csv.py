"""CSV files for spreadsheets."""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import spreadsheet_cell

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator
    from typing import IO


def add_csv(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--csv", metavar="FILE", help="write a CSV file for spreadsheets; - prints it"
    )


def check_csv(opts: Namespace) -> None:
    """Refuse what contradicts --csv, and print it without a pager."""
    if opts.csv and opts.json:
        opts.parser.error("--csv or --json, not both")
    opts.no_pager |= bool(opts.csv)


def write_csv(
    name: str, columns: Iterable[str], rows: Iterable[Iterable[object]], sources: Iterable[Path]
) -> int:
    """Write rows to a file, or to stdout for `-`, but over no source; return how many."""
    count = 0
    with _opened(name, sources) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for count, row in enumerate(rows, 1):  # noqa: B007  # counted
            writer.writerow([spreadsheet_cell(value) for value in row])
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
