"""The sentences of two pages side by side, with the words that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING

from dedup_middleware.similarity.tree import longest_chain
from dedup_middleware.text import clean

from .word_changes import Diff, diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware.similarity.values import Match, Sentence

    from .comparison import PageComparison
    from .word_changes import Change, Pieces

MAX_SENTENCES = 2_000
"""To a page; changed ones are shown before unchanged ones."""
MAX_LETTERS = 1_500
"""Of a sentence."""
_WORK = 400_000_000  # pairs of letters in all sentences whose words are compared
_LARGEST_GAP = 400  # pairs of unmatched sentences that are tried to be put side by side
_ALIKE, _MORE_ALIKE = 0.4, 0.5
"""Share of words that two such sentences share; the second if one is like another elsewhere."""


class State(Enum):
    """How a sentence appears in the other page."""

    SAME = "same"
    REWORDED = "reworded"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Pairing:
    """The best match of each matched sentence, and the heaviest chain of matches in order."""

    first: Mapping[int, Match]
    second: Mapping[int, Match]
    chain: tuple[Match, ...]


def state_of(match: Match | None) -> State:
    if match is None:
        return State.ONLY
    return State.SAME if match.similarity >= 1 else State.REWORDED


def pair_up(comparison: PageComparison) -> Pairing:
    """Choose a partner for each sentence: one in order if possible, else the most similar."""
    matches = comparison.pairs
    pairs = [(match.first, match.second) for match in matches]
    kept = longest_chain(pairs, [match.similarity**2 for match in matches])
    chain = tuple(matches[index] for index in kept)
    lengths = len(comparison.first.sentences), len(comparison.second.sentences)
    ranked = sorted(matches, key=lambda match: (-match.similarity, _shift(match, lengths), match))
    first = {match.first: match for match in reversed(ranked)}
    second = {match.second: match for match in reversed(ranked)}
    first |= {match.first: match for match in chain}
    second |= {match.second: match for match in chain}
    return Pairing(first, second, chain)


def _shift(match: Match, lengths: tuple[int, int]) -> float:
    """Return how far a sentence has moved, as a share of the page."""
    return abs(match.first / lengths[0] - match.second / lengths[1])


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence as it is shown."""

    index: int
    state: State
    match: Match | None
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class Line:
    """A matched pair of sentences, or the sentences between two such pairs."""

    first: tuple[Shown, ...] = ()
    second: tuple[Shown, ...] = ()
    left_out: tuple[int, int] = (0, 0)
    """How many sentences of each page are not shown here."""
    changes: tuple[Change, ...] = ()
    """The words in which two sentences across from each other differ."""

    @property
    def state(self) -> State:
        """The state that all sentences of the line share, else `ONLY`."""
        states = {shown.state for shown in self.first + self.second}
        return states.pop() if len(states) == 1 else State.ONLY

    @property
    def is_moved(self) -> bool:
        """Whether the other page has these sentences, but elsewhere than beside them."""
        pairs = {(one.match.first, one.match.second) for one in self.first if one.match}
        beside = {(one.match.first, one.match.second) for one in self.second if one.match}
        return self.state is State.SAME and pairs != beside


@dataclass(frozen=True, slots=True)
class _Place:
    """Two sentences that are across from each other, or one alone."""

    first: int | None
    second: int | None
    state: State

    @property
    def paired(self) -> bool:
        return self.first is not None and self.second is not None


def lines_of(comparison: PageComparison, most: int = MAX_SENTENCES) -> list[Line]:
    """Arrange the sentences of both pages in lines, in their order; at most so many a page."""
    pairing = pair_up(comparison)
    places = list(_places(pairing, comparison.sentences))
    kept = _kept(places, most)
    texts = _Texts(comparison.sentences, pairing)
    runs = groupby(
        range(len(places)),
        lambda at: (at in kept, at if at in kept and places[at].paired else -1),
    )
    return [texts.line([places[at] for at in group], keep) for (keep, _), group in runs]


def _places(
    pairing: Pairing, sentences: tuple[Sequence[Sentence], Sequence[Sentence]]
) -> Iterator[_Place]:
    one = other = 0
    for match in (*pairing.chain, None):
        first, second = (match.first, match.second) if match else map(len, sentences)
        yield from _gap(range(one, first), range(other, second), pairing, sentences)
        if match:
            yield _Place(first, second, state_of(match))
        one, other = first + 1, second + 1


