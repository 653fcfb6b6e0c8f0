"""The pages that a pool is drawn from: each text once, with words enough to be compared."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from dedup_middleware.judge.relation import is_comparable
from dedup_middleware.methods import Document
from dedup_middleware.store import packing
from dedup_middleware.urls import url_key

from .answers import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dedup_middleware.methods import Match, Method
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings


BEYOND = "beyond the limit"


class Gathering:
    """Pages in the order of arrival, packed; what needs no judge is left out and counted."""

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
        """A name for exactly these pages."""
        return self._digest.hexdigest()

    def add(self, url: str, outline: Outline) -> None:
        reason = self._reason_against(url, outline)
        if reason:
            self.left_out[reason] += 1
            return
        self._packed[url] = packing.pack(outline)
        for text in (url, outline.text):
            self._digest.update(_hash(text))

    def outline(self, url: str) -> Outline:
        return packing.unpack(self._packed[url])

    def _reason_against(self, url: str, outline: Outline) -> str | None:
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


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


MOST_A_PAGE = 20
"""Earlier pages that a method nominates for a page, its best ones: a site may be all copies."""


class Stratum(str, Enum):
    """What methods say about a pair together."""

    DISPUTED = "disputed"
    ALIKE = "alike"
    APART = "apart"

    def __str__(self) -> str:
        return self.value


ALIKE_SHARE, APART_SHARE = 0.2, 0.1
"""Of a pool: pairs on which all methods agree, as a check; the rest is disputed, if enough is."""


@dataclass(frozen=True, slots=True)
class Nominated:
    """A pair, and what each method calls its second page if the first is known."""

    pair: Pair
    said: Mapping[str, str | None]
    drawn: bool = True
    """Whether chance has a say; False if it is here because somebody has answered it already."""

    @property
    def votes(self) -> int:
        """How many methods call the pages alike."""
        return sum(kind is not None for kind in self.said.values())

    @property
    def stratum(self) -> Stratum:
        if self.votes == len(self.said):
            return Stratum.ALIKE
        return Stratum.DISPUTED if self.votes else Stratum.APART


class Pooling:
    """Runs methods over a stream of documents, and collects the pairs that they nominate.

    Beside the pages that some method calls like a page, the closest one that it does not is
    nominated, and one at random: pairs that all methods may have missed.

    >>> from dedup_middleware.methods import Document, make_method
    >>> pooling = Pooling({"shingles": make_method("shingles")}, seed=1)
    >>> text = "the tide came in and the boats were lifted"
    >>> for name in "ab":
    ...     pooling.add(Document.of_text(name, text))
    >>> [(one.pair, one.said) for one in pooling.nominated]
    [(Pair(first='a', second='b'), {'shingles': 'near'})]
    """

    def __init__(
        self, methods: Mapping[str, Method], seed: int, wanted: Iterable[Pair] = ()
    ) -> None:
        self.methods = methods
        self.nominated: list[Nominated] = []
        self._seed = seed
        self._names: list[str] = []
        self._wanted: dict[str, list[str]] = {}
        for pair in wanted:
            self._wanted.setdefault(pair.first, []).append(pair.second)
            self._wanted.setdefault(pair.second, []).append(pair.first)

    def add(self, document: Document) -> None:
        """Look for earlier documents that are like one, then make it known."""
        scored = {
            name: {match.name: match for match in method.candidates(document)}
            for name, method in self.methods.items()
        }
        for earlier, drawn in self._chosen(document.name, scored).items():
            said = {
                name: self._kind(name, matches.get(earlier)) for name, matches in scored.items()
            }
            self.nominated.append(Nominated(Pair(earlier, document.name), said, drawn))
        for method in self.methods.values():
            method.add(document)
        self._names.append(document.name)

    def _chosen(self, name: str, scored: Mapping[str, Mapping[str, Match]]) -> dict[str, bool]:
        """Name the earlier documents to look at beside one; False: only because it is wanted."""
        chosen: dict[str, bool] = {}
        for method, matches in scored.items():
            chosen.update(dict.fromkeys(_best(matches.values(), self.methods[method]), True))
        if self._names:
            chosen[self._names[rank(self._seed, "any", name) % len(self._names)]] = True
        for earlier in self._wanted.get(name, ()):
            if earlier in self._names:
                chosen.setdefault(earlier, False)
        return chosen

    def _kind(self, name: str, match: Match | None) -> str | None:
        kind = self.methods[name].kind(match) if match else None
        return str(kind) if kind else None


def _best(matches: Iterable[Match], method: Method) -> list[str]:
    """Choose the best of what a method calls alike, and the closest of the rest."""
    ranked = sorted(matches, key=lambda match: (-max(match[1:]), -min(match[1:]), match.name))
    alike = [match.name for match in ranked if method.kind(match)]
    apart = (match.name for match in ranked if not method.kind(match))
    closest = next(apart, None)
    return alike[:MOST_A_PAGE] + ([closest] if closest is not None else [])


def choose(
    nominated: Iterable[Nominated], most: int, seed: int, wanted: Iterable[Pair] = ()
) -> list[Nominated]:
    """Draw a pool: of pairs with as many votes a random sample, in an order that tells nothing.

    With the same seed a larger pool holds a smaller one, so that a pool can grow. Pairs that are
    wanted come in on top of what is drawn.
    """
    ordered = sorted(nominated, key=lambda one: rank(seed, "drawn", *one.pair))
    by_votes: dict[int, list[Nominated]] = {}
    for one in ordered:
        if one.drawn:
            by_votes.setdefault(one.votes, []).append(one)
    methods = len(ordered[0].said) if ordered else 0
    places = quotas({votes: len(ones) for votes, ones in by_votes.items()}, methods, most)
    chosen = {one.pair: one for votes, ones in by_votes.items() for one in ones[: places[votes]]}
    either_way = {way for pair in wanted for way in (pair, pair.turned)}
    for one in ordered:
        if one.pair in either_way:
            chosen.setdefault(one.pair, replace(one, drawn=False))
    return sorted(chosen.values(), key=lambda one: rank(seed, "shown", *one.pair))


def quotas(sizes: Mapping[int, int], methods: int, most: int) -> dict[int, int]:
    """Share out the places of a pool, given how many pairs have how many methods' votes.

    Disputed pairs share theirs evenly: else one method that misses much would fill them. What is
    left over goes to pairs that all call alike, then to those that none does.

    >>> quotas({0: 500, 1: 3, 2: 90, 3: 40}, 3, 50)
    {0: 5, 1: 3, 2: 32, 3: 10}
    """
    wanted = {methods: round(ALIKE_SHARE * most), 0: round(APART_SHARE * most)}
    given = {votes: min(size, wanted.get(votes, 0)) for votes, size in sizes.items()}
    disputed = [votes for votes in sorted(sizes) if 0 < votes < methods]
    for group in (disputed, [methods], [0]):
        while sum(given.values()) < most:
            with_more = [votes for votes in group if given.get(votes, 0) < sizes.get(votes, 0)]
            if not with_more:
                break
            given[min(with_more, key=given.__getitem__)] += 1
    return given


def rank(seed: int, *words: str) -> int:
    """Give a number that looks random, and is the same on every machine."""
    text = "\0".join((str(seed), *words))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def called_alike(
    nominated: Iterable[Nominated], methods: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Count for each method the pairs that it calls alike, by how many methods do."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in methods}
    for one in nominated:
        for name in methods:
            if one.drawn and one.said[name] is not None:
                counts[name][str(one.votes)] += 1
    return {name: dict(sorted(count.items())) for name, count in counts.items()}
