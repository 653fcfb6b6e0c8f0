"""Known documents as the sentences they are made of, each distinct sentence kept once."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from typing import TYPE_CHECKING

from .detector import Match

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Words = tuple[str, ...]


class Sayings:
    """Counts which share of their sentences documents have in common.

    >>> sayings = Sayings()
    >>> sayings.add("a", [("sea",), ("tide", "came"), ("sea",)])
    [0, 1]
    >>> sayings.matches([("sea",), ("moon",)], {}, 5)
    [Match(name='a', forward=0.5, backward=0.6666666666666666)]
    """

    def __init__(self) -> None:
        self.sentences: list[Words] = []
        """The distinct sentences; their places here are their numbers."""
        self._numbers: dict[Words, int] = {}
        self._holders: list[list[int]] = []  # the documents of each, as often as they have it
        self._names: list[str] = []
        self._sizes: list[int] = []

    def add(self, name: str, sentences: Sequence[Words]) -> list[int]:
        """Make a document known; give the numbers of the sentences that are new."""
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
        """Score the documents with sentences that say the same as some of these, the best of them.

        What says the same as a sentence besides an equal one, its partners tell by number; a
        sentence counts once, however many it has.
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
