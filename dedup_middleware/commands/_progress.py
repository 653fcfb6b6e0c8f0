"""Progress bars on stderr, silent where that is no terminal."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from dedup_middleware.text import size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.progress import Progress

T = TypeVar("T")
_REFRESH = 0.1  # seconds between two drawings
SOON = 1.0
"""Seconds of work that need no bar."""


def progress(
    items: Iterable[T], total: int | None, description: str, *, delay: float = 0.0
) -> Iterator[T]:
    """Yield the items, and show how many of the total have come."""
    with progress_bar(total, description, delay=delay) as bar:
        for item in items:
            yield item
            bar.advance()


@contextmanager
def progress_bar(
    total: int | None, description: str, *, in_bytes: bool = False, delay: float = 0.0
) -> Iterator[ProgressBar]:
    """Show a bar until the block ends; lines written meanwhile appear above it.

    With a delay in seconds, nothing is shown of what takes no longer.
    """
    if not sys.stderr.isatty():
        yield ProgressBar(None, total)
        return
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
    bar = ProgressBar(shown, total, description, in_bytes=in_bytes, delay=delay)
    try:
        yield bar
    finally:
        bar.close()


class ProgressBar:
    """The line that says how far a command is; silent unless it is shown on a terminal."""

    def __init__(
        self,
        shown: Progress | None,
        total: int | None,
        description: str = "",
        *,
        in_bytes: bool = False,
        delay: float = 0.0,
    ) -> None:
        self._shown = shown
        self._begin = time.monotonic() + delay
        self._has_begun = False
        self._total = total
        self._in_bytes = in_bytes
        self._done = 0
        self._note = ""
        self._drawn = 0.0
        if shown:
            self._task = shown.add_task(description, total=total, done="", note="")
            if not delay:
                self.draw()

    def advance(self, steps: int = 1) -> None:
        self.reach(self._done + steps, self._note)

    def reach(self, done: int, note: str = "") -> None:
        """Set how much is done, with a few words beside the bar."""
        self._done, self._note = done, note
        if self._shown and time.monotonic() - self._drawn >= _REFRESH:
            self.draw()

    def draw(self) -> None:
        if not self._shown or time.monotonic() < self._begin:
            return
        if not self._has_begun:
            self._shown.start()
            self._has_begun = True
        done, total = (
            "?" if count is None else size(count) if self._in_bytes else f"{count:,}"
            for count in (self._done, self._total)
        )
        self._shown.update(
            self._task,
            completed=self._done,
            done=f"{done}/{total}",
            note=self._note,
            refresh=True,
        )
        self._drawn = time.monotonic()

    def close(self) -> None:
        self.draw()
        if self._shown and self._has_begun:
            self._shown.stop()