def _gap(
    firsts: range,
    seconds: range,
    pairing: Pairing,
    sentences: tuple[Sequence[Sentence], Sequence[Sentence]],
) -> Iterator[_Place]:
    """Yield what is between two pairs; sentences that share words are put side by side."""
    here = [index for index in firsts if state_of(pairing.first.get(index)) is not State.SAME]
    there = [index for index in seconds if state_of(pairing.second.get(index)) is not State.SAME]
    alike: list[tuple[int, int]] = []
    shares: list[float] = []
    if 0 < len(here) * len(there) <= _LARGEST_GAP:
        one, other = (
            {index: Counter(side[index].words) for index in indexes}
            for side, indexes in zip(sentences, (here, there), strict=True)
        )
        for pair in ((i, j) for i in here for j in there):
            share = _shared(one[pair[0]], other[pair[1]])
            elsewhere = pair[0] in pairing.first or pair[1] in pairing.second
            if share >= (_MORE_ALIKE if elsewhere else _ALIKE):
                alike.append(pair)
                shares.append(share)
    start, begin = firsts.start, seconds.start
    ends = [alike[at] for at in longest_chain(alike, shares)]
    for first, second in (*ends, (firsts.stop, seconds.stop)):
        for index in range(start, first):
            yield _Place(index, None, state_of(pairing.first.get(index)))
        for index in range(begin, second):
            yield _Place(None, index, state_of(pairing.second.get(index)))
        if first < firsts.stop:
            found = state_of(pairing.first.get(first)), state_of(pairing.second.get(second))
            yield _Place(first, second, found[0] if found[0] is found[1] else State.ONLY)
        start, begin = first + 1, second + 1


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of words that two sentences have in common, wherever."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _kept(places: list[_Place], most: int) -> set[int]:
    """Choose what to show of long pages: reworded first, then the rarer of same and new."""
    same = sum(place.state is State.SAME for place in places)
    only = sum(place.state is State.ONLY for place in places)
    order = [State.REWORDED, State.SAME, State.ONLY]
    if only <= same:
        order = [State.REWORDED, State.ONLY, State.SAME]
    kept: set[int] = set()
    used = [0, 0]
    for index in sorted(range(len(places)), key=lambda index: order.index(places[index].state)):
        needs = places[index].first is not None, places[index].second is not None
        if all(used[side] + needs[side] <= most for side in (0, 1)):
            kept.add(index)
            used = [used[side] + needs[side] for side in (0, 1)]
    return kept


class _Texts:
    """Makes lines, in which sentences are split at the words that the one across does not have."""

    def __init__(
        self, sentences: tuple[Sequence[Sentence], Sequence[Sentence]], pairing: Pairing
    ) -> None:
        self._sentences = sentences
        self._pairing = pairing
        self._work = _WORK

    def line(self, places: list[_Place], keep: bool) -> Line:
        firsts = [place.first for place in places if place.first is not None]
        seconds = [place.second for place in places if place.second is not None]
        if not keep:
            return Line(left_out=(len(firsts), len(seconds)))
        if places[0].paired:
            (first,), (second,) = firsts, seconds
            found = self._diff(first, second)
            here, there = self._pairing.first.get(first), self._pairing.second.get(second)
            return Line(
                (Shown(first, state_of(here), here, found.first),),
                (Shown(second, state_of(there), there, found.second),),
                changes=found.changes,
            )
        return Line(
            tuple(self._alone(index, self._pairing.first, 0) for index in firsts),
            tuple(self._alone(index, self._pairing.second, 1) for index in seconds),
        )

    def _alone(self, index: int, best: Mapping[int, Match], side: int) -> Shown:
        """Show a sentence that has nothing across; its partner may be elsewhere."""
        match = best.get(index)
        if match is None:
            text = shorten(self._sentences[side][index].text)
            return Shown(index, State.ONLY, None, (text,))
        found = self._diff(match.first, match.second)
        return Shown(index, state_of(match), match, (found.first, found.second)[side])

    def _diff(self, first: int, second: int) -> Diff:
        one, other = self._sentences
        texts = shorten(one[first].text), shorten(other[second].text)
        self._work -= len(texts[0]) * len(texts[1]) if texts[0] != texts[1] else 0
        return diff(*texts) if self._work > 0 else Diff((texts[0],), (texts[1],))


def shorten(text: str) -> str:
    text = clean(text)
    return text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"
