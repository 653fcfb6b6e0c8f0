"""Synthetic pages of random text, to fill a store quickly.

Words are drawn by Zipf's law from those of the real pages, sizes from those of the real pages. Each
page also quotes some stock phrases of the real pages, again drawn by Zipf's law: so some keys have
very many pages, and real pages have many candidates.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.scheme import fingerprint_of
from dedup_middleware.read import KINDS, Identity, Outline
from dedup_middleware.read.words import is_spaceless, words

from . import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.fingerprint.subject import Subject

SEED = 1
PHRASES_FROM_PAGE = 4
PHRASE_WORDS = 12
BLOCK_WORDS = 40
FEWEST_WORDS = 20
_TEXT = KINDS.index("text")


class Generator:
    """An endless source of distinct pages, the same ones each time."""

    def __init__(self, outlines: Sequence[Outline], quotes: float) -> None:
        self._quotes = quotes
        self._random = np.random.default_rng(SEED)
        # real pages don't mix scripts; the few pages without spaces are left out
        mains = [outline.main for outline in outlines if not is_spaceless(outline.main)]
        texts = [found for main in mains if (found := words(main))]
        if not texts:
            raise ValueError("No page has words separated by spaces, to make synthetic pages from")
        counts = Counter(word for text in texts for word in text)
        self._words = [word for word, _ in counts.most_common()]
        self._zipf = _zipf(len(self._words))
        self._sizes = np.array([max(len(text), FEWEST_WORDS) for text in texts])
        place = {word: number for number, word in enumerate(self._words)}
        self._phrases = [
            np.array([place[word] for word in text[start : start + PHRASE_WORDS]])
            for text in texts
            for start in self._random.integers(0, len(text), PHRASES_FROM_PAGE)
        ]
        self._random.shuffle(self._phrases)
        self._zipf_phrases = _zipf(len(self._phrases))
        self._made = 0

    def pages(self, count: int) -> Iterator[Subject]:
        """Yield so many more pages."""
        for _ in range(count):
            self._made += 1
            outline = self._outline(self._numbers().tolist())
            body = hashlib.blake2b(str(self._made).encode(), digest_size=32).digest()
            found = replace(fingerprint_of(outline, b""), digest=body)
            url = f"https://synthetic.example/section-{self._made % 97}/page-{self._made}.html"
            yield inside.subject_of(url, outline, found)

    def outlines(self, count: int) -> Iterator[Outline]:
        """Yield what so many more pages say, if nothing else is wanted."""
        for _ in range(count):
            self._made += 1
            yield self._outline(self._numbers().tolist())

    def _numbers(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        size = int(self._random.choice(self._sizes))
        numbers = np.searchsorted(self._zipf, self._random.random(size))
        quotes = self._random.poisson(self._quotes)
        for choice in np.searchsorted(self._zipf_phrases, self._random.random(quotes)):
            phrase = self._phrases[choice][:size]
            start = self._random.integers(0, size - len(phrase) + 1)
            numbers[start : start + len(phrase)] = phrase
        return numbers

    def _outline(self, numbers: list[int]) -> Outline:
        text = [self._words[number] for number in numbers]
        blocks = tuple(
            " ".join(text[at : at + BLOCK_WORDS]) for at in range(0, len(text), BLOCK_WORDS)
        )
        count = len(blocks)
        return Outline.of_nodes(
            Identity(title=" ".join(text[:6]), language="en"),
            kinds=bytes((_TEXT,)) * count,
            parents=(-1,) * count,
            boilerplate=bytes(count),
            texts=blocks,
        )


def _zipf(count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the cumulative shares of the 1, 2, … `count` most frequent things."""
    shares = np.cumsum(1.0 / np.arange(1, count + 1))
    shares /= shares[-1]
    return shares
