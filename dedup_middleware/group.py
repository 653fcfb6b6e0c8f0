"""Pages that wait to be judged: in which order, and which can be judged and committed together.

Verdicts are those of pages judged one at a time in their order. So a page is judged when no earlier
one is left that may be a candidate for it, and committed when no earlier one is left at all.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .fingerprint.scheme import lookup_keys
from .store import Committed
from .store.engine import groups
from .verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .fingerprint.subject import Subject
    from .judgement import Judgement
    from .page import Page
    from .store import Conflict
    from .verdict import Action


@dataclass(frozen=True, slots=True)
class Case:
    """A page that is to be judged."""

    page: Page | Subject
    pending: bool = True
    """Whether it is not delivered yet; `Deduplicator.settle` says what became of it."""
    requested: Mapping[Kind, Action] = field(default_factory=dict)
    """Actions that go before those of the settings."""
    overrules: int | None = None
    """The sequence number of an earlier decision on the page that no longer holds."""
    delivered: Sequence[int] = ()
    """Earlier pages that are delivered: that is written with this one."""
    judged: Callable[[Subject], object] | None = None
    """Gets the page as it was judged, with what was known of its host."""


class Group:
    """Pages in the order of their arrival, and how far each has come."""

    def __init__(
        self, cases: Sequence[Case], subjects: Iterable[Subject], *, uses_keys: bool
    ) -> None:
        """Group pages; without keys each waits for the one before."""
        self.cases = cases
        self.subjects = list(subjects)
        self.done = 0
        """How many of the first are committed."""
        self._judged: dict[int, Judgement] = {}
        self._waits_for: Sequence[int] = range(-1, len(cases) - 1)
        """For each page the last one before it that has to be committed first; -1: none."""
        if uses_keys and len(cases) > 1:
            self._waits_for = _last_sharing(self.subjects)

    def ready(self, most: int) -> list[int]:
        """Return the places of the pages that can be judged now, among so many of the next."""
        left = range(self.done, len(self.subjects))[:most]
        if len(left) == 1:  # the common case
            return [] if self._judged else [*left]
        return [
            place
            for place in left
            if place not in self._judged and self._waits_for[place] < self.done
        ]

    def earlier(self, place: int) -> int:
        """Count the pages of its host that have to be committed before a page."""
        hosts = [subject.host for subject in self.subjects[self.done : place]]
        return hosts.count(self.subjects[place].host)

    def add(self, place: int, judgement: Judgement) -> bool:
        """Add a page that was judged; return False to judge no later one before it."""
        for earlier in self.subjects[self.done : place]:
            if earlier.key in judgement.seen.asked:
                return True  # what will be at that URL is not decided: it is judged later
        self._judged[place] = judgement
        if judgement.verdict.evidence.supersedes or judgement.verdict.kind is Kind.UPDATED:
            self._forget(place + 1)  # they may have found the page whose place it takes
            return False
        return True

    def judged(self) -> list[tuple[Case, Judgement]]:
        """Return the next pages, as far as they are judged."""
        judged: list[tuple[Case, Judgement]] = []
        place = self.done
        while judgement := self._judged.get(place):
            judged.append((self.cases[place], judgement))
            place += 1
        return judged

    def finish(self, results: Sequence[Committed | Conflict]) -> None:
        """Note what became of the next pages; judge those again that have to know of it."""
        for result in results:
            del self._judged[self.done]
            if isinstance(result, Committed):
                self.done += 1
                if result.withdrew:
                    self._forget(self.done)
                elif result.published:
                    self._forget(self.done, result.published)

    def _forget(self, first: int, host: bytes = b"") -> None:
        """Judge those again from a place on that have asked for a host, or all if none is named."""
        for place, judgement in list(self._judged.items()):
            if place >= first and (not host or host in judgement.seen.asked):
                del self._judged[place]


def _last_sharing(subjects: Sequence[Subject]) -> list[int]:
    """Return for each page the place of the last one before it that is a candidate; -1: none."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    found: list[int] = []
    for place, subject in enumerate(subjects):
        last = -1
        for keys, least in groups(lookup_keys(subject.fingerprint, alike=True)):
            shared: Counter[int] = Counter()
            for key in keys.tolist():
                shared.update(places[key])
                places[key].append(place)
            last = max([last, *(one for one, times in shared.items() if times >= least)])
        found.append(last)
    return found


class TicketOrder:
    """Arrival order: pages are compared at the same time, but committed one after another.

    >>> order = TicketOrder()
    >>> first, second = order.take(), order.take()
    >>> order.finish(first)
    >>> order.wait(second)
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = 0
        self._next = 1
        self._finished: set[int] = set()

    def take(self) -> int:
        with self._changed:
            self._taken += 1
            return self._taken

    def wait(self, ticket: int) -> None:
        """Return when all lower tickets are finished."""
        with self._changed:
            while self._next < ticket:
                self._changed.wait()

    def finish(self, ticket: int) -> None:
        """Pass the turn on, whether the ticket used it or not."""
        with self._changed:
            self._finished.add(ticket)
            while self._next in self._finished:
                self._finished.remove(self._next)
                self._next += 1
            self._changed.notify_all()
