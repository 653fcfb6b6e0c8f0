"""Pairs of sentences compared as in Yerra's thesis."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.read.words import words
from dedup_middleware.similarity.matching import (
    ROUNDING,
    THESIS_GAP,
    THESIS_SAME,
    grams,
    least_frequent,
    shares,
)
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.sentences import language_of
from lab.progress import progress

from .counts import Counts, share
from .yerra_examples import by_type, kind_of
from .yerra_figures import gaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dedup_middleware.methods import Document
    from dedup_middleware.similarity.model import Model

Words = tuple[str, ...]

SAME, DIFFERENT = 0.8, 0.5
"""Share of their words in common from which sentences say the same, and below which they don't."""
FEWEST = 4
"""Distinct words of a sentence that is worth comparing."""
BEGINNING = 60
"""Sentences of a document that count: no long table should outweigh all others."""
SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
THRESHOLDS = tuple(round(0.5 + 0.025 * step, 3) for step in range(21))
GROUP_OF = (201, 1_880)
"""Similar and dissimilar pairs of Tables 4.7 and 4.8."""


def refined(document: Document) -> list[Words]:
    """Return the sentences as the thesis has them: stems of words with letters, no stop words."""
    return [one.words for one in document.lettered_sentences]


class Placed(NamedTuple):
    """A sentence and the number of its document."""

    words: Words
    document: int


class MeasuredPair(NamedTuple):
    """A pair of sentences that people have labelled, and what the methods see in it."""

    name: str
    alike: bool
    equal_grams: bool
    one_way: float
    other_way: float
    kind: int = 0
    """The type of similar sentences, by a rule of thumb."""

    def fuzzy(self, threshold: float = THESIS_SAME) -> bool:
        """Return True if the sentences are equivalent as fuzzy sets."""
        lower = min(self.one_way, self.other_way)
        near = abs(self.one_way - self.other_way) <= THESIS_GAP + ROUNDING
        return near and lower >= threshold - ROUNDING


def measured(pair: tuple[str, str, str, bool], model: Model) -> MeasuredPair:
    """Compare two sentences by their three least frequent 4-grams and by fuzzy sets."""
    name, first, second, alike = pair
    language = language_of("", [*words(first), *words(second)])
    one, other = (
        sentence_of(text, language, numbers=False, joined=True) for text in (first, second)
    )
    if not one.words or not other.words:
        return MeasuredPair(name, alike, equal_grams=False, one_way=0.0, other_way=0.0)
    keys = [least_frequent(side.words, model.gram_frequency) for side in (one, other)]
    there, back = shares([one], [other], model)
    kind = kind_of(one.words, other.words, (first, second))
    sims = float(there[0, 0]), float(back[0, 0])
    return MeasuredPair(name, alike, keys[0] == keys[1], *sims, kind)


METHODS: dict[str, Callable[[MeasuredPair], bool]] = {
    "4-grams": lambda one: one.equal_grams,
    "fuzzy set": MeasuredPair.fuzzy,
}


def judged(
    pairs: Iterable[tuple[str, str, str, bool]], model: Model, problems: list[str]
) -> dict[str, Any]:
    """Count right and wrong decisions about the pairs of each set (Tables 3.5, 4.7 and 4.8)."""
    found = [measured(pair, model) for pair in progress(pairs, "sentence pairs")]
    if not found:
        problems.append("no judged pairs of sentences: Tables 3.5, 4.7 and 4.8 of Y are missing")
        return {}
    by_set: dict[str, list[MeasuredPair]] = defaultdict(list)
    for one in found:
        by_set[one.name].append(one)
    groups = groups_of([one for one in found if not one.name.startswith("paws")])
    return {
        "sets": {name: _counted(rows) for name, rows in by_set.items()},
        "groups": [_counted(group) for group in groups],
        "thresholds": [_at(groups[0] + groups[1], one) for one in THRESHOLDS],
        "gaps": gaps(found, THESIS_SAME - ROUNDING),
        "types": by_type(found),
    }


