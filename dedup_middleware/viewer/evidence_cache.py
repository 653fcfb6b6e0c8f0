"""What speaks for decisions, kept for a while: people go back and forth."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from dedup_middleware.inspect.texts import Texts
from dedup_middleware.page import Page
from dedup_middleware.read import read

from .evidence import evidence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

KEPT = 64
"""Of these, each some hundred kilobytes."""

Pages = dict[str, "Outline | None"]


class Evidences:
    """Makes evidence from the texts of a store, which may be in use, or made anew meanwhile."""

    def __init__(self, store: Path | None, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._texts: Texts | None = None
        self._file: tuple[int, int] | None = None
        self._reading = threading.Lock()
        self._made: OrderedDict[tuple[str, int], tuple[Pages | None, str]] = OrderedDict()
        self._keeping = threading.Lock()

    def of(self, decision: Decision) -> str:
        """Write what speaks for a decision; the same texts are not compared twice."""
        pages = self._pages(decision)
        key = decision.run, decision.sequence
        with self._keeping:
            known = self._made.get(key)
            if known and known[0] == pages:
                self._made.move_to_end(key)
                return known[1]
        source = None if pages is None else _Known(pages)
        html = evidence(decision, source, self._settings)
        with self._keeping:
            self._made[key] = pages, html
            self._made.move_to_end(key)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return html

    def prepare(self) -> None:
        """Load what the first comparison would wait for: words of languages, and their kind."""
        from .comparison import compare_outlines

        texts = ("The tides turned. Boats swung.", "The tides turn. Boats swing.")
        first, second = (read(Page(url="", text=text)) for text in texts)
        compare_outlines(first, second, names=("", ""), settings=self._settings)

    def close(self) -> None:
        with self._reading:
            self._let_go()

    def _pages(self, decision: Decision) -> Pages | None:
        """Fetch the texts that may be needed; None if there is no store."""
        urls = {decision.url, decision.original or decision.closest}
        with self._reading:
            texts = self._opened()
            if texts is None:
                return None
            return {url: texts.outline(url) for url in urls if url is not None}

    def _opened(self) -> Texts | None:
        """Give the store as it is now: kept open, unless it was replaced."""
        try:
            found = (self._store / "data.mdb").stat() if self._store else None
        except OSError:
            found = None
        file = (found.st_dev, found.st_ino) if found else None
        if file != self._file:
            self._let_go()
            if file and self._store:
                self._texts = Texts(self._store, self._settings.map_size)
            self._file = file
        return self._texts

    def _let_go(self) -> None:
        if self._texts:
            self._texts.close()
        self._texts = self._file = None


class _Known:
    """Texts that were fetched before."""

    def __init__(self, pages: Mapping[str, Outline | None]) -> None:
        self._pages = pages

    def outline(self, url: str) -> Outline | None:
        return self._pages.get(url)
