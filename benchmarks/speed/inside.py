"""The steps of `Deduplicator.process` one by one; the only module that uses its private parts."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import arrival_of
from dedup_middleware.fingerprint.subject import Subject
from dedup_middleware.group import Case
from dedup_middleware.journal import decision
from dedup_middleware.judge.cascade import Cascade
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store import Change, Committed, Registration, Seen
from dedup_middleware.urls import host_key, url_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware import Deduplicator, Verdict
    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.judgement import Judgement
    from dedup_middleware.read import Outline
    from dedup_middleware.store import Candidates, View

# ruff: noqa: SLF001  (the cost of a stage can't be measured from outside)


def subject_of(url: str, outline: Outline, fingerprint: Fingerprint) -> Subject:
    """Return what is judged, given what was read of a page."""
    arrival = arrival_of(outline, fingerprint, url)
    return Subject(url, url_key(url), host_key(url), outline, fingerprint, arrival, size=0)


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


def lookup(dedup: Deduplicator, subject: Subject) -> Candidates:
    """Look up what shares keys with a page."""
    with dedup.store.snapshot() as view:
        return _candidates(dedup, subject, view)


def probe(dedup: Deduplicator, subject: Subject) -> Judgement:
    """Judge a page in a snapshot."""
    with dedup.store.snapshot() as view:
        return dedup._judge(subject, view, {})


def record(dedup: Deduplicator, judgement: Judgement) -> Receipt:
    """Write a judgement: index, outline, decision, journal, commit."""
    change = dedup._change(Case(judgement.subject, pending=False), judgement, seconds=0.001)
    done = dedup.store.commit(change, judgement.seen)
    assert isinstance(done, Committed)  # nobody else writes
    return dedup._committed(judgement, change, done)


def fill(dedup: Deduplicator, subjects: Iterable[Subject], verdict: Verdict) -> float:
    """Register pages without judging them, each with a decision; return the longest time of one."""
    store, longest = dedup.store, 0.0
    for subject in subjects:
        started = time.perf_counter()
        with store.snapshot() as view:
            found = _candidates(dedup, subject, view)
            seen = Seen(view.last_page, view.url(subject.key), version=view.version)
        page = Registration(
            subject.url,
            subject.fingerprint,
            subject.outline,
            found.keys[~found.full],
            delivered=True,
        )
        entry = decision(
            verdict,
            url=subject.url,
            run=store.run,
            spider=store.spider,
            milliseconds=1.0,
            settings=dedup.settings,
        )
        store.commit(Change(subject.key, page, entry, (subject.host, subject.arrival)), seen)
        longest = max(longest, time.perf_counter() - started)
    return 1000 * longest


def _candidates(dedup: Deduplicator, subject: Subject, view: View) -> Candidates:
    settings = dedup.settings
    return view.candidates(
        subject.fingerprint, alike=True, cap=settings.max_postings, most=settings.max_candidates
    )


def _matcher(dedup: Deduplicator) -> Cascade:
    assert isinstance(dedup._matcher, Cascade)
    return dedup._matcher
