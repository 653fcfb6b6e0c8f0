"""The engine on a server that speaks the Redis protocol, for crawls on many machines."""

from __future__ import annotations

import logging
import secrets
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.store import packing
from dedup_middleware.store.engine import PRESENT, Committed, Conflict, arrived, groups
from dedup_middleware.store.tables import Withdrawn

from .connection import (
    GONE,
    KEPT_TOKENS,
    KEYS,
    OLD,
    Server,
    packed_numbers,
    refusal,
    unpacked_numbers,
)
from .postings import KEY, Log, compact_log, is_due
from .snapshot import RedisSnapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Batch, Wanted
    from dedup_middleware.store.runs import Run

    Seen = tuple[int, bytes]
    Numbers = tuple[int, int, int]


logger = logging.getLogger(__name__)

MOST_RECORDS, MOST_OUTLINES = 4096, 1024
LEASE_SECONDS = 30.0
"""How long a process counts as alive that does not renew its lease any more."""
_PLACES = {name: place for place, name in enumerate(KEYS, 1)}
_OWN = ("meta", "tokens", "log", "buckets", "withdrawn")
_KNOWN = ("pages", "decisions", "site_pages", "arrivals")
_GIVEN = struct.Struct(">3I")  # page, decision and arrival, 0 for what there is not


