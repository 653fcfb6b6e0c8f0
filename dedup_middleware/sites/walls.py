"""Walls: one short text under many URLs that have nothing else in common."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from math import log2
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import quantity

from .values import LONGEST_EXAMPLE, is_about

if TYPE_CHECKING:
    from .parsed import Parsed
    from .values import Fetched

LONGEST = 150  # words
LEAST_PATHS, LEAST_SHAPES = 5, 3
MOST_TEXTS = 16
_MOST_URLS = 3
_MUCH_SCRIPT = 50  # percent
NAMES = {
    "a page for browsers with JavaScript": r"enable (?:java ?script|cookies)|needs java ?script"
    r"|requires java ?script|without java ?script",
    "a check for robots": r"captcha|not a robot|checking your browser|access denied",
    "a consent wall": r"\b(?:cookies?|consent|gdpr|datenschutz)\b",
    "a soft 404": r"\b404\b|not (?:be )?found|(?:does ?n[o'’]t|no longer) exist|nicht gefunden"
    r"|introuvable",
    "a page without results": r"\b(?:no|0|keine|aucun) (?:\w+ )?(?:results?|matches|entries|items"
    r"|events|ergebnisse|résultats?)\b|nothing (?:was )?found",
    "a login wall": r"\b(?:log ?in|sign ?in|anmelden|einloggen|connexion)\b",
}
"""What walls look like, by the words on them; the first that fits is named."""
_NAMES = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in NAMES.items())


@dataclass(slots=True)
class TextCounts:
    """The pages of a host that show one short text."""

    pattern: str
    text: str
    """A digest of it; empty if it differs in digits and addresses."""
    words: int
    size: int
    pages: int = 0
    paths: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    """Examples."""
    looks_like: str = ""
    """What people call it, once it is a wall: "a login wall", …; empty if nothing fits."""

    @property
    def is_wall(self) -> bool:
        """Whether the URLs are unrelated: pages that differ in digits are of several shapes."""
        is_one = bool(self.text) or len(self.shapes) >= LEAST_SHAPES
        return len(self.paths) >= LEAST_PATHS and is_one

    def count(self, page: Fetched, url: Parsed) -> None:
        self.pages += 1
        if page.text.hex() != self.text:
            self.text = ""
        for seen, one, most in (
            (self.paths, url.page_path, LEAST_PATHS),
            (self.shapes, url.shape, LEAST_SHAPES),
            (self.urls, page.url, _MOST_URLS),
        ):
            if len(seen) < most and one not in seen and len(one) <= LONGEST_EXAMPLE:
                seen.append(one)

    def as_json(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]


def count_text(texts: dict[str, TextCounts], page: Fetched, url: Parsed) -> TextCounts | None:
    """Count a page under its text; return that if it has become a wall with it."""
    if page.words > LONGEST or not page.pattern:
        return None
    pattern = page.pattern.hex()
    found = texts.pop(pattern, None)
    if found is None or not (found.is_wall or is_about(page.size, found.size)):
        found = TextCounts(pattern, page.text.hex(), page.words, page.size)
    elif not is_about(page.size, found.size):
        texts[pattern] = found
        return None
    texts[pattern] = found  # the last one is the one that was seen last
    if len(texts) > MOST_TEXTS:
        rarest = min(texts, key=lambda one: texts[one].pages)
        del texts[rarest if rarest != pattern else next(iter(texts))]
    was_wall = found.is_wall
    found.count(page, url)
    if was_wall or not found.is_wall:
        return None
    found.looks_like = looks_like(page)
    return found


def looks_like(page: Fetched) -> str:
    """Return what people call a page with a short text that shows under many URLs.

    >>> from .values import Fetched
    >>> looks_like(Fetched("", "", "exact", beginning="Sorry, this page was not found."))
    'a soft 404'
    """
    if page.passwords:
        return "a login wall"
    if page.script_share >= _MUCH_SCRIPT:
        return "a page for browsers with JavaScript"
    return next((name for name, words in _NAMES if words.search(page.beginning)), "")


LEAST_PAGES = 20
"""Of a crawl, before anybody is warned."""
MOST_COPIES = 50
_MOST_COUNTED = 1024
_STEPS = 4  # sizes that count as about the same, for each doubling


class Swallowed:
    """Notice when a crawl is being swallowed: by one short text, or by what is dropped.

    Counts are those of this process; each of the three warnings is given once.
    """

    def __init__(self) -> None:
        self._pages = self._dropped = 0
        self._texts: Counter[tuple[bytes, int]] = Counter()
        self._copies: Counter[str] = Counter()
        self._told: set[str] = set()

    def count(self, page: Fetched, *, is_repeat: bool) -> str:
        """Count a page; return the warning that it gives, if any.

        `is_repeat` if this crawl has shown it before: what an earlier one has shown is not new, but
        has to be read again.
        """
        self._pages += 1
        self._dropped += is_repeat
        if page.words <= LONGEST and page.pattern:
            key = page.pattern, int(_STEPS * log2(page.size + 1))
            self._texts[key] += 1
            alike = self._texts[key]
            if len(self._texts) > _MOST_COUNTED:
                self._texts = Counter(dict(self._texts.most_common(_MOST_COUNTED // 2)))
            if alike >= LEAST_PAGES and 2 * alike > self._pages:
                guess = looks_like(page)
                question = f": {guess}?" if guess else ""
                words = f"the same {quantity(page.words, 'word')}" if page.words else "no text"
                return self._once("text", f"show {words}{question}", alike)
        if not is_repeat:
            return ""
        self._copies[page.page] += 1
        copies = self._copies[page.page]
        if len(self._copies) > _MOST_COUNTED:
            self._copies = Counter(dict(self._copies.most_common(_MOST_COUNTED // 2)))
        if copies > MOST_COPIES:
            return self._once("copies", f"show what {page.page} shows", copies)
        if self._pages >= 2 * LEAST_PAGES and 2 * self._dropped > self._pages:
            return self._once("dropped", "show what other pages show", self._dropped)
        return ""

    def _once(self, what: str, text: str, count: int) -> str:
        """Word a warning, unless it was given already."""
        if what in self._told:
            return ""
        self._told.add(what)
        return f"{count:,} of {self._pages:,} pages {text}"
