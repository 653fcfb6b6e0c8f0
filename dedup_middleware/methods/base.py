"""The interface of methods: the documents they see, matches, and an index in tables."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, read
from dedup_middleware.read.words import words
from dedup_middleware.similarity.prepared import Prepared
from dedup_middleware.similarity.sentences import STOP_WORDS, language_of
from dedup_middleware.store.tables import Tables
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.similarity.sentences import Sentence

    Refined = tuple[str, ...]

MOST_WORDS = 30_000
"""Words of distinct sentences that count: the work for one page must be bounded."""
_SHORT, _SHOWN = 40, 3
"""Words of a short text, and how many different stop words show its language."""
_NUMBER = struct.Struct(">I")
_LAST = b"last"
_DOCUMENT = b"document:"


@dataclass(frozen=True)
class Document:
    """A text with a name.

    >>> document = Document.of_text("a", "The tide came in. It was high.")
    >>> document.words
    ['the', 'tide', 'came', 'in', 'it', 'was', 'high']
    >>> [sentence.words for sentence in document.sentences]
    [('tide', 'came'), ('high',)]
    """

    name: str
    outline: Outline

    @classmethod
    def of(cls, page: Page, *, boilerplate: bool = False) -> Document:
        """Read a page; with `boilerplate` all its visible text counts, not only the main text."""
        outline = read(page)
        if boilerplate:
            outline = replace(outline, boilerplate=bytes(len(outline.boilerplate)))
        return cls(page.url, outline)

    @classmethod
    def of_text(cls, name: str, text: str) -> Document:
        """Make a document of plain text, paragraphs separated by blank lines."""
        return cls(name, read(Page(url=name, text=text)))

    def named(self, name: str) -> Document:
        """Return it under another name; what was made of it already is kept."""
        other = replace(self, name=name)
        vars(other).update(vars(self) | {"name": name})
        return other

    @property
    def text(self) -> str:
        """The text that counts, paragraphs joined by a space."""
        return self.outline.main

    @cached_property
    def words(self) -> list[str]:
        """Its words in order, in the form in which words are compared."""
        return words(self.text)

    @cached_property
    def language(self) -> str:
        """Its language, by declaration and stop words.

        Two words of a short text that declares none may be stop words of any language by chance.

        >>> Document.of_text("a", "Die in Rome.").language
        'en'
        """
        found = language_of(self.outline.language, self.words)
        if self.outline.language or found in {"", "en"} or len(self.words) >= _SHORT:
            return found
        shown, english = (len(STOP_WORDS[one].intersection(self.words)) for one in (found, "en"))
        if shown >= max(_SHOWN, 2 * english):
            return found
        return "en" if all(map(str.isascii, self.words)) else ""

    @cached_property
    def hashes(self) -> Hashes:
        """A hash for each word, in order."""
        return text_hashes(self.text)

    def shingles(self, width: int) -> Hashes:
        """Return the hashes of its distinct shingles of `width` words, ascending."""
        return np.unique(shingle_hashes(self.hashes, width))

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its refined sentences, in order: stems without stop words."""
        return Prepared(self.outline).sentences

    @cached_property
    def lettered_sentences(self) -> tuple[Sentence, ...]:
        """Its refined sentences as in Yerra's thesis: what is not a letter is deleted."""
        return Prepared(self.outline, numbers=False, joined=True).sentences

    @cached_property
    def numbered_sentences(self) -> tuple[Sentence, ...]:
        """The same with digits."""
        return Prepared(self.outline, joined=True).sentences


def distinct_sentences(
    sentences: Iterable[Iterable[str]], shortest: int = 1, *, repeats: bool = False
) -> list[Refined]:
    """Keep each sentence once, and each of its words unless they may repeat; `MOST_WORDS` in all.

    >>> distinct_sentences([["no", "boat", "no"], ["no", "boat"], ["tide"]], shortest=2)
    [('no', 'boat')]
    """
    found: dict[Refined, None] = {}
    left = MOST_WORDS
    for sentence in sentences:
        words_ = tuple(sentence if repeats else dict.fromkeys(sentence))
        if len(words_) >= shortest and words_ not in found:
            left -= len(words_)
            if left < 0:
                break
            found[words_] = None
    return list(found)


class Match(NamedTuple):
    """A known document that resembles the one that is judged."""

    name: str
    forward: float
    """The share of the new document that the known one holds, as the method sees it: 0…1."""
    backward: float
    """The share of the known document that the new one holds."""

    @property
    def level(self) -> str:
        """The class of the match, of a method that has classes."""
        return ""


@dataclass
class Method(ABC):
    """Finds the known documents that a document resembles. Its options are its fields."""

    in_store: ClassVar[bool] = False
    """Whether the index is kept in tables, and so can be in a store; otherwise in memory."""

    threshold: float

    @abstractmethod
    def add(self, document: Document) -> None:
        """Add a document to the index."""

    @abstractmethod
    def candidates(self, document: Document) -> list[Match]:
        """Score the known documents that have anything in common with a document."""

    def matches(self, document: Document) -> list[Match]:
        """Return the known documents that a document resembles, best first."""
        found = [match for match in self.candidates(document) if self.kind(match)]
        return sorted(found, key=lambda match: (-max(match[1:]), -min(match[1:])))

    def kind(self, match: Match) -> Kind | None:
        """Return how the new document relates to the known one, None if it does not.

        The two shares of a symmetric method are equal, so it returns near or None.
        """
        if min(match.forward, match.backward) >= self.threshold:
            return Kind.NEAR
        if match.forward >= self.threshold:
            return Kind.CONTAINED
        return Kind.CONTAINS if match.backward >= self.threshold else None


@dataclass
class IndexedMethod(Method):
    """A method whose index is kept in tables: in memory, or in a store across runs."""

    in_store: ClassVar[bool] = True

    tables: Tables = field(default_factory=Tables, kw_only=True, repr=False)

    def over(self, tables: Tables) -> Self:
        """Return this method over other tables, such as another snapshot of the same store."""
        return replace(self, tables=tables)

    def _enter(self, name: str, data: bytes = b"") -> int:
        """Number a document; keep its name and what the method needs to know of it."""
        number = self._documents + 1
        self.tables.put(_LAST, _NUMBER.pack(number))
        head = _NUMBER.pack(len(data))
        packed = head + data + name.encode("utf-8", "surrogatepass")
        self.tables.put(_DOCUMENT + _NUMBER.pack(number), packed)
        return number

    def _entry(self, number: int) -> tuple[str, bytes]:
        """Return the name of a document and what the method has kept of it."""
        packed = self.tables.get(_DOCUMENT + _NUMBER.pack(number))
        if packed is None:
            raise LookupError(f"There is no document {number} in the index")
        end = _NUMBER.size + _NUMBER.unpack_from(packed)[0]
        return packed[end:].decode("utf-8", "surrogatepass"), packed[_NUMBER.size : end]

    @property
    def _documents(self) -> int:
        """How many documents were ever entered."""
        last = self.tables.get(_LAST)
        return _NUMBER.unpack(last)[0] if last else 0
