"""Counts of shapes, and traps: shapes that show nothing new, or only ever lead deeper."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .values import LONGEST_EXAMPLE, is_about

if TYPE_CHECKING:
    from .values import Fetched

STEPS = (10, 20, 35)
"""Pages in a row that show nothing new, after which a shape is demoted by one step more."""
LEFT = 50
"""Pages in a row after which it is fetched no more, or `PER_NEW` for each new one that it had, if
these are more: where each of n pages has many URLs, only every n-th shows the last one that is
missing, so a run of n without it is nothing special (37 %), and one of 3 n is rare (5 %)."""
PER_NEW = 3
FIRST_LOOK = 100
"""Requests after which a shape that was left is looked at again; then twice as many, and so on. The
first request is a look, too: a process may find a shape that another has left long ago."""
NEARLY_EMPTY = 5  # words
_MOST_PATTERNS = 4


@dataclass(slots=True)
class Shape:
    """URLs of a host that are alike, and what became of their pages."""

    pattern: str
    """Path, in which numbers, dates, ids and hashes are replaced, and sorted names of parameters:
    `/news/<number>?page`."""
    fetched: int = 0
    new: int = 0
    redundant: int = 0
    short: int = 0
    """Pages with too little text of their own."""
    size: int = 0
    """Bytes that were transferred."""
    example: str = ""
    stale: int = 0
    """Pages since one showed something new and more than a few words."""
    copies: int = 0
    """Pages since one showed a text that differs from others in more than digits."""
    growing: int = 0
    """Pages in a row that a shorter URL of the same shape has led to."""
    fresh: int = 0
    """New pages that differ from others in more than digits."""
    asked: int = 0
    """Requests since it was left, or since it was read from a store."""
    patterns: list[tuple[str, int]] = field(default_factory=list)
    """What the last pages have shown, without digits, and how large they are."""

    @property
    def left(self) -> bool:
        """Whether it is fetched no more but for a look now and then."""
        return self.copies >= max(LEFT, PER_NEW * self.fresh)

    @property
    def steps(self) -> int:
        """By how many steps of priority its requests are demoted: 0 to 3."""
        return bisect_right(STEPS, max(self.stale, self.growing))

    def count(self, page: Fetched, *, is_repeat: bool, grows: bool) -> None:
        """Count a page; `is_repeat` if this crawl has shown it before, under another URL.

        What an earlier crawl has shown is read again, and is no sign of a trap; but only what is
        new brings a shape back that was left.
        """
        is_new, is_redundant = page.is_new, page.is_redundant
        self.fetched += 1
        self.new += is_new
        self.redundant += is_redundant
        self.size += page.size
        if not self.example and len(page.url) <= LONGEST_EXAMPLE:
            self.example = page.url
        is_short = page.words < NEARLY_EMPTY
        self.short += is_short
        self.growing = self.growing + 1 if grows else 0
        pattern = page.pattern.hex()
        differs = not any(
            pattern == known and is_about(page.size, size) for known, size in self.patterns
        )
        if is_new and differs:
            self.copies = self.asked = 0
            self.fresh += 1
            self.stale = self.stale + 1 if is_short else 0
        elif is_new or (is_redundant and is_repeat):
            self.copies = 0 if page.leads_elsewhere else self.copies + 1
            self.stale += 1
        elif not self.left:
            self.copies = self.stale = 0
        if pattern and differs:
            self.patterns = [*self.patterns, (pattern, page.size)][-_MOST_PATTERNS:]

    def is_look(self) -> bool:
        """Count a request to a shape that was left; return True if it is sent to look."""
        self.asked += 1
        looks, rest = divmod(self.asked, FIRST_LOOK)
        return self.asked == 1 or (not rest and looks.bit_count() == 1)

    def as_json(self) -> list[Any]:
        return [0 if name == "asked" else getattr(self, name) for name in self.__slots__]