class Cache:
    """Some values that never or hardly ever change, by key; the oldest make room for others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[bytes, bytes] = {}
        self._lock = threading.Lock()
        self.get = self._values.get

    def add(self, keys: Sequence[bytes], values: Sequence[bytes | None]) -> None:
        with self._lock:
            self._values.update(
                (key, value) for key, value in zip(keys, values, strict=True) if value
            )
            if len(self._values) > self._most:
                for key in list(self._values)[: self._most // 4]:
                    del self._values[key]


class RedisEngine:
    """The tables of a store on a server, and what a process remembers of them."""

    path = None
    is_remote = True

    def __init__(self, url: str) -> None:
        self.server = Server(url)
        self.name = self.server.name
        self.log = Log()
        self.withdrawn = Withdrawn()
        self.withdrawn_end = 0
        """Up to which byte of the server's list they are known."""
        self.records = Cache(MOST_RECORDS)
        """Of pages that are delivered."""
        self.outlines = Cache(MOST_OUTLINES)
        self.lease: Lease | None = None
        self._applying = threading.Lock()
        self._store = b""
        """Names the store, so that another one in its place is noticed."""
        self.seen = 0, b""
        """The highest version that was seen, and its token: a store that goes back, or that has
        another token for this version, has lost something."""
        self._process = secrets.token_hex(4)
        self._token = b""
        """Of the last batch that was applied, so that its loss is noticed."""

    def snapshot(self, wanted: Sequence[Wanted] = ()) -> RedisSnapshot:
        return RedisSnapshot(self, wanted)

    def apply(self, batches: Sequence[Batch]) -> list[Committed | Conflict]:
        done: list[Committed] = []
        conflict: Conflict | None = None
        with self._applying:  # or the server's note of what was done last would not do
            while conflict is None and len(done) < len(batches):
                rest = batches[len(done) :]
                given, reason, new = self._send(rest)
                done += map(_applied, rest, given)
                if reason == b"late":
                    # the log does not reach back to what was seen: look for what has come since
                    batch, now = batches[len(done)], self.snapshot()
                    new, batch.after = arrived(batch, now), now.last_page
                if new or reason == b"changed":
                    conflict = Conflict(new)
        lines = [one.line for one in done if one.line]
        if lines and batches[0].listener:
            batches[0].listener(lines)
        pages = [one.number for one in done if one.number]
        if any(is_due(page, self.log.known.buckets.folded) for page in pages):
            self._compact(pages[-1])
        return [*done, conflict] if conflict else [*done]

    def _send(self, batches: Sequence[Batch]) -> tuple[list[Numbers], bytes, tuple[int, ...]]:
        """Have the script apply batches; return the numbers it gave, and why it ended early."""
        token = secrets.token_bytes(8)
        leases = {run["process"]: None for batch in batches for run in batch.alive}
        names = [self.server.lease_name(process) for process in leases]
        answer = self.server.apply(names, self._arguments(batches, token, list(leases)))
        reason, version, packed, new = answer
        given = [*_GIVEN.iter_unpack(packed)]
        if given:
            self._token = token
            if version > self.seen[0]:  # 0 if the answer to an earlier try was lost
                self.seen = version, token
        if len(given) == len(batches):
            reason = b"applied"
        return given, reason, tuple(unpacked_numbers(new))

    def take_lease(self, run: Run) -> None:
        self._process = run["process"]
        self._token = b""
        self.lease = Lease(self.server, self.server.lease_name(run["process"]))

    def release_lease(self) -> None:
        if self.lease:
            self.lease.close()
            with suppress(StoreError):  # it expires
                names = self.server.names
                self.server.calls(
                    [("DEL", self.lease.key), ("HDEL", names["tokens"], self._process)]
                )
            self.lease = None

    def alive(self, run: Run) -> bool:
        return bool(self.server.call("EXISTS", self.server.lease_name(run["process"])))

    def check(self) -> None:
        """There is nothing that the tables do not show."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        self.server.close()

    def note(self, store: bytes, version: int, token: bytes, before: Seen, known: bytes) -> None:
        """Note what a snapshot has shown; raise StoreError if the store is another, or older.

        `before` is what had been seen when it was sent, `known` the token that the store has for
        that version now.
        """
        if self._store and store != self._store:
            raise refusal(self.name, "", GONE)
        is_replaced = before[1] and version - before[0] < KEPT_TOKENS and known != before[1]
        if version < before[0] or is_replaced:
            raise refusal(self.name, "", OLD)
        self._store = store
        if version > self.seen[0]:
            self.seen = version, token

    def _compact(self, last_page: int) -> None:
        try:
            compact_log(self.server, last_page, self.withdrawn)
        except StoreError as error:  # the page is entered; another process tries again
            logger.debug("The log of recent pages was not compacted: %s", error)

    def _arguments(
        self, batches: Sequence[Batch], token: bytes, processes: Sequence[str]
    ) -> list[Any]:
        """Return batches as the script takes them; its own first lines say what is what."""
        found: list[Any] = [_PLACES[name] for name in (*_OWN, *_KNOWN)]
        found += self._store, self._process, self._token, token, *self.seen, KEPT_TOKENS
        found.append(len(batches))
        for batch in batches:
            found += self._batch(batch, processes)
        return found

    def _batch(self, batch: Batch, processes: Sequence[str]) -> list[Any]:
        host, arrival = batch.arrival or (b"", b"")
        bound: tuple[bytes, int | bytes] = batch.bound or (host, b"")
        found: list[Any] = [_optional(batch.version), _optional(batch.last_page)]
        found += bound[1], bound[0], arrival, len(batch.alive)
        found += (len(KEYS) + 1 + processes.index(run["process"]) for run in batch.alive)
        _add(found, [(table, key, _expected(value)) for table, key, value in batch.expect])
        found.append(batch.after)
        watched = [] if batch.watch is None else groups(batch.watch)
        found.append(len(watched))
        for keys, least in watched:
            found += least, _packed(keys)
        for entries in (batch.deletes, batch.puts, batch.appends):
            _add(found, entries)
        found += packed_numbers(batch.withdrawn), int(batch.keys is not None), _packed(batch.keys)
        _add(found, batch.page)
        _add(found, batch.named)
        found.append(batch.packed_line)
        return found


def _applied(batch: Batch, given: Numbers) -> Committed:
    page, sequence, arrival = given
    line = packing.numbered(batch.line, sequence) if batch.line else b""
    return Committed(page or None, line, sequence or None, arrival)


def _add(found: list[Any], entries: Sequence[tuple[Any, ...]]) -> None:
    found.append(len(entries))
    for table, *rest in entries:
        found += _PLACES[table], *rest


def _expected(value: bytes | None) -> bytes:
    if value is None:
        return b"-"
    return b"+" if value is PRESENT else b"=" + value


def _optional(number: int | None) -> bytes | int:
    return b"" if number is None else number


def _packed(keys: Keys | None) -> bytes:
    return b"" if keys is None else keys.astype(KEY, copy=False).tobytes()


class Lease:
    """Show others that this process is alive, until closed or until it ends."""

    def __init__(self, server: Server, key: str) -> None:
        self.key = key
        self._server = server
        self._stop = threading.Event()
        self._renew()
        self._thread = threading.Thread(target=self._renew_often, name="dedup-lease", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Renew it no more."""
        self._stop.set()
        self._thread.join()

    def _renew(self) -> None:
        self._server.call("SET", self.key, b"1", "PX", int(1000 * LEASE_SECONDS))

    def _renew_often(self) -> None:
        while not self._stop.wait(LEASE_SECONDS / 3):
            try:
                self._renew()
            except StoreError as error:  # the next commit will fail, too, and raise
                logger.debug("The lease of a run was not renewed: %s", error)
