"""A published method in the place of the cascade, over the same store."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dedup_middleware.errors import SettingError
from dedup_middleware.judge.decide import is_comparable, judge
from dedup_middleware.verdict import Kind, Scores

from . import Document, IndexedMethod, make_method

if TYPE_CHECKING:
    from dedup_middleware.settings import Settings
    from dedup_middleware.store import View, Writer
    from dedup_middleware.store.records import PageRecord
    from dedup_middleware.verdict import Verdict

    from . import Match, Method
    from .cascade import Query


@dataclass(frozen=True, slots=True)
class MethodMatch:
    """A known page that a method gave a score."""

    record: PageRecord
    known: tuple[float, float]
    found: Kind | None
    stage: str = "method"
    comparison: None = None
    deep: None = None

    def kind(self, settings: Settings) -> Kind | None:  # noqa: ARG002 - the method has decided
        return self.found

    @property
    def scores(self) -> Scores:
        forward, backward = known = round(self.known[0], 4), round(self.known[1], 4)
        if forward == backward:  # as of methods that know no direction
            return Scores(resemblance=forward, known=known)
        return Scores(containment=forward, contained_by=backward, known=known)

    @property
    def closeness(self) -> float:
        return max(self.known)


def adapter_of(settings: Settings) -> MethodAdapter | None:
    """Make what the settings ask for; None is the cascade."""
    if settings.method != "cascade":
        return MethodAdapter(settings)
    if settings.method_options:
        raise SettingError("DEDUP_METHOD_OPTIONS are not for the cascade; it has other settings")
    return None


class MethodAdapter:
    """Judges pages by a method; the numbers of pages are the names of its documents.

    An index that the method keeps in tables lies in the store, and grows with each page that is
    registered. Any other is in memory, and catches up with the store before each judgement.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._method: Method = make_method(settings.method, **settings.method_options)
        self._lock = threading.Lock()
        self._caught_up = 0

    @property
    def label(self) -> str:
        """What the index depends on."""
        options = {
            name: value
            for name, value in sorted(self.settings.method_options.items())
            if name != "threshold"
        }
        return f"{self.settings.method} {json.dumps(options)}" if options else self.settings.method

    def judge(
        self, query: Query, view: View, *, known_url: bool, notes: tuple[str, ...]
    ) -> tuple[Verdict, PageRecord | None, list[PageRecord]]:
        """Decide about a page whose digest is new."""
        found = [
            MethodMatch(record, match[1:], self._method.kind(match))
            for match in self._matches(query, view)
            if (record := view.page(int(match.name)))
            and record.key != query.key
            and not query.passes_over(record)
        ]
        verdict, original, swallowed = judge(
            query.fingerprint, found, self.settings, known_url=known_url, notes=notes
        )
        reason = f"{verdict.reason} So finds the method {self.settings.method}."
        return replace(verdict, reason=reason), original, swallowed

    def register(self, query: Query, number: int, txn: Writer) -> None:
        """Enter a page that has just been registered into the index in the store."""
        comparable = is_comparable(query.fingerprint.words, query.outline, self.settings)
        if comparable and isinstance(self._method, IndexedMethod):
            self._method.over(txn.tables).add(query.document.named(str(number)))

    def _matches(self, query: Query, view: View) -> list[Match]:
        if isinstance(self._method, IndexedMethod):
            return self._method.over(view.tables).candidates(query.document)
        with self._lock:  # threads share what is in memory
            self._catch_up(view)
            return self._method.candidates(query.document)

    def _catch_up(self, view: View) -> None:
        for number in list(view.pages_after(self._caught_up)):
            record, outline = view.any_page(number), view.outline(number)
            if record and is_comparable(record.words, outline, self.settings):
                self._method.add(Document(str(number), outline))
            self._caught_up = number
