"""Lists: rows in columns, as a table on a terminal, separated by tabs, as JSON or as CSV."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dedup_middleware.errors import DedupError
from dedup_middleware.text import (
    escape,
    same_beginning,
    spreadsheet_cell,
    truncate,
    truncate_around,
    warn,
    width,
    wrapped,
)
from dedup_middleware.urls import rest_of

from ._arguments import check_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from ._screen import Screen

Row = TypeVar("Row")
GAP = "  "
ALWAYS = sys.maxsize
_NARROWEST = 8
_SAMPLE = 500
"""The rows that are read ahead to choose the widths of columns; there may be millions of rows."""


def dim(_: str) -> str:
    """Return the style of what matters less."""
    return "dim"


def percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _plain(value: object) -> str:
    return f"{value:,}" if _is_number(value) else "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column of a list."""

    name: str
    value: Callable[[Row], Any]
    """The value of a row: unchanged in JSON and CSV; numbers are aligned right in tables."""
    form: Callable[[Any], str] = _plain
    """Format the value for people."""
    text: Callable[[Row], str] | None = None
    """The text for people, if it is not the formatted value."""
    key: str = ""
    """Its name in JSON and CSV, if that is another."""
    worth: int = 0
    """Columns of the highest worth get room first; one of 0 is always shown."""
    least: int = 0
    """The cells that it may be cut down to; 0 if it is whole wherever that is possible."""
    below: int = 0
    """In terminals narrower than this it has lines of its own below the row, whole and wrapped."""
    mark: str = ""
    """The mark in front of such a line."""
    is_url: bool = False
    """Whether what all URLs have in common is left out."""
    is_data: bool = False
    """Whether it is for JSON and CSV only."""
    style: Callable[[str], str | None] | None = None

    def cell(self, row: Row, *, whole: bool = False) -> str:
        """Return what people read, safe for a terminal; `whole`, also what a table shortens."""
        if self.text and not (whole and self.below):
            return escape(self.text(row))
        return escape(self.form(self.value(row)))

    def csv_cell(self, row: Row) -> object:
        value = self.value(row)
        if isinstance(value, dict | list):
            value = self.form(value)
        return spreadsheet_cell(_as_text(value) if isinstance(value, datetime) else value)


class Listing(Generic[Row]):
    """Rows in columns; they are taken one after the other, as there may be millions."""

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        rows: Iterable[Row],
        *,
        line: Callable[[Row], str] | None = None,
        common: Sequence[str] | None = None,
    ) -> None:
        """Take columns and rows; `line` returns a row as JSON, if it is not its columns.

        `common` are URLs or folders of them, for lists whose rows can't be read ahead to find what
        their URLs have in common.
        """
        self._columns = columns
        self._shown = [column for column in columns if not column.is_data]
        self._rows = iter(rows)
        self._line = line or self._as_json
        self._urls = common

    def write(self, out: Screen, *, limit: int | None = None, sources: Iterable[Path] = ()) -> int:
        """Write the list in the format that was asked for; return the number of rows.

        A CSV file never overwrites a source. If there are more rows than the limit, a message
        says so.
        """
        numbers = count()
        rows = (row for row, _ in zip(islice(self._rows, limit), numbers, strict=False))
        if out.csv:
            _write_csv(out.csv, self._columns, rows, sources)
        elif out.json:
            for row in rows:
                out.write(f"{self._line(row)}\n")
        elif out.terminal:
            self._write_table(out, rows)
        else:
            names = "\t".join(one.name for one in self._shown) + "\n"
            for cells in self._cells(rows, whole=True):
                out.write(names + "\t".join(cells) + "\n")
                names = ""
        if next(self._rows, None) is not None:
            warn(f"There are more rows than {limit:,}: raise --limit")
        return next(numbers)

    def _as_json(self, row: Row) -> str:
        values = {one.key or one.name: one.value(row) for one in self._columns}
        return json.dumps(values, default=_as_text)

    def _cells(self, rows: Iterable[Row], *, whole: bool = False) -> Iterator[list[str]]:
        return ([column.cell(row, whole=whole) for column in self._shown] for row in rows)

    def _write_table(self, out: Screen, rows: Iterator[Row]) -> None:
        sample = list(islice(rows, _SAMPLE if self._urls is None else 1))
        if not sample:
            return
        urls = self._urls
        if urls is None:
            named = [one for one in self._shown if one.is_url]
            urls = [str(url) for row in sample for one in named if (url := one.value(row))]
        table = _Table(self._shown, out, out.common(urls) if urls else "")
        rights = [any(_is_number(one.value(row)) for row in sample) for one in self._shown]
        table.lay_out([*self._cells(sample)] if self._urls is None else [], rights)
        for cells in self._cells(chain(sample, rows)):
            out.write("".join(f"{line}\n" for line in table.lines(cells)))


