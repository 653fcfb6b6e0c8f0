"""Outlines of the pages under some paths, for commands that read pages without judging them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dedup_middleware.batch.sources import Sources
from dedup_middleware.commands._screen import ProgressBar
from dedup_middleware.read import UnreadablePage, read
from dedup_middleware.text import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings


class PageReader:
    """Reads pages with a progress bar; what can't be read is reported on stderr and counted."""

    def __init__(
        self, paths: Iterable[Path], settings: Settings, leave_out: Iterable[Path] = ()
    ) -> None:
        self._settings = settings
        self._unreadable = 0
        self._sources = Sources(paths, warn, max_html=settings.max_html, leave_out=leave_out)

    @property
    def problems(self) -> int:
        return self._unreadable + self._sources.problems

    def pages(self, note: Callable[[], str] = str) -> Iterator[tuple[Page, Outline]]:
        """Yield pages with their outlines; the note is shown beside the bar."""
        limits = {"max_html": self._settings.max_html, "max_text": self._settings.max_text}
        total = self._sources.size() if sys.stderr.isatty() else None
        with ProgressBar(total, "Reading", in_bytes=True) as bar:
            for page in self._sources:
                try:
                    outline = read(page, **limits)
                except UnreadablePage:
                    self._unreadable += 1
                    warn(f"{page.url}: can't be read as HTML; skipped")
                else:
                    yield page, outline
                bar.reach(self._sources.bytes_read, note())
