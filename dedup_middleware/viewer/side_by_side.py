"""The sentences of two pages side by side, with the words that differ."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum, IntEnum
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import fold, is_spaceless
from dedup_middleware.similarity.measures import longest_chain
from dedup_middleware.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dedup_middleware.similarity.sentences import Match, Sentence

    from .comparison import PageComparison

MAX_SENTENCES = 2_000
"""To a page; changed ones are shown before unchanged ones."""
MAX_LETTERS = 1_500
"""Of a sentence."""
_WORK = 400_000_000  # pairs of letters in all sentences whose words are compared
_LARGEST_GAP = 400  # pairs of unmatched sentences that are tried to be put side by side
_ALIKE, _MORE_ALIKE = 0.4, 0.5
"""Share of words that two such sentences share; the second if one is like another elsewhere."""
MAX_WORDS = 400
"""The most words of a sentence whose words are compared."""
_WORD = re.compile(r"\w+|[^\w\s]")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"\w")
_IDENTIFIER = re.compile(r"\b(?:[a-z0-9]+[A-Z]|[A-Za-z0-9]*_(?=[A-Za-z0-9]))\w*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞĀŁŚŠŻŽΑ-ΫА-ЯЁ]\w*")
_LONGEST = 60  # letters of a change; a longer one is a passage, and read in the texts

Pieces = tuple[str, ...]
"""A sentence in pieces: shared with the other page and not, alternating."""


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


class Weight(IntEnum):
    """What a change is about; the lower, the more it says about two pages."""

    NUMBER = 0
    NAME = 1
    WORD = 2


class Change(NamedTuple):
    """Words of one sentence, and those that the other has in their place; either may be empty."""

    first: str
    second: str
    weight: Weight


@dataclass(frozen=True, slots=True)
class Diff:
    """Two sentences in pieces, and the changes between them."""

    first: Pieces
    second: Pieces
    changes: tuple[Change, ...] = ()


def diff(first: str, second: str) -> Diff:
    """Split two sentences at the words that differ; very long ones are not split.

    >>> found = diff("It costs 3 euros.", "It costs 4 euros.")
    >>> found.first, found.second, [change[:2] for change in found.changes]
    (('It costs ', '3', ' euros.'), ('It costs ', '4', ' euros.'), [('3', '4')])
    """
    if first == second:
        return Diff((first,), (second,))
    one, other = _spans(first), _spans(second)
    if max(len(one), len(other)) > MAX_WORDS:
        return Diff((first,), (second,))
    matcher = SequenceMatcher(None, _words(first, one), _words(second, other), autojunk=False)
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    changes = [(_span(one, i, j), _span(other, k, m)) for _, i, j, k, m in steps]
    return Diff(
        _split(first, [here for here, _ in changes if here]),
        _split(second, [there for _, there in changes if there]),
        tuple(_change(first, here, second, there) for here, there in changes),
    )


def weightiest(changes: Iterable[Change], most: int) -> list[tuple[Change, int]]:
    """Return each change with how often it occurs: numbers and names first, then the most frequent.

    >>> found = weightiest([*diff("We sat.", "They sat.").changes, *diff("a 3", "a 4").changes], 9)
    >>> [(change.first, change.second, times) for change, times in found]
    [('3', '4', 1), ('We', 'They', 1)]
    """
    times: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], Change] = {}
    for change in changes:
        key = fold(change.first), fold(change.second)
        if not any(map(_LETTER.search, key)) or max(map(len, key)) > _LONGEST:
            continue
        times[key] += 1
        known = shown.setdefault(key, change)
        if change.weight < known.weight:
            shown[key] = change
    # what one page says in place of the other's words tells more than what it has besides
    ranked = sorted(shown, key=lambda key: (shown[key].weight, not all(key), -times[key]))
    return [(shown[key], times[key]) for key in ranked[:most]]


def _change(
    first: str, here: tuple[int, int] | None, second: str, there: tuple[int, int] | None
) -> Change:
    texts = [(text, *span) for text, span in ((first, here), (second, there)) if span]
    weight = min(_weight(text, start, end) for text, start, end in texts)
    return Change(
        first[slice(*here)] if here else "", second[slice(*there)] if there else "", weight
    )


def _weight(text: str, start: int, end: int) -> Weight:
    words = text[start:end]
    if _DIGIT.search(words):
        return Weight.NUMBER
    if _IDENTIFIER.search(words):
        return Weight.NAME
    for name in _CAPITALISED.finditer(text, start, end):
        # any word at the beginning of a sentence has a capital
        if name.start() or (len(name[0]) > 1 and name[0].isupper()):
            return Weight.NAME
    return Weight.WORD


def _span(spans: list[tuple[int, int]], begin: int, end: int) -> tuple[int, int] | None:
    return (spans[begin][0], spans[end - 1][1]) if begin < end else None


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where words start and end; in scripts without spaces, each character is a word."""
    spans: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        start, end = word.span()
        spaced = not is_spaceless(word.group())
        spans += [(start, end)] if spaced else [(at, at + 1) for at in range(start, end)]
    return spans


def _words(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _split(text: str, changes: list[tuple[int, int]]) -> Pieces:
    pieces: list[str] = []
    done = 0
    for start, end in changes:
        pieces += text[done:start], text[start:end]
        done = end
    return (*pieces, text[done:])
