"""The store on a server, with the run that uses it."""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.fingerprint.site import Arrival, SiteCounts, SiteMemory
from dedup_middleware.store.protocol import Arrived, Committed
from dedup_middleware.store.runs import ended_run, new_run, new_run_id
from dedup_middleware.store.tables import check_method

from . import lease
from .change import commit_arguments
from .connection import pairs
from .folding import fold_log, is_due
from .layout import HEADER, NUMBER
from .opened import Opened
from .view import ArrivedSince, RedisView, numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.store.protocol import Change, Seen, Wanted

    from .connection import Server


logger = logging.getLogger(__name__)


class _Judging(threading.local):
    """The page that a thread judges: what it has seen, and why that does not hold."""

    view: RedisView | None = None
    arrived: ArrivedSince | None = None


class RedisStore(Opened):
    """A store and the run that uses it."""

    def __init__(
        self, url: str, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> None:
        super().__init__(url)
        self.run = run or new_run_id()
        self.spider = spider
        self._listener: Callable[[list[bytes]], object] | None = None
        self._committing = threading.Lock()
        self._judging = _Judging()
        self._commit = commit
        self._process = ""
        self._lease: lease.Lease | None = None
        try:
            self._begin()
            self._withdraw_dead()
            self._end_dead_runs()
        except BaseException:
            self.close()
            raise

    @property
    def run_number(self) -> int:
        return self._number

    def listen(self, listener: Callable[[list[bytes]], object]) -> None:
        self._listener = listener

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        with self._committing:  # or the server's note of what was done last would not do
            arguments = commit_arguments(change, seen, self._server, self._number)
            token, due = secrets.token_bytes(8), (b"", b"", b"")
            index = arguments.index(seen.last_page + 1)
            remembered = self._remembered
            runs, question = remembered.runs, remembered.question()
            while True:
                answer, *facts = self._server.script(
                    "commit",
                    self._store,
                    NUMBER.pack(self._number),
                    token,
                    runs.version,
                    runs.standings(self._number, alive=True),
                    runs.standings(self._number, alive=False),
                    *arguments.seen,
                    *question,
                    *arguments.made,
                    *arguments.site,
                    *due,
                    *index,
                )
                if answer == b"due" and change.site:
                    due = _next_generation(self._server, *change.site, facts[0])
                elif answer == b"runs":
                    runs = remembered.fetch_runs()
                elif answer == b"number":
                    index = arguments.index(facts[0])
                elif answer == b"late" and seen.keys is not None:
                    view = super()._view(None)
                    pages = view.arrived(seen.keys, after=seen.last_page)
                    if pages:
                        return Arrived(pages)
                    seen = replace(seen, last_page=view.last_page)
                    arguments = commit_arguments(change, seen, self._server, self._number)
                else:
                    break
        if answer == b"arrived":
            answer, news, *records = facts
            numbers = [NUMBER.unpack(number)[0] for number in news]
            self._judging.arrived = ArrivedSince(question[0], answer, (numbers, *records))
            return Arrived(tuple(numbers))
        number, sequence = facts
        line = b""
        if change.decision is not None:
            change.decision["seq"] = sequence
            line = numbered(arguments.line, sequence)
            if self._listener:
                self._listener([line])
        if number and is_due(number, remembered.recent.known.buckets.folded):
            self._fold(number)
        return Committed(number or None, line, sequence or None)

    def _view(self, wanted: Wanted | None) -> RedisView:
        judging = self._judging
        before, arrived, view = judging.view, judging.arrived, None
        judging.view = judging.arrived = None
        if before and arrived:
            view = before.after(arrived, wanted)
        view = view or super()._view(wanted)
        if wanted:
            judging.view = view
        return view

    def _fold(self, last_page: int) -> None:
        try:
            fold_log(self._server, last_page)
        except StoreError as error:  # the page is entered; somebody will try again
            logger.debug("The log of recent pages was not folded: %s", error)

    def flush(self) -> None:
        """Nothing waits."""

    def check_method(self, label: str) -> None:
        known = self._server.script("method", self._store, label).decode()
        check_method(known, label)

    def dead_runs(self) -> list[str]:
        runs = self._remembered.fetch_runs().known
        live = self.live_numbers()  # after the runs: one that begins in between is no dead one
        alive = {run["run"] for number, run in runs.items() if number in live} | {self.run}
        names = dict.fromkeys(run["run"] for run in runs.values() if "finished" not in run)
        return [name for name in names if name not in alive]

    def finish_run(self, run: str) -> None:
        for number, known in self._remembered.fetch_runs().known.items():
            if known["run"] == run and "finished" not in known:
                self._change_run(number, finished=time.time())

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        if self._lease:
            self._lease.close()
        # what is not noted here the lease tells others; that pages don't count has to be told
        is_told = self._commit == "finish" or revoke
        silence = nullcontext() if is_told else suppress(StoreError)
        try:
            if self._number:
                with silence:
                    end = ended_run(well, requests_saved, revoke=revoke)
                    self._change_run(self._number, **end)
                    number = NUMBER.pack(self._number)
                    self._server.script("end", self._store, number, self._process)
                    self._commit_run(self.run)
        finally:
            super().close()

    def _begin(self) -> None:
        run = new_run(self.run, self.spider, self._commit)
        self._process = run["process"]
        answer, *facts = self._server.script(
            "begin",
            secrets.token_bytes(8),
            HEADER,
            self._process,
            json.dumps(run),
            lease.milliseconds(),
        )
        if answer == b"scheme":
            self._check_header(facts[0].decode("utf-8", "replace"))
        self._store = facts[0]
        (self._number,) = NUMBER.unpack(facts[1])
        self._lease = lease.Lease(self._server, self._store, self._number)
        self._change_run(self._number, last_page=facts[2], last_sequence=facts[3])

    def _end_dead_runs(self) -> None:
        """Commit what ended well; withdraw what died."""
        # a run that begins after the first look is not dead, one that ends before the last is well
        before, live = self._remembered.fetch_runs().known, self.live_numbers()
        waiting = self._remembered.fetch_runs().waiting()
        dead = {
            number: run
            for number, run in waiting.items()
            if number in before and number not in live
        }
        for name in {run["run"] for run in dead.values()}:
            self._commit_run(name)
        for number, run in dead.items():
            if not run.get("well"):
                self._discard(number)

    def _commit_run(self, name: str) -> None:
        """Let pages of a run count that are safe, if no other process is still at it."""
        before, live = self._remembered.fetch_runs().known, self.live_numbers()
        of_run = self._remembered.fetch_runs().waiting(name)
        if any(
            "finished" not in run and (number in live or number not in before)
            for number, run in of_run.items()
        ):
            return
        for number, run in of_run.items():
            if run.get("well"):
                self._change_run(number, committed=time.time())

    def _withdraw_dead(self) -> None:
        """Remove the pending pages of runs that died."""
        pending = self._server.call("HGETALL", self._server.tables["pending"])
        alive = self.live_numbers()  # after its pages: a run that has begun since has others
        self._withdraw(
            NUMBER.unpack(page)[0]
            for page, run in pairs(pending)
            if NUMBER.unpack(run)[0] not in alive
        )


def _next_generation(
    server: Server, host: bytes, arrival: Arrival, pages: int
) -> tuple[bytes, bytes, bytes]:
    """Return a number of pages, and memory and counts of their host, of which an arrival is last.

    The commit script takes them if it finds as many pages.
    """
    tables = server.tables
    counted, memory = server.calls(
        [("HGET", tables["site_counts"], host), ("HGET", tables["sites"], host)]
    )
    counts = SiteCounts.unpack(counted) if counted else SiteCounts()
    fields = [host + NUMBER.pack(number) for number in range(counts.pages + 1, pages)]
    waiting = server.call("HMGET", tables["arrivals"], *fields) if fields else []
    for packed in waiting:
        if packed:  # else somebody else was faster, and the script will find more pages
            counts.learn(Arrival.unpack(packed))
    counts.learn(arrival)
    before = SiteMemory.unpack(memory).generation if memory else 0
    return b"%d" % pages, counts.generation(before + 1).pack(), counts.pack()
