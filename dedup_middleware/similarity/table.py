"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, islice, repeat
from struct import Struct, unpack_from
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware import core

from .languages import SAMPLE, classes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.read import Outline

    from .facts import Facts
    from .overlap import Numbered

SEPARATOR = "\x1e"  # white space, so that no text of an outline has it
BETWEEN = "\n"
DIGIT, MARKED = 1, 2
_HEAD = Struct("<4I")  # words, words of the vocabulary, sentences, bytes of the vocabulary


class PageTable(NamedTuple):
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    vocabulary: list[str]
    """Its distinct words, in order of first occurrence."""
    sample: Sequence[int]
    """How often each is among the first words of the page, which show its language."""
    pieces: list[str]
    """What may have identifying numbers."""

    def classes(self, language: str) -> bytes:
        """Return the class of each distinct word in a language."""
        return bytes(map(classes_of(language).get, self.vocabulary, repeat(0)))


def read_table(outline: Outline) -> PageTable | None:
    """Make the table of a page by the core; None if its text is left to Python."""
    nodes, texts = [], []
    for node, (text, boilerplate) in enumerate(
        zip(outline.texts, outline.boilerplate, strict=True)
    ):
        if text and not boilerplate:
            nodes.append(node)
            texts.append(text)
    try:
        main = SEPARATOR.join(texts).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    head = np.array([len(nodes), *nodes], "<u4").tobytes()
    data = core.call("page", head + main)
    if not data:
        return None
    words, size, sentences, length = _HEAD.unpack_from(data)
    start = _HEAD.size + 4 * words + 8 * sentences + size
    end = start + length
    pieces = data[end + 4 * size :]
    return PageTable(
        data[:end],
        words,
        data[start:end].decode().split(BETWEEN),
        unpack_from(f"<{size}I", data, end),
        pieces.decode().split(SEPARATOR) if pieces else [],
    )


def pack_table(
    sentences: Sequence[tuple[int, str, list[str]]], known: Numbered, facts: Facts, main: str
) -> PageTable:
    """Make the table of a page from what Python read: node, text and words of each sentence."""
    vocabulary = list(known.numbers)
    flags = bytes(
        (DIGIT if word in facts.numbers else 0) | (MARKED if word in facts.marked else 0)
        for word in vocabulary
    )
    ends = list(accumulate(len(found) for _, _, found in sentences))
    encoded = BETWEEN.join(vocabulary).encode("utf-8", "surrogatepass")
    numbers = (known.ids, ends, [node for node, _, _ in sentences])
    packed = b"".join(
        [
            _HEAD.pack(len(known.ids), len(vocabulary), len(ends), len(encoded)),
            *(np.array(column, "<u4").tobytes() for column in numbers),
            flags,
            encoded,
        ]
    )
    counts = Counter(islice(facts.words, SAMPLE))
    sample = [counts[word] for word in vocabulary]
    return PageTable(packed, len(known.ids), vocabulary, sample, [main])
