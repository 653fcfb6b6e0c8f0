"""Runs of four letters: the rarest of them stand for a sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .fuzzy import Crowd, alike, shares
from .values import Match

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from .fuzzy import Matrix, Shares
    from .model import Model
    from .values import Sentence


LETTERS = 4
CHOSEN = 3


def grams(words: Sequence[str]) -> list[str]:
    """List the 4-grams of a refined sentence; they run across its words.

    >>> " ".join(grams(["novel", "creations"]))
    'nove ovel velc elcr lcre crea reat eati atio tion ions'

    A shorter sentence stands for itself.

    >>> grams(["a", "bc"])
    ['abc']
    """
    text = "".join(words)
    return [text[at : at + LETTERS] for at in range(max(1, len(text) - LETTERS + 1))]


def least_frequent(words: Sequence[str], frequency: Callable[[str], int]) -> str:
    """Join the three distinct 4-grams that are rarest in the corpus, rarest first.

    >>> rare = {"lcre": 1, "velc": 0}
    >>> least_frequent(["novel", "creations"], lambda gram: rare.get(gram, 9))
    'velclcrenove'
    """
    # sorting is stable: of equally rare ones the first in the sentence goes before
    return "".join(sorted(dict.fromkeys(grams(words)), key=frequency)[:CHOSEN])


TESTS = ("fuzzy", "thesis", "fourgrams", "overlap")
SAME = 0.6
"""From here on two sentences count as the same one, reworded."""
THESIS_SAME, THESIS_GAP = 0.825, 0.15
ROUNDING = 1e-6  # of single precision: what is just enough must not fail by it
MOST_STEPS = 30_000_000
"""Words times sentences that may be looked at in one direction."""
BLOCK_STEPS = 2_000_000
MOST_TRIES = 16


class Partner(NamedTuple):
    """The sentence of the other page that is most alike; none if `place` is -1."""

    place: int
    similarity: float


NOBODY = Partner(-1, 0.0)


@dataclass(frozen=True, slots=True)
class Test:
    """How sentences are compared: by which measure, with which model of words."""

    name: str = "fuzzy"
    model: Model | None = None

    @property
    def keeps_numbers(self) -> bool:
        """Whether numbers are words; for the thesis only letters are."""
        return self.name not in {"thesis", "fourgrams"}

    def key(self, sentence: Sentence) -> Hashable:
        """Give what two sentences must have in common to be equal."""
        if self.name == "thesis":
            return sentence.words
        return sentence.words, sentence.negated


@dataclass(frozen=True, slots=True)
class Matching:
    """For each sentence of either page, its partner in the other."""

    first: list[Partner]
    second: list[Partner]
    cut: tuple[int, int] = (0, 0)
    """How many sentences of either page were too many to be tested."""

    @property
    def pairs(self) -> tuple[Match, ...]:
        """All pairs of partners, in the order of the first page."""
        found = {(i, p.place): p.similarity for i, p in enumerate(self.first) if p.place >= 0}
        for j, partner in enumerate(self.second):
            if partner.place >= 0:
                found.setdefault((partner.place, j), partner.similarity)
        return tuple(Match(i, j, found[i, j]) for i, j in sorted(found))


def match(first: Sequence[Sentence], second: Sequence[Sentence], test: Test) -> Matching:
    """Find for each sentence of two pages the one of the other page that says the same."""
    keys, other_keys = _keys(first, second, test)
    places = _places(keys), _places(other_keys)
    mine, theirs = _equal(keys, places[1]), _equal(other_keys, places[0])
    cut = (0, 0)
    if test.name != "fourgrams":
        cut = (
            _fill(mine, first, keys, second, places[1], test),
            _fill(theirs, second, other_keys, first, places[0], test),
        )
    return Matching(mine, theirs, cut)


def similarity(first: Sentence, second: Sentence, test: Test) -> float:
    """Compare two sentences alone; 1 if they are equal."""
    if not first.words or not second.words:
        return 0.0
    if test.key(first) == test.key(second):
        return 1.0
    found = _overlaps(shares([first], [second], test.model, weighted=test.name == "fuzzy"), test)
    overlap = float(found[0, 0])
    return alike(first, second, overlap) if test.name == "fuzzy" else overlap


def _keys(
    first: Sequence[Sentence], second: Sequence[Sentence], test: Test
) -> tuple[list[Hashable], list[Hashable]]:
    """Give what equal sentences have in common: their words, or their three rarest 4-grams."""
    if test.name != "fourgrams":
        return [test.key(one) for one in first], [test.key(one) for one in second]
    counts = Counter(gram for one in (*first, *second) for gram in grams(one.words))
    # rare in the two pages if there is no model
    frequency = test.model.gram_frequency if test.model else counts.__getitem__
    return (
        [least_frequent(one.words, frequency) for one in first],
        [least_frequent(one.words, frequency) for one in second],
    )


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        places[key].append(place)
    return dict(places)


def _equal(keys: Sequence[Hashable], others: Mapping[Hashable, list[int]]) -> list[Partner]:
    """Pair equal sentences: the first with the first of them, the second with the second."""
    seen: Counter[Hashable] = Counter()
    partners: list[Partner] = []
    for key in keys:
        there = others.get(key)
        if there:
            partners.append(Partner(there[min(seen[key], len(there) - 1)], 1.0))
            seen[key] += 1
        else:
            partners.append(NOBODY)
    return partners


def _fill(
    partners: list[Partner],
    mine: Sequence[Sentence],
    keys: Sequence[Hashable],
    theirs: Sequence[Sentence],
    places: Mapping[Hashable, list[int]],
    test: Test,
) -> int:
    """Find partners for the sentences without one, as many as the work allows; count the rest."""
    left = [place for place, partner in enumerate(partners) if partner.place < 0]
    others = [there[0] for there in places.values()]
    if not left or not others:
        return 0
    candidates = [theirs[place] for place in others]
    size = sum(len(sentence.words) for sentence in candidates)
    todo = list({keys[place]: place for place in reversed(left)}.values())[::-1]
    todo = todo[: MOST_STEPS // size]
    found: dict[Hashable, Partner] = dict.fromkeys((keys[place] for place in todo), NOBODY)
    crowd = Crowd(candidates, test.model, weighted=test.name == "fuzzy")
    step = max(1, BLOCK_STEPS // size)
    for start in range(0, len(todo), step):
        block = todo[start : start + step]
        overlaps = _overlaps(crowd.shares([mine[place] for place in block]), test)
        for i in np.flatnonzero(overlaps.max(axis=1) >= _lowest(test)).tolist():
            best = _best(mine[block[i]], candidates, overlaps[i], test)
            if best.place >= 0:
                found[keys[block[i]]] = Partner(others[best.place], best.similarity)
    for place in left:
        partners[place] = found.get(keys[place], NOBODY)
    return sum(keys[place] not in found for place in left)


def _overlaps(found: Shares, test: Test) -> Matrix:
    """Make one number of the two shares of each pair."""
    if test.name != "thesis":
        both: Matrix = np.sqrt(found.of_first * found.of_second)
        return both
    lower = np.minimum(found.of_first, found.of_second)
    same = (lower >= THESIS_SAME - ROUNDING) & (
        np.abs(found.of_first - found.of_second) <= THESIS_GAP + ROUNDING
    )
    return np.where(same, lower, 0).astype(np.float32)


def _best(sentence: Sentence, others: Sequence[Sentence], overlaps: Matrix, test: Test) -> Partner:
    """Choose the sentence most alike; no more are tried once overlap alone can't win."""
    best = NOBODY
    for _ in range(MOST_TRIES):
        place = int(overlaps.argmax())
        overlap = float(overlaps[place])
        if overlap < _lowest(test) or overlap <= best.similarity:
            break
        value = alike(sentence, others[place], overlap) if test.name == "fuzzy" else overlap
        if value >= _lowest(test) and value > best.similarity:
            best = Partner(place, value)
        overlaps[place] = 0
    return best


def _lowest(test: Test) -> float:
    return THESIS_SAME - ROUNDING if test.name == "thesis" else SAME
