"""A published method in the place of the cascade, over the same store."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from dedup_middleware.errors import SettingError
from dedup_middleware.judge.cascade import Cascade
from dedup_middleware.judge.decide import Matches
from dedup_middleware.judge.match import Match, is_comparable

from . import make_method
from .base import Document, IndexedMethod

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.settings import Settings
    from dedup_middleware.store import Candidates, View
    from dedup_middleware.store.change import Index
    from dedup_middleware.store.tables import Tables

    from . import base
    from .base import Method


class Matcher(Protocol):
    """What finds the known pages that a page is like: the cascade, or a method in its place."""

    @property
    def label(self) -> str:
        """What the index in a store depends on."""

    uses_keys: bool
    """Whether candidates come from the look-up keys of the store."""

    def matches(self, subject: Subject, view: View, found: Candidates) -> Matches:
        """Return the known pages that a page was compared with."""

    def index(self, subject: Subject) -> Index | None:
        """Return how a page enters the tables of the method in the store, if it does."""


def make_matcher(settings: Settings) -> Matcher:
    """Return the matcher that the settings name."""
    if settings.method != "cascade":
        return MethodMatcher(settings)
    return Cascade(settings)


class MethodMatcher:
    """Matches pages by a published method; page numbers are the names of its documents.

    An index that the method keeps in tables is part of the store, and grows with each page that is
    registered. Any other is in memory, and catches up with the store before each judgement.
    """

    uses_keys = False

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        try:
            self._method: Method = make_method(settings.method, **settings.method_options)
        except SettingError as error:
            raise SettingError(f"DEDUP_METHOD: {error}") from error
        self._lock = threading.Lock()
        self._caught_up = 0
        self._documents: WeakKeyDictionary[Subject, Document] = WeakKeyDictionary()

    @property
    def label(self) -> str:
        options = {
            name: value
            for name, value in sorted(self.settings.method_options.items())
            if name != "threshold"
        }
        return f"{self.settings.method} {json.dumps(options)}" if options else self.settings.method

    def matches(self, subject: Subject, view: View, found: Candidates) -> Matches:  # noqa: ARG002 - as of the cascade
        matches = {int(match.name): match for match in self._matches(subject, view)}
        alike = []
        for page in view.pages(matches):
            if subject.admits(page):
                match = matches[page.number]
                kind, shares = self._method.kind(match), match[1:]
                alike.append(
                    Match(page, shares, max(shares), kind, stage="method", level=match.level)
                )
        return Matches(alike, method=self.settings.method)

    def index(self, subject: Subject) -> Index | None:
        method = self._method
        if not subject.comparable or not isinstance(method, IndexedMethod):
            return None

        def enter(tables: Tables, number: int) -> None:
            method.over(tables).add(self._document(subject).named(str(number)))

        return enter

    def _matches(self, subject: Subject, view: View) -> list[base.Match]:
        document = self._document(subject)
        if isinstance(self._method, IndexedMethod):
            return self._method.over(view.tables()).candidates(document)
        with self._lock:  # threads share what is in memory
            self._catch_up(view)
            return self._method.candidates(document)

    def _document(self, subject: Subject) -> Document:
        if subject not in self._documents:
            self._documents[subject] = Document(subject.url, subject.outline)
        return self._documents[subject]

    def _catch_up(self, view: View) -> None:
        for number in list(view.numbers(after=self._caught_up)):
            for record in view.records([number]):
                (outline,) = view.outlines([number])
                if is_comparable(record.words, outline, self.settings):
                    self._method.add(Document(str(number), outline))
            self._caught_up = number
