"""Matching of sentences: which ones of two pages say the same, by one of four tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.read.words import words

from .fuzzy import SentenceMatrix, penalised, shares
from .languages import language_of
from .model import load, shipped
from .pairing import (
    MOST_TRIES,
    NO_PARTNER,
    SAME,
    Found,
    Partner,
    SentenceIndex,
    equal,
    key_of,
    pair_sentences,
)
from .prepared import Prepared, sentence_of
from .values import Match

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline

    from .fuzzy import Matrix, Shares
    from .model import Model
    from .values import Sentence

TESTS = ("fuzzy", "thesis", "fourgrams", "overlap")
PUBLISHED = frozenset({"thesis", "fourgrams"})
"""The tests of the thesis, with sentences refined as there."""
THESIS_SAME, THESIS_GAP = 0.825, 0.15
ROUNDING = 1e-6  # error of single precision, which must not fail what is just enough
MOST_STEPS = 30_000_000
"""Words times sentences that may be compared in one direction."""
BLOCK_STEPS = 2_000_000
MOST_PAIRS = 100_000
"""Pairs of sentences that are shown: a page may repeat one thousands of times."""
LETTERS = 4
CHOSEN = 3
_PARTNER = Struct("<id")


@dataclass(frozen=True, slots=True)
class SentenceTest:
    """How two sentences are tested for sameness: by which measure, with which word model."""

    name: str = "fuzzy"
    model: Model | None = None

    @classmethod
    def of(cls, name: str, path: str) -> SentenceTest:
        """Return a test with the model of a file; those of the thesis have one in any case."""
        default = shipped() if name in PUBLISHED and not path else None
        return cls(name, load(path) if path else default)

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
    def is_plain(self) -> bool:
        """Whether shared words are all that counts for the overlap of two sentences."""
        return self.model is None and self.name in {"fuzzy", "overlap"}

    @property
    def lowest(self) -> float:
        """The similarity from which on two sentences count as the same."""
        return THESIS_SAME - ROUNDING if self.name == "thesis" else SAME

    def key(self, sentence: Sentence) -> Hashable:
        """Return what two sentences must have in common to be equal."""
        return sentence.words if self.name == "thesis" else key_of(sentence)


@dataclass(frozen=True)
class Matching:
    """For each sentence of either page, its partner in the other."""

    packed: tuple[bytes, bytes]
    """Place and similarity of the partners: few matchings are looked at in detail."""
    cut: tuple[int, int] = (0, 0)
    """How many sentences of either page were too many to be tested."""

    @classmethod
    def of(
        cls, first: Sequence[Partner], second: Sequence[Partner], cut: tuple[int, int]
    ) -> Matching:
        """Pack the partners of two pages."""
        one, other = (
            b"".join(_PARTNER.pack(*partner) for partner in side) for side in (first, second)
        )
        return cls((one, other), cut)

    @cached_property
    def first(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[0])]

    @cached_property
    def second(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[1])]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """All pairs of partners, in the order of the first page."""
        found = {(i, p.place): p.similarity for i, p in enumerate(self.first) if p.place >= 0}
        for j, partner in enumerate(self.second):
            if partner.place >= 0:
                found.setdefault((partner.place, j), partner.similarity)
        return tuple(Match(i, j, found[i, j]) for i, j in sorted(found))


def match(first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest) -> Matching:
    """Find for each sentence of two pages the one of the other page that says the same."""
    mine, theirs = found_by(first, second, test)
    return Matching.of(mine.partners, theirs.partners, (mine.cut, theirs.cut))


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
        same += _alike(first, mine, second, theirs, test)
    found = ((i, j, value) for one, other, value in same for i in mine[one] for j in theirs[other])
    return tuple(Match(*pair) for pair in sorted(islice(found, MOST_PAIRS)))


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        places[key].append(place)
    return places


def _alike(
    first: Sequence[Sentence],
    mine: Mapping[Hashable, list[int]],
    second: Sequence[Sentence],
    theirs: Mapping[Hashable, list[int]],
    test: SentenceTest,
) -> Iterator[tuple[Hashable, Hashable, float]]:
    """Yield the distinct sentences that are the same but not equal."""
    keys, others = list(mine), list(theirs)
    candidates = [second[places[0]] for places in theirs.values()]
    size = sum(len(sentence.words) for sentence in candidates)
    matrix = SentenceMatrix(candidates, test.model, weighted=False)
    step = max(1, BLOCK_STEPS // max(1, size))
    for start in range(0, min(len(keys), MOST_STEPS // max(1, size)), step):
        block = keys[start : start + step]
        overlaps = _overlaps(matrix.shares([first[mine[key][0]] for key in block]), test)
        for i, j in zip(*np.nonzero(overlaps), strict=True):
            if block[i] != others[j]:
                yield block[i], others[j], float(overlaps[i, j])


def found_by(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> tuple[Found, Found]:
    """Return what was found for the sentences of each page, and what the first is most like."""
    if test.is_plain:
        fuzzy = test.name == "fuzzy"
        return (
            pair_sentences(first, second, fuzzy=fuzzy),
            pair_sentences(second, first, fuzzy=fuzzy),
        )
    keys, other_keys = _keys(first, second, test)
    mine, theirs = equal(keys, other_keys), equal(other_keys, keys)
    cut = (0, 0)
    if test.name != "fourgrams":
        cut = (
            _fill(mine, first, keys, second, other_keys, test),
            _fill(theirs, second, other_keys, first, keys, test),
        )
    alike = pair_sentences(first, second, mine).alike
    return Found(mine, alike, cut[0], 0), Found(theirs, [], cut[1], 0)


def similarity(first: Sentence, second: Sentence, test: SentenceTest) -> float:
    """Return how similar two sentences are, 1 if they are equal."""
    if not first.words or not second.words:
        return 0.0
    if test.key(first) == test.key(second):
        return 1.0
    if test.is_plain:
        overlap = SentenceIndex([second]).overlaps(first).get(0, 0.0)
    else:
        weighted = test.name == "fuzzy"
        found = _overlaps(shares([first], [second], test.model, weighted=weighted), test)
        overlap = float(found[0, 0])
    return penalised(overlap, first, second) if test.name == "fuzzy" else overlap


def sentence_similarity(first: str, second: str) -> float:
    """Return how much two sentences say the same, 0…1.

    >>> sentence_similarity("The tide came in.", "The tides are coming in.")
    0.5
    """
    language = language_of("", [*words(first), *words(second)])
    return similarity(sentence_of(first, language), sentence_of(second, language), SentenceTest())


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


def _keys(
    first: Sequence[Sentence], second: Sequence[Sentence], test: SentenceTest
) -> tuple[list[Hashable], list[Hashable]]:
    """Return what equal sentences have in common: their words, or their three rarest 4-grams."""
    if test.name != "fourgrams":
        return [test.key(one) for one in first], [test.key(one) for one in second]
    counts = Counter(gram for one in (*first, *second) for gram in grams(one.words))
    # without a model: rare in the two pages
    frequency = test.model.gram_frequency if test.model else counts.__getitem__
    return (
        [least_frequent(one.words, frequency) for one in first],
        [least_frequent(one.words, frequency) for one in second],
    )


def _fill(
    partners: list[Partner],
    mine: Sequence[Sentence],
    keys: Sequence[Hashable],
    theirs: Sequence[Sentence],
    their_keys: Sequence[Hashable],
    test: SentenceTest,
) -> int:
    """Find partners for the sentences without one; count those left out to bound the work."""
    left = [place for place, partner in enumerate(partners) if partner.place < 0]
    others = sorted({key: place for place, key in reversed([*enumerate(their_keys)])}.values())
    if not left or not others:
        return 0
    candidates = [theirs[place] for place in others]
    size = sum(len(sentence.words) for sentence in candidates)
    todo = list({keys[place]: place for place in reversed(left)}.values())[::-1]
    todo = todo[: MOST_STEPS // size]
    found: dict[Hashable, Partner] = dict.fromkeys((keys[place] for place in todo), NO_PARTNER)
    matrix = SentenceMatrix(candidates, test.model, weighted=test.name == "fuzzy")
    step = max(1, BLOCK_STEPS // size)
    for start in range(0, len(todo), step):
        block = todo[start : start + step]
        overlaps = _overlaps(matrix.shares([mine[place] for place in block]), test)
        for i in np.flatnonzero(overlaps.max(axis=1) >= test.lowest).tolist():
            best = _best(mine[block[i]], candidates, overlaps[i], test)
            if best.place >= 0:
                found[keys[block[i]]] = Partner(others[best.place], best.similarity)
    for place in left:
        partners[place] = found.get(keys[place], NO_PARTNER)
    return sum(keys[place] not in found for place in left)


def _overlaps(found: Shares, test: SentenceTest) -> Matrix:
    """Combine the two shares of each pair."""
    if test.name != "thesis":
        both: Matrix = np.sqrt(found.of_first * found.of_second)
        return both
    lower = np.minimum(found.of_first, found.of_second)
    same = (lower >= THESIS_SAME - ROUNDING) & (
        np.abs(found.of_first - found.of_second) <= THESIS_GAP + ROUNDING
    )
    return np.where(same, lower, 0).astype(np.float32)


def _best(
    sentence: Sentence, others: Sequence[Sentence], overlaps: Matrix, test: SentenceTest
) -> Partner:
    """Choose the most similar sentence; try no more once overlap alone can't win."""
    best = NO_PARTNER
    for _ in range(MOST_TRIES):
        place = int(overlaps.argmax())
        overlap = float(overlaps[place])
        if overlap < test.lowest or overlap <= best.similarity:
            break
        value = penalised(overlap, sentence, others[place]) if test.name == "fuzzy" else overlap
        if value >= test.lowest and value > best.similarity:
            best = Partner(place, value)
        overlaps[place] = 0
    return best
