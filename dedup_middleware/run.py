"""A run: its store and its journal, and what becomes of the pages that it has judged."""

from __future__ import annotations

import threading
from collections import deque
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from .journal import Journal, decision, skipped
from .judge.overrides import NAME as OVERRIDES
from .judge.overrides import OverrideFiles
from .replacement import PendingReplacement, Superseded, replace_known
from .store import Change, Committed, Ending, Seen, open_store
from .urls import url_key
from .verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from .judge.match import KnownPage
    from .judgement import Judgement
    from .settings import Settings
    from .store import Store
    from .verdict import Verdict

    OnDecision = Callable[[dict[str, Any]], None]


class OpenRun:
    """What a run has open, and what it tells its store later. Threads may share it."""

    def __init__(
        self,
        store: str | Path | Store,
        settings: Settings,
        method: str,
        *,
        run: str | None = None,
        spider: str = "",
        journal: str | Path | None = None,
        on_decision: OnDecision | None = None,
        overrides: Path | None = None,
        is_sole: bool = False,
    ) -> None:
        """Open a store, whose pages are indexed by `method`, and begin a journal."""
        self.settings = settings
        if isinstance(store, str | PathLike):
            commit = "finish" if settings.commit == "finish" else "page"
            size = settings.map_size
            store = open_store(
                store, map_size=size, run=run, spider=spider, is_sole=is_sole, commit=commit
            )
        self.store = store
        try:
            store.check_method(method)
            own = store.path / OVERRIDES if store.path else None
            self._overrides = OverrideFiles(*filter(None, dict.fromkeys((overrides, own))))
            self.journal = Journal.open(store, journal)
            store.listen(self.journal.write)
        except BaseException:
            store.close()
            raise
        self._on_decision = on_decision
        self._is_first = True
        """Whether no decision was made yet."""
        self._marking = threading.Lock()
        self._marks: set[tuple[bool, int]] = set()
        """What `settle` will tell the store of other pages: whether they are part of a later page,
        or else were seen again."""
        self._replacements: dict[int, PendingReplacement] = {}
        """Pages that will take the place of known ones when they are delivered, by number."""
        self.superseded: deque[Superseded] = deque()
        """Pages that better ones have replaced. The reader of the list empties it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.close(Ending(succeeded=error is None))

    def close(self, ending: Ending = Ending()) -> None:  # noqa: B008  # it is frozen
        """End the run; `ending` says whether what it delivered is safe."""
        try:
            self.settle()
        finally:
            try:
                self.store.close(ending)
            finally:
                self.journal.close()

    def settle(
        self, *, delivered: Iterable[int | None] = (), withdrawn: Iterable[int | None] = ()
    ) -> None:
        """Write down what became of pending pages, by `Receipt.number`.

        Delivered: an item of the page has left all pipelines. Withdrawn: its items were lost, so
        that it must not be an original.
        """
        good = [number for number in delivered if number is not None]
        lost = [number for number in withdrawn if number is not None]
        with self._marking:
            marks, self._marks = self._marks, set()
        if good or lost or marks:
            again = [page for is_inside, page in marks if not is_inside]
            inside = [page for is_inside, page in marks if is_inside]
            self.store.settle(good, lost, again, inside)
        for number in lost:
            self._replacements.pop(number, None)
        for number in good:
            if pending := self._replacements.pop(number, None):
                self._replace(pending)

    def flush(self) -> None:
        """Write what waits to be written: the journal has all decisions then."""
        self.settle()
        self.store.flush()

    def status(self, number: int) -> str:
        """Return what became of a page: delivered, pending or gone."""
        with self.store.snapshot() as view:
            found = view.pages([number])
        return "gone" if not found else "delivered" if found[0].delivered else "pending"

    def note_skipped(self, url: str, original: str, rule: str, reason: str, more: int = 0) -> None:
        """Write down that a request was not sent, and by which rule of its site."""
        run, spider = self.store.run, self.store.spider
        entry = skipped(url, original, rule, reason, run=run, spider=spider, more=more)
        self._write(url, entry)
        if self._on_decision:
            self._on_decision(entry)

    def _write(self, url: str, entry: dict[str, Any] | None) -> int | None:
        """Write a decision that changes no page; None if its URL has changed meanwhile."""
        key = url_key(url)
        with self.store.snapshot() as view:
            seen = Seen(view.last_page, view.url(key))
        done = self.store.commit(Change(key, decision=entry), seen)
        return done.sequence if isinstance(done, Committed) else None

    def _entry(self, url: str, verdict: Verdict, **values: Any) -> dict[str, Any] | None:
        """Return the line of the journal about a page; `values` are others of `decision`."""
        return decision(
            verdict,
            url=url,
            run=self.store.run,
            spider=self.store.spider,
            settings=self.settings,
            first=self._is_first,
            **values,
        )

    def _tell(self, entry: dict[str, Any] | None) -> None:
        if entry:
            self._is_first = False
            if self._on_decision:
                self._on_decision(entry)

    def _note(
        self, judgement: Judgement, change: Change, number: int | None, original: KnownPage
    ) -> None:
        """Note what follows for its original from a page that was registered, or is a copy."""
        verdict, url = judgement.verdict, judgement.subject.url
        with self._marking:
            if verdict.kind is Kind.CONTAINS:
                self._marks |= {(True, page.number) for page in judgement.finding.swallowed}
            else:
                self._marks.add((False, original.number))
        if change.supersedes is not None:
            self.superseded.append(Superseded(original.url, url))
        elif verdict.evidence.supersedes and number is not None and change.decision:
            waiting = PendingReplacement(url, number, original.number, change.decision)
            self._replacements[number] = waiting

    def _places(self) -> frozenset[int]:
        """Return the pages that will be replaced; copies are dropped for those that do it."""
        return frozenset(one.place for one in [*self._replacements.values()])

    def _replace(self, pending: PendingReplacement) -> None:
        """Let a page that is delivered now take the place that it was promised."""
        with self.store.snapshot() as view:
            change = replace_known(pending, view)
        if change and isinstance(self.store.commit(*change), Committed):
            entry = change[0].decision or {}
            self._tell(entry)
            self.superseded.append(Superseded(entry["supersedes"], pending.url))
