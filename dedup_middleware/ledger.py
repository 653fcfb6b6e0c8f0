"""The ledger: what is written down of a judged page, in the store and in the journal."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .journal import decision
from .store import Change, Committed, Copy, Registration, Seen
from .succession import Heir, Heirs, Superseded, succession
from .urls import url_key
from .verdict import Action, Kind, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .fingerprint.site import Arrival
    from .judge.decide import Finding
    from .judge.query import Query
    from .settings import Settings
    from .store import Candidates, Store
    from .store.protocol import Index

IDENTICAL = frozenset({Kind.EXACT, Kind.UNCHANGED})
MOST_MARKS = 64  # pages met again or superseded that a crash may leave unmarked


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found about a page, and what that rests on."""

    query: Query
    finding: Finding
    seen: Seen
    found: Candidates | None = None
    """What its keys lead to; None if they were not looked up."""
    refuted: bool = False
    """Whether the page declares an address that shows something else."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A verdict, and what the store knows of its page: for those who settle it later."""

    verdict: Verdict
    number: int | None = None
    """The page's number, if it was registered."""
    original: int | None = None
    """The original's number."""
    in_doubt: bool = False
    """Whether the original is pending, and may still be lost."""
    sequence: int | None = None
    """The number of the decision in the journal; None if there is none."""


class Ledger:
    """Enters judged pages, and what becomes of them; threads may share it."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        index: Callable[[Query], Index | None],
        on_decision: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._index = index
        self._on_decision = on_decision
        self._is_first = True
        """Whether no decision was made yet."""
        self._marking = threading.Lock()
        self._met: set[int] = set()
        self._superseded: set[int] = set()
        self.heirs = Heirs()
        self.superseded: deque[Superseded] = deque()
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0

    def enter(
        self,
        judgement: Judgement,
        verdict: Verdict,
        arrival: Arrival,
        *,
        started: float,
        overrules: int | None = None,
        pending: bool = False,
    ) -> Receipt | None:
        """Write down a verdict; None if something arrived since that could change it."""
        change = self._change(judgement, verdict, arrival, started, overrules, pending)
        result = self._store.commit(change, judgement.seen)
        if not isinstance(result, Committed):
            return None
        self._tell(change.decision)
        self._mark(judgement.finding)
        self._note_place(judgement, verdict, change, result)
        query, original = judgement.query, judgement.finding.original
        self.counts["without_words"] += not query.fingerprint.words
        self.counts["capped"] += bool(judgement.found and judgement.found.capped)
        self.counts["canonical_refuted"] += judgement.refuted
        self.seconds += time.perf_counter() - started
        in_doubt = original and not original.delivered
        return Receipt(
            verdict,
            result.number,
            original.number if original else None,
            bool(in_doubt),
            result.sequence,
        )

    def take_back(
        self, url: str, receipt: Receipt, reason: str, size: int | None = None
    ) -> Receipt:
        """Write down that a page passes after all, though its verdict was to drop it."""
        verdict = replace(receipt.verdict, action=Action.PASS, reason=reason)
        entry = self._entry(url, verdict, size, 0.0, receipt.sequence)
        key = url_key(url)
        with self._store.snapshot() as view:
            seen = Seen(view.last_page, view.url(key))
        result = self._store.commit(Change(key, decision=entry), seen)
        if not isinstance(result, Committed):  # the URL has changed again; that line is the later
            return replace(receipt, verdict=verdict)
        self._tell(entry)
        return replace(receipt, verdict=verdict, sequence=result.sequence)

    def settle(self, delivered: Iterable[int | None], withdrawn: Iterable[int | None]) -> None:
        """Write down what became of pages, and what was noted of others."""
        good = [number for number in delivered if number is not None]
        lost = [number for number in withdrawn if number is not None]
        with self._marking:
            met, self._met = self._met, set()
            superseded, self._superseded = self._superseded, set()
        if good or lost or met or superseded:
            self._store.settle(good, lost, met, superseded)
        self.heirs.pop(lost)
        for heir in self.heirs.pop(good):
            self._take_place(heir)

    def _change(
        self,
        judgement: Judgement,
        verdict: Verdict,
        arrival: Arrival,
        started: float,
        overrules: int | None,
        pending: bool,
    ) -> Change:
        """Say what the store is to write; whatever passes is registered."""
        query, finding, found = judgement.query, judgement.finding, judgement.found
        page: Registration | Copy | None = None
        milliseconds = 1000 * (time.perf_counter() - started)
        entry = self._entry(
            query.url, verdict, query.size, milliseconds, overrules, final=not pending
        )
        supersedes: int | None = None
        if verdict.redundant and verdict.action is Action.DROP and finding.original:
            if finding.original.key != query.key:
                kept = None if verdict.kind in IDENTICAL else query.outline
                page = Copy(query.fingerprint.digest, finding.original.number, kept)
        elif found is not None:
            page = Registration(
                query.url,
                query.fingerprint,
                query.outline,
                found.keys[~found.full],
                delivered=not pending,
                index=self._index(query),
            )
            if verdict.evidence.supersedes and finding.original and not pending:
                supersedes = finding.original.number
        return Change(query.key, page, entry, (query.host, arrival), supersedes)

    def _mark(self, finding: Finding) -> None:
        """Note what `settle` will tell the store of other pages."""
        with self._marking:
            if finding.kind is Kind.CONTAINS:
                self._superseded |= {page.number for page in finding.swallowed}
            elif finding.original:
                self._met.add(finding.original.number)
        if len(self._met) + len(self._superseded) > MOST_MARKS:
            self.settle((), ())

    def _note_place(
        self, judgement: Judgement, verdict: Verdict, change: Change, result: Committed
    ) -> None:
        """Note that a page has taken the place of another, or will when it is delivered."""
        original, url = judgement.finding.original, judgement.query.url
        if original is None or not verdict.evidence.supersedes or result.number is None:
            return
        if change.supersedes is not None:
            self.superseded.append(Superseded(original.url, url))
        elif change.decision:
            self.heirs.add(Heir(url, result.number, original.number, change.decision))

    def _take_place(self, heir: Heir) -> None:
        """Let a page that is delivered now take the place that it was promised."""
        with self._store.snapshot() as view:
            change = succession(heir, view)
        if change and isinstance(self._store.commit(*change), Committed):
            entry = change[0].decision or {}
            self._tell(entry)
            self.superseded.append(Superseded(entry["supersedes"], heir.url))

    def _entry(
        self,
        url: str,
        verdict: Verdict,
        size: int | None,
        milliseconds: float,
        overrules: int | None,
        *,
        final: bool = True,
    ) -> dict[str, Any] | None:
        return decision(
            verdict,
            url=url,
            run=self._store.run,
            spider=self._store.spider,
            milliseconds=milliseconds,
            size=size,
            settings=self._settings,
            overrules=overrules,
            first=self._is_first,
            final=final,
        )

    def _tell(self, entry: dict[str, Any] | None) -> None:
        if entry:
            self._is_first = False
            if self._on_decision:
                self._on_decision(entry)
