"""The way of a page, from HTML to a verdict, without Scrapy."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .fingerprint import fingerprint
from .journal import Journal, decision
from .judge.decide import is_comparable, is_small_part, judge, not_comparable, same
from .judge.overrides import NAME as RESTORED
from .judge.overrides import RestoredFiles, noted, spared
from .methods.adapter import adapter_of
from .methods.cascade import Candidates, Query, TooManyArrived
from .read import Outline, UnreadablePage, read
from .settings import Settings
from .store import Lookup, Store, View, Writer
from .text import printable
from .urls import url_key
from .verdict import Action, Kind, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from typing_extensions import Self

    from .page import Page
    from .store.records import PageRecord


logger = logging.getLogger(__name__)

FEW_COMPARISONS = 4  # what may be compared while others wait for the write lock
MOST_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class _Judgement:
    verdict: Verdict
    lookup: Lookup | None = None
    """None if the page must not be registered."""
    original: PageRecord | None = None
    swallowed: tuple[PageRecord, ...] = ()


class Deduplicator:
    """Judge pages against a store of known ones.

    Settings are those of Scrapy in lower case and without `DEDUP_`, or ready in `settings`.
    `on_decision` gets each line of the journal as it is written. `restored` lists pages that
    people have told apart, besides the list in the store's own folder. Threads may share a
    deduplicator; verdicts are those of pages judged one at a time in the order of arrival.

    >>> import tempfile
    >>> from dedup_middleware import Page
    >>> text = "<p>A page about the sea, its tides and the moon that draws them " * 3
    >>> with Deduplicator(tempfile.mkdtemp(), min_words=10) as dedup:
    ...     print(dedup.process(Page(url="https://a.example/", html=text)).kind)
    ...     verdict = dedup.process(Page(url="https://b.example/", html=text))
    ...     print(verdict.kind, verdict.original, verdict.score)
    unique
    exact https://a.example/ 1.0
    """

    def __init__(
        self,
        store: str | Path,
        *,
        run: str | None = None,
        spider: str = "",
        journal: str | Path | None = None,
        on_decision: Callable[[dict[str, Any]], None] | None = None,
        restored: Path | None = None,
        settings: Settings | None = None,
        **values: Any,
    ) -> None:
        self.settings = settings or Settings.of(**values)
        self._candidates = Candidates(self.settings)
        self._method = adapter_of(self.settings)
        self.store = Store(store, map_size=self.settings.map_size, run=run, spider=spider)
        try:
            with self.store.write() as txn:
                txn.check_method(self._method.label if self._method else "cascade")
            own = self.store.path / RESTORED
            self._restored = RestoredFiles(*dict.fromkeys((restored or own, own)))
            self.journal = Journal.open(self.store, journal)
        except BaseException:
            self.store.close()
            raise
        self._on_decision = on_decision
        self.counts: Counter[str] = Counter()
        """Pages by verdict, and what was out of the ordinary."""
        self.seconds = 0.0
        """Spent on judging."""
        self._turns = Turns()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.journal.close()
        self.store.close()

    def arrive(self) -> int:
        """Give a page its place in the order of arrival, to be named in `process`."""
        return self._turns.take()

    def process(
        self,
        page: Page,
        *,
        arrival: int | None = None,
        pending: bool = False,
        actions: Mapping[Kind, Action] | None = None,
    ) -> Verdict:
        """Judge a page and register it; `pending` until `settle` is called.

        `actions` go before those of the settings.
        """
        started = time.perf_counter()
        ticket = self.arrive() if arrival is None else arrival
        try:
            query = self._read(page)
            with self.store.snapshot() as view:  # the long part: nobody waits for it
                judgement, state = self._judge(query, view), view.state
            self._turns.wait(ticket)
            return self._record(
                query, judgement, state, started, actions or {}, delivered=not pending
            )
        finally:
            self._turns.finish(ticket)

    def probe(self, page: Page) -> Verdict:
        """Judge a page; the store stays as it is."""
        query = self._read(page)
        with self.store.snapshot() as view:
            return spared(self._judge(query, view).verdict, query.told, query.key)

    def settle(
        self, *, delivered: Iterable[int | None] = (), withdrawn: Iterable[int | None] = ()
    ) -> None:
        """Tell what became of pending pages, by `Verdict.number`.

        Delivered: an item of the page has left all pipelines. Withdrawn: its items were lost, so
        that it must not swallow others.
        """
        good = [number for number in delivered if number is not None]
        lost = [number for number in withdrawn if number is not None]
        if good or lost:
            with self.store.write() as txn:
                for number in good:
                    txn.deliver(number)
                for number in lost:
                    txn.withdraw(number)

    def _read(self, page: Page) -> Query:
        limits = {"max_html": self.settings.max_html, "max_text": self.settings.max_text}
        try:
            outline = read(page, **limits)
        except UnreadablePage as error:
            logger.warning("Not judged, passed on: %s", printable(str(error)))
            self.counts["unreadable"] += 1
            outline = Outline("", "", None, b"", (), b"", (), cut=("could not be read",))
        made = fingerprint(page, outline)
        prepared = self._candidates.prepare(outline, made.shingles)
        key = url_key(page.url)
        told = self._restored.now().of(key)
        return Query(page.url, key, outline, made, prepared, page.size, told)

    def _judge(self, query: Query, view: View, budget: int | None = None) -> _Judgement:
        if not query.told.apart:
            return self._compared(query, view, budget)
        query.parted.clear()
        judgement = self._compared(query, view, budget)
        return replace(judgement, verdict=noted(judgement.verdict, query.notes))

    def _compared(self, query: Query, view: View, budget: int | None) -> _Judgement:
        settings, page, notes = self.settings, query.fingerprint, query.outline.cut
        at_url = view.url(query.key)
        stands_for = view.page(at_url.number) if at_url else None
        if (
            at_url
            and at_url.alias
            and stands_for
            and (query.passes_over(stands_for) or query.told.restored)
        ):
            stands_for = None  # the drop that made it one was wrong
        known_url = stands_for is not None
        if not page.words:
            reason = f"The page has no words{', or ' + notes[0] if notes else ''}."
            return _Judgement(not_comparable(reason, "read", known_url=False, settings=settings))
        if at_url and stands_for and at_url.digest == page.digest:
            verdict = same(Kind.UNCHANGED, stands_for.url, settings, notes)
            return _Judgement(verdict, original=stands_for)
        comparable = is_comparable(page.words, query.outline, settings)
        lookup = view.lookup(
            page,
            alike=comparable and not self._method,
            cap=settings.max_postings,
            most=settings.max_candidates,
        )
        others = [
            record
            for number in lookup.same_digest
            if (record := view.page(number)) and record.key != query.key
        ]
        for record in others:
            if (
                record.digest == page.digest
                and (comparable or (page.body and record.body == page.body))
                and not query.passes_over(record)
            ):
                verdict = same(Kind.EXACT, record.url, settings, notes)
                return _Judgement(verdict, lookup, record)
        if not comparable:
            reason = (
                f"It was read in part only ({notes[0]})"
                if notes
                else f"It has {page.words} word{'s' * (page.words > 1)}: too few to compare"
            )
            reason += "; no page with the same bytes is known."
            return _Judgement(
                not_comparable(reason, "digest", known_url=known_url, settings=settings), lookup
            )
        if self._method:
            found = self._method.judge(query, view, known_url=known_url, notes=notes)
            return _Judgement(found[0], lookup, found[1], tuple(found[2]))
        candidates, left_out = self._candidates.of(query, view, lookup, budget)
        if lookup.capped:
            notes = (f"{lookup.capped} look-up keys lead to more pages than are kept",)
        if left_out:
            notes += (f"{left_out} more near matches were not compared word by word",)
        verdict, original, swallowed = judge(
            page,
            candidates,
            settings,
            known_url=known_url,
            notes=notes,
            model=self._candidates.model,
        )
        return _Judgement(verdict, lookup, original, tuple(swallowed))

    def _record(
        self,
        query: Query,
        judgement: _Judgement,
        state: int,
        started: float,
        actions: Mapping[Kind, Action],
        *,
        delivered: bool,
    ) -> Verdict:
        """Write a judgement down, after looking again if the store has changed since."""
        for attempts_left in reversed(range(MOST_ATTEMPTS)):
            try:
                with self.store.write() as txn:
                    if txn.state != state + 1:
                        budget = FEW_COMPARISONS if attempts_left else None
                        judgement = self._judge(query, txn, budget)
                    verdict = self._acting(query, judgement, actions)
                    number = self._register(query, judgement, verdict, txn, delivered=delivered)
                    entry = decision(
                        verdict,
                        url=query.url,
                        run=self.store.run,
                        spider=self.store.spider,
                        milliseconds=1000 * (time.perf_counter() - started),
                        size=query.size,
                        settings=self.settings,
                    )
                    line = txn.decide(entry) if entry else b""
                break
            except TooManyArrived:
                with self.store.snapshot() as view:
                    judgement, state = self._judge(query, view), view.state
        if entry:
            self.journal.write(line)
            if self._on_decision:
                self._on_decision(entry)
        self.seconds += time.perf_counter() - started
        self.counts[str(verdict.kind)] += 1
        self.counts["without_words"] += not query.fingerprint.words
        self.counts["capped"] += bool(judgement.lookup and judgement.lookup.capped)
        return replace(verdict, number=number, sequence=entry["seq"] if entry else None)

    def _acting(
        self, query: Query, judgement: _Judgement, actions: Mapping[Kind, Action]
    ) -> Verdict:
        verdict, original = judgement.verdict, judgement.original
        verdict = replace(verdict, action=actions.get(verdict.kind, verdict.action))
        return replace(
            spared(verdict, query.told, query.key),
            original_number=original.number if original else None,
            original_in_doubt=bool(
                original and not original.delivered and original.run != self.store.run_number
            ),
        )

    def _register(
        self,
        query: Query,
        judgement: _Judgement,
        verdict: Verdict,
        txn: Writer,
        *,
        delivered: bool,
    ) -> int | None:
        original = judgement.original
        if verdict.redundant and original and not self._stands_alone(query, verdict, original):
            if original.key == query.key:
                txn.seen(original.number)
                return None
            if verdict.kind not in {Kind.EXACT, Kind.UNCHANGED}:
                txn.keep(query.key, query.outline)
            if verdict.action is Action.DROP and verdict.kind is not Kind.UNCHANGED:
                # what passes may still be lost, and must then be able to pass again
                txn.alias(query.key, query.fingerprint.digest, original.number)
        elif judgement.lookup:
            for record in judgement.swallowed:
                txn.supersede(record.number)
            number = txn.register(
                query.url,
                query.key,
                query.fingerprint,
                query.outline,
                judgement.lookup,
                delivered=delivered,
            )
            if self._method:
                self._method.register(query, number, txn)
            return number
        return None

    def _stands_alone(self, query: Query, verdict: Verdict, original: PageRecord) -> bool:
        """Tell whether a page passes although another holds it, so that it may be an original."""
        if verdict.action is Action.DROP:  # as a request may wish
            return False
        if query.told.restored:
            return verdict.kind is not Kind.UNCHANGED
        return verdict.kind is Kind.CONTAINED and is_small_part(
            query.fingerprint, original, self.settings
        )


class Turns:
    """Tickets, and waiting until all lower ones are done.

    >>> turns = Turns()
    >>> first, second = turns.take(), turns.take()
    >>> turns.finish(first)
    >>> turns.wait(second)
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
        """Return when it is this ticket's turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._next >= ticket)

    def finish(self, ticket: int) -> None:
        """Give the turn on, whether the ticket used it or not."""
        with self._changed:
            self._finished.add(ticket)
            while self._next in self._finished:
                self._finished.remove(self._next)
                self._next += 1
            self._changed.notify_all()
