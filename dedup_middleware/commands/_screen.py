"""Output of a command: its format, colours, and a pager where somebody reads it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import escape, truncate, warn
from dedup_middleware.urls import common_part, rest_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


@contextmanager
def screen(opts: Namespace) -> Iterator[Screen]:
    """Open the output, in a pager on a terminal; messages wait until the pager is left."""
    csv = getattr(opts, "csv", None)
    if opts.json or csv or opts.no_pager or not sys.stdout.isatty():
        shown = Screen(sys.stdout, wide=opts.wide, as_json=opts.json, csv=csv)
        yield shown
    else:
        with _pager() as stream:
            write = stream.write if stream else None
            shown = Screen(sys.stdout, wide=opts.wide, waiting=stream is not None, write=write)
            try:
                yield shown
            finally:
                shown.waiting = False
        for text in shown.messages:
            warn(text)
    if shown.left_out:
        warn(f"Columns without room: {', '.join(shown.left_out)} (--wide shows all)")


class Screen:
    """A stream to write to, with the width and colours of its terminal if it is one."""

    def __init__(
        self,
        stream: IO[str],
        *,
        wide: bool = False,
        as_json: bool = False,
        csv: str | None = None,
        waiting: bool = False,
        write: Callable[[str], object] | None = None,
    ) -> None:
        self.json = as_json
        self.csv = csv
        """The file for a spreadsheet, - for stdout; None if there is to be none."""
        self.terminal = stream.isatty() and not (as_json or csv)
        self.columns = max(shutil.get_terminal_size().columns, NARROWEST) if self.terminal else 0
        """The width of the terminal; 0 if it is none."""
        self.wide = wide
        """Whether lines may be longer than that."""
        self.left_out: dict[str, None] = {}
        """Columns of tables that had no room, in order."""
        self.write = write or stream.write
        self.waiting = waiting
        """Whether messages are kept for later."""
        self.messages: list[str] = []
        self._stream = stream
        self._has_title = False

    def warn(self, text: str) -> None:
        if self.waiting:
            self.messages.append(text)
        else:
            warn(text)

    def answer(self, facts: Mapping[str, Any], text: str) -> None:
        """Write what was found or done: as a JSON object, or in words."""
        self.write(f"{json.dumps(facts) if self.json else text}\n")

    def paint(self, text: str, style: str) -> str:
        """Colour a text that is safe already, unless the terminal or the user has no colours."""
        if not (self.terminal and style) or self._console.no_color:
            return text
        if self._console.color_system is None:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def source(self, text: str, *, is_named: bool) -> None:
        """Say what is listed: in the first line on a terminal, else in a message.

        The message is left out if the user has named the source.
        """
        if self.terminal:
            self.write(self.paint(truncate(escape(text), self.columns), "dim") + "\n")
        elif not is_named:
            self.warn(text)

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


@contextmanager
def _pager() -> Iterator[_Pager | None]:
    """Yield the user's pager; None if there is none to be used."""
    command = _pager_command()
    if not command:
        yield None
        return
    pager = _Pager(command)
    try:
        yield pager
    except (BrokenPipeError, KeyboardInterrupt):  # the user has seen enough
        pass
    finally:
        pager.close()


class _Pager:
    """A pager that starts with the first text: until then, the terminal is for progress bars.

    Not rich's: that one collects all output before it shows a line (a journal may be gigabytes),
    and does not tell `less` to let colours through and nothing else.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None

    def write(self, text: str) -> int:
        return self._input.write(text)

    @cached_property
    def _input(self) -> IO[str]:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # what the user has named
                self._command,
                stdin=subprocess.PIPE,
                env={"LESS": _LESS, "LV": "-c", **os.environ},
                text=True,
                encoding="utf-8",
                errors="backslashreplace",
            )
        except OSError:
            return sys.stdout
        assert self._process.stdin  # noqa: S101  # a pipe, see above
        return self._process.stdin

    def close(self) -> None:
        if self._process is None:
            return
        with suppress(BrokenPipeError):
            self._input.close()
        while True:
            try:
                self._process.wait()
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
