"""Pages → sources and held-out pages; what would make the truth untrue is left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .alike import Screen

if TYPE_CHECKING:
    from .source import Source

_ONE_IN = 5  # pages is held out

SAME_URL = "with the URL of an earlier page"
FEW_TERMS = "with too few words"
ALIKE = "much like an earlier page"


class Gathering:
    """The pages that documents are made from, as they come in."""

    def __init__(self, *, min_terms: int, hold_out: bool, seed: int) -> None:
        self.sources: list[Source] = []
        self.held_out: list[Source] = []
        self.left_out: Counter[str] = Counter()
        self._min_terms = min_terms
        self._hold_out = hold_out
        self._seed = seed
        self._urls: set[str] = set()
        self._screen = Screen()

    def add(self, page: Source) -> bool:
        """Take in a page; tell whether it is a source."""
        reason = self._reason_against(page)
        if reason:
            self.left_out[reason] += 1
            return False
        self._urls.add(page.url)
        number = len(self.sources) + len(self.held_out) + self._seed
        if self._hold_out and number % _ONE_IN == 0:
            self.held_out.append(page)
            return False
        self.sources.append(page)
        return True

    def _reason_against(self, page: Source) -> str | None:
        if page.url in self._urls:
            return SAME_URL
        if page.terms < max(self._min_terms, 1):
            return FEW_TERMS
        return ALIKE if self._screen.like(page) else None
