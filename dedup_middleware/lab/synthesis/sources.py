"""Text → terms, the unit of all counts here: words, and characters of scripts without spaces."""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from dedup_middleware.read import KINDS, read
from dedup_middleware.read.words import SPACELESS_RUN, WORD_RUN, fold, is_spaceless
from dedup_middleware.similarity.sentences import split_sentences

from .truth import Parts, keyed

if TYPE_CHECKING:
    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline


_CHARACTER = WORD_RUN.pattern.removesuffix("+")
_SPACELESS = SPACELESS_RUN.pattern.removesuffix("+")
_SIGN = rf"(?!\w){_CHARACTER}"
_INVISIBLE = "[\xad\u200b\u2060\ufeff]"  # soft hyphens and their kind don't end a word
_TERM = re.compile(
    rf"((?!{_SPACELESS}){_CHARACTER}(?:(?!{_SPACELESS}){_CHARACTER}|{_INVISIBLE})*"
    rf"|{_CHARACTER}(?:{_SIGN})*)"
)


def split_terms(text: str) -> tuple[list[str], list[str]]:
    """Return the terms of a text, and what stands before, between and after them.

    >>> split_terms("Don't panic!")
    (['Don', 't', 'panic'], ['', "'", ' ', '!'])
    """
    pieces = _TERM.split(text)
    return pieces[1::2], pieces[::2]


def count_terms(text: str) -> int:
    """Count the terms of a text: they add up, where pairs of characters would not.

    >>> count_terms("The price: 3.50"), count_terms("中文字符 and English")
    (4, 6)
    """
    return sum(1 for _ in _TERM.finditer(text))


def join_terms(terms: list[str], gaps: list[str]) -> str:
    """Put terms and gaps together again, with a space where two words would become one.

    >>> join_terms(["tea", "cup"], ["", "", "."])
    'tea cup.'
    """
    parts = [gaps[0]]
    for number, term in enumerate(terms):
        glued = number and not gaps[number]
        if glued and not (is_spaceless(terms[number - 1]) and is_spaceless(term)):
            parts.append(" ")
        parts += term, gaps[number + 1]
    return " ".join("".join(parts).split())


def sentences_with_places(text: str) -> list[tuple[int, str]]:
    """Cut a paragraph into sentences, each with how many terms stand before it.

    >>> sentences_with_places("It rained. Nobody left.")
    [(0, 'It rained.'), (2, 'Nobody left.')]
    """
    sentences = split_sentences(text)
    places = accumulate(map(count_terms, sentences), initial=0)
    return list(zip(places, sentences, strict=False))


_HEADING = KINDS.index("heading")
# What a page can't hold and come back from: controls, surrogates, noncharacters.
_UNFIT = re.compile("[^\t\n\r -\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of text, the smallest thing that is taken."""

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
        """Its main text, a line a paragraph."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @cached_property
    def parts(self) -> Parts:
        return keyed((paragraph.text, paragraph.whole) for paragraph in self.paragraphs)


def paragraph_of(text: str, *, heading: bool = False) -> Paragraph:
    r"""Make a paragraph of any text.

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
    return source_from(page.url, read(page))


def source_from(url: str, outline: Outline) -> Source:
    """Take the blocks of a page's main text as paragraphs; those without a term are left out."""
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    paragraphs = (
        paragraph_of(text, heading=kind == _HEADING)
        for kind, boilerplate, text in columns
        if text and not boilerplate
    )
    found = tuple(paragraph for paragraph in paragraphs if paragraph.terms)
    return Source(url, found, outline.language)


ALIKE = 0.3
"""Share of either page's shingles; far below the half from which on pages may count as alike,
because a page with an edit in every few words has few of the other's shingles left."""
_WIDTH = 3
_ONE_IN = 4  # shingles is kept: a feed may have many pages
_MOST = 50  # pages that are remembered for a shingle: what more have says nothing about any


class Screen:
    """The pages so far, by a sample of their shingles."""

    def __init__(self) -> None:
        self._urls: list[str] = []
        self._sizes: list[int] = []
        self._holders: dict[int, list[int]] = defaultdict(list)

    def like(self, source: Source) -> str | None:
        """Name an earlier page that has much in common with this one, or remember this one."""
        shingles = _sample(source)
        counts: Counter[int] = Counter()
        for shingle in shingles:
            counts.update(self._holders.get(shingle, ()))
        for number, shared in counts.most_common():
            if shared >= ALIKE * min(len(shingles), self._sizes[number]):
                return self._urls[number]
        number = len(self._urls)
        self._urls.append(source.url)
        self._sizes.append(len(shingles))
        for shingle in shingles:
            holders = self._holders[shingle]
            if len(holders) < _MOST:
                holders.append(number)
        return None


def _sample(source: Source) -> set[int]:
    words = split_terms(fold(source.text))[0]
    runs = zip(*(words[start:] for start in range(_WIDTH)), strict=False)
    hashes = (zlib.crc32(" ".join(run).encode("utf-8", "surrogatepass")) for run in runs)
    return {one for one in hashes if one % _ONE_IN == 0}


_ONE_IN_GATHER = 5  # pages is held out

SAME_URL = "with the URL of an earlier page"
FEW_TERMS = "with too few words"
ALIKE_GATHER = "much like an earlier page"


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
        if self._hold_out and number % _ONE_IN_GATHER == 0:
            self.held_out.append(page)
            return False
        self.sources.append(page)
        return True

    def _reason_against(self, page: Source) -> str | None:
        if page.url in self._urls:
            return SAME_URL
        if page.terms < max(self._min_terms, 1):
            return FEW_TERMS
        return ALIKE_GATHER if self._screen.like(page) else None
