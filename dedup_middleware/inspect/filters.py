"""Filters that select decisions from journals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.urls import host_needles, is_within

from .decisions import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from .decisions import Decision
    from .journals import Journals


@dataclass(frozen=True)
class Filter:
    """Conditions on a decision; empty ones do not apply.

    >>> from dedup_middleware.inspect.decisions import Decision
    >>> line = b'{"url": "https://www.example.org/a", "verdict": "exact", "action": "drop"}'
    >>> exact = Decision.parse(line)
    >>> Filter(host="example.org", scores=(0.9, 1)).matches(exact)
    True
    """

    verdicts: frozenset[str] | set[str] = frozenset()
    actions: frozenset[str] | set[str] = frozenset()
    runs: frozenset[str] | set[str] = frozenset()
    host: str = ""
    """A host or domain, as `named_host` returns it."""
    original: str = ""
    """A part of the original's URL."""
    scores: tuple[float, float] | None = None
    """The lowest and the highest score."""
    since: datetime | None = None
    until: datetime | None = None

    def matches(self, decision: Decision) -> bool:
        for test in self._tests:  # noqa: SIM110 - a generator is slower, this runs for millions
            if not test(decision):
                return False
        return True

    def select(self, journals: Journals) -> Iterator[Decision]:
        """Yield the decisions that match."""
        needles = host_needles(self.host) if self.host else ()
        for decision in journals.decisions(*self._needles, any_case=needles):
            if self.matches(decision):
                yield decision

    @cached_property
    def _tests(self) -> list[Callable[[Decision], bool]]:
        tests: list[Callable[[Decision], bool]] = []
        if self.verdicts:
            tests.append(lambda one: one.verdict in self.verdicts)
        if self.actions:
            tests.append(lambda one: one.action in self.actions)
        if self.runs:
            tests.append(lambda one: one.run in self.runs)
        if self.host:
            tests.append(lambda one: is_within(one.host, self.host))
        if self.original:
            tests.append(lambda one: self.original in (one.original or ""))
        if self.scores:
            tests.append(self._has_score)
        if self.since or self.until:
            tests.append(self._is_within_time)
        return tests

    @cached_property
    def _needles(self) -> list[list[bytes]]:
        """Lists of strings: a matching line holds one of each; quotes within texts are escaped."""
        needles = [
            [b'"%s"' % escaped(word) for word in words]
            for words in (self.verdicts, self.actions, self.runs)
            if words
        ]
        return [*needles, [escaped(self.original)]] if self.original else needles

    def _has_score(self, decision: Decision) -> bool:
        assert self.scores  # noqa: S101  # a test only then
        score = decision.score
        return score is not None and self.scores[0] <= score <= self.scores[1]

    def _is_within_time(self, decision: Decision) -> bool:
        when = decision.when
        return when is not None and not (
            (self.since and when < self.since) or (self.until and when > self.until)
        )
