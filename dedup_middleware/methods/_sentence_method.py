"""The base of methods that compare documents by the share of sentences they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import flag, ranged
from dedup_middleware.similarity.model import load

from .base import Match, Method

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dedup_middleware.similarity.model import Model

    from .document import Document

    Words = tuple[str, ...]


class SentenceIndex:
    """Known documents as the sentences they are made of, each distinct sentence kept once.

    >>> index = SentenceIndex()
    >>> index.add("a", [("sea",), ("tide", "came"), ("sea",)])
    [0, 1]
    >>> index.matches([("sea",), ("moon",)], {}, 5)
    [Match(name='a', forward=0.5, backward=0.6666666666666666)]
    """

    def __init__(self) -> None:
        self.sentences: list[Words] = []
        """The distinct sentences; a sentence's number is its place here."""
        self._numbers: dict[Words, int] = {}
        self._holders: list[list[int]] = []  # the documents of each, as often as they have it
        self._names: list[str] = []
        self._sizes: list[int] = []

    def add(self, name: str, sentences: Sequence[Words]) -> list[int]:
        """Add a document; return the numbers of the sentences that are new."""
        first = len(self.sentences)
        for words in sentences:
            number = self._numbers.setdefault(words, len(self.sentences))
            if number == len(self.sentences):
                self.sentences.append(words)
                self._holders.append([])
            self._holders[number].append(len(self._names))
        self._names.append(name)
        self._sizes.append(len(sentences))
        return list(range(first, len(self.sentences)))

    def matches(
        self, sentences: Sequence[Words], partners: Mapping[Words, Collection[int]], most: int
    ) -> list[Match]:
        """Return the best of the documents that have sentences equivalent to some of these.

        `partners` are the known sentences, by number, that are equivalent to a sentence besides an
        equal one; a sentence counts once, however many it has.
        """
        mine: Counter[int] = Counter()
        known: set[int] = set()
        for words, times in Counter(sentences).items():
            numbers = {*partners.get(words, ()), self._numbers.get(words, -1)} - {-1}
            known |= numbers
            for document in set().union(*(self._holders[number] for number in numbers)):
                mine[document] += times
        theirs = Counter(document for number in known for document in self._holders[number])
        found = (
            (mine[document] / len(sentences), theirs[document] / self._sizes[document], -document)
            for document in mine
        )
        best = nlargest(most, found, key=lambda one: (max(one[:2]), min(one[:2]), one[2]))
        return [Match(self._names[-last], one, other) for one, other, last in best]


@dataclass
class SentenceMethod(Method):
    """The share of a document's refined sentences that another document has, too.

    Subclasses define which sentences are equivalent. The index is in memory. Of the documents that
    share any sentence, the best `max_candidates` are returned.
    """

    model: str = field(
        default="",
        metadata={
            "help": "File with a model of words from `scrapy dedup train`; none if empty.",
            "choices": (),
            "optional": True,
        },
    )
    numbers: bool = flag(False, "Count numbers as words.")
    max_candidates: int = ranged(
        256, "Most documents that are returned for a document.", 1, 1_000_000
    )

    def __post_init__(self) -> None:
        self._known = SentenceIndex()
        self._model: Model | None = None
        try:
            self._model = load(self.model) if self.model else None
        except DedupError as error:
            raise SettingError(f"Option 'model' of the method: {error}") from error

    def add(self, document: Document) -> None:
        sentences = self._sentences(document)
        self._index(self._known.add(document.name, sentences), sentences)

    def candidates(self, document: Document) -> list[Match]:
        sentences = self._sentences(document)
        partners = self._partners(list(dict.fromkeys(sentences)))
        return self._known.matches(sentences, partners, self.max_candidates)

    def _sentences(self, document: Document) -> list[Words]:
        found = document.sentences if self.numbers else document.lettered_sentences
        return [sentence.words for sentence in found]

    @abstractmethod
    def _index(self, new: list[int], sentences: list[Words]) -> None:
        """Index new sentences, given by number, and count all sentences of their document."""

    @abstractmethod
    def _partners(self, sentences: list[Words]) -> Mapping[Words, Collection[int]]:
        """Return for distinct sentences the known ones, by number, that are equivalent."""
