"""The definition of what the core measures of sentences: pairs found through shared words."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.similarity import measures
from dedup_middleware.similarity.matching import SAME, SentenceTest, paired, penalised
from dedup_middleware.similarity.measures import SentenceMeasures, longest_chain, match_trees
from dedup_middleware.similarity.sentences import NO_PARTNER, Matching, Partner, Sentence

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dedup_middleware.similarity import Prepared

LEAST_ALIKE = 0.3
"""Share of the words of both sentences, as a geometric mean."""
FEWEST_WORDS = 3
MOST_TRIES = 16
MOST_STEPS = 4_000_000
"""Words that are looked up for sentences of one page in the index of the other."""


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
    *,
    fuzzy: bool = True,
) -> Found:
    """Find for each sentence of one page the one of the other page that says the same.

    With `fuzzy`, order, numbers and negation count, not only words.
    """
    matched = paired(*map(_keys, (mine, theirs)))
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


def _keys(sentences: Sequence[Sentence]) -> list[Hashable]:
    return [key_of(sentence) for sentence in sentences]


def match_plain(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> Matching:
    """Match the sentences of two pages as the core does."""
    mine, theirs = _found(first, second, test)
    return Matching.of(mine.partners, theirs.partners, (mine.cut, theirs.cut))


def _found(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> tuple[Found, Found]:
    fuzzy = test.name == "fuzzy"
    return (
        pair_sentences(first, second, fuzzy=fuzzy),
        pair_sentences(second, first, fuzzy=fuzzy),
    )


def measured(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages sentence by sentence as the core does."""
    first, second = page.sentences, known.sentences
    mine, theirs = _found(first, second, test)
    matching = Matching.of(mine.partners, theirs.partners, (mine.cut, theirs.cut))
    return SentenceMeasures(
        matching,
        (measures._counts(mine.partners), measures._counts(theirs.partners)),
        content=(measures._content(first), measures._content(second)),
        matched=(
            measures._matched(first, mine.partners),
            measures._matched(second, theirs.partners),
        ),
        tree=match_trees(first, second, matching),
        chain=chained(first, second, mine.partners, mine.alike),
        negated=measures._negated(first, second, mine.partners),
    )


def chained(
    first: Sequence[Sentence],
    second: Sequence[Sentence],
    partners: Sequence[Partner],
    alike: Sequence[int],
) -> tuple[int, int]:
    """Count the words of the sentences of two pages that are in the chain.

    Sentences of the first page that have a partner keep it; the others get the one most like them.
    """
    pairs = [
        (place, max(partner.place, like))
        for place, (partner, like) in enumerate(zip(partners, alike, strict=True))
        if max(partner.place, like) >= 0
    ]
    chain = longest_chain(pairs, [len(first[one].words) for one, _ in pairs])
    return (
        sum(len(first[pairs[link][0]].words) for link in chain),
        sum(len(second[pairs[link][1]].words) for link in chain),
    )
