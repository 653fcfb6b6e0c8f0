"""A store in memory: for tests, models and short jobs; gone with the process."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.errors import SchemeMismatch
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.fingerprint.keys import lookup_keys
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteCounts
from dedup_middleware.page import Page
from dedup_middleware.read import read

from .candidates import choose
from .protocol import Arrived, Committed, Copy, Registration, TableSize
from .records import PageRecord, UrlRecord, new_record
from .runs import Standing, new_process_id, new_run_id, standing
from .tables import MemoryTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from typing_extensions import Self

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.site import Arrival, SiteMemory
    from dedup_middleware.read import Outline

    from .candidates import Candidates
    from .protocol import Change, Run, Seen, Wanted


@dataclass(slots=True)
class Memory:
    """What runs in one process share."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    method: str = ""
    last_page: int = 0
    pages: dict[int, PageRecord] = field(default_factory=dict)
    outlines: dict[int, Outline] = field(default_factory=dict)
    urls: dict[bytes, UrlRecord] = field(default_factory=dict)
    kept: dict[bytes, Outline] = field(default_factory=dict)
    postings: dict[int, list[int]] = field(default_factory=dict)
    posted: dict[int, list[int]] = field(default_factory=dict)
    """The keys of each page."""
    tables: MemoryTables = field(default_factory=MemoryTables)
    runs: list[Run] = field(default_factory=list)
    alive: set[str] = field(default_factory=set)
    """The processes that are still at it."""
    decisions: list[bytes] = field(default_factory=list)
    sites: dict[bytes, SiteMemory] = field(default_factory=dict)
    site_counts: dict[bytes, SiteCounts] = field(default_factory=dict)

    def is_alive(self, run: Run) -> bool:
        return run["process"] in self.alive

    def waiting(self, name: str | None = None) -> list[Run]:
        """List the processes whose pages do not count for other runs yet."""
        return [
            run
            for run in self.runs
            if run["commit"] == "finish"
            and not {"committed", "discarded"} & run.keys()
            and name in (None, run["run"])
        ]


class MemoryView:
    """What is known now; pages that come later are not seen, other changes are."""

    def __init__(self, memory: Memory, own_run: int) -> None:
        self._memory = memory
        self._own_run = own_run
        self.last_page = memory.last_page
        self.version = None
        self.scheme = f"{SCHEME} memory"
        self.method = memory.method or "cascade"

    def candidates(
        self, fingerprint: Fingerprint, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        keys = lookup_keys(fingerprint, alike=alike)
        found = [
            (place, page) for place, key in enumerate(keys.tolist()) for page in self._listed(key)
        ]
        return choose(keys, np.array(found, np.uint32).reshape(-1, 2), cap=cap, most=most)

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        return [
            record
            for record in self.records(numbers)
            if self._run_standing(record.run) > (not record.delivered)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        pages = self._memory.pages
        return [record for number in numbers if (record := pages.get(number))]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        known = self._memory.outlines  # one that was withdrawn meanwhile has no text any more
        return [known.get(number) or read(Page(url="", text="")) for number in numbers]

    def url(self, key: bytes) -> UrlRecord | None:
        return self._memory.urls.get(key)

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        with self._memory.lock:
            return iter([*self._memory.urls.items()])

    def host(self, key: bytes) -> SiteMemory:
        return self._memory.sites.get(key, UNKNOWN_SITE)

    def numbers(self, after: int = 0) -> Iterator[int]:
        with self._memory.lock:
            known = list(self._memory.pages)
        return (number for number in known if after < number <= self.last_page)

    def tables(self) -> MemoryTables:
        return self._memory.tables

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        if key in self._memory.kept:
            return self._memory.kept[key]
        known = self.url(key)
        return None if known is None or (own and known.alias) else self._outline(known.number)

    def runs(self) -> list[Run]:
        with self._memory.lock:
            return [run.copy() for run in self._memory.runs]

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        return iter(self._memory.decisions[after:])

    def first_sequence(self) -> int:
        return 1

    def last_sequence(self) -> int:
        return len(self._memory.decisions)

    def sizes(self) -> dict[str, TableSize]:
        return {}

    def copies(self) -> int:
        with self._memory.lock:
            return sum(record.alias for record in self._memory.urls.values())

    def _outline(self, number: int) -> Outline | None:
        return self._memory.outlines.get(number)

    def _listed(self, key: int) -> list[int]:
        with self._memory.lock:
            return [one for one in self._memory.postings.get(key, ()) if one <= self.last_page]

    def _run_standing(self, number: int) -> Standing:
        if number == self._own_run:
            return Standing.ALL
        run, own = (self._memory.runs[one - 1] for one in (number, self._own_run))
        return standing(run, own["run"], self._memory.is_alive)


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
            self._run: Run = {
                "run": self.run,
                "spider": spider,
                "started": time.time(),
                "process": new_process_id(),
                "commit": commit,
            }
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
        if known != label:
            raise SchemeMismatch(
                f"The pages of this store were indexed by the method {known}, not by {label}. "
                "Start a new store, or set DEDUP_METHOD and its options as they were then"
            )

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

    def close(self, *, well: bool = True, requests_saved: int = 0) -> None:
        with self.memory.lock:
            self._run["finished"], self._run["well"] = time.time(), well
            self._run["requests_saved"] = requests_saved
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