class _Table(Generic[Row]):
    """A table that fits a terminal."""

    def __init__(self, columns: Sequence[Column[Row]], out: Screen, common: str) -> None:
        self._out = out
        self._common = common
        self._columns = columns
        self._beside = [at for at, one in enumerate(columns) if out.columns >= one.below]
        self._below = [at for at, one in enumerate(columns) if out.columns < one.below]
        self._urls = [at for at, one in enumerate(columns) if one.is_url]
        self._sizes: dict[int, int] = {}
        """The widths of the columns of a row, in order."""
        self._rights: Sequence[bool] = ()

    def lay_out(self, sample: Sequence[Sequence[str]], rights: Sequence[bool]) -> None:
        """Choose the width of each column by some rows, if there are any; write the header."""
        out, self._rights = self._out, rights
        room = sys.maxsize if out.wide else out.columns
        beside = [self._columns[at] for at in self._beside]
        header = [one.name.upper() for one in self._columns]
        if self._urls:
            marked = (f", {one.mark}{name}" for one, name in self._lower(header) if one.mark)
            header[self._urls[0]] += "".join(marked)
        names, *cells = (
            [row[at] for at in self._beside] for row in (header, *map(self._shortened, sample))
        )
        complete = 0 < len(sample) < _SAMPLE
        sizes = widths(beside, cells, room, names, complete=complete)
        out.left_out |= {
            one.name: None for one, size in zip(beside, sizes, strict=True) if not size
        }
        self._sizes = {at: size for at, size in zip(self._beside, sizes, strict=True) if size}
        if not sample and not out.wide:
            urls = [at for at in self._urls if at in self._sizes]
            spare = room - _total(list(self._sizes.values()))
            self._sizes |= {at: self._sizes[at] + spare // len(urls) for at in urls}
        out.write(out.paint(self._row(header), "bold") + "\n")

    def lines(self, cells: Sequence[str]) -> Iterator[str]:
        """Yield a row, and what stands below it."""
        cells = self._shortened(cells)
        yield self._row(cells, painted=True)
        start = next((at for at in self._urls if at in self._sizes), max(self._sizes))
        before = [size for at, size in self._sizes.items() if at < start]
        margin = sum(before) + len(GAP) * len(before)
        room = self._out.columns - margin
        for column, cell in self._lower(cells):
            if self._out.wide:
                lines = [cell]
            else:
                lines = [self._fit(cells, cell, room)] if column.is_url else wrapped(cell, room)
            for at, line in enumerate(lines if cell else ()):
                mark = "" if at else column.mark
                yield " " * (margin - len(mark)) + mark + self._painted(column, line)

    def _lower(self, cells: Sequence[str]) -> Iterator[tuple[Column[Row], str]]:
        """Yield what stands below a row."""
        return ((self._columns[at], cells[at]) for at in self._below)

    def _shortened(self, cells: Sequence[str]) -> list[str]:
        """Leave out what all URLs have in common, which stands above the table."""
        if not self._common:
            return list(cells)
        return [
            rest_of(cell, self._common)
            if column.is_url
            else cell.replace(f"{self._common}/", "/")
            if column.below
            else cell
            for column, cell in zip(self._columns, cells, strict=True)
        ]

    def _row(self, cells: Sequence[str], *, painted: bool = False) -> str:
        shown = []
        for at, room in self._sizes.items():
            column = self._columns[at]
            text = self._fit(cells, cells[at], room) if column.is_url else truncate(cells[at], room)
            padding = " " * (room - width(text))
            text = self._painted(column, text) if painted else text
            shown.append(padding + text if self._rights[at] else text + padding)
        return GAP.join(shown).rstrip()

    def _fit(self, cells: Sequence[str], text: str, room: int) -> str:
        """Cut a URL so that what is shown differs from the other URL of its row."""
        first, *_, last = (cells[at] for at in (*self._urls, self._urls[-1]))
        return truncate_around(text, room, same_beginning(first, last))

    def _painted(self, column: Column[Row], text: str) -> str:
        return self._out.paint(text, (column.style and column.style(text)) or "")


def widths(
    columns: Sequence[Column[Any]],
    cells: Sequence[Sequence[str]],
    room: int,
    header: Sequence[str] = (),
    *,
    complete: bool = True,
) -> list[int]:
    """Return how wide each column is; 0 if it is left out. There may be more rows to come.

    >>> columns = Column("url", str, least=8), Column("ms", str, worth=1)
    >>> widths(columns, [["https://example.org/a", "12"]], 40)
    [21, 2]
    >>> widths(columns, [["https://example.org/a", "12"]], 15)
    [11, 2]
    >>> widths(columns, [["https://example.org/a", "12"]], 10)
    [10, 0]
    """
    names = header or [column.name for column in columns]
    natural = [
        max(1, width(name), *(width(row[at]) for row in cells), 0 if complete else column.least)
        for at, (name, column) in enumerate(zip(names, columns, strict=True))
    ]
    narrow = [
        min(full, column.least) if column.least else full
        for full, column in zip(natural, columns, strict=True)
    ]
    shown = [at for at, column in enumerate(columns) if not column.worth]
    for at in sorted(range(len(columns)), key=lambda at: -columns[at].worth):
        if at not in shown and _total([narrow[one] for one in (*shown, at)]) <= room:
            shown.append(at)
    found = [narrow[at] if at in shown else 0 for at in range(len(columns))]
    while _total([found[at] for at in shown]) > room and max(found) > _NARROWEST:
        found[found.index(max(found))] -= 1  # a line that is too long is worse than a cut cell
    spare = room - _total([found[at] for at in shown])
    while spare > 0:  # the narrowest of those that were cut grows first
        cut = [at for at in shown if found[at] < natural[at]]
        if not cut:
            break
        found[min(cut, key=lambda at: found[at])] += 1
        spare -= 1
    return found


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + len(GAP) * (len(sizes) - 1)


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _write_csv(
    name: str, columns: Sequence[Column[Row]], rows: Iterable[Row], sources: Iterable[Path]
) -> None:
    with _opened(name, sources) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([one.key or one.name for one in columns])
        for row in rows:
            writer.writerow([one.csv_cell(row) for one in columns])


@contextmanager
def _opened(name: str, sources: Iterable[Path]) -> Iterator[IO[str]]:
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    check_output(path, sources)
    try:
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
