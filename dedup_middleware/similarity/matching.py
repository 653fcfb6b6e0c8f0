"""Sentences that say the same: how two are compared, and the tests of Yerra's thesis for pages.

The compiled core matches the sentences of two pages by `fuzzy` and `overlap`. Those of the thesis
are matched here: `thesis` compares sentences as fuzzy sets of words, where a word also belongs, to
a degree, to sentences with words that often occur in the same documents; `fourgrams` represents a
sentence by its three least frequent 4-grams.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.errors import DedupError
from dedup_middleware.read.words import words

from .model import load, shipped
from .prepared import Prepared, sentence_of
from .sentences import NO_PARTNER, Match, Matching, Partner, language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline

    from .model import Model
    from .sentences import Sentence

    Matrix = NDArray[np.float32]

TESTS = ("fuzzy", "thesis", "fourgrams", "overlap")
PUBLISHED = frozenset({"thesis", "fourgrams"})
"""The tests of the thesis, with sentences refined as there."""
SAME = 0.6
"""The similarity from which on two sentences count as the same."""
THESIS_SAME, THESIS_GAP = 0.825, 0.15
ROUNDING = 1e-6  # error of single precision, which must not fail what is just enough
MOST_STEPS = 30_000_000
"""Words times sentences that may be compared in one direction."""
BLOCK_STEPS = 2_000_000
MOST_PAIRS = 100_000
"""Pairs of sentences that are shown: a page may repeat one thousands of times."""
LETTERS = 4
CHOSEN = 3
DISORDER = 0.5
OTHER_FACTS = 0.8
HIGHEST = 0.999  # of a correlation: different words are never the same
_EQUAL = -1000.0  # ln(1 - c) of equal words, of which e is 0


@dataclass(frozen=True, slots=True)
class SentenceTest:
    """How two sentences are tested for sameness: by which measure, with which word model."""

    name: str = "fuzzy"
    model: Model | None = None
    """Only the tests of the thesis use it."""

    @classmethod
    def of(cls, name: str, path: str) -> SentenceTest:
        """Return a test with the model of a file; those of the thesis have one in any case."""
        if name in PUBLISHED:
            return cls(name, load(path) if path else shipped())
        if path:
            raise DedupError(
                f"only the sentence tests {' and '.join(sorted(PUBLISHED))} use a model, not {name}"
            )
        return cls(name)

    @property
    def is_published(self) -> bool:
        """Whether it is one of the thesis, where only letters count."""
        return self.name in PUBLISHED

    def prepare(
        self,
        outline: Outline,
        *,
        numbers: bool = True,
        hashes: Hashes | None = None,
        names: int = 0,
        rarity: bytes = b"",
    ) -> Prepared:
        """Put a page into the form that this test needs; given how rare its host's units are."""
        published = self.is_published
        numbers = numbers and not published
        return Prepared(outline, numbers, hashes, joined=published, names=names, rarity=rarity)

    @property
    def lowest(self) -> float:
        """The similarity from which on two sentences count as the same."""
        return THESIS_SAME - ROUNDING if self.name == "thesis" else SAME


def similarity(first: Sentence, second: Sentence, test: SentenceTest) -> float:
    """Return how similar two sentences are, 1 if they are equal."""
    if not first.words or not second.words:
        return 0.0
    if test.name == "thesis":
        (_, found), *_ = _sameness([first], [second], test.model)
        return 1.0 if first.words == second.words else float(found[0, 0])
    if (first.words, first.negated) == (second.words, second.negated):
        return 1.0
    here, there = set(first.words), set(second.words)
    mine = sum(word in there for word in first.words) / len(first.words)
    overlap = math.sqrt(mine * (sum(word in here for word in second.words) / len(second.words)))
    return penalised(overlap, first, second) if test.name == "fuzzy" else overlap


def sentence_similarity(first: str, second: str) -> float:
    """Return how much two sentences say the same, 0…1.

    >>> sentence_similarity("The tide came in.", "The tides are coming in.")
    0.5
    """
    language = language_of("", [*words(first), *words(second)])
    return similarity(sentence_of(first, language), sentence_of(second, language), SentenceTest())


