"""The known pages that may be like a page, each compared as deeply as it takes."""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.fingerprint.simhash import distance
from dedup_middleware.judge.decide import (
    Candidate,
    is_near_match,
    is_worth_comparing,
    may_match,
)
from dedup_middleware.judge.overrides import NOTHING, Told
from dedup_middleware.page import Page
from dedup_middleware.settings import Settings, ranged
from dedup_middleware.similarity import (
    Pair,
    Prepared,
    Test,
    compare_hashes,
    compare_sentences,
    compare_shingles,
    compare_words,
)
from dedup_middleware.similarity.model import load
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store import Lookup, Store, View
from dedup_middleware.text import printable
from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Kind

from .base import Match, Method
from .document import Document

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity import Comparison
    from dedup_middleware.similarity.model import Model
    from dedup_middleware.store import Lookup, View
    from dedup_middleware.store.records import PageRecord


FEW_NEAR = 8  # near matches that are compared word by word, and all that are nearer than that
MOST_WORDS = 400_000  # of all these pages together, but for the two nearest


class TooManyArrived(Exception):
    """More pages came in since the snapshot than may be compared under the write lock."""


@dataclass(frozen=True)
class Query:
    """A page that has been read, and what is made of it only when it is needed."""

    url: str
    key: bytes
    outline: Outline
    fingerprint: Fingerprint
    prepared: Prepared
    size: int | None = None
    """Of the page as it came, in bytes."""
    told: Told = NOTHING
    """What people said about the page."""

    @cached_property
    def document(self) -> Document:
        """The page as a method other than the cascade sees it."""
        return Document(self.url, self.outline)

    @cached_property
    def comparisons(self) -> dict[int, Comparison]:
        """With known pages, by number; these never change, so a comparison holds for good."""
        return {}

    @cached_property
    def near(self) -> dict[int, Comparison]:
        """With those that are near matches, word by word."""
        return {}

    @cached_property
    def parted(self) -> dict[str, None]:
        """The URLs of known pages that were passed over, in order."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What people said that counted."""
        return tuple(f"told apart from {printable(url)} by a person" for url in self.parted)

    def passes_over(self, record: PageRecord) -> bool:
        """Tell whether a person has told the page apart from a known one that it is like."""
        if record.key not in self.told.apart:
            return False
        self.parted[record.url] = None
        return True


