"""A page as methods see it: its text, and what is made of that when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, read
from dedup_middleware.read.words import words
from dedup_middleware.similarity.prepared import Prepared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.similarity.values import Sentence

    Refined = tuple[str, ...]

MOST_WORDS = 30_000
"""Words of distinct sentences that count: the work for one page must be bounded."""


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


def distinct_sentences(sentences: Iterable[Iterable[str]], shortest: int = 1) -> list[Refined]:
    """Keep each sentence once, and each of its words once, up to `MOST_WORDS` in all.

    >>> distinct_sentences([["no", "boat", "no"], ["no", "boat"], ["tide"]], shortest=2)
    [('no', 'boat')]
    """
    found: dict[Refined, None] = {}
    left = MOST_WORDS
    for sentence in sentences:
        words_ = tuple(dict.fromkeys(sentence))
        if len(words_) >= shortest and words_ not in found:
            left -= len(words_)
            if left < 0:
                break
            found[words_] = None
    return list(found)
