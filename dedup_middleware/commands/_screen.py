"""Long output goes to a pager, as git does it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.text import complain, safe

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from rich.console import Console


# R: colours and nothing else that steers; F: no pager for what fits; X: leave it on the screen
_LESS = "FRX"


@contextmanager
def pager() -> Iterator[IO[str] | None]:
    """Start the user's pager and give its input; None if there is none to be used."""
    command = _command()
    if not command:
        yield None
        return
    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603  # what the user has named
            command,
            stdin=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        yield None
        return
    assert process.stdin  # noqa: S101  # asked for above
    try:
        yield process.stdin
    except (BrokenPipeError, KeyboardInterrupt):  # seen enough
        pass
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        _wait(process)


def _wait(process: subprocess.Popen[str]) -> None:
    while True:
        try:
            process.wait()
        except KeyboardInterrupt:  # is for the pager, which stops a search
            continue
        return


def _command() -> list[str]:
    if os.environ.get("TERM", "dumb") == "dumb" or not sys.stdin.isatty():
        return []
    named = os.environ.get("PAGER")
    try:
        words = shlex.split("less" if named is None else named)
    except ValueError:
        return []
    if not words or words == ["cat"] or not shutil.which(words[0]):
        return []
    return words


NARROWEST = 60
VERDICT_STYLES = {
    "exact": "magenta",
    "near": "yellow",
    "contained": "cyan",
    "unchanged": "blue",
    "contains": "green",
    "updated": "green",
}


@dataclass(frozen=True, slots=True)
class Column:
    """Of a table."""

    name: str
    right: bool = False
    whole: bool = False
    """Whether its cells must not be broken."""


def add_arguments(parser: ArgumentParser, what: str = "print one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=what)
    parser.add_argument(
        "--no-pager", action="store_true", help="print on the terminal, however long it is"
    )


@contextmanager
def screen(opts: Namespace) -> Iterator[Screen]:
    """Give what to write to; what is to be said beside it waits until a pager is left."""
    if opts.json or opts.no_pager or not sys.stdout.isatty():
        yield Screen(sys.stdout)
        return
    with pager() as stream:
        shown = Screen(stream or sys.stdout, terminal=True, waiting=stream is not None)
        try:
            yield shown
        finally:
            shown.waiting = False
    for text in shown.unsaid:
        complain(text)


class Screen:
    """Something to write to."""

    def __init__(
        self,
        stream: IO[str],
        *,
        terminal: bool | None = None,
        waiting: bool = False,
        write: Callable[[str], object] | None = None,
    ) -> None:
        self.terminal = stream.isatty() if terminal is None else terminal
        self.columns = max(shutil.get_terminal_size().columns, NARROWEST) if self.terminal else 0
        """The width of the terminal; 0 if it is none."""
        self.write = write or stream.write
        self.waiting = waiting
        self.unsaid: list[str] = []
        self._stream = stream
        self._begun = False

    def complain(self, text: str) -> None:
        if self.waiting:
            self.unsaid.append(text)
        else:
            complain(text)

    def paint(self, text: str, style: str) -> str:
        """Colour a text that is safe, where colours are shown and wanted."""
        if not (self.terminal and style) or self._console.no_color:
            return text
        if self._console.color_system is None:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def title(self, text: str) -> None:
        """Begin a part: by its name, where somebody reads it, else by an empty line."""
        if self._begun:
            self.write("\n")
        if self.terminal:
            self.write(f"{self.paint(safe(text), 'bold underline')}\n")
        self._begun = True

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """Write a table; where there is no terminal, cells between tabs under their names."""
        cells = [[safe(cell) for cell in row] for row in rows]
        if not self.terminal:
            for row in ([column.name for column in columns], *cells):
                self.write("\t".join(row) + "\n")
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for column in columns:
            table.add_column(
                column.name.upper(),
                justify="right" if column.right else "left",
                overflow="fold",
                no_wrap=column.right or column.whole,
            )
        for row in cells:
            table.add_row(*map(Text, row))
        self._console.print(table)

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
