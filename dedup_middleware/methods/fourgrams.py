"""Sentences represented by their three least frequent 4-grams (Yerra's thesis)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.settings import ranged
from dedup_middleware.similarity.matching import CHOSEN, LETTERS, grams, least_frequent

from ._sentence_method import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ._sentence_method import Words

MOST_HOLDERS = 1_000
"""Sentences that a 4-gram leads to; if more have the rarest one, only equal sentences count."""


@dataclass
class FourGrams(SentenceMethod):
    """The share of a document's sentences whose three rarest 4-grams are those of one of another.

    The frequency of 4-grams comes from a model, or from the documents so far. In the latter case
    the representation of a sentence may change with each document; so representations are not
    kept, but made when documents are compared, for all sentences that have the rarest 4-gram of a
    new one. The thesis names no threshold; the default is the one with the best mean F1 on four
    open sets of pages.

    >>> from dedup_middleware.methods import Document
    >>> fourgrams = FourGrams()
    >>> fourgrams.add(Document.of_text("a", "The tide came in. Boats were lifted."))
    >>> fourgrams.candidates(Document.of_text("b", "Boats were lifted. Ice broke. Moons rose."))
    [Match(name='a', forward=0.3333333333333333, backward=0.5)]
    """

    threshold: float = ranged(0.65, "Share from which documents are alike.", 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._counts: Counter[str] = Counter()
        self._holders: dict[str, list[int]] = defaultdict(list)

    def _index(self, new: list[int], sentences: list[Words]) -> None:
        for number in new:
            for key in self._keys(self._known.sentences[number]):
                holders = self._holders[key]
                if len(holders) < MOST_HOLDERS:
                    holders.append(number)
        if not self._model:
            for words in sentences:
                self._counts.update(grams(words))

    def _keys(self, words: Words) -> Iterable[str]:
        """Return the keys under which a sentence is found, whatever its representation becomes."""
        if self._model:
            return [self._represented(words)]
        distinct = set(grams(words))
        # if they are few, all are in the representation, and many sentences have each of them
        return distinct if len(distinct) >= CHOSEN else [_all_of(distinct)]

    def _partners(self, sentences: list[Words]) -> Mapping[Words, Collection[int]]:
        known, holders = self._known.sentences, self._holders
        representations = {words: self._represented(words) for words in sentences}
        if self._model:
            return {words: holders.get(one, ()) for words, one in representations.items()}
        represented: dict[int, str] = {}
        alike: dict[str, list[int]] = defaultdict(list)
        for key in {_key(one) for one in representations.values()}:
            for number in holders.get(key, ()):
                if number not in represented:
                    represented[number] = self._represented(known[number])
                    alike[represented[number]].append(number)
        return {words: alike.get(one, ()) for words, one in representations.items()}

    def _represented(self, words: Words) -> str:
        frequency = self._model.gram_frequency if self._model else self._counts.__getitem__
        return least_frequent(words, frequency)


def _key(representation: str) -> str:
    """Return the key of sentences with a representation: its rarest 4-gram."""
    parts = [representation[at : at + LETTERS] for at in range(0, len(representation), LETTERS)]
    return parts[0] if len(parts) >= CHOSEN else _all_of(parts)


def _all_of(distinct: Iterable[str]) -> str:
    return " ".join(["", *sorted(distinct)])  # no 4-gram begins with a space
