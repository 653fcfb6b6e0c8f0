"""What is left of the sentences of a document before they are looked up, by method."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dedup_middleware.compare.languages import STOP_WORDS, language_of
from dedup_middleware.compare.refine import refine
from dedup_middleware.compare.sentences import cut, split_sentences
from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .document import Document

    Refined = tuple[str, ...]

MOST_WORDS = 30_000
"""Sentences after so many words are left out: no page may take for ever."""
_MARKS = re.compile("[.,?!:;…،؛؟।。，、．！？：；｡､]")
_FEW = 5


def clauses(document: Document, *, at_marks: bool = True, numbers: bool = False) -> list[Refined]:
    """List the distinct sentences of a document as OS-CDS sees them (Ismail, Saad & Badr, 5.2.1).

    They end at each of . , ? ! : ; or, without `at_marks`, where sentences really end. What is
    left of each are the stems of its words in order, each once, without stop words. Those of one
    word are left out. Numbers count as words only if they are asked for.

    >>> from dedup_middleware.detectors import Document
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
        for text, furniture in zip(outline.texts, outline.furniture, strict=True)
        if not furniture
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

    >>> from dedup_middleware.detectors import Document
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
