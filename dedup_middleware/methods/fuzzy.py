"""Sentences compared as fuzzy sets of words (Yerra's thesis)."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.settings import choice, ranged
from dedup_middleware.similarity import odds_ratio
from dedup_middleware.similarity.matching import HIGHEST, ROUNDING, THESIS_GAP, THESIS_SAME
from dedup_middleware.verdict import Kind

from ._index import SENTENCES, Lists
from ._sentence_method import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.similarity.model import Model

    from ._sentence_method import Words
    from .base import Match

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

LEAST_SHARED = 0.5
"""Share of their words that must have an equal or close one for sentences to be compared."""
CLOSE, MOST_CLOSE = 0.2, 20
"""Correlation from which words are close, and how many a word has at most."""
MOST_HOLDERS = 10_000
"""Sentences that a word leads to."""
MOST_PAIRS = 2_500
"""Pairs of sentences that are compared for one document, those of the rarest words first."""
_LOW = (1 << 32) - 1
_WORDS = b"words:"
_NUMBER = struct.Struct(">I")


@dataclass
class Fuzzy(SentenceMethod):
    """The share of a document's sentences that another document has an equivalent of (RS).

    Two sentences are equivalent if at least 82.5 % of each is covered by the other, and the two
    shares differ by at most 15 %. A word is covered by itself and, with a model, to a degree by
    words that often occur in the same documents.

    No sentence is compared with all others, but with those that have one of its rarest words, or
    one close to it. Without a model nothing is lost, since few words may be missing. With a model,
    a word may also be covered by many that are not close: pairs of sentences are lost if less than
    half of the words of one have an equal or close one in the other. What is compared for a
    document is bounded, so that the work does not grow with the index: of sentences whose words
    are all frequent there, only equal ones count.

    Documents are alike by these shares, or by the odds ratio, which has no direction. The thesis
    gives a threshold for neither; its pairs that are alike have odds from 8 on, others up to 0.1.
    The defaults are those with the best mean F1 on four open sets of pages.

    >>> from dedup_middleware.methods import Document
    >>> fuzzy = Fuzzy()
    >>> fuzzy.add(Document.of_text("a", "The tide came in. Boats were lifted."))
    >>> fuzzy.candidates(Document.of_text("b", "A boat was lifting. Ice broke up. A moon rose."))
    [Match(name='a', forward=0.3333333333333333, backward=0.5)]
    """

    threshold: float = ranged(0.65, "Share from which documents are alike.", 0.0, 1.0)
    by: str = choice("share", "What decides: share of sentences or odds ratio.", "share", "odds")
    odds: float = ranged(0.25, "Odds ratio from which documents are alike.", 0.0, 100.0)

    def kind(self, match: Match) -> Kind | None:
        if self.by == "share":
            return super().kind(match)
        return Kind.NEAR if odds_ratio(match.forward, match.backward) >= self.odds else None

    def _index(self, new: Mapping[int, Words]) -> None:
        for number, words in new.items():
            text = " ".join(words).encode("utf-8", "surrogatepass")
            self.tables.put(_WORDS + _NUMBER.pack(number), text)
        self._holders.extend({number: _keys(set(words)) for number, words in new.items()})

    def _partners(self, sentences: Sequence[Words]) -> Mapping[Words, Collection[int]]:
        asked = self._asked(sentences)
        at, numbers = self._holders.read([key for _, key in asked])
        places = np.array([place for place, _ in asked], np.int64)[at]
        pairs = np.unique(places << 32 | numbers)
        places, numbers = pairs >> 32, pairs & _LOW
        distinct, which = np.unique(numbers, return_inverse=True)
        known = [self._words(number) for number in distinct.tolist()]
        table, which = WordTable.of([*sentences, *known]), which + len(sentences)
        if self._model:
            near = _near(self._model, table, places, which)
            places, which, numbers = places[near], which[near], numbers[near]
        same = equivalent(table, places, which, self._model)
        found: dict[Words, list[int]] = {words: [] for words in sentences}
        for place, number in zip(places[same].tolist(), numbers[same].tolist(), strict=True):
            found[sentences[place]].append(number)
        return found

    def _asked(self, sentences: Sequence[Words]) -> list[tuple[int, int]]:
        """Return the keys to look up, each with the place of its sentence; the shortest lists."""
        holders, left = self._holders, MOST_PAIRS
        keys = {word: self._keys_of(word) for word in dict.fromkeys(chain(*sentences))}
        work = {word: sum(map(holders.length, found)) for word, found in keys.items()}
        least = LEAST_SHARED if self._model else THESIS_SAME
        rarest = [rarest_words(words, work.__getitem__, least) for words in sentences]
        costs = [sum(work[word] for word in some) for some in rarest]
        asked = []
        for place in sorted(range(len(sentences)), key=costs.__getitem__):
            left -= costs[place]
            if left < 0:
                break
            asked += [(place, key) for word in rarest[place] for key in keys[word]]
        return asked

    def _keys_of(self, word: str) -> list[int]:
        """Return the keys of a word and of those close to it."""
        return _close_keys(self._model, word) if self._model else _keys([word])

    def _words(self, number: int) -> Words:
        text = self.tables.get(_WORDS + _NUMBER.pack(number)) or b""
        return tuple(text.decode("utf-8", "surrogatepass").split(" "))

    @property
    def _holders(self) -> Lists:
        return Lists(self.tables, SENTENCES, most=MOST_HOLDERS, rows=MOST_PAIRS)


class WordTable(NamedTuple):
    """Sentences as the numbers of their distinct words, one sentence after the other."""

    vocabulary: Sequence[str]
    words: Ints
    times: Floats
    """How often the sentence has the word."""
    starts: Ints
    sizes: Ints

    @classmethod
    def of(cls, sentences: Sequence[Words]) -> WordTable:
        numbers: dict[str, int] = defaultdict(count().__next__)
        counted = [Counter(words) for words in sentences]
        words = [numbers[word] for one in counted for word in one]
        times = [times for one in counted for times in one.values()]
        sizes = np.array([len(one) for one in counted], np.int64)
        return cls(
            list(numbers),
            np.array(words, np.int64),
            np.array(times, np.float64),
            np.cumsum(sizes) - sizes,
            sizes,
        )


class Crossing(NamedTuple):
    """All words of one sentence against all of another, for many pairs of sentences.

    A cell is a word of the first sentence of a pair, its row, and one of the second, its column.
    """

    rows: Ints
    columns: Ints
    first: Ints
    """The place of the word of each row in the table."""
    second: Ints
    row_pairs: Ints
    """The pair that each row belongs to."""
    column_pairs: Ints

    @classmethod
    def of(cls, table: WordTable, places: Ints, others: Ints) -> Crossing:
        """Cross the sentences at some places with those at others."""
        heights, widths = table.sizes[places], table.sizes[others]
        pairs = np.arange(len(places))
        row_pairs = np.repeat(pairs, heights)
        rows = np.repeat(np.arange(len(row_pairs)), widths[row_pairs])
        lefts = (np.cumsum(widths) - widths)[row_pairs]
        return cls(
            rows,
            lefts[rows] + _counted(widths[row_pairs]),
            table.starts[places][row_pairs] + _counted(heights),
            np.repeat(table.starts[others], widths) + _counted(widths),
            row_pairs,
            np.repeat(pairs, widths),
        )


def _counted(sizes: Ints) -> Ints:
    """Count from 0 up to each size.

    >>> _counted(np.array([2, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    return np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes)


def equivalent(table: WordTable, places: Ints, others: Ints, model: Model | None) -> Flags:
    """Return which of the sentences at some places are equivalent to those at others (EQ).

    >>> tide = tuple("tide lifted old boats off harbour wall".split())
    >>> table = WordTable.of([tide, tide[1:], tide[2:]])
    >>> equivalent(table, np.array([0, 1]), np.array([1, 2]), None).tolist()
    [True, False]
    """
    cells = Crossing.of(table, places, others)
    first, second = table.words[cells.first[cells.rows]], table.words[cells.second[cells.columns]]
    logs = _logs(table.vocabulary, first, second, model)
    shares = []
    for lines, words, pairs in (
        (cells.rows, cells.first, cells.row_pairs),
        (cells.columns, cells.second, cells.column_pairs),
    ):
        member = 1 - np.exp(np.bincount(lines, logs, len(pairs)))
        total = np.bincount(pairs, table.times[words] * member, len(places))
        shares.append(total / np.bincount(pairs, table.times[words], len(places)))
    lower, gap = np.minimum(*shares), np.abs(shares[0] - shares[1])
    same: Flags = (lower >= THESIS_SAME - ROUNDING) & (gap <= THESIS_GAP + ROUNDING)
    return same


def _logs(vocabulary: Sequence[str], first: Ints, second: Ints, model: Model | None) -> Floats:
    """Return ln(1 - c) for each pair of words, given by their numbers."""
    logs = np.where(first == second, -np.inf, 0.0)
    if model:
        cells, at = np.unique(first * len(vocabulary) + second, return_inverse=True)
        found = model.correlations_of(
            vocabulary, cells // len(vocabulary), cells % len(vocabulary)
        ).astype(np.float64)
        logs += np.log1p(-np.minimum(found, HIGHEST))[at]
    return logs


def _near(model: Model, table: WordTable, places: Ints, others: Ints) -> Flags:
    """Return which pairs have an equal or close word for enough words of the first sentence."""
    cells = Crossing.of(table, places, others)
    first, second = table.words[cells.first], table.words[cells.second]
    numbers = {table.vocabulary[number]: number for number in np.unique(second).tolist()}
    rows = np.unique(first)
    close = np.zeros((len(rows), len(table.vocabulary)), np.bool_)
    for row, number in enumerate(rows.tolist()):
        words = _close_words(model, table.vocabulary[number])
        close[row, [numbers[word] for word in words if word in numbers]] = True
    hits = close[np.searchsorted(rows, first)[cells.rows], second[cells.columns]]
    times = table.times[cells.first]
    covered = times * (np.bincount(cells.rows, hits, len(first)) > 0)
    wanted = LEAST_SHARED * np.bincount(cells.row_pairs, times, len(places))
    near: Flags = np.bincount(cells.row_pairs, covered, len(places)) >= wanted
    return near


def _keys(words: Iterable[str]) -> list[int]:
    keys: list[int] = word_hashes(words).tolist()
    return keys


@lru_cache(1 << 16)
def _close_words(model: Model, word: str) -> frozenset[str]:
    """Return a word and those close to it."""
    return frozenset([word, *(other for other, _ in model.closest(word, MOST_CLOSE, CLOSE))])


@lru_cache(1 << 16)
def _close_keys(model: Model, word: str) -> list[int]:
    return _keys(_close_words(model, word))


def rarest_words(
    words: Words, frequency: Callable[[str], int], least: float = THESIS_SAME
) -> list[str]:
    """Return so many of the rarest words that every sentence which shares `least` has one of them.

    >>> text = "in a storm the old boat was lifted"
    >>> rarest_words(tuple(text.split()), lambda word: len(word) < 4)
    ['storm', 'boat']
    """
    missing = int(len(words) * (1 - least + ROUNDING))
    chosen: list[str] = []
    for word, times in sorted(Counter(words).items(), key=lambda one: frequency(one[0])):
        chosen.append(word)
        missing -= times
        if missing < 0:
            break
    return chosen
