"""Sources: the pages that documents are made from, as paragraphs."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.read import KINDS, read
from dedup_middleware.read.words import fold

from .terms import count_terms, split_terms
from .truth import Parts, number_parts

if TYPE_CHECKING:
    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline

SAME_URL = "with the URL of an earlier page"
TOO_SHORT = "with too few words"
SIMILAR = "much like an earlier page"
_HEADING = KINDS.index("heading")
# what does not come back from an HTML page: controls, surrogates, noncharacters
_UNFIT = re.compile("[^\t\n\r -\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]+")
_SIMILAR_SHARE = 0.3
"""Of either page's shingles; far below the half from which on pages may count as alike, because a
page with an edit every few words has few of the other's shingles left."""
_SHINGLE_WORDS = 3
_SAMPLE_ONE_IN = 4  # shingles: a feed may have many pages
_MOST_HOLDERS = 50  # pages remembered for a shingle: one that more pages have says nothing
_HOLD_OUT_ONE_IN = 5  # pages


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of text, the smallest unit that is taken."""

    text: str
    terms: int
    heading: bool = False

    @property
    def whole(self) -> int:
        """All its terms, a bit each."""
        return (1 << self.terms) - 1


@dataclass(frozen=True)
class Source:
    """A page that paragraphs are taken from."""

    url: str
    paragraphs: tuple[Paragraph, ...]
    language: str = ""

    @cached_property
    def terms(self) -> int:
        return sum(paragraph.terms for paragraph in self.paragraphs)

    @cached_property
    def text(self) -> str:
        """Its main text, a line for each paragraph."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @cached_property
    def parts(self) -> Parts:
        return number_parts((paragraph.text, paragraph.whole) for paragraph in self.paragraphs)


def paragraph_of(text: str, *, heading: bool = False) -> Paragraph:
    r"""Return a text as a paragraph, without characters that HTML can't hold.

    >>> paragraph_of(" Tea,\x07 hot ")
    Paragraph(text='Tea, hot', terms=2, heading=False)
    """
    clean = " ".join(_UNFIT.sub(" ", text).split())
    return Paragraph(clean, count_terms(clean), heading)


def source_of(page: Page) -> Source:
    """Read a page into a source.

    >>> from dedup_middleware.page import Page
    >>> source = source_of(Page(url="tea", html="<h1>Tea</h1><p>Boil water.<p>Wait, then pour."))
    >>> [paragraph.text for paragraph in source.paragraphs], source.terms
    (['Tea', 'Boil water.', 'Wait, then pour.'], 6)
    """
    return source_of_outline(page.url, read(page))


def source_of_outline(url: str, outline: Outline) -> Source:
    """Return the blocks of the main text that have terms, as paragraphs."""
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    paragraphs = (
        paragraph_of(text, heading=kind == _HEADING)
        for kind, boilerplate, text in columns
        if text and not boilerplate
    )
    found = tuple(paragraph for paragraph in paragraphs if paragraph.terms)
    return Source(url, found, outline.language)


class SourceCollection:
    """The sources of a set, and pages held out for own text.

    Pages of which the truth would not be known are left out and counted.
    """

    def __init__(self, *, min_terms: int, hold_out: bool, seed: int) -> None:
        self.sources: list[Source] = []
        self.held_out: list[Source] = []
        self.left_out: Counter[str] = Counter()
        self._min_terms = min_terms
        self._hold_out = hold_out
        self._seed = seed
        self._urls: set[str] = set()
        self._similar = _SimilarPages()

    def add(self, page: Source) -> bool:
        """Add a page; return True if it became a source."""
        reason = self._reason_to_leave_out(page)
        if reason:
            self.left_out[reason] += 1
            return False
        self._urls.add(page.url)
        number = len(self.sources) + len(self.held_out) + self._seed
        if self._hold_out and number % _HOLD_OUT_ONE_IN == 0:
            self.held_out.append(page)
            return False
        self.sources.append(page)
        return True

    def _reason_to_leave_out(self, page: Source) -> str | None:
        if page.url in self._urls:
            return SAME_URL
        if page.terms < max(self._min_terms, 1):
            return TOO_SHORT
        return None if self._similar.add(page) else SIMILAR


class _SimilarPages:
    """An index of pages by a sample of their shingles."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holders: dict[int, list[int]] = defaultdict(list)

    def add(self, source: Source) -> bool:
        """Add a page, unless it has much in common with an earlier one; then return False."""
        shingles = _shingle_sample(source)
        counts: Counter[int] = Counter()
        for shingle in shingles:
            counts.update(self._holders.get(shingle, ()))
        for number, shared in counts.items():
            if shared >= _SIMILAR_SHARE * min(len(shingles), self._sizes[number]):
                return False
        for shingle in shingles:
            holders = self._holders[shingle]
            if len(holders) < _MOST_HOLDERS:
                holders.append(len(self._sizes))
        self._sizes.append(len(shingles))
        return True


def _shingle_sample(source: Source) -> set[int]:
    words = split_terms(fold(source.text))[0]
    runs = zip(*(words[start:] for start in range(_SHINGLE_WORDS)), strict=False)
    hashes = (zlib.crc32(" ".join(run).encode("utf-8", "surrogatepass")) for run in runs)
    return {one for one in hashes if one % _SAMPLE_ONE_IN == 0}