def groups_of(found: Sequence[MeasuredPair]) -> tuple[list[MeasuredPair], list[MeasuredPair]]:
    """Draw as many similar and dissimilar pairs as the thesis has, in two halves as there."""
    rng = random.Random("groups")
    halves: tuple[list[MeasuredPair], list[MeasuredPair]] = ([], [])
    for alike, wanted in zip((True, False), GROUP_OF, strict=True):
        those = [one for one in found if one.alike == alike]
        drawn = rng.sample(those, min(wanted, len(those)))
        halves[0].extend(drawn[::2])
        halves[1].extend(drawn[1::2])
    return halves


def _counted(rows: Sequence[MeasuredPair]) -> dict[str, Any]:
    return {
        name: asdict(Counts.of((same(one), one.alike) for one in rows))
        for name, same in METHODS.items()
    }


def _at(rows: Sequence[MeasuredPair], threshold: float) -> list[float]:
    counts = Counts.of((one.fuzzy(threshold), one.alike) for one in rows)
    return [counts.false_positives, counts.false_negatives]


def growth(sentences: Sequence[Placed]) -> list[dict[str, Any]]:
    """Return the errors of 4-grams for growing numbers of sentences (Figure 3.1a)."""
    sizes = [size for size in SIZES if size <= len(sentences)]
    shown = progress(sizes, "Figure 3.1 of Y")
    return [{"sentences": size, **errors(sentences[:size])} for size in shown]


def errors(sentences: Sequence[Placed]) -> dict[str, float]:
    """Compare what three 4-grams call the same with what has most words in common.

    Pairs are those of two documents; what has half to four fifths of its words in common is left
    open.
    """
    holders: dict[Words, set[int]] = defaultdict(set)
    for one in sentences:
        holders[one.words].add(one.document)
    distinct = list(holders)
    counts = Counter(gram for one in sentences for gram in grams(one.words))
    represented: dict[str, list[int]] = defaultdict(list)
    for number, words_ in enumerate(distinct):
        represented[least_frequent(words_, counts.__getitem__)].append(number)
    called = {pair for group in represented.values() for pair in combinations(group, 2)}
    same = same_pairs(distinct)

    def times(pairs: Iterable[tuple[int, int]]) -> int:
        """Count how often pairs occur in two documents."""
        sides = ((holders[distinct[one]], holders[distinct[other]]) for one, other in pairs)
        return sum(len(mine) * len(theirs) - len(mine & theirs) for mine, theirs in sides)

    equal = sum(len(those) * (len(those) - 1) // 2 for those in holders.values())
    wrong = times(pair for pair in called - same if _jaccard(distinct, pair) < DIFFERENT)
    right, missed = times(called & same), times(same - called)
    return {
        "false_positives": share(wrong, wrong + right + equal),
        "false_negatives": share(missed, missed + right + equal),
        "reworded_false_positives": share(wrong, wrong + right),
        "reworded_false_negatives": share(missed, missed + right),
    }


def same_pairs(sentences: Sequence[Words]) -> set[tuple[int, int]]:
    """Find all pairs with enough words in common, by their places.

    >>> same_pairs([tuple("abcde"), tuple("abcdef"), tuple("abcxyz")])
    {(0, 1)}
    """
    frequency = Counter(word for one in sentences for word in set(one))
    index: dict[str, list[int]] = defaultdict(list)
    found: set[tuple[int, int]] = set()
    for number, one in enumerate(sentences):
        rarest = sorted(set(one), key=lambda word: (frequency[word], word))
        # two sets with so much in common share one of their rarest words at least
        needed = len(rarest) - math.ceil(SAME * len(rarest) - 1e-9) + 1
        for earlier in {earlier for word in rarest[:needed] for earlier in index[word]}:
            if _jaccard(sentences, (earlier, number)) >= SAME:
                found.add((earlier, number))
        for word in rarest[:needed]:
            index[word].append(number)
    return found


def _jaccard(sentences: Sequence[Words], pair: tuple[int, int]) -> float:
    one, other = (set(sentences[number]) for number in pair)
    return len(one & other) / len(one | other)


def worth_comparing(documents: Iterable[Document]) -> list[Placed]:
    """Return the longer sentences at the beginning of documents, documents in random order."""
    mixed = list(documents)
    random.Random("documents").shuffle(mixed)
    return [
        Placed(words_, number)
        for number, document in enumerate(mixed)
        for words_ in dict.fromkeys(refined(document)[:BEGINNING])
        if len(set(words_)) >= FEWEST
    ]
