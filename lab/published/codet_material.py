"""Documents as Varol's thesis prepares them for CoDet's rivals, and its reference collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import words

from .material import document_of_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.methods import Document

    from .material import Labelled

STOP_WORDS = 180
"""The most frequent words of its collection are its stop words (Table 2.1)."""
STEM = 5
"""Characters of a word that are kept (first-5)."""
REFERENCE = 0.25
"""The share of a collection, at its end, that idf comes from (5.1.3)."""


class Form(NamedTuple):
    """Documents that are compared, and those at the end of the set, which only give their idf."""

    pages: Labelled
    reference: list[Document]


class Collection(NamedTuple):
    """A set in three forms."""

    plain: Form
    """As it is."""
    stopped: Form
    """Without stop words: CoDet stems by itself."""
    shortened: Form
    """Without stop words, and with the first five characters of words: for its rivals (5.1)."""
    stop_words: list[str]


def collection_of(labelled: Labelled, most: int | None = None) -> Collection:
    """Prepare the first documents of a set; idf is to come from a third as many at its end."""
    documents = labelled.documents
    end = int(len(documents) * (1 - REFERENCE))
    known = documents[: min(end, most or end)]
    reference = documents[end : end + max(1, len(known) // 3)]
    frequent = frequent_words(known)
    stop_words = frozenset(frequent)

    def form(prepare: Callable[[Document], Document]) -> Form:
        pages = replace(labelled, batches=[[*map(prepare, known)]])
        return Form(pages, [*map(prepare, reference)])

    return Collection(
        form(lambda one: one),
        form(lambda one: prepared(one, stop_words)),
        form(lambda one: prepared(one, stop_words, STEM)),
        frequent,
    )


def frequent_words(documents: Iterable[Document], most: int = STOP_WORDS) -> list[str]:
    """Return the most frequent words of a collection, most frequent first.

    >>> from dedup_middleware.methods import Document
    >>> texts = "the tide and the moon", "the boat and the tide"
    >>> frequent_words((Document.of_text("", text) for text in texts), 2)
    ['the', 'and']
    """
    counts = Counter(word for document in documents for word in document.words)
    return sorted(counts, key=lambda word: (-counts[word], word))[:most]


def prepared(document: Document, stop_words: frozenset[str], size: int | None = None) -> Document:
    """Return a document without stop words, with words cut to so many characters.

    >>> from dedup_middleware.methods import Document
    >>> boats = Document.of_text("a", "The harbours of Norway. And boats.")
    >>> prepared(boats, frozenset({"the", "of", "and"}), 5).words
    ['harbo', 'norwa', 'boats']
    """
    lines = (
        " ".join(word[:size] for word in words(sentence.text) if word not in stop_words)
        for sentence in document.sentences
    )
    return document_of_lines(document.name, "\n".join(filter(None, lines)))
