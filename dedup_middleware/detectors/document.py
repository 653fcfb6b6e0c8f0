"""A page as detectors see it: its text, and what is made of that when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.compare.prepared import Prepared
from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, read
from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from dedup_middleware.compare.values import Sentence
    from dedup_middleware.fingerprint.hashing import Hashes


@dataclass(frozen=True)
class Document:
    """A text with a name by which matches tell it.

    >>> document = Document.of_text("a", "The tide came in. It was high.")
    >>> document.words
    ['the', 'tide', 'came', 'in', 'it', 'was', 'high']
    >>> [sentence.words for sentence in document.sentences]
    [('tide', 'came'), ('high',)]
    """

    name: str
    outline: Outline

    @classmethod
    def of(cls, page: Page, *, furniture: bool = False) -> Document:
        """Read a page; with `furniture` all its visible text counts, not only the main text."""
        outline = read(page)
        if furniture:
            outline = replace(outline, furniture=bytes(len(outline.furniture)))
        return cls(page.url, outline)

    @classmethod
    def of_text(cls, name: str, text: str) -> Document:
        """Take a plain text, paragraphs between blank lines."""
        return cls(name, read(Page(url=name, text=text)))

    def named(self, name: str) -> Document:
        """Give it another name; what was made of it already is kept."""
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
        """Give the hashes of its distinct shingles of so many words, ascending."""
        return np.unique(shingle_hashes(self.hashes, width))

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its refined sentences, in order: stems without stop words."""
        return Prepared(self.outline).sentences

    @cached_property
    def lettered_sentences(self) -> tuple[Sentence, ...]:
        """Its refined sentences if words without letters, such as numbers, don't count."""
        return Prepared(self.outline, numbers=False).sentences
