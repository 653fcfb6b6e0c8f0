"""The steps of `Deduplicator.process` one by one; the only module that uses its private parts."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import arrival_of
from dedup_middleware.journal import decision
from dedup_middleware.judge.action import decide_action
from dedup_middleware.judge.query import Query
from dedup_middleware.judge.relation import is_comparable
from dedup_middleware.methods.cascade import CascadeMatcher
from dedup_middleware.settings import Settings
from dedup_middleware.similarity import Prepared
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store import Change, Registration, Seen
from dedup_middleware.urls import host_key, url_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware import Deduplicator, Verdict
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.ledger import Judgement, Receipt
    from dedup_middleware.read import Outline
    from dedup_middleware.store import Candidates, View

_SETTINGS = Settings()

# ruff: noqa: SLF001  (the cost of a stage can't be measured from outside)


def query_of(url: str, outline: Outline, fingerprint: Fingerprint) -> Query:
    """Make a query; each probe needs a new one, because it caches comparisons."""
    return Query(
        url,
        url_key(url),
        outline,
        fingerprint,
        host_key(url),
        Prepared(outline, hashes=fingerprint.shingles),
        fingerprint.words,
        is_comparable(fingerprint.words, outline, _SETTINGS),
    )


def forget_prepared(dedup: Deduplicator) -> None:
    """Empty the cache of known pages."""
    _matcher(dedup)._cache = PreparedCache()


def keep_prepared(dedup: Deduplicator) -> Callable[[], None]:
    """Return a function that restores the cache of known pages to its present state."""
    kept = _matcher(dedup)._cache
    pages, words = OrderedDict(kept._pages), kept._words

    def restore() -> None:
        cache = _matcher(dedup)._cache = PreparedCache()
        cache._pages, cache._words = OrderedDict(pages), words

    return restore


def lookup(dedup: Deduplicator, query: Query) -> Candidates:
    """Look up what shares keys with a page."""
    with dedup.store.snapshot() as view:
        return _candidates(dedup, query, view)


def probe(dedup: Deduplicator, query: Query) -> Judgement:
    """Judge a page in a snapshot."""
    with dedup.store.snapshot() as view:
        return dedup._judge(query, view, {})


def record(dedup: Deduplicator, query: Query, judgement: Judgement) -> Receipt:
    """Write a judgement: index, outline, decision, journal, commit."""
    started = time.perf_counter()
    verdict = decide_action(judgement.finding, query, dedup.settings, {})
    query = judgement.query
    arrival = arrival_of(query.outline, query.fingerprint.digest, query.url)
    receipt = dedup._ledger.enter(judgement, verdict, arrival, started=started)
    assert receipt  # nobody else writes
    return receipt


def fill(dedup: Deduplicator, queries: Iterable[Query], verdict: Verdict) -> float:
    """Register pages without judging them, each with a decision; return the longest time of one."""
    store, longest = dedup.store, 0.0
    for query in queries:
        started = time.perf_counter()
        with store.snapshot() as view:
            found = _candidates(dedup, query, view)
            seen = Seen(view.last_page, view.url(query.key), version=view.version)
        page = Registration(
            query.url, query.fingerprint, query.outline, found.keys[~found.full], delivered=True
        )
        entry = decision(
            verdict,
            url=query.url,
            run=store.run,
            spider=store.spider,
            milliseconds=1.0,
            settings=dedup.settings,
        )
        site = query.host, arrival_of(query.outline, query.fingerprint.digest)
        store.commit(Change(query.key, page, entry, site), seen)
        longest = max(longest, time.perf_counter() - started)
    return 1000 * longest


def _candidates(dedup: Deduplicator, query: Query, view: View) -> Candidates:
    settings = dedup.settings
    return view.candidates(
        query.fingerprint, alike=True, cap=settings.max_postings, most=settings.max_candidates
    )


def _matcher(dedup: Deduplicator) -> CascadeMatcher:
    assert isinstance(dedup._matcher, CascadeMatcher)
    return dedup._matcher
