"""The cascade of this project, as a detector among others; a crawl does not need this wrapper."""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.candidates import Candidates, Query
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.page import Page
from dedup_middleware.settings import Settings, ranged
from dedup_middleware.store import Lookup, Store, View
from dedup_middleware.store.records import url_key
from dedup_middleware.verdict import Kind

from .detector import Detector, Match

if TYPE_CHECKING:
    from .document import Document

_DEFAULT = Settings()


@dataclass
class Cascade(Detector):
    """Estimates, shingles, words in order, sentences and trees; in a store of its own.

    The store is gone with the detector: where it must stay, use a `Deduplicator`.
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
