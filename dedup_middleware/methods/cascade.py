"""The cascade of this project: candidates are compared as deep as it takes to rule them out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.fingerprint.scheme import distance
from dedup_middleware.fingerprint.site import without
from dedup_middleware.fingerprint.sketch import estimates
from dedup_middleware.judge.blocks import new_blocks, rest_differs
from dedup_middleware.judge.candidate import Candidate
from dedup_middleware.judge.decide import Matches, is_small_part
from dedup_middleware.judge.names import Names, name_each_other, only_name_differs
from dedup_middleware.judge.query import Query
from dedup_middleware.judge.relation import (
    Context,
    is_near_match,
    is_worth_comparing,
    likely_relation,
    may_be_reworded,
)
from dedup_middleware.page import Page
from dedup_middleware.settings import Settings, ranged
from dedup_middleware.similarity import (
    Pair,
    SentenceTest,
    compare_hashes,
    compare_sentences,
    compare_shingles,
    compare_words,
)
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store import Change, Registration, Seen
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.urls import host_key, same_site, url_key
from dedup_middleware.verdict import Kind

from .base import Match, Method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.judge.query import KnownPage
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity import Comparison, Prepared
    from dedup_middleware.store import Candidates, View
    from dedup_middleware.store.protocol import Index

    from .document import Document

FEW_NEAR = 8  # near matches that are compared word by word, and all that are nearer than that
MOST_WORDS = 400_000  # of all these pages together, but for the two nearest
MOST_NAMES = 4096  # of known pages that are kept
CACHED_WORDS = 250_000  # of known pages that are kept as comparison needs them: some 50 MB
_DEFAULT = Settings()


class CascadeMatcher:
    """Compares a page with its candidates; keeps known pages in the form that comparison needs."""

    label = "cascade"
    uses_keys = True
    """Whether candidates come from the look-up keys of the store."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._cache = PreparedCache(CACHED_WORDS)
        self._names: dict[tuple[int, int], Names] = {}
        self._test = _test(settings)

    def prepare(self, outline: Outline, hashes: Hashes | None = None) -> Prepared:
        """Put a page into the form that comparison needs."""
        return self._test.prepare(outline, numbers=self.settings.numbers, hashes=hashes)

    def index(self, query: Query) -> Index | None:  # noqa: ARG002  # as other methods have one
        """Return how a page enters tables of the method; the cascade needs none."""
        return None

    def matches(self, query: Query, view: View, found: Candidates) -> Matches:
        """Compare a page with what shares keys with it."""
        alike, left_out = self._deepen(query, view, self._estimate(query, view, found))
        notes: tuple[str, ...] = ()
        if found.capped:
            notes += (f"{found.capped} look-up keys lead to more pages than are kept",)
        if left_out:
            notes += (f"{left_out} more near matches were not compared word by word",)
        model = self._test.model
        return Matches(alike, notes, model.number if model else 0)

    def _estimate(self, query: Query, view: View, found: Candidates) -> list[Candidate]:
        """Compare samples, and hashes of shingles where samples leave it open."""
        page, known = query.fingerprint, view.pages(found.alike)
        if not known:  # as for most pages
            return []
        estimated = estimates(page.sketch, [one.sketch for one in known])
        candidates = [
            Candidate(one, distance(page.simhash, one.simhash), estimate)
            for one, estimate in zip(known, estimated, strict=True)
        ]
        # where nothing resembles, only a part of the SimHash was the same
        candidates = [one for one in candidates if one.resembles and query.admits(one.page)]
        open_ = [
            one.page
            for one in candidates
            if is_worth_comparing(one.distance, one.estimate, self.settings)
        ]
        new = [one for one in open_ if one.number not in query.comparisons]
        for one, pair in zip(new, self._pairs(query, view, new), strict=True):
            query.comparisons[one.number] = compare_hashes(pair)
        numbers = {one.number for one in open_}
        return [
            one._replace(comparison=query.comparisons[one.page.number])
            if one.page.number in numbers
            else one
            for one in candidates
        ]

    def _deepen(
        self, query: Query, view: View, candidates: list[Candidate]
    ) -> tuple[list[Candidate], int]:
        """Compare the nearest candidates word by word; count the near matches that are left out."""
        settings, words, left_out = self.settings, 0, 0
        lowest = min(settings.near, settings.contained)
        found = {one.page.number: one for one in candidates}
        near = [
            one
            for one in candidates
            if one.comparison and (one.may_be_reworded or is_near_match(one.comparison, settings))
        ]
        near.sort(key=lambda one: (-one.closeness, one.page.number))
        for place, candidate in enumerate(near):
            number = candidate.page.number
            words += query.fingerprint.words + candidate.page.words
            many = place >= FEW_NEAR and candidate.closeness < lowest
            if many or (place > 1 and words > MOST_WORDS):
                left_out += 1
                found[number] = candidate._replace(comparison=None)  # hashes decide nothing
                continue
            if number not in query.deep_comparisons:
                (pair,) = self._pairs(query, view, [candidate.page])
                context = self._context(query, candidate.page, pair, view)
                reworded = candidate.may_be_reworded and not context.names_differ
                compared = self.compare(pair, reworded=reworded)
                query.deep_comparisons[number] = compared, context
            comparison, context = query.deep_comparisons[number]
            found[number] = candidate._replace(comparison=comparison, context=context)
        return list(found.values()), left_out

    def compare(self, pair: Pair, *, reworded: bool) -> Comparison:
        """Compare a near match; each step only if the one before leaves it open."""
        comparison = compare_shingles(pair)
        near = reworded or is_near_match(comparison, self.settings)
        if self.settings.sentences == "off" or not near:
            return comparison
        comparison = compare_words(comparison, pair)
        found = comparison.words
        reworded = reworded and found is not None and may_be_reworded(found)
        published = self.settings.sentences == "thesis"  # where words decide nothing
        if not (reworded or published) and likely_relation(comparison, self.settings) is None:
            return comparison
        return compare_sentences(comparison, pair, self._test)

    def _pairs(self, query: Query, view: View, known: Sequence[KnownPage]) -> list[Pair]:
        """Pair a page with known ones; what is not at hand of these is read at once."""
        sites = {one.number: _site(query, one, view) for one in known}
        keys = {one.number: (one.number, sites[one.number].generation) for one in known}
        missing = [number for number, key in keys.items() if key not in self._cache]
        outlines = dict(zip(missing, view.outlines(missing), strict=True))

        def prepared(number: int) -> Prepared:
            outline = outlines.get(number) or view.outlines([number])[0]
            return self.prepare(without(outline, sites[number].boilerplate))

        return [
            Pair(
                query.own,
                self._cache.get(keys[one.number], one.words, partial(prepared, one.number)),
            )
            for one in known
        ]

    def _context(self, query: Query, known: KnownPage, pair: Pair, view: View) -> Context:
        """Look at what else speaks for or against two pages being the same."""
        page, other, site = pair.page.outline, pair.known.outline, _site(query, known, view)
        same_host = host_key(known.url) == query.host
        languages = {pair.page.language, pair.known.language}
        differ = len(languages) > 1 and "" not in languages
        key = known.number, site.generation
        if len(self._names) >= MOST_NAMES:
            self._names.clear()
        names = self._names.get(key) or self._names.setdefault(key, Names(other, site))
        if not differ and same_site(query.url, known.url):  # those of others are their own matter
            differ = (
                query.names.differ(names)
                and not name_each_other(query.url, page.identity, known.url, other.identity, site)
                # a menu that both pages show says nothing
                and (query.is_list or not only_name_differs(page, other, query.names))
            )
        small_part = is_small_part(query, known, self.settings)
        return Context(
            names_differ=differ,
            names_agree=query.names.agree(names),
            small_part=small_part,
            new_site=same_host and site.generation == 0 and not small_part,
            rest_differs=rest_differs(page, other, query.words)
            or rest_differs(other, page, pair.known.word_count),
            new_entries=query.is_list and bool(new_blocks(page, other)),
        )


