"""Pages in the form that comparison needs, and a cache of them."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from struct import Struct, iter_unpack
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.words import words

from .loss import units_of
from .sentences import (
    Sentence,
    is_negated,
    joined_words,
    numbers_of,
    refine,
    sentences_of,
    stems_of,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline

    from .loss import Units

BETWEEN = "\n"
WORD = re.compile(r"\w")
# words, vocabulary, sentences, bytes of the vocabulary, identifying numbers, bytes of these
_HEAD = Struct("<6I")
_LENGTHS = Struct("<2I")
_COUNT = Struct("<I")
MAX_WORDS = 1_000_000
_NODE, _BYTES = 4, 8  # what a block weighs in words, and how many bytes of all text weigh as one
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class PageTable:
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    language: str
    """The declared language of the page, unless its stop words show another."""

    @property
    def vocabulary(self) -> list[str]:
        """Its distinct words, in order of first occurrence."""
        *_, length, _, numbers = _HEAD.unpack_from(self.packed)
        end = len(self.packed) - numbers
        return self.packed[end - length : end].decode().split(BETWEEN)

    @property
    def numbers(self) -> list[str]:
        """The amounts of money, telephone and account numbers of the page, sorted."""
        *_, count, length = _HEAD.unpack_from(self.packed)
        numbers = self.packed[len(self.packed) - length :].decode()
        return numbers.split(BETWEEN) if count else []


def read_table(outline: Outline) -> PageTable:
    """Make the table of a page."""
    declared = utf8(outline.language)
    data = core.call_parts("page", (outline.boilerplate, outline.lines, declared))
    length, count = _LENGTHS.unpack_from(data)
    end = _COUNT.size + length
    return PageTable(data[_COUNT.size : end], count, data[end:].decode())


@dataclass(frozen=True)
class Prepared:
    """What comparison needs of a page, each part computed once, when it is needed."""

    outline: Outline
    numbers: bool = True
    """Whether numbers count as words of sentences."""
    hashes: Hashes | None = None
    """The shingle hashes of the main text, if they are known already."""
    joined: bool = False
    """Whether what is not a letter is deleted from words, as in the thesis."""
    names: int = 0
    """How many different pages its host has shown."""
    rarity: bytes = b""
    """On how many of them a unit stands."""

    @cached_property
    def units(self) -> Units:
        """Its units, each in its place, with how rare they are on its host."""
        found = units_of(self.outline)
        return found._replace(names=self.names.to_bytes(4, "little"), rarity=self.rarity)

    @cached_property
    def shingles(self) -> bytes:
        """The distinct shingle hashes of the main text, ascending, eight bytes each."""
        if self.hashes is None:
            return main_shingles([self])[0]
        return core.call("distinct_hashes", self.hashes.astype("<u8", copy=False).tobytes())

    @property
    def has_shingles(self) -> bool:
        """Whether these are computed."""
        return "shingles" in self.__dict__

    @cached_property
    def table(self) -> PageTable:
        """What the core compares."""
        return read_table(self.outline)

    @cached_property
    def stems(self) -> bytes:
        """The stems of the words of the table, for the core."""
        if self.language == "en" and self.numbers:
            stems = core.call("english_stems", self.table.packed)
            if stems:  # else there are words that only nltk can stem
                return stems
        found = stems_of(self.table.vocabulary, self.language, numbers=self.numbers)
        return BETWEEN.join(found).encode()

    @property
    def word_count(self) -> int:
        return self.table.words

    @property
    def language(self) -> str:
        return self.table.language

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the main text that have words, in order."""
        sentences = (
            _refined(text, node, found, self.language, numbers=self.numbers, joined=self.joined)
            for node, text, found in self._split
        )
        return tuple(sentence for sentence in sentences if sentence.words)

    @cached_property
    def _split(self) -> list[tuple[int, str, list[str]]]:
        """The sentences before they are refined: node, text, words."""
        found = [(node, text, words(text)) for node, text in sentences_of(self.outline)]
        # rules, dots and the like are words only on pages that have no others, as are letters that
        # Python knows and the core does not yet
        worded = [one for one in found if WORD.search(one[1]) and {*one[2]} != {"\ufffd"}]
        return worded or found


def main_shingles(pages: Sequence[Prepared]) -> list[bytes]:
    """Return the shingle hashes of the main texts of pages, and let them keep these."""
    columns = [part for one in pages for part in (one.outline.boilerplate, one.outline.lines)]
    data, at = core.call_parts("main_shingles", columns), 4 * len(pages)
    found = []
    for page, (count,) in zip(pages, iter_unpack("<I", data[:at]), strict=True):
        found.append(data[at : at + 8 * count])
        page.__dict__["shingles"] = found[-1]
        at += 8 * count
    return found


def sentence_of(
    text: str, language: str, *, numbers: bool = True, joined: bool = False
) -> Sentence:
    """Prepare a single sentence, of no page."""
    return _refined(text, 0, words(text), language, numbers=numbers, joined=joined)


def _refined(
    text: str, node: int, found: Sequence[str], language: str, *, numbers: bool, joined: bool
) -> Sentence:
    letters = joined_words(text, numbers=numbers) if joined else []
    content = refine(letters or found, language, numbers=numbers)
    digits = numbers_of(found) if _DIGIT.search(text) else frozenset()
    return Sentence(text, node, content, digits, is_negated(found, language))


class PreparedCache:
    """The most recently used prepared pages, up to a number of words; threads may share it."""

    def __init__(self, max_words: int = MAX_WORDS) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[Hashable, tuple[Prepared, int]] = OrderedDict()
        self._words = 0
        self._max_words = max_words

    def get(self, key: Hashable) -> Prepared | None:
        """Return a page, if it is in the cache."""
        with self._lock:
            found = self._pages.get(key)
            if found is None:
                return None
            self._pages.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, words: int, page: Prepared) -> Prepared:
        """Add a page of so many words, unless it is there; return the one that is."""
        outline = page.outline  # a page of few words may have menus of any size
        words = max(words, _NODE * len(outline.kinds), len(outline.lines) // _BYTES)
        with self._lock:
            found = self._pages.setdefault(key, (page, words))[0]
            if found is page:
                self._words += words
            while self._words > self._max_words and len(self._pages) > 1:
                self._words -= self._pages.popitem(last=False)[1][1]
            return found
