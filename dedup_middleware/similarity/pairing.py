"""Pairs of sentences that say the same without a word model, found through the words they share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from .fuzzy import penalised

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from .values import Sentence

SAME = 0.6
LEAST_ALIKE = 0.3
"""Share of the words of both sentences, as a geometric mean."""
FEWEST_WORDS = 3
MOST_TRIES = 16
MOST_STEPS = 4_000_000
"""Words that are looked up for sentences of one page in the index of the other."""


class Partner(NamedTuple):
    """The most similar sentence of the other page; none if `place` is -1."""

    place: int
    similarity: float


NO_PARTNER = Partner(-1, 0.0)


class Found(NamedTuple):
    """For each sentence of a page, what was found in the other page."""

    partners: list[Partner]
    alike: list[int]
    """For sentences without a partner, the sentence most like it; -1 if none is."""
    cut: int
    """How many sentences were left out to bound the work: they have no partner."""
    steps: int


class SentenceIndex:
    """The distinct sentences of a page by their words."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        places: dict[Hashable, int] = {}
        for place, sentence in enumerate(sentences):
            places.setdefault(key_of(sentence), place)
        self._places = list(places.values())
        self._sentences = [sentences[place] for place in self._places]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, sentence in enumerate(self._sentences):
            for word, times in Counter(sentence.words).items():
                self._postings[word].append((number, times))

    def cost(self, sentence: Sentence) -> int:
        """Count the steps that it takes to look up a sentence."""
        return sum(len(self._postings.get(word, ())) for word in sentence.words)

    def overlaps(self, sentence: Sentence) -> dict[int, float]:
        """Return the overlap with each distinct sentence that shares a word."""
        mine: Counter[int] = Counter()
        theirs: Counter[int] = Counter()
        for word, times in Counter(sentence.words).items():
            for number, there in self._postings.get(word, ()):
                mine[number] += times
                theirs[number] += there
        length, others = len(sentence.words), self._sentences
        return {
            number: math.sqrt(count / length * (theirs[number] / len(others[number].words)))
            for number, count in mine.items()
        }

    def most_alike(self, sentence: Sentence, overlaps: Mapping[int, float]) -> int:
        """Return the place of the most similar sentence, -1 if none is alike."""
        if len(sentence.words) < FEWEST_WORDS:
            return -1
        alike = [
            (-overlap, number)
            for number, overlap in overlaps.items()
            if overlap >= LEAST_ALIKE and len(self._sentences[number].words) >= FEWEST_WORDS
        ]
        return self._places[min(alike)[1]] if alike else -1

    def partner(self, sentence: Sentence, overlaps: Mapping[int, float], *, fuzzy: bool) -> Partner:
        """Choose the sentence that says the same; try no more once overlap alone can't win."""
        same = sorted((-overlap, number) for number, overlap in overlaps.items() if overlap >= SAME)
        best = NO_PARTNER
        for less, number in same[:MOST_TRIES]:
            overlap = value = -less
            if overlap <= best.similarity:
                break
            if fuzzy:
                value = penalised(overlap, sentence, self._sentences[number])
            if value >= SAME and value > best.similarity:
                best = Partner(self._places[number], value)
        return best


def pair_sentences(
    mine: Sequence[Sentence],
    theirs: Sequence[Sentence],
    partners: Sequence[Partner] | None = None,
    *,
    fuzzy: bool = True,
) -> Found:
    """Find for each sentence of one page the one of the other page that says the same.

    If partners are given, only what is most alike is looked for, where there is no partner. With
    `fuzzy`, order, numbers and negation count, not only words.
    """
    matched = list(partners if partners is not None else equal(*map(_keys, (mine, theirs))))
    alike = [-1] * len(matched)
    left = [place for place, partner in enumerate(matched) if partner.place < 0]
    if not left or not theirs:
        return Found(matched, alike, 0, 0)
    index = SentenceIndex(theirs)
    known: dict[Hashable, tuple[Partner, int]] = {}
    steps, cut, over = 0, 0, False
    for place in left:
        sentence, key = mine[place], key_of(mine[place])
        if key not in known and not over:
            cost = index.cost(sentence)
            over = steps + cost > MOST_STEPS
            if not over:
                steps += cost
                overlaps = index.overlaps(sentence)
                best = NO_PARTNER
                if partners is None:
                    best = index.partner(sentence, overlaps, fuzzy=fuzzy)
                known[key] = best, index.most_alike(sentence, overlaps)
        if key not in known:
            cut += 1
            continue
        matched[place], like = known[key]
        if matched[place].place < 0:
            alike[place] = like
    return Found(matched, alike, cut, steps)


def key_of(sentence: Sentence) -> Hashable:
    """Return what two sentences must have in common to be equal."""
    return sentence.words, sentence.negated


def equal(keys: Sequence[Hashable], others: Sequence[Hashable]) -> list[Partner]:
    """Pair equal sentences, the first with the first, the second with the second."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(others):
        places[key].append(place)
    seen: Counter[Hashable] = Counter()
    partners: list[Partner] = []
    for key in keys:
        there = places.get(key)
        if there:
            partners.append(Partner(there[min(seen[key], len(there) - 1)], 1.0))
            seen[key] += 1
        else:
            partners.append(NO_PARTNER)
    return partners


def _keys(sentences: Sequence[Sentence]) -> list[Hashable]:
    return [key_of(sentence) for sentence in sentences]
