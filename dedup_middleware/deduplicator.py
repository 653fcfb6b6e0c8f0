"""The way of a page, from HTML to a verdict, without Scrapy."""

from __future__ import annotations

import logging
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import core
from .errors import StoreError
from .fingerprint.subject import Subject, read_subject
from .group import Case, Group, TicketOrder
from .judgement import change_of, find
from .methods.adapter import make_matcher
from .page import Page
from .read import UnreadablePage
from .run import OpenRun
from .settings import Settings
from .similarity.sentences import refine
from .store import Committed, Wanted
from .text import printable
from .urls import site_of, url_key
from .verdict import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from .judgement import Judgement
    from .store import Change, Seen, Store, View
    from .verdict import Kind, Verdict

MOST_MARKS = 64  # pages seen again or superseded that a crash may leave unmarked
MOST_GONE = 100_000
MOST_TOGETHER = 16  # pages that are looked up at once; fewer while others change the store
NOTHING: Mapping[Kind, Action] = {}

logger = logging.getLogger(__name__)


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


class Deduplicator(OpenRun):
    """Judge pages against a store of known ones.

    `store` is a folder, the URL of a server (`redis://…`), or an open store. Settings are those of
    Scrapy in lower case and without `DEDUP_`, or ready in `settings`. `on_decision` gets each line
    of the journal as it is written.
    `overrides` is a list of restored pages, besides the one in the store's own folder. With
    `is_sole` no other run may use the store at the same time, which saves work. Threads may share
    a deduplicator; verdicts are those of pages judged one at a time in arrival order.

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
        store: str | Path | Store,
        *,
        run: str | None = None,
        spider: str = "",
        journal: str | Path | None = None,
        on_decision: Callable[[dict[str, Any]], None] | None = None,
        overrides: Path | None = None,
        is_sole: bool = False,
        settings: Settings | None = None,
        **values: Any,
    ) -> None:
        settings = settings or Settings.of(**values)
        core.load()  # without it no page can be judged: fail before a store is made
        self._matcher = make_matcher(settings)
        super().__init__(
            store,
            settings,
            self._matcher.label,
            run=run,
            spider=spider,
            journal=journal,
            on_decision=on_decision,
            overrides=overrides,
            is_sole=is_sole,
        )
        self._order = TicketOrder()
        self._gone: set[bytes] = set()
        self._most_together = MOST_TOGETHER
        self.seconds = 0.0
        """Spent on judging."""
        self.counts: Counter[str] = Counter()
        """What was unusual."""

    def process(self, page: Page | Subject, *, arrival: int | None = None) -> Verdict:
        """Judge a page and register it."""
        return self.judge(page, arrival=arrival, pending=False).verdict

    def probe(self, page: Page | Subject) -> Verdict:
        """Judge a page; the store stays as it is."""
        subject = self._read(Case(page))
        with self.store.snapshot(self._wanted(subject)) as view:
            return self._judge(subject, view, NOTHING).verdict

    def take_ticket(self) -> int:
        """Return a page's place in the order of arrival, to be passed to `process`."""
        return self._order.take()

    def judge(self, page: Page | Subject, *, arrival: int | None = None, **values: Any) -> Receipt:
        """Judge a page and register it; `values` are other fields of `Case`."""
        (outcome,) = self.judge_all([Case(page, **values)], arrival=arrival)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def judge_all(
        self, cases: Sequence[Case], *, arrival: int | None = None
    ) -> list[Receipt | Exception]:
        """Judge pages as if one after another; return a receipt for each, or why there is none.

        Those that have nothing to do with each other are looked up and committed together, which
        saves round trips where the store is far away.
        """
        started = time.perf_counter()
        ticket = self._order.take() if arrival is None else arrival
        outcomes: list[Receipt | Exception] = []
        is_judging = True
        try:
            # a page that is delivered now may be about to take the place of another
            if self._replacements or len(self._marks) > MOST_MARKS:
                self.settle(delivered=[number for case in cases for number in case.delivered])
            group = Group(cases, map(self._read, cases), uses_keys=self._matcher.uses_keys)
            while group.done < len(cases):
                is_judging = True
                self._judge_ready(group)  # on a snapshot: no lock is held
                self._order.wait(ticket)  # pages are committed in the order of their arrival
                is_judging = False
                outcomes += self._commit_judged(group, started)
        except Exception as error:  # noqa: BLE001 - who asked for the pages is told
            if len(cases) == 1 or isinstance(error, StoreError) or not is_judging:
                outcomes += [error] * (len(cases) - len(outcomes))
        finally:
            self._order.finish(ticket)
            self.seconds += time.perf_counter() - started
        for case in cases[len(outcomes) :]:  # one can't be judged, which must not cost the others
            outcomes += self.judge_all([case])
        return outcomes

    def _judge_ready(self, group: Group) -> None:
        """Judge the pages of a group that need not wait for others."""
        ready = group.ready(self._most_together)
        if not ready:
            return
        subjects = list(map(group.subjects.__getitem__, ready))
        wanted = map(self._wanted, subjects) if self.store.engine.is_remote else ()
        with self.store.snapshot(*wanted) as view:
            for place, subject in zip(ready, subjects, strict=True):
                if place > group.done and group.earlier(place) >= view.arrivals_left(subject.host):
                    continue  # they may change what is known of its host
                self._gone.discard(subject.key)
                judgement = self._judge(subject, view, group.cases[place].requested)
                if not group.add(place, judgement):
                    break

    def _judge(self, subject: Subject, view: View, requested: Mapping[Kind, Action]) -> Judgement:
        """Find what a page is, given what is known of its host and what people said of it."""
        view.asked = set()
        subject = subject.on(
            view.host(subject.host),
            min_words=self.settings.min_words,
            overrides=self._overrides.now().of(subject.key),
            superseded=self._places() if self._replacements else frozenset(),
        )
        return find(subject, view, self._matcher, self.settings, requested, gone=self._gone)

    def _commit_judged(self, group: Group, started: float) -> list[Receipt]:
        """Commit the next pages of a group, as far as they are judged; return their receipts."""
        judged, receipts = group.judged(), list[Receipt]()
        if self._is_first:  # the first decision of a run tells more than others
            del judged[1:]
        seconds = (time.perf_counter() - started) / len(group.cases)
        changes: list[tuple[Change, Seen, View | None]] = []
        for case, judgement in judged:
            change = self._change(case, judgement, seconds)
            changes.append((change, judgement.seen, judgement.view))
        results = self.store.commit_all(changes)
        for (case, judgement), (change, _, _), done in zip(judged, changes, results, strict=False):
            if isinstance(done, Committed):  # else: judge what arrived meanwhile, too
                if case.judged:
                    case.judged(judgement.subject)
                receipts.append(self._committed(judgement, change, done))
        group.finish(results)
        if len(receipts) < len(results):  # the shorter the time from look to commit, the rarer
            self._most_together = max(1, self._most_together // 2)
        elif self._most_together < MOST_TOGETHER:
            self._most_together += 1
        return receipts

    def note_gone(self, url: str) -> None:
        """Note that a URL shows no page any more: one that shows the same takes its place."""
        if len(self._gone) < MOST_GONE:
            self._gone.add(url_key(url))

    def overrule(self, url: str, receipt: Receipt, reason: str, size: int | None = None) -> Receipt:
        """Write down that a page passes after all, though its verdict was to drop it."""
        verdict = replace(receipt.verdict, action=Action.PASS, reason=reason)
        entry = self._entry(url, verdict, size=size, overrules=receipt.sequence)
        sequence = self._write(url, entry)
        if sequence is None:  # the URL has changed again; that line is the later
            return replace(receipt, verdict=verdict)
        self._tell(entry)
        return replace(receipt, verdict=verdict, sequence=sequence)

    def warm_up(self) -> None:
        """Load what the first page and the first near match would have to wait for."""
        self.probe(Page(url="", html="<p>warm"))
        refine(["warm"], "en")  # nltk
        site_of("warm.example")  # the list of public suffixes

    def _read(self, case: Case) -> Subject:
        subject, limits = case.page, self.settings
        if not isinstance(subject, Subject):
            subject = read_subject(subject, max_html=limits.max_html, max_text=limits.max_text)
        if not subject.readable:
            error = UnreadablePage(subject.url)
            logger.warning("Not judged, passed on: %s", printable(str(error)))
            self.counts["unreadable"] += 1
        return subject

    def _wanted(self, subject: Subject) -> Wanted:
        address = subject.outline.identity.address
        urls = (subject.key, url_key(address)) if address else (subject.key,)
        return Wanted(urls, subject.host, subject.fingerprint, self._matcher.uses_keys)

    def _change(self, case: Case, judgement: Judgement, seconds: float) -> Change:
        """Say what the store is to write; whatever passes is registered."""
        entry = self._entry(
            judgement.subject.url,
            judgement.verdict,
            milliseconds=1000 * seconds,
            size=judgement.subject.size,
            overrules=case.overrules,
            final=not case.pending,
        )
        index = self._matcher.index
        return change_of(judgement, entry, index, pending=case.pending, delivered=case.delivered)

    def _committed(self, judgement: Judgement, change: Change, done: Committed) -> Receipt:
        """Note what follows from a change that was made; return what its page is settled by."""
        original = judgement.finding.original
        self._tell(change.decision)
        if original:
            self._note(judgement, change, done.number, original)
        if not judgement.subject.fingerprint.words:
            self.counts["without_words"] += 1
        if judgement.found and judgement.found.capped:
            self.counts["capped"] += 1
        if judgement.refuted:
            self.counts["canonical_refuted"] += 1
        return Receipt(
            judgement.verdict,
            done.number,
            original.number if original else None,
            bool(original and not original.delivered),
            done.sequence,
        )
