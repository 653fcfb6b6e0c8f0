"""A page as methods see it: its text, and what is made of that when it is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.page import Page
from dedup_middleware.read import Outline, read
from dedup_middleware.read.words import words
from dedup_middleware.similarity.languages import STOP_WORDS, language_of
from dedup_middleware.similarity.prepared import Prepared
from dedup_middleware.similarity.refine import refine
from dedup_middleware.similarity.sentences import cut, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.similarity.values import Sentence

    Refined = tuple[str, ...]


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
    def of(cls, page: Page, *, boilerplate: bool = False) -> Document:
        """Read a page; with `boilerplate` all its visible text counts, not only the main text."""
        outline = read(page)
        if boilerplate:
            outline = replace(outline, boilerplate=bytes(len(outline.boilerplate)))
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


MOST_WORDS = 30_000
"""Sentences after so many words are left out: no page may take for ever."""
_MARKS = re.compile("[.,?!:;…،؛؟।。，、．！？：；｡､]")
_FEW = 5


def clauses(document: Document, *, at_marks: bool = True, numbers: bool = False) -> list[Refined]:
    """List the distinct sentences of a document as OS-CDS sees them (Ismail, Saad & Badr, 5.2.1).

    They end at each of . , ? ! : ; or, without `at_marks`, where sentences really end. What is
    left of each are the stems of its words in order, each once, without stop words. Those of one
    word are left out. Numbers count as words only if they are asked for.

    >>> from dedup_middleware.methods import Document
    >>> text = "Well, the boats were lifted: boats of 1900, and boats of today. No boats sank!"
    >>> clauses(Document.of_text("a", text))
    [('boat', 'lift'), ('boat', 'today'), ('boat', 'sank')]
    >>> clauses(Document.of_text("a", text), at_marks=False, numbers=True)
    [('well', 'boat', 'lift', '1900', 'today'), ('boat', 'sank')]
    """
    outline = document.outline
    language = language_of(outline.language, document.words)
    split = _MARKS.split if at_marks else split_sentences
    pieces = (
        words(piece)
        for text, boilerplate in zip(outline.texts, outline.boilerplate, strict=True)
        if not boilerplate
        for part in split(text)
        for piece in cut(part)  # what no mark ends would be one sentence without end
    )
    stop_words = STOP_WORDS.get(language, frozenset())
    refined = (
        refine(piece, language, numbers=numbers)
        for piece in pieces
        if len(piece) > 1 and not stop_words.issuperset(piece)
    )
    return _distinct(refined, shortest=2)


def shortened(document: Document, stemming: str) -> list[Refined]:
    """List the distinct sentences of a document as CoDet sees them (Varol's thesis, 2.1).

    What is left of each are its words in order, each once, without stop words: by `stemming`,
    their first five characters (`first5`), their stems (`stems`), or all of them (`none`).

    >>> from dedup_middleware.methods import Document
    >>> document = Document.of_text("a", "The harbours of Norway. The harbour of the Norwegians.")
    >>> shortened(document, "first5")
    [('harbo', 'norwa'), ('harbo', 'norwe')]
    >>> shortened(document, "stems")
    [('harbour', 'norway'), ('harbour', 'norwegian')]
    """
    if stemming == "stems":
        return _distinct(sentence.words for sentence in document.sentences)
    language = language_of(document.outline.language, document.words)
    stop_words = STOP_WORDS.get(language, frozenset())
    size = _FEW if stemming == "first5" else None
    found = (words(sentence.text) for sentence in document.sentences)
    content = (([word for word in some if word not in stop_words] or some) for some in found)
    return _distinct([word[:size] for word in some] for some in content)


def _distinct(sentences: Iterable[Iterable[str]], shortest: int = 1) -> list[Refined]:
    """Keep each sentence once, and each of its words once."""
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
