"""Output of a command: colours, tables, and a pager where somebody reads it."""

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
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from rich.console import Console

NARROWEST = 60
VERDICT_STYLES = {
    "exact": "magenta",
    "near": "yellow",
    "contained": "cyan",
    "unchanged": "blue",
    "contains": "green",
    "updated": "green",
}
# R: colours, but no other control codes; F: no pager for what fits; X: leave it on the screen
_LESS = "FRX"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    right: bool = False
    whole: bool = False
    """Whether its cells must not be wrapped."""


@contextmanager
def screen(opts: Namespace) -> Iterator[Screen]:
    """Open the output, in a pager on a terminal; messages wait until the pager is left."""
    if opts.json or opts.no_pager or not sys.stdout.isatty():
        yield Screen(sys.stdout)
        return
    with _pager() as stream:
        shown = Screen(stream or sys.stdout, terminal=True, waiting=stream is not None)
        try:
            yield shown
        finally:
            shown.waiting = False
    for text in shown.messages:
        complain(text)


class Screen:
    """A stream to write to, with the width and colours of its terminal if it is one."""

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
        """Whether messages are kept for later."""
        self.messages: list[str] = []
        self._stream = stream
        self._has_title = False

    def complain(self, text: str) -> None:
        if self.waiting:
            self.messages.append(text)
        else:
            complain(text)

    def paint(self, text: str, style: str) -> str:
        """Colour a text that is safe already, unless the terminal or the user has no colours."""
        if not (self.terminal and style) or self._console.no_color:
            return text
        if self._console.color_system is None:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def title(self, text: str) -> None:
        """Begin a section: with its title on a terminal, elsewhere with an empty line."""
        if self._has_title:
            self.write("\n")
        if self.terminal:
            self.write(f"{self.paint(safe(text), 'bold underline')}\n")
        self._has_title = True

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """Write a table; without a terminal, cells separated by tabs under a header."""
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


@contextmanager
def _pager() -> Iterator[IO[str] | None]:
    """Start the user's pager and yield its input; None if there is none to be used.

    Not rich's: that one collects all output before it shows a line (a journal may be gigabytes),
    and does not tell `less` to let colours through and nothing else.
    """
    command = _pager_command()
    if not command:
        yield None
        return
    try:
        process = subprocess.Popen(  # noqa: S603  # what the user has named
            command,
            stdin=subprocess.PIPE,
            env={"LESS": _LESS, "LV": "-c", **os.environ},
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        yield None
        return
    assert process.stdin  # noqa: S101  # a pipe, see above
    try:
        yield process.stdin
    except (BrokenPipeError, KeyboardInterrupt):  # the user has seen enough
        pass
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        _wait(process)


def _wait(process: subprocess.Popen[str]) -> None:
    while True:
        try:
            process.wait()
        except KeyboardInterrupt:  # is for the pager, where it stops a search
            continue
        return


def _pager_command() -> list[str]:
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
