"""Output of a command: its format, the width and colours of a terminal, progress bars."""

from __future__ import annotations

import json
import shutil
import sys
import time
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dedup_middleware.text import escape, size, truncate, warn, wrapped
from dedup_middleware.urls import common_part, rest_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO

    from rich.console import Console
    from rich.progress import Progress

Facts = list[tuple[str, str]]
"""Facts with their names; an empty name is that of the row before."""
NARROWEST, _LABEL = 60, 10
VERDICT_STYLES = {
    "exact": "magenta",
    "near": "yellow",
    "contained": "cyan",
    "unchanged": "blue",
    "contains": "green",
    "updated": "green",
}
T = TypeVar("T")
_REFRESH = 0.1  # seconds between two drawings
SOON = 1.0
"""Seconds of work that need no bar."""


@contextmanager
def screen(opts: Namespace) -> Iterator[Screen]:
    """Open the output in the format that was asked for."""
    shown = Screen(wide=opts.wide, as_json=opts.json, csv=getattr(opts, "csv", None))
    yield shown
    if shown.left_out:
        warn(f"Columns without room: {', '.join(shown.left_out)} (--wide shows all)")


class Screen:
    """A stream to write to, with the width and colours of its terminal if it is one."""

    def __init__(
        self,
        stream: IO[str] | None = None,
        *,
        wide: bool = False,
        as_json: bool = False,
        csv: str | None = None,
    ) -> None:
        self.json = as_json
        self.csv = csv
        """The file for a spreadsheet, - for stdout; None if there is to be none."""
        self._named = stream
        self.terminal = self._stream.isatty() and not (as_json or csv)
        self.columns = max(shutil.get_terminal_size().columns, NARROWEST) if self.terminal else 0
        """The width of the terminal; 0 if it is none."""
        self.wide = wide
        """Whether lines may be longer than that."""
        self.left_out: dict[str, None] = {}
        """Columns of tables that had no room, in order."""
        self._has_title = False

    @property
    def _stream(self) -> IO[str]:
        return self._named or sys.stdout  # which a progress bar replaces while it is shown

    def write(self, text: str) -> None:
        self._stream.write(text)

    def answer(self, facts: Mapping[str, Any], lines: Iterable[str]) -> None:
        """Write what was found or done: as a JSON object, or in words."""
        for line in [json.dumps(facts)] if self.json else lines:
            self.write(f"{line}\n")

    @property
    def room(self) -> int:
        """The width that lines must keep to; 0 if they may be of any length."""
        return 0 if self.wide else self.columns

    def fit(self, text: str) -> str:
        """Cut the middle out of a line that is too long."""
        return truncate(text, self.room) if self.room else text

    def paint(self, text: str, style: str) -> str:
        """Colour a text that is safe already, unless the terminal or the user has no colours."""
        if not (self.terminal and style) or self._console.no_color:
            return text
        if self._console.color_system is None:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def facts(self, rows: Facts, styles: Mapping[str, str] | None = None) -> Iterator[str]:
        """Yield facts beside their names."""
        for name, value in rows:
            style = (styles or {}).get(name, "")
            yield from self.labelled(f"  {name:<{_LABEL}} ", escape(value), style)

    def labelled(self, label: str, text: str, style: str = "") -> Iterator[str]:
        """Yield a label and its text; on a terminal in as many rows as it takes."""
        lines = wrapped(text, max(20, self.room - len(label))) if self.room else [text]
        for at, line in enumerate(lines):
            yield ((label if at == 0 else " " * len(label)) + self.paint(line, style)).rstrip()

    def source(self, text: str, *, is_named: bool) -> None:
        """Say what is listed: in the first line on a terminal, else in a message.

        The message is left out if the user has named the source.
        """
        if self.terminal:
            self.write(self.paint(truncate(escape(text), self.columns), "dim") + "\n")
        elif not is_named:
            warn(text)

    def title(self, text: str) -> None:
        """Begin a section: with its title on a terminal, elsewhere with an empty line."""
        if self._has_title:
            self.write("\n")
        if self.terminal:
            self.write(f"{self.paint(escape(text), 'bold underline')}\n")
        self._has_title = True

    def common(self, urls: Iterable[str]) -> str:
        """Return what URLs have in common, and write it once: rows need not repeat it."""
        if not self.terminal or self.wide:
            return ""
        every = list(urls)
        part = common_part(every)
        if part:
            others = any(rest_of(url, part) == url for url in every)
            text = f"URLs begin with {escape(part)}{', unless they are whole' if others else ''}"
            self.write(self.paint(truncate(text, self.columns), "dim") + "\n")
        return part

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=self._stream,
            force_terminal=self.terminal,
            width=self.columns or None,
            markup=False,
            emoji=False,
            highlight=False,
        )


def progress(
    items: Iterable[T], total: int | None, description: str, *, delay: float = 0.0
) -> Iterator[T]:
    """Yield the items, and show how many of the total have come."""
    with ProgressBar(total, description, delay=delay) as bar:
        for item in items:
            yield item
            bar.advance()


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A bar that is shown until its block ends; lines written meanwhile appear above it.

    With a delay in seconds, nothing is shown of what takes no longer.
    """

    def __init__(
        self, total: int | None, description: str, *, in_bytes: bool = False, delay: float = 0.0
    ) -> None:
        self._total = total
        self._description = description
        self._in_bytes = in_bytes
        self._next = time.monotonic() + delay
        """When it is drawn next."""
        self._done = 0
        self._note = ""
        self._shown: Progress | None = None

    def __enter__(self) -> Self:
        self.reach(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._draw(self._shown)
            self._shown.stop()

    def advance(self, steps: int = 1) -> None:
        self.reach(self._done + steps, self._note)

    def reach(self, done: int, note: str = "") -> None:
        """Set how much is done, with a few words beside the bar."""
        self._done, self._note = done, note
        if time.monotonic() >= self._next and sys.stderr.isatty():
            self._shown = self._shown or self._started()
            self._draw(self._shown)
            self._next = time.monotonic() + _REFRESH

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        shown = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[done]}", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
            auto_refresh=False,  # no thread beside what is measured
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
        )
        shown.add_task(self._description, total=self._total, done="", note="")
        shown.start()
        return shown

    def _draw(self, shown: Progress) -> None:
        done, total = (
            "?" if count is None else size(count) if self._in_bytes else f"{count:,}"
            for count in (self._done, self._total)
        )
        (task,) = shown.task_ids
        shown.update(
            task, completed=self._done, done=f"{done}/{total}", note=self._note, refresh=True
        )