def penalised(overlap: float, first: Sentence, second: Sentence) -> float:
    """Reduce the overlap of two sentences that differ in order, numbers or negation.

    >>> from dedup_middleware.similarity.sentences import Sentence
    >>> one, two = Sentence("", 0, ("dog", "bite", "man")), Sentence("", 0, ("man", "bite", "dog"))
    >>> penalised(1.0, one, one), round(penalised(1.0, one, two), 2)
    (1.0, 0.67)
    """
    similarity = overlap
    if overlap > 0 and first.words != second.words:
        # the more two sentences share, the more its order matters
        disorder = 1 - order_share(first.words, second.words)
        similarity *= 1 - DISORDER * (overlap * overlap) * disorder
    if first.numbers - second.numbers and second.numbers - first.numbers:
        similarity *= OTHER_FACTS
    if first.negated != second.negated:
        similarity *= OTHER_FACTS
    return similarity


def order_share(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the share of the common words that are in the same order in both.

    >>> order_share("a b c d".split(), "x a c b d".split())
    0.75
    """
    places: dict[str, list[int]] = {}
    for place in range(len(second) - 1, -1, -1):
        places.setdefault(second[place], []).append(place)
    common = [places[word].pop() for word in first if places.get(word)]
    return longest_ascent(common) / len(common) if common else 1.0


def longest_ascent(places: Sequence[int]) -> int:
    """Return how many of some numbers ascend, if the others are left out.

    >>> longest_ascent([1, 5, 2, 3])
    3
    """
    ends: list[int] = []  # the lowest numbers at which ascending sequences of each length end
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


def match(first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest) -> Matching:
    """Find for each sentence of two pages the one of the other that is the same by the thesis."""
    keys, other_keys = _keys(first, second, test)
    mine, theirs = paired(keys, other_keys), paired(other_keys, keys)
    cut = (0, 0)
    if test.name == "thesis":
        cut = _fill(mine, first, second, test.model), _fill(theirs, second, first, test.model)
    return Matching.of(mine, theirs, cut)


def every_pair(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> tuple[Match, ...]:
    """Return all pairs of sentences that are the same by a test of the thesis (EQ).

    A sentence that two pages have twice makes four pairs.
    """
    keys, other_keys = _keys(first, second, test)
    mine, theirs = _places(keys), _places(other_keys)
    same = [(one, one, 1.0) for one in mine if one in theirs]
    if test.name == "thesis":
        ours, others = list(mine), list(theirs)
        sides = [first[mine[one][0]] for one in ours], [second[theirs[one][0]] for one in others]
        for start, found in _sameness(*sides, test.model):
            for i, j in zip(*np.nonzero(found), strict=True):
                if ours[start + i] != others[j]:
                    same.append((ours[start + i], others[j], float(found[i, j])))
    found_pairs = ((i, j, value) for a, b, value in same for i in mine[a] for j in theirs[b])
    return tuple(Match(*pair) for pair in sorted(islice(found_pairs, MOST_PAIRS)))


def paired(keys: Sequence[Hashable], others: Sequence[Hashable]) -> list[Partner]:
    """Pair sentences of equal keys, the first with the first, the second with the second."""
    places = _places(others)
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


class Shares(NamedTuple):
    """For each pair of sentences, how much of one the other covers; a row for each of the first."""

    of_first: Matrix
    of_second: Matrix


def shares(
    first: Sequence[Sentence], second: Sequence[Sentence], model: Model | None = None
) -> Shares:
    """Return the mean membership of each sentence's words in each sentence of the other side.

    A word is a member of the sentences that have it, and with a model, to a degree, of those that
    have words which often occur in the same documents: 1 - Π (1 - c).
    """
    (mine, times), (theirs, other_times) = _counted(first), _counted(second)
    logs = np.zeros((len(mine), len(theirs)), np.float32)
    if model:
        logs = np.log1p(-np.minimum(model.table(list(mine), list(theirs)), np.float32(HIGHEST)))
    for word in mine.keys() & theirs.keys():
        logs[mine[word], theirs[word]] = _EQUAL
    members = 1 - np.exp(logs @ (other_times > 0).T.astype(np.float32))
    other_members = 1 - np.exp(logs.T @ (times > 0).T.astype(np.float32))
    return Shares(
        times @ members / np.maximum(times.sum(axis=1), 1)[:, None],
        (other_times @ other_members / np.maximum(other_times.sum(axis=1), 1)[:, None]).T,
    )


def _counted(sentences: Sequence[Sentence]) -> tuple[dict[str, int], Matrix]:
    """Number the words of sentences; count in a row for each how often it has each word."""
    numbers: dict[str, int] = defaultdict(count().__next__)
    columns = [numbers[word] for word in chain.from_iterable(one.words for one in sentences)]
    rows = np.repeat(np.arange(len(sentences)), [len(one.words) for one in sentences])
    times = np.zeros((len(sentences), len(numbers)), np.float32)
    np.add.at(times, (rows, np.array(columns, np.int64)), 1)
    return numbers, times


def _sameness(
    first: Sequence[Sentence], second: Sequence[Sentence], model: Model | None
) -> Iterator[tuple[int, Matrix]]:
    """Yield where some sentences begin, and the lower of the two shares of each with each other.

    It is 0 for those that are not the same. Where there are too many sentences, the last are left
    out.
    """
    size = max(1, sum(len(one.words) for one in second))
    step = max(1, BLOCK_STEPS // size)
    todo = first[: MOST_STEPS // size]
    for start in range(0, len(todo), step):
        one, other = shares(todo[start : start + step], second, model)
        lower, gap = np.minimum(one, other), np.abs(one - other)
        same = (lower >= THESIS_SAME - ROUNDING) & (gap <= THESIS_GAP + ROUNDING)
        yield start, np.where(same, lower, np.float32(0))


def _fill(
    partners: list[Partner],
    mine: Sequence[Sentence],
    theirs: Sequence[Sentence],
    model: Model | None,
) -> int:
    """Find partners for the sentences without one; count those left out to bound the work."""
    left = _places([one.words if partners[at].place < 0 else () for at, one in enumerate(mine)])
    left.pop((), None)
    others = [places[0] for places in _places([one.words for one in theirs]).values()]
    if not left or not others:
        return 0
    places, done = list(left.values()), 0
    sides = [mine[some[0]] for some in places], [theirs[place] for place in others]
    for start, found in _sameness(*sides, model):
        done = start + len(found)
        best = found.argmax(axis=1)
        for i in np.flatnonzero(found.max(axis=1)).tolist():
            for place in places[start + i]:
                partners[place] = Partner(others[best[i]], float(found[i, best[i]]))
    return sum(map(len, places[done:]))


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        places[key].append(place)
    return places


def _keys(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> tuple[list[Hashable], list[Hashable]]:
    """Return what equal sentences have in common: their words, or their three rarest 4-grams."""
    if test.name != "fourgrams":
        return [one.words for one in first], [one.words for one in second]
    counts = Counter(gram for one in (*first, *second) for gram in grams(one.words))
    # without a model: rare in the two pages
    frequency = test.model.gram_frequency if test.model else counts.__getitem__
    return (
        [least_frequent(one.words, frequency) for one in first],
        [least_frequent(one.words, frequency) for one in second],
    )


def grams(words: Sequence[str]) -> list[str]:
    """Return the 4-grams of a refined sentence, across its words.

    >>> " ".join(grams(["novel", "creations"]))
    'nove ovel velc elcr lcre crea reat eati atio tion ions'

    A sentence of fewer letters is returned whole.

    >>> grams(["a", "bc"])
    ['abc']
    """
    text = "".join(words)
    return [text[at : at + LETTERS] for at in range(max(1, len(text) - LETTERS + 1))]


def least_frequent(words: Sequence[str], frequency: Callable[[str], int]) -> str:
    """Join the three distinct 4-grams that are rarest in the corpus, in the order of the sentence.

    >>> rare = {"lcre": 0, "velc": 1}
    >>> least_frequent(["novel", "creations"], lambda gram: rare.get(gram, 9))
    'novevelclcre'
    """
    distinct = list(dict.fromkeys(grams(words)))
    # sorting is stable: of equally rare ones the first are chosen
    rarest = sorted(range(len(distinct)), key=lambda place: frequency(distinct[place]))[:CHOSEN]
    return "".join(distinct[place] for place in sorted(rarest))
