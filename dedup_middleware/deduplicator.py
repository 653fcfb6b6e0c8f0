"""The way of a page, from HTML to a verdict, without Scrapy."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from . import core
from .fingerprint.hashing import text_hashes
from .fingerprint.read_page import ReadPage, read_page
from .fingerprint.site import without
from .journal import Journal
from .judge.action import decide_action
from .judge.decide import (
    exact,
    judge,
    not_comparable,
    unchanged,
    unchanged_main,
    with_changes,
    without_words,
)
from .judge.overrides import NAME as OVERRIDES
from .judge.overrides import OverrideFiles
from .judge.query import Query
from .judge.relation import is_comparable
from .ledger import Judgement, Ledger
from .methods.adapter import make_matcher
from .read import UnreadablePage
from .settings import Settings
from .similarity.changes import changes
from .store import Seen, Wanted, open_store
from .store.tickets import TicketOrder
from .succession import contested, credible_address
from .text import printable
from .verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from .fingerprint.site import SiteMemory
    from .judge.decide import Finding
    from .ledger import Receipt
    from .page import Page
    from .store import Candidates, PageRecord, Store, UrlRecord, View
    from .verdict import Action, Verdict

logger = logging.getLogger(__name__)


class Deduplicator:
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
        self.settings = settings or Settings.of(**values)
        core.load()  # without it no page can be judged: fail before a store is made
        self._matcher = make_matcher(self.settings)
        self.store = (
            open_store(
                store,
                map_size=self.settings.map_size,
                run=run,
                spider=spider,
                is_sole=is_sole,
                commit="finish" if self.settings.commit == "finish" else "page",
            )
            if isinstance(store, str | PathLike)
            else store
        )
        try:
            self.store.check_method(self._matcher.label)
            self._overrides = OverrideFiles(*_override_files(self.store, overrides))
            self.journal = Journal.open(self.store, journal)
            self.store.listen(self.journal.write)
        except BaseException:
            self.store.close()
            raise
        self._order = TicketOrder()
        self._ledger = Ledger(self.store, self.settings, self._matcher.index, on_decision)
        self.counts = self._ledger.counts
        """What was unusual."""
        self.superseded = self._ledger.superseded
        """Pages whose places better ones have taken; for whoever wants to know, who empties it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.close(well=error is None)

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        """End the run; `well` if what it delivered is safe, so that others may rely on it.

        `revoke` if it is known to be lost: pages that counted at once count no more.
        """
        try:
            self.settle()
        finally:
            try:
                self.store.close(well=well, revoke=revoke, requests_saved=requests_saved)
            finally:
                self.journal.close()

    def process(self, page: Page | ReadPage, *, arrival: int | None = None) -> Verdict:
        """Judge a page and register it."""
        return self.receive(page, arrival=arrival, pending=False).verdict

    def probe(self, page: Page | ReadPage) -> Verdict:
        """Judge a page; the store stays as it is."""
        query = self._query(self._read(page))
        with self.store.snapshot(self._wanted(query)) as view:
            judgement = self._judge(query, view, {})
        return decide_action(judgement.finding, judgement.query, self.settings, {})

    def arrive(self) -> int:
        """Return a page's place in the order of arrival, to be passed to `process`."""
        return self._order.take()

    def receive(
        self,
        page: Page | ReadPage,
        *,
        arrival: int | None = None,
        pending: bool = True,
        wishes: Mapping[Kind, Action] | None = None,
        overrules: int | None = None,
    ) -> Receipt:
        """Judge a page and register it; `pending` until `settle` is called.

        `wishes` are actions that go before those of the settings. `overrules` is the sequence
        number of an earlier decision on the page that no longer holds.
        """
        started = time.perf_counter()
        wishes = wishes or {}
        ticket = self.arrive() if arrival is None else arrival
        try:
            read = self._read(page)
            query = self._query(read)
            while True:
                wanted = self._wanted(query)
                with self.store.snapshot(wanted) as view:  # the long part: nobody waits for it
                    judgement = self._judge(query, view, wishes)
                query = judgement.query
                verdict = decide_action(judgement.finding, query, self.settings, wishes)
                self._order.wait(ticket)
                receipt = self._ledger.enter(
                    judgement,
                    verdict,
                    read.arrival,
                    started=started,
                    overrules=overrules,
                    pending=pending,
                )
                if receipt:  # else: judge what arrived meanwhile, too
                    return receipt
        finally:
            self._order.finish(ticket)

    def take_back(
        self, url: str, receipt: Receipt, reason: str, size: int | None = None
    ) -> Receipt:
        """Write down that a page passes after all, though its verdict was to drop it."""
        return self._ledger.take_back(url, receipt, reason, size)

    def settle(
        self, *, delivered: Iterable[int | None] = (), withdrawn: Iterable[int | None] = ()
    ) -> None:
        """Write down what became of pending pages, by `Receipt.number`.

        Delivered: an item of the page has left all pipelines. Withdrawn: its items were lost, so
        that it must not be an original.
        """
        self._ledger.settle(delivered, withdrawn)

    def flush(self) -> None:
        """Write what waits to be written: the journal has all decisions then."""
        self.settle()
        self.store.flush()

    @property
    def seconds(self) -> float:
        """Spent on judging."""
        return self._ledger.seconds

    def status(self, number: int) -> str:
        """Return what became of a page: delivered, pending or gone."""
        with self.store.snapshot() as view:
            found = view.pages([number])
        return "gone" if not found else "delivered" if found[0].delivered else "pending"

    def _read(self, page: Page | ReadPage) -> ReadPage:
        if not isinstance(page, ReadPage):
            limits = self.settings
            page = read_page(page, max_html=limits.max_html, max_text=limits.max_text)
        if not page.readable:
            error = UnreadablePage(page.url)
            logger.warning("Not judged, passed on: %s", printable(str(error)))
            self.counts["unreadable"] += 1
        return page

    def _query(self, page: ReadPage) -> Query:
        outline, made = page.outline, page.fingerprint
        return Query(
            page.url,
            page.key,
            outline,
            made,
            page.host,
            self._matcher.prepare(outline, made.shingles),
            made.words,
            is_comparable(made.words, outline, self.settings),
            size=page.size,
            overrides=self._overrides.now().of(page.key),
            redirected_from=page.redirected_from,
        )

    def _wanted(self, query: Query) -> Wanted:
        return Wanted(query.key, query.host, query.fingerprint, self._matcher.uses_keys)

    def _with_site(self, query: Query, site: SiteMemory) -> Query:
        """Take off a page what the memory of its site takes for boilerplate."""
        if site.generation == query.site.generation:
            return query
        own, made = without(query.outline, site.boilerplate), query.fingerprint
        same = own.has_main_of(query.outline)
        words = made.words if same else len(text_hashes(own.main))
        return replace(
            query,
            own=self._matcher.prepare(own, made.shingles if same else None),
            words=words,
            comparable=is_comparable(words, own, self.settings),
            site=site,
            comparisons={},
            deep_comparisons={},
        )

    def _judge(self, query: Query, view: View, wishes: Mapping[Kind, Action]) -> Judgement:
        """Find what a page is, and whether it is to stand for what is known already."""
        judgement = self._find(query, view)
        query, finding = judgement.query, judgement.finding
        finding = contested(
            finding,
            query,
            view,
            self.settings,
            wishes,
            known_url=judgement.seen.url is not None,
        )
        refuted = (
            query.outline.identity.address is not None
            and credible_address(query, finding, view) is None
        )
        return replace(judgement, finding=finding, refuted=refuted)

    def _find(self, query: Query, view: View) -> Judgement:
        """Find what a page is: identical to one, or like one, or new."""
        query = self._with_site(query, view.host(query.host))
        if query.superseded != self._ledger.heirs.places:
            query = replace(query, superseded=self._ledger.heirs.places)
        query.excluded.clear()
        at_url = view.url(query.key)
        known = self._page_at(query, view, at_url)
        finding = without_words(query) or unchanged(query, at_url.digest if at_url else b"", known)
        if not finding and known and known.key == query.key:
            (shown,) = view.outlines([known.number])
            finding = unchanged_main(query, known, without(shown, query.site.boilerplate))
        if finding:
            return Judgement(query, finding, _seen(view, at_url, query, finding))
        found = view.candidates(
            query.fingerprint,
            alike=query.comparable and self._matcher.uses_keys,
            cap=self.settings.max_postings,
            most=self.settings.max_candidates,
        )
        finding = exact(query, view.pages(found.same_digest))
        if finding:
            return Judgement(query, finding, _seen(view, at_url, query, finding), found)
        finding = not_comparable(query, known_url=known is not None)
        if not finding:
            matches = self._matcher.matches(query, view, found)
            finding = judge(query, matches, self.settings, known_url=known is not None)
        if finding.kind is Kind.UPDATED and (earlier := view.kept(query.key)):
            before = without(earlier, query.site.boilerplate)
            finding = with_changes(finding, changes(before, query.own.outline))
        seen = _seen(view, at_url, query, finding, found, any_page=not self._matcher.uses_keys)
        return Judgement(query, finding, seen, found)

    def _page_at(self, query: Query, view: View, at_url: UrlRecord | None) -> PageRecord | None:
        """Return the page that stands for the URL's text, unless the drop behind it was wrong."""
        page = next(iter(view.pages([at_url.number])), None) if at_url else None
        if page is None or at_url is None or not at_url.alias:
            return page
        excluded = page.key != query.key and not query.admits(page)
        return None if excluded or query.overrides.restored else page


def _seen(
    view: View,
    at_url: UrlRecord | None,
    query: Query,
    finding: Finding,
    found: Candidates | None = None,
    *,
    any_page: bool = False,
) -> Seen:
    original = finding.original.number if finding.original else None
    if at_url and finding.kind is Kind.UPDATED:  # else the URL passes as one that is not known
        original = at_url.number
    keys, generation = found.keys if found else None, query.site.generation
    return Seen(view.last_page, at_url, original, keys, any_page, generation, view.version)


def _override_files(store: Store, project: Path | None) -> list[Path]:
    own = store.path / OVERRIDES if store.path else None
    return list(dict.fromkeys(path for path in (project or own, own) if path))
