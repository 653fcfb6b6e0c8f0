"""A store in memory: for tests, models and short jobs; gone with the process."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from dedup_middleware.fingerprint.site import SiteCounts

from .memory_view import Memory, MemoryView
from .protocol import Arrived, Committed, Copy, Registration
from .records import UrlRecord, new_record
from .runs import ended_run, new_run, new_run_id
from .tables import check_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dedup_middleware.fingerprint.site import Arrival

    from .protocol import Change, Seen, Wanted


class MemoryStore:
    """A run over a memory that others in the process may share.

    >>> store = MemoryStore()
    >>> with store.snapshot() as view:
    ...     view.last_page
    0
    """

    name = "memory"
    path = None

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        run: str | None = None,
        spider: str = "",
        commit: str = "page",
    ) -> None:
        self.memory = memory or Memory()
        self.run = run or new_run_id()
        self.spider = spider
        self._listener: Callable[[list[bytes]], object] | None = None
        with self.memory.lock:
            self._run = new_run(self.run, spider, commit)
            self.memory.runs.append(self._run)
            self.memory.alive.add(self._run["process"])
            self._number = len(self.memory.runs)
            self._end_dead_runs()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def run_number(self) -> int:
        return self._number

    def listen(self, listener: Callable[[list[bytes]], object]) -> None:
        self._listener = listener

    @contextmanager
    def snapshot(self, wanted: Wanted | None = None) -> Iterator[MemoryView]:  # noqa: ARG002  # all is at hand
        with self.memory.lock:  # not in the middle of a change
            view = self._view()
        yield view

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        with self.memory.lock:
            return self._what_arrived(change, seen) or self._make(change)

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        met: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        with self.memory.lock:
            self._mark(superseded, superseded=True)
            self._mark(met, last_seen=time.time())
            self._mark(delivered, delivered=True)
            self._withdraw(withdrawn)

    def flush(self) -> None:
        """Nothing waits."""

    def check_method(self, label: str) -> None:
        with self.memory.lock:
            if not self.memory.method and not self.memory.last_page:
                self.memory.method = label
            known = self.memory.method or "cascade"
        check_method(known, label)

    def dead_runs(self) -> list[str]:
        with self.memory.lock:
            alive = {run["run"] for run in self.memory.runs if self.memory.is_alive(run)}
            names = dict.fromkeys(run["run"] for run in self.memory.runs if "finished" not in run)
        return [name for name in names if name not in alive]

    def finish_run(self, run: str) -> None:
        with self.memory.lock:
            for known in self.memory.runs:
                if known["run"] == run and "finished" not in known:
                    known["finished"] = time.time()

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        with self.memory.lock:
            end = ended_run(well, requests_saved, revoke=revoke)
            self._run.update({**self._run, **end})
            self.die()
            self._commit_run(self.run)

    def die(self) -> None:
        """End without closing, as a run does that is killed."""
        self.memory.alive.discard(self._run["process"])

    def _end_dead_runs(self) -> None:
        """Commit what ended well; withdraw what died."""
        memory = self.memory
        dead = [run for run in memory.waiting() if not memory.is_alive(run)]
        for name in {run["run"] for run in dead}:
            self._commit_run(name)
        failed = [run for run in dead if not run.get("well")]
        for run in failed:
            run["discarded"] = time.time()
        pages = [(page, memory.runs[page.run - 1]) for page in memory.pages.values()]
        self._withdraw(
            [
                page.number
                for page, run in pages
                if run in failed or not (page.delivered or memory.is_alive(run))
            ]
        )

    def _commit_run(self, name: str) -> None:
        """Let pages of a run count that are safe, if no other process is still at it."""
        of_run = self.memory.waiting(name)
        if any("finished" not in run and self.memory.is_alive(run) for run in of_run):
            return
        for run in of_run:
            if run.get("well"):
                run["committed"] = time.time()

    def _view(self) -> MemoryView:
        return MemoryView(self.memory, self._number)

    def _what_arrived(self, change: Change, seen: Seen) -> Arrived | None:
        view = self._view()
        if view.url(change.key) != seen.url:
            return Arrived()
        if seen.original is not None and not view.pages([seen.original]):
            return Arrived()
        if change.site and view.host(change.site[0]).generation != seen.generation:
            return Arrived()
        if seen.any_page:
            new = set(view.numbers(after=seen.last_page))
        else:
            keys: list[int] = [] if seen.keys is None else seen.keys.tolist()
            listed = (number for key in keys for number in self.memory.postings.get(key, ()))
            new = {number for number in listed if number > seen.last_page}
        return Arrived(tuple(sorted(new))) if new else None

    def _make(self, change: Change) -> Committed:
        line, sequence = b"", None
        if change.decision is not None:  # first, because what fails must change nothing
            sequence = change.decision["seq"] = len(self.memory.decisions) + 1
            line = json.dumps(change.decision, separators=(",", ":")).encode("ascii")
        number = None
        if isinstance(change.page, Registration):
            number = self._register(change.key, change.page)
        elif isinstance(change.page, Copy):
            self._note_copy(change.key, change.page)
        if change.supersedes is not None:
            self._supersede(change.supersedes, change.key)
        if change.site:
            self._learn(*change.site)
        if line:
            self.memory.decisions.append(line)
            if self._listener:
                self._listener([line])
        return Committed(number, line, sequence)

    def _learn(self, host: bytes, arrival: Arrival) -> None:
        counts = self.memory.site_counts.setdefault(host, SiteCounts())
        if counts.learn(arrival) and counts.is_due:
            number = self._view().host(host).generation + 1
            self.memory.sites[host] = counts.generation(number)

    def _note_copy(self, key: bytes, copy: Copy) -> None:
        known = self.memory.urls.get(key)
        self._withdraw_own_page(key)
        self.memory.urls[key] = UrlRecord(True, copy.original, copy.digest)
        if copy.outline:
            self.memory.kept[key] = copy.outline
        elif known is None or known.digest != copy.digest:  # what was kept is shown no more
            self.memory.kept.pop(key, None)

    def _register(self, key: bytes, page: Registration) -> int:
        memory = self.memory
        number = memory.last_page = memory.last_page + 1
        if page.index:  # if it fails, nothing else has changed, and its number is not given again
            page.index(memory.tables, number)
        self._withdraw_own_page(key)
        memory.pages[number] = new_record(
            number,
            page.url,
            key,
            page.fingerprint,
            run=self._number,
            delivered=page.delivered,
            seen=page.seen,
        )
        memory.outlines[number] = page.outline
        memory.posted[number] = page.keys.tolist()
        for posting in memory.posted[number]:
            memory.postings.setdefault(posting, []).append(number)
        memory.urls[key] = UrlRecord(False, number, page.fingerprint.digest)
        memory.kept.pop(key, None)
        return number

    def _supersede(self, number: int, key: bytes) -> None:
        memory, successor = self.memory, self.memory.urls.get(key)
        record = memory.pages.get(number)
        if record and successor and not successor.alias and successor.number != number:
            same = record.digest == successor.digest
            outline = None if same else memory.outlines[number]
            self._note_copy(record.key, Copy(record.digest, successor.number, outline))

    def _withdraw_own_page(self, key: bytes) -> None:
        known = self.memory.urls.get(key)
        if known is not None and not known.alias:
            self._withdraw([known.number])

    def _mark(self, numbers: Iterable[int], **values: Any) -> None:
        for number in numbers:
            if number in self.memory.pages:
                self.memory.pages[number] = replace(self.memory.pages[number], **values)

    def _withdraw(self, numbers: Iterable[int]) -> None:
        memory = self.memory
        for number in numbers:
            record = memory.pages.pop(number, None)
            if record is None:
                continue
            del memory.outlines[number]
            for key in memory.posted.pop(number, ()):
                memory.postings[key].remove(number)
            known = memory.urls.get(record.key)
            if known is not None and not known.alias and known.number == number:
                del memory.urls[record.key]
