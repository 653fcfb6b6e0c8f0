"""Pools of pairs to label: pairs of pages that methods disagree on."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dedup_middleware.judge.match import is_comparable
from dedup_middleware.methods import Document
from dedup_middleware.store import packing
from dedup_middleware.urls import url_key
from lab.answers import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dedup_middleware.methods import Match, Method
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

BEYOND = "beyond the limit"
MOST_A_PAGE = 20
"""Earlier pages that a method nominates for a page, its best ones: a site may be all copies."""
_ALIKE_SHARE, _APART_SHARE = 0.2, 0.1
"""Of a pool: pairs that all methods or none call alike, as a check; the rest is disputed."""


class PoolPages:
    """The pages that a pool is drawn from, packed, in order of arrival: each text once.

    Pages that need no label are left out and counted.
    """

    def __init__(self, settings: Settings, most: int) -> None:
        self.left_out: Counter[str] = Counter()
        self._settings = settings
        self._most = most
        self._packed: dict[str, bytes] = {}
        self._urls: set[bytes] = set()
        self._texts: set[bytes] = set()
        self._digest = hashlib.blake2b(digest_size=16)

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[Document]:
        return (Document(url, packing.unpack(packed)) for url, packed in self._packed.items())

    @property
    def digest(self) -> str:
        """A digest of the URLs and texts of all pages."""
        return self._digest.hexdigest()

    def add(self, url: str, outline: Outline) -> None:
        reason = self._reason_to_leave_out(url, outline)
        if reason:
            self.left_out[reason] += 1
            return
        self._packed[url] = packing.pack(outline)
        for text in (url, outline.text):
            self._digest.update(_hash(text))

    def outline(self, url: str) -> Outline:
        return packing.unpack(self._packed[url])

    def _reason_to_leave_out(self, url: str, outline: Outline) -> str | None:
        key, text = url_key(url), _hash(outline.text)
        if key in self._urls:
            return "met again"
        self._urls.add(key)
        if not is_comparable(len(Document(url, outline).words), outline, self._settings):
            return "too short or cut"
        if text in self._texts:
            return "exact copies"
        self._texts.add(text)
        return BEYOND if len(self) >= self._most else None


class Stratum(StrEnum):
    """What the methods say about a pair together."""

    DISPUTED = "disputed"
    ALIKE = "alike"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class PooledPair:
    """A pair, and the verdict of each method on its second page if the first is known."""

    pair: Pair
    verdicts: Mapping[str, str | None]
    drawn: bool = True
    """Whether it is here by chance; False if because somebody has answered it already."""

    @property
    def votes(self) -> int:
        """The number of methods that call the pages alike."""
        return sum(kind is not None for kind in self.verdicts.values())

    @property
    def stratum(self) -> Stratum:
        if self.votes == len(self.verdicts):
            return Stratum.ALIKE
        return Stratum.DISPUTED if self.votes else Stratum.APART


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs to label, and what they were drawn from."""

    pairs: tuple[PooledPair, ...]
    methods: tuple[str, ...]
    seed: int
    store: str | None
    paths: tuple[str, ...]
    pages: int
    digest: str
    """Of the pages: pools with the same digest were drawn from the same pages."""
    left_out: Mapping[str, int]
    strata: Mapping[str, int]
    """How many pairs of each stratum were nominated."""
    called: Mapping[str, Mapping[str, int]]
    """How many of them each method calls alike, by the number of methods that do."""
    made: str


