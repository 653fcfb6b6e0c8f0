"""Lists: rows in columns, as a table on a terminal, separated by tabs, as JSON or as CSV."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dedup_middleware.text import escape, spreadsheet_cell, warn

from ._screen import labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from ._screen import Screen

Row = TypeVar("Row")
MOST_ROWS = 500
"""The rows of a table on a terminal, if nobody asks for another number."""


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
    is_long: bool = False
    """Whether a table wraps it, so that shorter columns have room."""
    is_data: bool = False
    """Whether it is for JSON and CSV only."""
    below: bool = False
    """Whether a table has it on lines of its own, below the last column."""
    mark: str = ""
    """What stands before it there."""
    style: Callable[[str], str | None] | str = ""

    def cell(self, row: Row) -> str:
        """Return what people read, safe for a terminal."""
        return escape(self.text(row) if self.text else self.form(self.value(row)))

    def laid_out(self, row: Row) -> RenderableType:
        """Return the cell of a table, with its mark if it has one; empty if there is none."""
        from rich.text import Text

        text = self.cell(row)
        style = (self.style if isinstance(self.style, str) else self.style(text)) or ""
        return labelled(self.mark, text, style) if text and self.mark else Text(text, style)

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
    ) -> None:
        """Take columns and rows; `line` returns a row as JSON, if it is not its columns."""
        self._columns = columns
        self._shown = [column for column in columns if not column.is_data]
        self._rows = iter(rows)
        self._line = line or self._as_json

    def write(self, out: Screen, *, limit: int | None = None) -> int:
        """Write the list in the format that was asked for; return the number of rows.

        If there are more rows than the limit, a message says so.
        """
        limit = limit or (MOST_ROWS if out.terminal else None)
        rows = list(islice(self._rows, 1))
        if not rows:
            return 0
        rest = islice(self._rows, limit and limit - 1)
        if out.terminal:
            rows += rest
            out.show(self._table(rows))
            number = len(rows)
        else:
            write = self._writer(out)
            for number, row in enumerate(chain(rows, rest), 1):  # noqa: B007  # returned below
                write(row)
        if next(self._rows, None) is not None:
            warn(f"There are more rows than {limit:,}: raise --limit")
        return number

    def _writer(self, out: Screen) -> Callable[[Row], object]:
        """Return what writes a row to a file or pipe, after the names of the columns."""
        write = out.stream.write
        if out.json:
            return lambda row: write(f"{self._line(row)}\n")
        if out.csv:
            columns, writerow = self._columns, csv.writer(out.stream, lineterminator="\n").writerow
            writerow([one.key or one.name for one in columns])
            return lambda row: writerow([one.csv_cell(row) for one in columns])
        write("\t".join(one.name for one in self._shown) + "\n")
        return lambda row: write("\t".join(one.cell(row) for one in self._shown) + "\n")

    def _table(self, rows: Sequence[Row]) -> Table:
        from rich.console import Group
        from rich.table import Table

        beside = [one for one in self._shown if not one.below]
        below = [one for one in self._shown if one.below]
        marked = "".join(f", {one.mark}{one.name.upper()}" for one in below if one.mark)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in beside:
            name = column.name.upper() + (marked if column is beside[-1] else "")
            is_number = any(_is_number(column.value(row)) for row in rows)
            table.add_column(
                name,
                justify="right" if is_number else "left",
                no_wrap=not column.is_long,
                overflow="fold" if column.is_long else "ellipsis",
            )
        for row in rows:
            *cells, last = (column.laid_out(row) for column in beside)
            lines = [shown for column in below if (shown := column.laid_out(row))]
            table.add_row(*cells, Group(last, *lines))
        return table

    def _as_json(self, row: Row) -> str:
        values = {one.key or one.name: one.value(row) for one in self._columns}
        return json.dumps(values, default=_as_text)


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
