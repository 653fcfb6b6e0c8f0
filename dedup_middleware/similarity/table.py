"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.read.words import fold, words

from .facts import CAPITALISED, IDENTIFIER
from .languages import SAMPLE, STOP_WORDS, StopWords, stop_words_of
from .refine import numbers_of
from .sentences import cut, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.read import Outline

_SEPARATOR = "\x1e"  # white space, so that no text of an outline has it
BETWEEN = "\n"
WORD = re.compile(r"\w")
_WIDE_DIGIT = re.compile(r"(?![0-9])\d")
_HEAD = Struct("<4I")  # words, words of the vocabulary, sentences, bytes of the vocabulary
_HITS = Struct(f"<{1 + 2 * len(STOP_WORDS)}I")
_COUNT = Struct("<I")
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
        return words.decode().split(BETWEEN)


_EMPTY = PageTable(_HEAD.pack(0, 0, 0, 0), 0, stop_words_of(()), [])


def packed_texts(outline: Outline) -> bytes:
    """Return the marks and the texts of a page as the core takes them."""
    marks, lines = outline.boilerplate, outline.lines
    return b"".join((_COUNT.pack(len(marks)), marks, _COUNT.pack(len(lines)), lines))


def read_table(outline: Outline) -> PageTable:
    """Make the table of a page."""
    texts = packed_texts(outline)
    data = core.call("page", texts + _NONE)
    foreign: list[str] = []
    if data.startswith(_SPLIT_FIRST):
        # texts with characters that other versions of Unicode may know better
        nodes = [node for (node,) in _COUNT.iter_unpack(data[_COUNT.size :])]
        foreign = [outline.texts[node] for node in nodes]
        split = b"".join(_split_text(text) for text in foreign)
        data = core.call("page", texts + _numbers((len(nodes), *nodes)) + split)
    if not data:  # symbols are words where there are no others
        marked = enumerate(zip(outline.texts, outline.boilerplate, strict=True))
        main = [(node, text) for node, (text, mark) in marked if text and not mark]
        split = b"".join(_split_text(text, symbols=True) for _, text in main)
        data = core.call("page", texts + _numbers((len(main), *(at for at, _ in main))) + split)
    table = _unpacked(data) if data else _EMPTY
    if any(map(_WIDE_DIGIT.search, foreign)):
        return replace(table, pieces=[outline.main])
    return table


def _numbers(values: Iterable[int]) -> bytes:
    return b"".join(map(_COUNT.pack, values))


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


def _split_text(text: str, *, symbols: bool = False) -> bytes:
    """Pack the sentences of a text as folded words, then its capitalised words and identifiers."""
    pieces = (piece for sentence in split_sentences(text) for piece in cut(sentence))
    if symbols:
        found = list(filter(None, map(words, pieces)))
    else:
        found = [words(piece) for piece in pieces if WORD.search(piece)]
    digits = numbers_of(chain.from_iterable(found))
    lines = (BETWEEN.join(f"{word in digits:d}{word}" for word in line) for line in found)
    marked = (BETWEEN.join(map(fold, find.findall(text))) for find in (CAPITALISED, IDENTIFIER))
    parts = [one.encode() for one in (*lines, *marked)]
    return _COUNT.pack(len(found)) + b"".join(_COUNT.pack(len(one)) + one for one in parts)
