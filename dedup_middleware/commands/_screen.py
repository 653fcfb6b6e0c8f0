"""Output of a command, through rich on a terminal: text, facts, progress bars."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dedup_middleware.text import escape

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO

    from rich.console import Console, RenderableType
    from rich.progress import Progress
    from rich.table import Table

Facts = list[tuple[str, str]]
"""Facts with their names; an empty name is that of the row before."""
VERDICT_STYLES = {
    "exact": "magenta",
    "near": "yellow",
    "contained": "cyan",
    "unchanged": "blue",
    "contains": "green",
    "updated": "green",
}
T = TypeVar("T")
_LABEL, _MARGIN = 10, 3
_REFRESH = 0.1  # seconds between two drawings


class Screen:
    """Where a command writes to; on a terminal lines are wrapped, elsewhere they are whole."""

    def __init__(
        self, stream: IO[str] | None = None, *, as_json: bool = False, as_csv: bool = False
    ) -> None:
        self.json = as_json
        self.csv = as_csv
        self._named = stream
        self.terminal = self.stream.isatty() and not (as_json or as_csv)

    @classmethod
    def of(cls, opts: Namespace) -> Screen:
        """Open the output in the format that was asked for."""
        return cls(as_json=opts.json, as_csv=getattr(opts, "csv", False))

    @property
    def stream(self) -> IO[str]:
        return self._named or sys.stdout  # which a progress bar replaces while it is shown

    def text(self, text: str = "", style: str = "", *, is_whole: bool = False) -> None:
        """Write a line; what could control a terminal is escaped.

        A terminal wraps by itself what `is_whole`, so that URLs and commands can be copied.
        """
        if not self.terminal:
            self.stream.write(f"{escape(text)}\n")
            return
        from rich.text import Text

        self._console.print(Text(escape(text), style), soft_wrap=is_whole)

    def marked(self, mark: str, text: str, style: str = "") -> None:
        """Write a text with a mark in the margin; on a terminal in as many rows as it takes."""
        margin, text = f"{mark:<{_MARGIN}}", escape(text)
        if not self.terminal:
            self.stream.write(f"{margin}{text}".rstrip() + "\n")
            return
        from rich.text import Text

        label = margin + " " * (len(text) - len(text.lstrip()))
        room = max(1, self._console.width - len(label))
        for row in Text(text.strip(), style).wrap(self._console, room):
            row.rstrip()
            self._console.print(Text.assemble(label, row))

    def beside(self, label: str, text: str, style: str = "") -> None:
        """Write a text beside its label; on a terminal in as many rows as it takes."""
        if not self.terminal:
            self.stream.write(escape(f"{label}{text}").rstrip() + "\n")
            return
        self.show(labelled(escape(label), escape(text), style))

    def show(self, shown: RenderableType) -> None:
        """Write what rich lays out, on a terminal."""
        self._console.print(shown)

    def answer(self, facts: Mapping[str, Any], *lines: str) -> None:
        """Write what was found or done: as a JSON object, or in words."""
        if self.json:
            self.stream.write(f"{json.dumps(facts)}\n")
        for line in () if self.json else lines:
            self.text(line, is_whole=True)

    def facts(self, rows: Facts, styles: Mapping[str, str] | None = None) -> None:
        """Write facts beside their names."""
        for name, value in rows:
            self.beside(f"  {name:<{_LABEL}} ", value, (styles or {}).get(name, ""))

    def title(self, text: str) -> None:
        """Begin a section: with its title on a terminal, elsewhere with an empty line."""
        self.text()
        if self.terminal:
            self.text(text, "bold underline")

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=self._named,
            force_terminal=True,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            markup=False,
            emoji=False,
            highlight=False,
        )


def labelled(label: str, text: str, style: str = "") -> Table:
    """Lay out a text beside its label; both are safe already."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(label, Text(text, style))
    return grid


def progress(items: Iterable[T], total: int | None, description: str) -> Iterator[T]:
    """Yield the items, and show how many of the total have come."""
    with ProgressBar(total, description) as bar:
        for item in items:
            yield item
            bar.advance()


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A bar that is shown until its block ends; lines written meanwhile appear above it."""

    def __init__(
        self, total: int | None, description: str, *, in_bytes: bool = False, shown: bool = True
    ) -> None:
        self._total = total
        self._description = description
        self._in_bytes = in_bytes
        self._may_be_shown = shown
        self._done = 0
        self._shown: Progress | None = None
        self._next = 0.0
        """When it is drawn next."""

    def __enter__(self) -> Self:
        if self._may_be_shown and sys.stderr.isatty():
            self._shown = self._started()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._shown.refresh()
            self._shown.stop()

    def advance(self, steps: int = 1) -> None:
        self.reach(self._done + steps)

    def reach(self, done: int, note: str = "") -> None:
        """Set how much is done, with a few words beside the bar."""
        self._done = done
        if self._shown:
            is_due = time.monotonic() >= self._next
            (task,) = self._shown.task_ids
            self._shown.update(task, completed=done, note=note, refresh=is_due)
            self._next = time.monotonic() + _REFRESH if is_due else self._next

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        shown = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(binary_units=True) if self._in_bytes else MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
            auto_refresh=False,  # no thread beside what is measured
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
        )
        shown.add_task(self._description, total=self._total, note="")
        shown.start()
        return shown
