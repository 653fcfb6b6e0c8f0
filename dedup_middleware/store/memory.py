"""A store in memory, which ends with the process: for tests, models and short jobs."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from .engine import TABLES, Committed, Conflict, TableSize, conflict_of, enter, number_of
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.fingerprint.scheme import Keys

    from .engine import Batch, Found, Wanted
    from .runs import Run


@dataclass(slots=True)
class Memory:
    """What runs in one process share."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    tables: dict[str, dict[bytes, bytes]] = field(
        default_factory=lambda: {table: {} for table in TABLES}
    )
    version: int = 0
    postings: dict[int, list[int]] = field(default_factory=dict)
    posted: dict[int, list[int]] = field(default_factory=dict)
    """The keys of each page."""
    alive: set[str] = field(default_factory=set)
    """The processes that are alive."""

    def withdraw(self, page: int) -> None:
        for key in self.posted.pop(page, ()):
            self.postings[key].remove(page)


class MemorySnapshot:
    """What is known now; pages that come later are not found, other changes are seen."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        with memory.lock:  # not in the middle of a batch
            meta = memory.tables["meta"]
            self.last_page = number_of(meta.get(b"page"))
            self.last_sequence = number_of(meta.get(b"sequence"))
            self.version: int | None = memory.version

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    def get(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        return list(map(self._memory.tables[table].get, keys))

    def scan(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes | None]]:
        with self._memory.lock:
            entries = sorted(self._memory.tables[table].items())
        return ((key, value) for key, value in entries if key >= first)

    def search(self, keys: Keys) -> Found:
        with self._memory.lock:
            found = [
                (place, page)
                for place, key in enumerate(keys.tolist())
                for page in self._memory.postings.get(key, ())
                if page <= self.last_page
            ]
        return np.array(found, np.uint32).reshape(-1, 2)

    def sizes(self) -> dict[str, TableSize]:
        with self._memory.lock:
            return {
                table: TableSize(len(entries), sum(map(len, entries.values())))
                for table, entries in self._memory.tables.items()
            }

    def unreadable_index(self) -> Iterator[str]:
        return iter(())


class MemoryEngine:
    """Tables in dicts that others in the process may share."""

    name = "memory"
    path = None
    is_remote = False

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._process = ""

    def snapshot(self, wanted: Sequence[Wanted] = ()) -> MemorySnapshot:  # noqa: ARG002  # nothing is far
        return MemorySnapshot(self.memory)

    def apply(self, batches: Sequence[Batch]) -> list[Committed | Conflict]:
        done: list[Committed | Conflict] = []
        with self.memory.lock:
            for batch in batches:
                now = self.snapshot()
                done.append(conflict_of(batch, now, self.alive) or self._apply(batch, now))
                if isinstance(done[-1], Conflict):
                    break
        return done

    def take_lease(self, run: Run) -> None:
        self._process = run["process"]
        self.memory.alive.add(self._process)

    def release_lease(self) -> None:
        self.memory.alive.discard(self._process)

    def alive(self, run: Run) -> bool:
        return run["process"] in self.memory.alive

    def check(self) -> None:
        """There is nothing that the tables do not show."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """What others in the process may use stays."""

    def _apply(self, batch: Batch, now: MemorySnapshot) -> Committed:
        memory = self.memory
        memory.version += 1
        written: dict[str, dict[bytes, bytes | None]] = {table: {} for table in TABLES}
        applied = enter(batch, written, now)
        for table, entries in written.items():
            for key, value in entries.items():
                if value is None:
                    memory.tables[table].pop(key, None)
                else:
                    memory.tables[table][key] = value
        for page in batch.withdrawn:
            memory.withdraw(page)
        if batch.keys is not None and applied.number:
            memory.posted[applied.number] = batch.keys.tolist()
            for posting in memory.posted[applied.number]:
                memory.postings.setdefault(posting, []).append(applied.number)
        if applied.line and batch.listener:
            batch.listener([applied.line])
        return applied


class MemoryStore(Store):
    """A run over a memory that others in the process may share.

    >>> store = MemoryStore()
    >>> with store.snapshot() as view:
    ...     view.last_page
    0
    """

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        run: str | None = None,
        spider: str = "",
        commit: str = "page",
    ) -> None:
        self.memory = memory or Memory()
        super().__init__(MemoryEngine(self.memory), run=run, spider=spider, commit=commit)
