"""Sentences represented by their three least frequent 4-grams (Yerra's thesis)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.errors import SettingError
from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.settings import ranged
from dedup_middleware.similarity.matching import least_frequent

from ._index import SENTENCES, Lists
from ._sentence_method import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ._sentence_method import Words

MOST_HOLDERS = 1_000
"""Sentences that a representation leads to; of further ones only equal sentences count."""
_MOST_ROWS = 200_000  # entries of lists that are read for one document


@dataclass
class FourGrams(SentenceMethod):
    """The share of a document's sentences whose three rarest 4-grams are those of one of another.

    The frequency of 4-grams is that in the corpus of the model, so the representation of a sentence
    never changes. The thesis names no threshold; the default is the one with the best mean F1 on
    four open sets of pages.

    >>> from dedup_middleware.methods import Document
    >>> fourgrams = FourGrams()
    >>> fourgrams.add(Document.of_text("a", "The tide came in. Boats were lifted."))
    >>> fourgrams.candidates(Document.of_text("b", "Boats were lifted. Ice broke. Moons rose."))
    [Match(name='a', forward=0.3333333333333333, backward=0.5)]
    """

    threshold: float = ranged(0.65, "Share from which documents are alike.", 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._model is None:
            raise SettingError("Option 'model' of the method fourgrams: 4-grams need a model")

    def _index(self, new: Mapping[int, Words]) -> None:
        keys = self._keys(list(new.values()))
        self._holders.extend({number: [key] for number, key in zip(new, keys, strict=True)})

    def _partners(self, sentences: Sequence[Words]) -> Mapping[Words, Collection[int]]:
        found: dict[Words, list[int]] = {words: [] for words in sentences}
        at, numbers = self._holders.read(self._keys(sentences))
        for place, number in zip(at.tolist(), numbers.tolist(), strict=True):
            found[sentences[place]].append(number)
        return found

    def _keys(self, sentences: Sequence[Words]) -> list[int]:
        """Return a key for the representation of each sentence."""
        assert self._model  # noqa: S101  # checked at the start
        frequency = self._model.gram_frequency
        hashes = word_hashes([least_frequent(words, frequency) for words in sentences])
        keys: list[int] = hashes.tolist()
        return keys

    @property
    def _holders(self) -> Lists:
        return Lists(self.tables, SENTENCES, most=MOST_HOLDERS, rows=_MOST_ROWS)
