"""The sentences of two pages side by side, with the words that differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING

from dedup_middleware.read.words import is_spaceless
from dedup_middleware.similarity.alignment import longest_chain
from dedup_middleware.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dedup_middleware.similarity.values import Match

    from .comparison import PageComparison

MAX_SENTENCES = 2_000
"""To a page; changed ones are shown before unchanged ones."""
MAX_LETTERS = 1_500
"""Of a sentence."""
MAX_WORDS = 400
"""Of a sentence whose words are compared."""
_WORK = 400_000_000  # pairs of letters in all sentences whose words are compared
_WORD = re.compile(r"\w+|[^\w\s]")

Pieces = tuple[str, ...]
"""A sentence in pieces: shared with the other page and not, alternating."""


def changed_words(first: str, second: str) -> tuple[Pieces, Pieces]:
    """Split two sentences at the words that differ; very long ones are not split.

    >>> changed_words("It costs 3 euros.", "It costs 4 euros.")
    (('It costs ', '3', ' euros.'), ('It costs ', '4', ' euros.'))
    """
    one, other = _spans(first), _spans(second)
    if first == second or max(len(one), len(other)) > MAX_WORDS:
        return (first,), (second,)
    matcher = SequenceMatcher(None, _words(first, one), _words(second, other), autojunk=False)
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    return (
        _split(first, [(one[i][0], one[j - 1][1]) for _, i, j, _, _ in steps if i < j]),
        _split(second, [(other[i][0], other[j - 1][1]) for _, _, _, i, j in steps if i < j]),
    )


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


class State(Enum):
    """How a sentence appears in the other page."""

    SAME = "same"
    REWORDED = "reworded"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Pairing:
    """The best match of each matched sentence, and the longest chain of matches in order."""

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
    most_first: dict[int, float] = {}
    most_second: dict[int, float] = {}
    for match in matches:
        most_first[match.first] = max(match.similarity, most_first.get(match.first, 0.0))
        most_second[match.second] = max(match.similarity, most_second.get(match.second, 0.0))
    best = [
        match
        for match in matches
        if match.similarity >= most_first[match.first]
        and match.similarity >= most_second[match.second]
    ]
    kept = longest_chain([(match.first, match.second) for match in best], [1] * len(best))
    chain = tuple(best[index] for index in kept)
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

    @property
    def state(self) -> State:
        """The state that all sentences of the line share, else `ONLY`."""
        states = {shown.state for shown in self.first + self.second}
        return states.pop() if len(states) == 1 else State.ONLY


@dataclass(frozen=True, slots=True)
class _Place:
    """A pair, or a sentence whose partner is elsewhere or missing."""

    first: int | None
    second: int | None
    state: State


def lines_of(comparison: PageComparison, most: int = MAX_SENTENCES) -> list[Line]:
    """Arrange the sentences of both pages in lines, in their order; at most so many a page."""
    pairing = pair_up(comparison)
    lengths = len(comparison.first.sentences), len(comparison.second.sentences)
    places = list(_places(pairing, lengths))
    kept = _kept(places, most)
    pieces = _pieces(comparison, pairing, [places[index] for index in sorted(kept)])

    def run(index: int) -> tuple[bool, int]:
        place = places[index]
        paired = place.first is not None and place.second is not None
        return (index in kept, index if paired and index in kept else -1)

    return [
        _line([places[index] for index in group], keep, pairing, pieces)
        for (keep, _), group in groupby(range(len(places)), run)
    ]


def _line(
    places: list[_Place],
    keep: bool,
    pairing: Pairing,
    pieces: tuple[dict[int, Pieces], dict[int, Pieces]],
) -> Line:
    firsts = [place.first for place in places if place.first is not None]
    seconds = [place.second for place in places if place.second is not None]
    if not keep:
        return Line(left_out=(len(firsts), len(seconds)))
    return Line(
        tuple(_shown(index, pairing.first, pieces[0]) for index in firsts),
        tuple(_shown(index, pairing.second, pieces[1]) for index in seconds),
    )


def _places(pairing: Pairing, lengths: tuple[int, int]) -> Iterator[_Place]:
    one = other = 0
    for match in (*pairing.chain, None):
        first, second = (match.first, match.second) if match else lengths
        for index in range(one, first):
            yield _Place(index, None, state_of(pairing.first.get(index)))
        for index in range(other, second):
            yield _Place(None, index, state_of(pairing.second.get(index)))
        if match:
            yield _Place(first, second, state_of(match))
        one, other = first + 1, second + 1


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


def _pieces(
    comparison: PageComparison, pairing: Pairing, places: list[_Place]
) -> tuple[dict[int, Pieces], dict[int, Pieces]]:
    """Split the sentences to show at the words that their partners don't have."""
    found: tuple[dict[int, Pieces], dict[int, Pieces]] = ({}, {})
    sides = comparison.first.sentences, comparison.second.sentences
    best = pairing.first, pairing.second
    work = _WORK
    for place in places:
        for side, index in ((0, place.first), (1, place.second)):
            if index is None or index in found[side]:
                continue
            match = best[side].get(index)
            if match is None:
                found[side][index] = (shorten(sides[side][index].text),)
                continue
            texts = shorten(sides[0][match.first].text), shorten(sides[1][match.second].text)
            work -= len(texts[0]) * len(texts[1]) if texts[0] != texts[1] else 0
            pieces = changed_words(*texts) if work > 0 else ((texts[0],), (texts[1],))
            found[side][index] = pieces[side]
            if place.first == match.first and place.second == match.second:
                found[0][match.first], found[1][match.second] = pieces
    return found


def shorten(text: str) -> str:
    text = clean(text)
    return text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"


def _shown(index: int, best: Mapping[int, Match], pieces: dict[int, Pieces]) -> Shown:
    match = best.get(index)
    return Shown(index, state_of(match), match, pieces[index])