class PoolBuilder:
    """Runs methods over a stream of documents, and collects the pairs that they nominate.

    For each page, a method nominates the earlier pages that it calls alike and the closest that it
    does not; one more is drawn at random: pairs that all methods may have missed.

    >>> from dedup_middleware.methods import Document, make_method
    >>> builder = PoolBuilder({"shingles": make_method("shingles")}, seed=1)
    >>> text = "the tide came in and the boats were lifted"
    >>> for name in "ab":
    ...     builder.add(Document.of_text(name, text))
    >>> [(one.pair, one.verdicts) for one in builder.nominated]
    [(Pair(first='a', second='b'), {'shingles': 'near'})]
    """

    def __init__(
        self, methods: Mapping[str, Method], seed: int, wanted: Iterable[Pair] = ()
    ) -> None:
        self.methods = methods
        self.nominated: list[PooledPair] = []
        self._seed = seed
        self._names: list[str] = []
        self._wanted: dict[str, list[str]] = {}
        for pair in wanted:
            self._wanted.setdefault(pair.first, []).append(pair.second)
            self._wanted.setdefault(pair.second, []).append(pair.first)

    def add(self, document: Document) -> None:
        """Nominate pairs of a document with earlier ones, then add it to the methods."""
        scored = {
            name: {match.name: match for match in method.candidates(document)}
            for name, method in self.methods.items()
        }
        for earlier, drawn in self._nominate(document.name, scored).items():
            verdicts = {
                name: self._verdict(name, matches.get(earlier)) for name, matches in scored.items()
            }
            self.nominated.append(PooledPair(Pair(earlier, document.name), verdicts, drawn))
        for method in self.methods.values():
            method.add(document)
        self._names.append(document.name)

    def _nominate(self, name: str, scored: Mapping[str, Mapping[str, Match]]) -> dict[str, bool]:
        """Return the earlier documents to pair one with; False: only because it is wanted."""
        chosen: dict[str, bool] = {}
        for method, matches in scored.items():
            chosen.update(dict.fromkeys(_best(matches.values(), self.methods[method]), True))
        if self._names:
            chosen[self._names[_rank(self._seed, "any", name) % len(self._names)]] = True
        for earlier in self._wanted.get(name, ()):
            if earlier in self._names:
                chosen.setdefault(earlier, False)
        return chosen

    def _verdict(self, name: str, match: Match | None) -> str | None:
        kind = self.methods[name].kind(match) if match else None
        return str(kind) if kind else None


def _best(matches: Iterable[Match], method: Method) -> list[str]:
    """Return the best of the pages that a method calls alike, and the closest of the others."""
    ranked = sorted(matches, key=lambda match: (-max(match[1:]), -min(match[1:]), match.name))
    kinds = [(match.name, method.kind(match)) for match in ranked]
    alike = [name for name, kind in kinds if kind]
    apart = [name for name, kind in kinds if not kind]
    return alike[:MOST_A_PAGE] + apart[:1]


def draw_pairs(
    nominated: Iterable[PooledPair], most: int, seed: int, wanted: Iterable[Pair] = ()
) -> list[PooledPair]:
    """Draw a random sample of the pairs with each number of votes, in random order.

    With the same seed a larger sample holds a smaller one, so that a pool can grow. Wanted pairs
    are added to what is drawn.
    """
    ordered = sorted(nominated, key=lambda one: _rank(seed, "drawn", *one.pair))
    by_votes: dict[int, list[PooledPair]] = {}
    for one in ordered:
        if one.drawn:
            by_votes.setdefault(one.votes, []).append(one)
    methods = len(ordered[0].verdicts) if ordered else 0
    places = quotas({votes: len(ones) for votes, ones in by_votes.items()}, methods, most)
    chosen = {one.pair: one for votes, ones in by_votes.items() for one in ones[: places[votes]]}
    either_way = {way for pair in wanted for way in (pair, pair.swapped)}
    for one in ordered:
        if one.pair in either_way:
            chosen.setdefault(one.pair, replace(one, drawn=False))
    return sorted(chosen.values(), key=lambda one: _rank(seed, "shown", *one.pair))


def quotas(sizes: Mapping[int, int], methods: int, most: int) -> dict[int, int]:
    """Return how many pairs to draw for each number of votes, given how many there are.

    Disputed pairs are drawn evenly over the numbers of votes: else one method that misses much
    would fill the pool. What is left over goes to pairs that all methods call alike, then to those
    that none does.

    >>> quotas({0: 500, 1: 3, 2: 90, 3: 40}, 3, 50)
    {0: 5, 1: 3, 2: 32, 3: 10}
    """
    wanted = {methods: round(_ALIKE_SHARE * most), 0: round(_APART_SHARE * most)}
    given = {votes: min(size, wanted.get(votes, 0)) for votes, size in sizes.items()}
    disputed = [votes for votes in sorted(sizes) if 0 < votes < methods]
    for group in (disputed, [methods], [0]):
        while sum(given.values()) < most:
            with_more = [votes for votes in group if given.get(votes, 0) < sizes.get(votes, 0)]
            if not with_more:
                break
            given[min(with_more, key=given.__getitem__)] += 1
    return given


def count_alike(
    nominated: Iterable[PooledPair], methods: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Count for each method the pairs that it calls alike, by the number of methods that do."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in methods}
    for one in nominated:
        for name in methods:
            if one.drawn and one.verdicts[name] is not None:
                counts[name][str(one.votes)] += 1
    return {name: dict(sorted(count.items())) for name, count in counts.items()}


def _rank(seed: int, *words: str) -> int:
    """Return a number that looks random and is the same on every machine."""
    text = "\0".join((str(seed), *words))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
