"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

import re
import sys
from array import array
from itertools import accumulate, chain, repeat
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core
from dedup_middleware.read.words import fold, words

from .facts import CAPITALISED, IDENTIFIER
from .languages import SAMPLE, STOP_WORDS, StopWords, classes_of, stop_words_of
from .refine import numbers_of
from .sentences import cut, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.read import Outline

    from .facts import Facts
    from .overlap import Numbered

SEPARATOR = "\x1e"  # white space, so that no text of an outline has it
BETWEEN = "\n"
DIGIT, MARKED = 1, 2
WORD = re.compile(r"\w")
_WIDE_DIGIT = re.compile(r"(?![0-9])\d")
_HEAD = Struct("<4I")  # words, words of the vocabulary, sentences, bytes of the vocabulary
_HITS = Struct(f"<{1 + 2 * len(STOP_WORDS)}I")
_COUNT = Struct("<I")
_NONE = _COUNT.pack(0)
_SPLIT_FIRST = _COUNT.pack(0xFFFF_FFFF)


class PageTable(NamedTuple):
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    vocabulary: list[str]
    """Its distinct words, in order of first occurrence."""
    stop_words: StopWords
    pieces: list[str]
    """What may have identifying numbers."""

    def classes(self, language: str) -> bytes:
        """Return the class of each distinct word in a language."""
        return bytes(map(classes_of(language).get, self.vocabulary, repeat(0)))


def read_table(outline: Outline) -> PageTable | None:
    """Make the table of a page by the core; None if it has no words, or half surrogate pairs."""
    nodes, texts = [], []
    for node, (text, boilerplate) in enumerate(
        zip(outline.texts, outline.boilerplate, strict=True)
    ):
        if text and not boilerplate:
            nodes.append(node)
            texts.append(text)
    try:
        main = SEPARATOR.join(texts).encode()
    except UnicodeEncodeError:
        return None
    head = _numbers((len(nodes), *nodes, len(main))) + main
    data = core.call("page", head + _NONE)
    if not data.startswith(_SPLIT_FIRST):
        return _unpacked(data) if data else None
    # texts with characters that other versions of Unicode may know better
    places = [place for (place,) in _COUNT.iter_unpack(data[_COUNT.size :])]
    foreign = [texts[place] for place in places]
    split = b"".join(map(_split_text, foreign))
    data = core.call("page", head + _numbers((len(places), *places)) + split)
    table = _unpacked(data) if data else None
    if table and any(map(_WIDE_DIGIT.search, foreign)):
        return table._replace(pieces=[outline.main])
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
            encoded,
        ]
    )
    return PageTable(packed, len(known.ids), vocabulary, stop_words_of(facts.words), [main])


def _numbers(values: Iterable[int]) -> bytes:
    numbers = array("I", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpacked(data: bytes) -> PageTable:
    count, size, sentences, length = _HEAD.unpack_from(data)
    start = _HEAD.size + 4 * count + 8 * sentences + size
    end = start + length
    wide, *hits = _HITS.unpack_from(data, end)
    pieces = data[end + _HITS.size :].decode()
    return PageTable(
        data[:end],
        count,
        data[start:end].decode().split(BETWEEN),
        StopWords(min(count, SAMPLE), hits[: len(STOP_WORDS)], hits[len(STOP_WORDS) :], not wide),
        pieces.split(SEPARATOR) if pieces else [],
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
