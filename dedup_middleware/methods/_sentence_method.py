"""The base of methods that compare documents by the share of sentences they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import flag, ranged
from dedup_middleware.similarity.model import load, shipped

from ._index import DOCUMENTS, Lists, Sentences
from .base import IndexedMethod, Match

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dedup_middleware.similarity.model import Model

    from .base import Document

    Words = tuple[str, ...]

NO_MODEL = "none"
_MOST_DOCUMENTS = 10_000  # listed for a sentence
_MOST_ROWS = 200_000  # entries of lists that are read for one document
_NUMBERS = np.dtype(">u4")


@dataclass
class SentenceMethod(IndexedMethod):
    """The share of a document's refined sentences that another document has, too (RS).

    Subclasses define which sentences are equivalent. Each distinct sentence is kept once, with the
    documents that have it. A sentence of a document counts once, however many equivalent ones the
    other has. Of the documents that share any sentence, the best `max_candidates` are returned.
    """

    model: str = field(
        default="",
        metadata={
            "help": "File with a model of words from `python -m lab.train`; empty for that of "
            "English that comes with the package, `none` for no model.",
            "choices": (),
            "optional": True,
        },
    )
    numbers: bool = flag(False, "Count numbers as words.")
    max_candidates: int = ranged(
        256, "Most documents that are returned for a document.", 1, 1_000_000
    )

    def __post_init__(self) -> None:
        self._model = _model(self.model)

    def add(self, document: Document) -> None:
        sentences = self._sentences(document)
        numbers, new = Sentences(self.tables).enter(sentences)
        packed = np.array([numbers[words] for words in sentences], _NUMBERS).tobytes()
        self._documents_of.extend({self._enter(document.name, packed): numbers.values()})
        self._index(new)

    def candidates(self, document: Document) -> list[Match]:
        sentences = self._sentences(document)
        known = Sentences(self.tables)
        times = Counter(sentences)
        partners = {words: set(found) for words, found in self._partners(list(times)).items()}
        for words in times:
            if number := known.number(words):
                partners.setdefault(words, set()).add(number)
        return self._matches(times, len(sentences), partners)

    def _matches(
        self, times: Mapping[Words, int], size: int, partners: Mapping[Words, set[int]]
    ) -> list[Match]:
        every = sorted(set[int]().union(*partners.values()))
        at, documents = self._documents_of.read(every)
        holders: dict[int, list[int]] = {}
        for place, number in zip(at.tolist(), documents.tolist(), strict=True):
            holders.setdefault(every[place], []).append(number)
        mine: Counter[int] = Counter()
        for words, numbers in partners.items():
            for number in {one for partner in numbers for one in holders.get(partner, ())}:
                mine[number] += times[words]
        # the share of the other document takes a look at it: of the nearest only
        nearest = nlargest(2 * self.max_candidates, mine, key=lambda one: (mine[one], -one))
        found, common = [], np.zeros(every[-1] + 1 if every else 1, np.bool_)
        common[every] = True
        for number in nearest:
            name, data = self._entry(number)
            theirs = np.frombuffer(data, _NUMBERS)
            known = theirs[theirs < len(common)]
            shares = mine[number] / size, int(common[known].sum()) / len(theirs)
            found.append((Match(name, *shares), -number))
        best = nlargest(
            self.max_candidates, found, key=lambda one: (max(one[0][1:]), min(one[0][1:]), one[1])
        )
        return [match for match, _ in best]

    @property
    def _documents_of(self) -> Lists:
        return Lists(self.tables, DOCUMENTS, most=_MOST_DOCUMENTS, rows=_MOST_ROWS)

    def _sentences(self, document: Document) -> list[Words]:
        found = document.numbered_sentences if self.numbers else document.lettered_sentences
        return [sentence.words for sentence in found]

    @abstractmethod
    def _index(self, new: Mapping[int, Words]) -> None:
        """Index new sentences, by number."""

    @abstractmethod
    def _partners(self, sentences: Sequence[Words]) -> Mapping[Words, Collection[int]]:
        """Return for distinct sentences the known ones, by number, that are equivalent."""


def _model(path: str) -> Model | None:
    if path == NO_MODEL:
        return None
    try:
        return load(path) if path else shipped()
    except DedupError as error:
        raise SettingError(f"Option 'model' of the method: {error}") from error
