"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

import re
import sys
from array import array
from dataclasses import dataclass, replace
from itertools import accumulate, chain, repeat
from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.read.words import fold, words

from .facts import CAPITALISED, IDENTIFIER
from .languages import KNOWN_WORDS, SAMPLE, STOP_WORDS, StopWords, stop_words_of
from .refine import numbers_of
from .sentences import cut, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.read import Outline

    from .facts import Facts
    from .overlap import Numbered

_SEPARATOR = "\x1e"  # white space, so that no text of an outline has it
BETWEEN = "\n"
DIGIT, MARKED = 1, 2
WORD = re.compile(r"\w")
_WIDE_DIGIT = re.compile(r"(?![0-9])\d")
_HEAD = Struct("<4I")  # words, words of the vocabulary, sentences, bytes of the vocabulary
_HITS = Struct(f"<{1 + 2 * len(STOP_WORDS)}I")
_COUNT = Struct("<I")
_KNOWN = {word: number for number, word in enumerate(KNOWN_WORDS, start=1)}
_NONE = _COUNT.pack(0)
_SPLIT_FIRST = _COUNT.pack(0xFFFF_FFFF)


@dataclass(frozen=True)
class PageTable:
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    stop_words: StopWords
    pieces: list[str]
    """What may have identifying numbers."""

    @property
    def vocabulary(self) -> list[str]:
        """Its distinct words, in order of first occurrence."""
        length = _HEAD.unpack_from(self.packed)[-1]
        words = self.packed[len(self.packed) - length :]
        return words.decode("utf-8", "surrogatepass").split(BETWEEN)


def packed_texts(outline: Outline) -> bytes:
    """Return the marks and the texts of a page as the core takes them."""
    marks, lines = outline.boilerplate, outline.lines
    return b"".join((_COUNT.pack(len(marks)), marks, _COUNT.pack(len(lines)), lines))


def read_table(outline: Outline) -> PageTable | None:
    """Make the table of a page by the core; None if it has no words, or half surrogate pairs."""
    texts = packed_texts(outline)
    data = core.call("page", texts + _NONE)
    if not data.startswith(_SPLIT_FIRST):
        return _unpacked(data) if data else None
    # texts with characters that other versions of Unicode may know better
    nodes = [node for (node,) in _COUNT.iter_unpack(data[_COUNT.size :])]
    foreign = [outline.texts[node] for node in nodes]
    split = b"".join(map(_split_text, foreign))
    data = core.call("page", texts + _numbers((len(nodes), *nodes)) + split)
    table = _unpacked(data) if data else None
    if table and any(map(_WIDE_DIGIT.search, foreign)):
        return replace(table, pieces=[outline.main])
    return table


def pack_table(
    sentences: Sequence[tuple[int, str, list[str]]], known: Numbered, facts: Facts, main: str
) -> PageTable:
    """Make the table of a page from what Python read: node, text and words of each sentence."""
    vocabulary = list(known.numbers)
    flags = bytes(
        (DIGIT if word in facts.numbers else 0) | (MARKED if word in facts.marked else 0)
        for word in vocabulary
    )
    ends = accumulate(len(found) for _, _, found in sentences)
    encoded = BETWEEN.join(vocabulary).encode("utf-8", "surrogatepass")
    columns = (known.ids.tolist(), ends, (node for node, _, _ in sentences))
    packed = b"".join(
        [
            _HEAD.pack(len(known.ids), len(vocabulary), len(sentences), len(encoded)),
            *map(_numbers, columns),
            flags,
            _little_endian(array("H", map(_KNOWN.get, vocabulary, repeat(0)))),
            encoded,
        ]
    )
    return PageTable(packed, len(known.ids), stop_words_of(facts.words), [main])


def _numbers(values: Iterable[int]) -> bytes:
    return _little_endian(array("I", values))


def _little_endian(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpacked(data: bytes) -> PageTable:
    count, size, sentences, length = _HEAD.unpack_from(data)
    end = _HEAD.size + 4 * count + 8 * sentences + 3 * size + length
    wide, *hits = _HITS.unpack_from(data, end)
    pieces = data[end + _HITS.size :].decode()
    return PageTable(
        data[:end],
        count,
        StopWords(min(count, SAMPLE), hits[: len(STOP_WORDS)], hits[len(STOP_WORDS) :], not wide),
        pieces.split(_SEPARATOR) if pieces else [],
    )


def _split_text(text: str) -> bytes:
    """Pack the sentences of a text as folded words, then its capitalised words and identifiers."""
    found = [
        words(piece)
        for sentence in split_sentences(text)
        for piece in cut(sentence)
        if WORD.search(piece)
    ]
    digits = numbers_of(chain.from_iterable(found))
    lines = (BETWEEN.join(f"{word in digits:d}{word}" for word in line) for line in found)
    marked = (BETWEEN.join(map(fold, find.findall(text))) for find in (CAPITALISED, IDENTIFIER))
    parts = [one.encode() for one in (*lines, *marked)]
    return _COUNT.pack(len(found)) + b"".join(_COUNT.pack(len(one)) + one for one in parts)
