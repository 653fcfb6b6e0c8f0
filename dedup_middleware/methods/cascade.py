"""The cascade of this project as a method among others; a crawl does not need this wrapper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.fingerprint.site import arrival_of
from dedup_middleware.fingerprint.subject import Subject
from dedup_middleware.judge import cascade
from dedup_middleware.page import Page
from dedup_middleware.settings import Settings, ranged
from dedup_middleware.store import Change, Registration, Seen
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.urls import host_key, url_key
from dedup_middleware.verdict import Kind

from .base import Match, Method

if TYPE_CHECKING:
    from dedup_middleware.store import Candidates, View

    from .base import Document

_DEFAULT = Settings()


@dataclass
class Cascade(Method):
    """The cascade over a store in memory: where that must last, use a `Deduplicator`."""

    threshold: float = ranged(_DEFAULT.near, "Share of both documents that makes them near.", 0, 1)
    contained: float = ranged(
        _DEFAULT.contained, "Share of one document that makes it contained.", 0, 1
    )

    def add(self, document: Document) -> None:
        subject = _subject(document)
        with self._store.snapshot() as view:
            found = _found(subject, view)
            seen = Seen(view.last_page, view.url(subject.key))
        page = Registration(
            subject.url,
            subject.fingerprint,
            subject.outline,
            found.keys[~found.full],
            delivered=True,
        )
        self._store.commit(Change(subject.key, page), seen)

    def candidates(self, document: Document) -> list[Match]:
        subject = _subject(document)
        with self._store.snapshot() as view:
            matches = self._cascade.matches(subject, view, _found(subject, view))
        return [Match(one.page.url, *one.coverage) for one in matches.matches if one.comparison]

    def kind(self, match: Match) -> Kind | None:
        if min(match.forward, match.backward) >= self.threshold:
            return Kind.NEAR
        if match.forward >= self.contained:
            return Kind.CONTAINED
        return Kind.CONTAINS if match.backward >= self.contained else None

    @cached_property
    def _cascade(self) -> cascade.Cascade:
        return cascade.Cascade(replace(_DEFAULT, near=self.threshold, contained=self.contained))

    @cached_property
    def _store(self) -> MemoryStore:
        return MemoryStore()


def _subject(document: Document) -> Subject:
    url, outline = document.name, document.outline
    made = fingerprint(Page(url=url, text=outline.text), outline)
    arrival = arrival_of(outline, made, url)
    return Subject(url, url_key(url), host_key(url), outline, made, arrival, size=0)


def _found(subject: Subject, view: View) -> Candidates:
    return view.candidates(
        subject.fingerprint, alike=True, cap=_DEFAULT.max_postings, most=_DEFAULT.max_candidates
    )
