"""The steps of `Deduplicator.process` one by one; the only module that uses its private parts."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from dedup_middleware.deduplicator import _Judgement
from dedup_middleware.journal import decision
from dedup_middleware.methods.cascade import Query
from dedup_middleware.similarity import Prepared
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware import Deduplicator, Verdict
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.read import Outline
    from dedup_middleware.store import Lookup

# ruff: noqa: SLF001  (the cost of a stage can't be measured from outside)


def query_of(url: str, outline: Outline, fingerprint: Fingerprint) -> Query:
    """Make a query; each probe needs a new one, because it caches comparisons."""
    return Query(url, url_key(url), outline, fingerprint, Prepared(outline))


def forget_prepared(dedup: Deduplicator) -> None:
    """Empty the cache of known pages."""
    dedup._candidates.prepared = PreparedCache()


def keep_prepared(dedup: Deduplicator) -> Callable[[], None]:
    """Return a function that restores the cache of known pages to its present state."""
    pages, words = OrderedDict(dedup._candidates.prepared._pages), dedup._candidates.prepared._words

    def restore() -> None:
        forget_prepared(dedup)
        dedup._candidates.prepared._pages, dedup._candidates.prepared._words = (
            OrderedDict(pages),
            words,
        )

    return restore


def lookup(dedup: Deduplicator, query: Query) -> Lookup:
    """Look up what shares keys with a page."""
    settings = dedup.settings
    with dedup.store.snapshot() as view:
        return view.lookup(
            query.fingerprint,
            alike=True,
            cap=settings.max_postings,
            most=settings.max_candidates,
        )


def probe(dedup: Deduplicator, query: Query) -> tuple[_Judgement, int]:
    """Judge a page in a snapshot."""
    with dedup.store.snapshot() as view:
        return dedup._judge(query, view), view.state


def record(dedup: Deduplicator, query: Query, judgement: _Judgement, state: int) -> Verdict:
    """Write a judgement: index, outline, decision, journal, commit."""
    return dedup._record(query, judgement, state, time.perf_counter(), {}, delivered=True)


def fill(dedup: Deduplicator, queries: Iterable[Query], verdict: Verdict) -> None:
    """Register pages without judging them, in one transaction, each with a decision."""
    settings, store = dedup.settings, dedup.store
    with store.write() as txn:
        for query in queries:
            found = txn.lookup(
                query.fingerprint,
                alike=True,
                cap=settings.max_postings,
                most=settings.max_candidates,
            )
            dedup._register(query, _Judgement(verdict, found), verdict, txn, delivered=True)
            entry = decision(
                verdict,
                url=query.url,
                run=store.run,
                spider=store.spider,
                milliseconds=1.0,
                settings=settings,
            )
            if entry:
                txn.decide(entry)


def sizes(dedup: Deduplicator) -> dict[str, tuple[int, int]]:
    """Return entries and bytes on disk of each database."""
    environment = dedup.store._environment
    with environment.begin() as txn:
        stats = {name: txn.stat(db) for name, db in environment.db.items()}
    return {
        name: (
            stat["entries"],
            stat["psize"] * (stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]),
        )
        for name, stat in stats.items()
    }
