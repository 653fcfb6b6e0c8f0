"""Output of a command: its format, and the width and colours of a terminal."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import escape, truncate, warn
from dedup_middleware.urls import common_part, rest_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping
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
