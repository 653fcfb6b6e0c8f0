"""The sentences of two pages side by side, in lines, under their headings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, islice, zip_longest
from typing import TYPE_CHECKING

from dedup_middleware.read.outline import KINDS
from dedup_middleware.similarity.measures import longest_chain

from .word_diff import Diff, diff, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware.read import Outline
    from dedup_middleware.similarity.sentences import Match, Sentence

    from .comparison import PageComparison
    from .word_diff import Change, Pieces

MAX_SENTENCES = 2_000
"""To a page; changed ones are shown before unchanged ones."""
_WORK = 400_000_000  # pairs of letters in all sentences whose words are compared
_LARGEST_GAP = 400  # pairs of unmatched sentences that are tried to be put side by side
_ALIKE, _MORE_ALIKE = 0.4, 0.5
"""Share of words that two such sentences share; the second if one is like another elsewhere."""
_HEADING = KINDS.index("heading")


class State(Enum):
    """How a sentence appears in the other page."""

    SAME = "same"
    REWORDED = "reworded"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Pairing:
    """The best match of each matched sentence, and the heaviest chain of matches in order."""

    sides: tuple[Mapping[int, Match], Mapping[int, Match]]
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
    return Pairing((first, second), chain)


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
    depth: int = 0
    """How many headings it is under."""
    is_heading: bool = False


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
    def is_equal(self) -> bool:
        """Whether both pages have these sentences here."""
        pieces = [[one.pieces for one in side] for side in (self.first, self.second)]
        return not any(self.left_out) and pieces[0] == pieces[1]

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
    texts = _Texts(comparison, pairing)
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
    here = [index for index in firsts if state_of(pairing.sides[0].get(index)) is not State.SAME]
    there = [index for index in seconds if state_of(pairing.sides[1].get(index)) is not State.SAME]
    alike: list[tuple[int, int]] = []
    shares: list[float] = []
    if 0 < len(here) * len(there) <= _LARGEST_GAP:
        one, other = (
            {index: Counter(side[index].words) for index in indexes}
            for side, indexes in zip(sentences, (here, there), strict=True)
        )
        for pair in ((i, j) for i in here for j in there):
            share = _shared(one[pair[0]], other[pair[1]])
            elsewhere = pair[0] in pairing.sides[0] or pair[1] in pairing.sides[1]
            if share >= (_MORE_ALIKE if elsewhere else _ALIKE):
                alike.append(pair)
                shares.append(share)
    start, begin = firsts.start, seconds.start
    ends = [alike[at] for at in longest_chain(alike, shares)]
    for first, second in (*ends, (firsts.stop, seconds.stop)):
        for index in range(start, first):
            yield _Place(index, None, state_of(pairing.sides[0].get(index)))
        for index in range(begin, second):
            yield _Place(None, index, state_of(pairing.sides[1].get(index)))
        if first < firsts.stop:
            found = state_of(pairing.sides[0].get(first)), state_of(pairing.sides[1].get(second))
            yield _Place(first, second, found[0] if found[0] is found[1] else State.ONLY)
        start, begin = first + 1, second + 1


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of words that two sentences have in common, wherever."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _kept(places: list[_Place], most: int) -> set[int]:
    """Choose what to show of long pages: reworded first, then the rarer of same and new."""
    counts = Counter(place.state for place in places)
    order = [State.REWORDED, *sorted((State.ONLY, State.SAME), key=counts.__getitem__)]
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

    def __init__(self, comparison: PageComparison, pairing: Pairing) -> None:
        self._sentences = comparison.sentences
        self._outlines = comparison.first.outline, comparison.second.outline
        self._depths = tuple(map(_depths, self._outlines))
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
            return Line(
                (self._shown(0, first, found.first),),
                (self._shown(1, second, found.second),),
                changes=found.changes,
            )
        return Line(
            tuple(self._alone(0, index) for index in firsts),
            tuple(self._alone(1, index) for index in seconds),
        )

    def _alone(self, side: int, index: int) -> Shown:
        """Show a sentence that has nothing across; its partner may be elsewhere."""
        match = self._pairing.sides[side].get(index)
        if match is None:
            return self._shown(side, index, (shorten(self._sentences[side][index].text),))
        found = self._diff(match.first, match.second)
        return self._shown(side, index, (found.first, found.second)[side])

    def _shown(self, side: int, index: int, pieces: Pieces) -> Shown:
        match = self._pairing.sides[side].get(index)
        node = self._sentences[side][index].node
        is_heading = self._outlines[side].kinds[node] == _HEADING
        return Shown(index, state_of(match), match, pieces, self._depths[side][node], is_heading)

    def _diff(self, first: int, second: int) -> Diff:
        one, other = self._sentences
        texts = shorten(one[first].text), shorten(other[second].text)
        self._work -= len(texts[0]) * len(texts[1]) if texts[0] != texts[1] else 0
        return diff(*texts) if self._work > 0 else Diff((texts[0],), (texts[1],))


def _depths(outline: Outline) -> list[int]:
    """Return how many headings each node is under; parents come before their children."""
    depths: list[int] = []
    for parent in outline.parents:
        above = depths[parent] + (outline.kinds[parent] == _HEADING) if parent >= 0 else 0
        depths.append(above)
    return depths


def headings_of_differences(lines: Sequence[Line]) -> set[int]:
    """Return the places of the equal lines that are headings of a line that differs."""
    found: set[int] = set()
    deepest = 0  # of the headings that are still looked for
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if not line.is_equal:
            deepest = max(deepest, *(one.depth for one in line.first + line.second), 0)
        elif line.first[0].is_heading and line.first[0].depth < deepest:
            found.add(at)
            deepest = line.first[0].depth
    return found


def around(comparison: PageComparison, most: int) -> list[tuple[str, str]]:
    """Return the first texts in which two pages differ whose main texts are the same."""
    one, other = (
        dict.fromkeys(filter(None, side.outline.texts))
        for side in (comparison.first, comparison.second)
    )
    sides = [text for text in one if text not in other], [text for text in other if text not in one]
    return [*islice(zip_longest(*sides, fillvalue=""), most)]
