"""Progress bars on stderr, silent where that is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Sized
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


def progress(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, and show how many have come."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with progress_bar(total, description) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def progress_bar(total: int | None, description: str) -> Iterator[Callable[[int], None]]:
    """Show a bar until the block ends; what it yields advances the bar by some steps."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(description, total=total)
        yield lambda steps: shown.advance(task, steps)