class Candidates:
    """Finds the candidates of pages, and keeps known pages in the form that comparison needs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.prepared = PreparedCache()
        self._test = Test(settings.sentences, _model(settings.model))

    @property
    def model(self) -> int:
        """The number of the model of words that takes part; 0 if none does."""
        return self._test.model.number if self._test.model else 0

    def of(
        self, query: Query, view: View, lookup: Lookup, budget: int | None
    ) -> tuple[list[Candidate], int]:
        """Compare a page with what shares keys with it; tell how many near matches are left out.

        No more known pages than the budget are looked at that were not compared before.
        """
        return self._deepened(query, view, self._alike(query, view, lookup, budget))

    def prepare(self, outline: Outline, hashes: Hashes | None = None) -> Prepared:
        """Put a page into the form that comparison needs."""
        return Prepared(outline, self.settings.numbers and self._test.keeps_numbers, hashes)

    def _alike(
        self, query: Query, view: View, lookup: Lookup, budget: int | None
    ) -> list[Candidate]:
        page, candidates = query.fingerprint, []
        for number in lookup.alike:
            record = view.page(number)
            if record is None or record.key == query.key:
                continue
            candidate = Candidate(
                record, distance(page.simhash, record.simhash), page.sample.estimate(record.sample)
            )
            if not candidate.resembles:  # only a part of the SimHash was the same
                continue
            if query.passes_over(record):
                continue
            if is_worth_comparing(candidate, self.settings):
                if number not in query.comparisons:
                    if budget is not None and (budget := budget - 1) < 0:
                        raise TooManyArrived
                    query.comparisons[number] = compare_hashes(self._pair(query, view, record))
                candidate = replace(candidate, comparison=query.comparisons[number])
            candidates.append(candidate)
        return candidates

    def _deepened(
        self, query: Query, view: View, candidates: list[Candidate]
    ) -> tuple[list[Candidate], int]:
        """Compare the nearest candidates word by word; tell how many near matches are left out."""
        settings, words, left_out = self.settings, 0, 0
        lowest = min(settings.near, settings.contained)
        found = {one.record.number: one for one in candidates}
        near = [
            one
            for one in sorted(candidates, key=lambda one: (-one.closeness, one.record.number))
            if one.comparison and is_near_match(one.comparison, settings)
        ]
        for place, candidate in enumerate(near):
            number = candidate.record.number
            words += query.fingerprint.words + candidate.record.words
            many = place >= FEW_NEAR and candidate.closeness < lowest
            if many or (place > 1 and words > MOST_WORDS):
                left_out += 1
                found[number] = replace(candidate, comparison=None)  # hashes decide nothing
                continue
            if number not in query.near:
                query.near[number] = self._compare(self._pair(query, view, candidate.record))
            found[number] = replace(candidate, comparison=query.near[number])
        return list(found.values()), left_out

    def _compare(self, pair: Pair) -> Comparison:
        """Compare a near match; each step only if the one before leaves it open."""
        comparison = compare_shingles(pair)
        if self.settings.sentences == "off" or not is_near_match(comparison, self.settings):
            return comparison
        comparison = compare_words(comparison, pair)
        if not may_match(comparison, self.settings):
            return comparison
        return compare_sentences(comparison, pair, self._test)

    def _pair(self, query: Query, view: View, record: PageRecord) -> Pair:
        known = self.prepared.get(
            record.number, record.words, lambda: self.prepare(view.outline(record.number))
        )
        return Pair(query.prepared, known)


def _model(path: str) -> Model | None:
    try:
        return load(path) if path else None
    except DedupError as error:
        raise SettingError(f"DEDUP_MODEL: {error}") from error


_DEFAULT = Settings()


@dataclass
class Cascade(Method):
    """Estimates, shingles, words in order, sentences and trees; in a store of its own.

    The store is gone with the method: where it must stay, use a `Deduplicator`.
    """

    threshold: float = ranged(_DEFAULT.near, "Share of both documents that makes them near.", 0, 1)
    contained: float = ranged(
        _DEFAULT.contained, "Share of one document that makes it contained.", 0, 1
    )

    def add(self, document: Document) -> None:
        query = self._query(document)
        with self._store.write() as txn:
            lookup = self._lookup(query, txn)
            args = (query.url, query.key, query.fingerprint, query.outline, lookup)
            txn.register(*args, delivered=True)

    def candidates(self, document: Document) -> list[Match]:
        query = self._query(document)
        with self._store.snapshot() as view:
            found, _ = self._candidates.of(query, view, self._lookup(query, view), None)
        return [Match(one.record.url, *one.known) for one in found if one.comparison]

    def kind(self, match: Match) -> Kind | None:
        if min(match.forward, match.backward) >= self.threshold:
            return Kind.NEAR
        if match.forward >= self.contained:
            return Kind.CONTAINED
        return Kind.CONTAINS if match.backward >= self.contained else None

    @cached_property
    def _candidates(self) -> Candidates:
        return Candidates(replace(_DEFAULT, near=self.threshold, contained=self.contained))

    @cached_property
    def _store(self) -> Store:
        folder = tempfile.TemporaryDirectory(prefix="cascade-")
        store = Store(Path(folder.name) / "store")
        weakref.finalize(self, _close, store, folder)
        return store

    def _query(self, document: Document) -> Query:
        outline = document.outline
        made = fingerprint(Page(url=document.name, text=outline.text), outline)
        prepared = self._candidates.prepare(outline, made.shingles)
        return Query(document.name, url_key(document.name), outline, made, prepared)

    def _lookup(self, query: Query, view: View) -> Lookup:
        return view.lookup(
            query.fingerprint,
            alike=True,
            cap=_DEFAULT.max_postings,
            most=_DEFAULT.max_candidates,
        )


def _close(store: Store, folder: tempfile.TemporaryDirectory[str]) -> None:
    store.close()
    folder.cleanup()
