"""Progress bars on stderr, silent where that is no terminal."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Self, TypeVar

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