def _site(query: Query, known: KnownPage, view: View) -> SiteMemory:
    key = host_key(known.url)
    return query.site if key == query.host else view.host(key)


@dataclass
class Cascade(Method):
    """The cascade as a method among others; a crawl does not need this wrapper.

    Its store is in memory: where it must last, use a `Deduplicator`.
    """

    threshold: float = ranged(_DEFAULT.near, "Share of both documents that makes them near.", 0, 1)
    contained: float = ranged(
        _DEFAULT.contained, "Share of one document that makes it contained.", 0, 1
    )

    def add(self, document: Document) -> None:
        query = self._query(document)
        with self._store.snapshot() as view:
            found = self._found(query, view)
            seen = Seen(view.last_page, view.url(query.key))
        page = Registration(
            query.url, query.fingerprint, query.outline, found.keys[~found.full], delivered=True
        )
        self._store.commit(Change(query.key, page), seen)

    def candidates(self, document: Document) -> list[Match]:
        query = self._query(document)
        with self._store.snapshot() as view:
            matches = self._matcher.matches(query, view, self._found(query, view))
        return [Match(one.page.url, *one.known) for one in matches.likenesses if one.comparison]

    def kind(self, match: Match) -> Kind | None:
        if min(match.forward, match.backward) >= self.threshold:
            return Kind.NEAR
        if match.forward >= self.contained:
            return Kind.CONTAINED
        return Kind.CONTAINS if match.backward >= self.contained else None

    @cached_property
    def _matcher(self) -> CascadeMatcher:
        return CascadeMatcher(replace(_DEFAULT, near=self.threshold, contained=self.contained))

    @cached_property
    def _store(self) -> MemoryStore:
        return MemoryStore()

    def _query(self, document: Document) -> Query:
        outline = document.outline
        made = fingerprint(Page(url=document.name, text=outline.text), outline)
        return Query(
            document.name,
            url_key(document.name),
            outline,
            made,
            host_key(document.name),
            self._matcher.prepare(outline, made.shingles),
            made.words,
            comparable=True,
        )

    def _found(self, query: Query, view: View) -> Candidates:
        return view.candidates(
            query.fingerprint,
            alike=True,
            cap=_DEFAULT.max_postings,
            most=_DEFAULT.max_candidates,
        )


def _test(settings: Settings) -> SentenceTest:
    try:
        return SentenceTest.of(settings.sentences, settings.model)
    except DedupError as error:
        raise SettingError(f"DEDUP_MODEL: {error}") from error
