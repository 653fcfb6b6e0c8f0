"""Changes of an LMDB store, inside one short write transaction."""

from __future__ import annotations

import json
import struct
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import NotAStore, SchemeMismatch
from dedup_middleware.fingerprint.site import SiteCounts
from dedup_middleware.store import packing
from dedup_middleware.store.keys import lookup_keys, split
from dedup_middleware.store.protocol import Arrived, Committed, Copy, Registration
from dedup_middleware.store.records import PageRecord, UrlRecord, new_record

from .view import NUMBER_KEY, SEQUENCE_KEY, View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.site import Arrival
    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.protocol import Change, Run, Seen

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class Writer(View):
    """A snapshot that nobody else can change, and that can be changed."""

    def check_header(self, header: str) -> None:
        """Raise SchemeMismatch if the scheme or format is another; label a new store."""
        known = self.entry("meta", b"header")
        if known is None and self._txn.stat(self._db["meta"])["entries"] == 0:
            self._txn.put(b"header", header.encode(), db=self._db["meta"])
        elif known is None:
            raise NotAStore("This LMDB environment is not a dedup store")
        elif known.decode() != header:
            raise SchemeMismatch(
                f"This store was made by the scheme {known.decode()!r}, this version uses "
                f"{header!r}. Start a new store, or use the version that made this one"
            )

    def check_method(self, label: str) -> None:
        known = self._meta("method")
        if not known and self.entry("meta", b"page") is None:
            self._txn.put(b"method", label.encode(), db=self._db["meta"])
        elif self.method != label:
            raise SchemeMismatch(
                f"The pages of this store were indexed by the method {self.method}, not by "
                f"{label}. Start a new store, or set DEDUP_METHOD and its options as they were then"
            )

    def begin_run(self, run: str, spider: str) -> int:
        """Enter a run in the list; return its number."""
        number = self._next("run")
        self._put_run(number, {"run": run, "spider": spider, "started": time.time()})
        return number

    def finish_run(self, run: str) -> None:
        for number, known in self.numbered_runs().items():
            if known["run"] == run:
                self._put_run(number, {**known, "finished": time.time()})

    def what_arrived(self, change: Change, seen: Seen) -> Arrived | None:
        """Return what came since a judgement that could change it; None if nothing did."""
        if self.url(change.key) != seen.url:
            return Arrived()
        if seen.original is not None and not self.pages([seen.original]):
            return Arrived()
        if change.site and self.host(change.site[0]).generation != seen.generation:
            return Arrived()
        if self.last_page == seen.last_page:
            return None
        if seen.any_page:
            new = list(self.numbers(after=seen.last_page))
        else:
            new = [] if seen.keys is None else self.arrived(seen.keys, seen.last_page)
        return Arrived(tuple(new)) if new else None

    def make(self, change: Change) -> Committed:
        """Make a change."""
        number = None
        if isinstance(change.page, Registration):
            number = self._register(change.key, change.page)
        elif isinstance(change.page, Copy):
            self._note_copy(change.key, change.page)
        if change.site:
            self._learn(*change.site)
        if change.decision is None:
            return Committed(number)
        sequence = self._next("sequence")
        change.decision["seq"] = sequence
        line = _encode(change.decision).encode("ascii")
        self._txn.put(SEQUENCE_KEY.pack(sequence), line, db=self._db["decisions"], append=True)
        return Committed(number, line, sequence)

    def mark(
        self,
        numbers: Iterable[int],
        *,
        delivered: bool = False,
        met: float | None = None,
        superseded: bool = False,
    ) -> None:
        """Change what the records of pages say; pages that are gone are left alone."""
        for record in self.records(numbers):
            changed = replace(
                record,
                delivered=record.delivered or delivered,
                superseded=record.superseded or superseded,
                last_seen=record.last_seen if met is None else met,
            )
            self._put_page(changed)
            if delivered and not record.delivered:
                self._txn.delete(NUMBER_KEY.pack(record.number), db=self._db["pending"])

    def withdraw(self, numbers: Iterable[int]) -> None:
        """Remove pages: they match no more, and their URLs pass again."""
        for record in self.records(numbers):
            page = NUMBER_KEY.pack(record.number)
            for posting in split(lookup_keys(record, alike=True)):
                self._txn.delete(posting, page, db=self._db["postings"])
            self._remove(record.number)
            known = self.url(record.key)
            if known is not None and not known.alias and known.number == record.number:
                self._txn.delete(record.key, db=self._db["urls"])

    def withdraw_dead(self) -> None:
        """Remove the pending pages of runs that died."""
        with self._txn.cursor(self._db["pending"]) as cursor:
            numbers = [NUMBER_KEY.unpack(key)[0] for key in cursor.iternext(values=False)]
        standing = {record.number for record in self.pages(numbers)}
        self.withdraw(number for number in numbers if number not in standing)

    def repair(self, damages: Damages) -> None:
        """Remove what can't be right, and put back what journals have kept."""
        for number in damages.pages:
            try:
                self.withdraw([number])
            except (struct.error, ValueError):  # its record can't be read
                self._remove(number)
        for table, key, value in damages.entries:
            self._txn.delete(key, value, db=self._db[table])
        for number, pending in damages.pending.items():
            if pending:
                self._txn.put(NUMBER_KEY.pack(number), b"", db=self._db["pending"])
            else:
                self._txn.delete(NUMBER_KEY.pack(number), db=self._db["pending"])
        for sequence, line in damages.decisions.items():
            self._txn.put(SEQUENCE_KEY.pack(sequence), line, db=self._db["decisions"])
        for name, number in damages.counters.items():
            self._txn.put(name.encode(), number.to_bytes(8, "big"), db=self._db["meta"])

    def _learn(self, host: bytes, arrival: Arrival) -> None:
        cache = self._environment.site_counts
        counts = cache[host]
        if counts is None or not cache.is_sole:
            packed = self.entry("site_counts", host)
            stored = SiteCounts.packed_pages(packed) if packed else 0
            if counts is None or counts.pages != stored:  # others have learned
                counts = SiteCounts.unpack(packed) if packed else SiteCounts()
        if not counts.learn(arrival):
            return
        if counts.is_due:
            memory = counts.generation(self.host(host).generation + 1)
            self._txn.put(host, memory.pack(), db=self._db["sites"])
        written = counts.is_due or not cache.is_sole
        if written:
            self._put_counts({host: counts})
        self._put_counts(cache.keep(host, counts, written=written))

    def write_counts(self) -> None:
        """Write what was learned of hosts since their last generation."""
        self._put_counts(self._environment.site_counts.unwritten())

    def _put_counts(self, of_hosts: dict[bytes, SiteCounts]) -> None:
        for host, counts in of_hosts.items():
            self._txn.put(host, counts.pack(), db=self._db["site_counts"])

    def _register(self, key: bytes, page: Registration) -> int:
        self._withdraw_own_page(key)
        number = self._next("page")
        record = new_record(
            number,
            page.url,
            key,
            page.fingerprint,
            run=self._own_run,
            delivered=page.delivered,
            now=time.time(),
        )
        self._put_page(record)
        packed = NUMBER_KEY.pack(number)
        self._txn.put(packed, packing.pack(page.outline), db=self._db["outlines"])
        if not page.delivered:
            self._txn.put(packed, b"", db=self._db["pending"])
        with self._txn.cursor(self._db["postings"]) as cursor:
            cursor.putmulti([(posting, packed) for posting in split(page.keys)])
        self._put_url(key, UrlRecord(False, number, page.fingerprint.digest))
        self._txn.delete(key, db=self._db["redundant"])
        if page.index:
            page.index(self.tables(), number)
        return number

    def _note_copy(self, key: bytes, copy: Copy) -> None:
        known = self.url(key)
        self._withdraw_own_page(key)
        self._put_url(key, UrlRecord(True, copy.original, copy.digest))
        if copy.outline:
            self._txn.put(key, packing.pack(copy.outline), db=self._db["redundant"])
        elif known is None or known.digest != copy.digest:  # what was kept is shown no more
            self._txn.delete(key, db=self._db["redundant"])

    def _withdraw_own_page(self, key: bytes) -> None:
        known = self.url(key)
        if known is not None and not known.alias:
            self.withdraw([known.number])

    def _remove(self, number: int) -> None:
        for name in ("pages", "outlines", "pending"):
            self._txn.delete(NUMBER_KEY.pack(number), db=self._db[name])

    def _put_run(self, number: int, run: Run | dict[str, Any]) -> None:
        self._txn.put(NUMBER_KEY.pack(number), json.dumps(run).encode(), db=self._db["runs"])

    def _put_page(self, record: PageRecord) -> None:
        self._txn.put(NUMBER_KEY.pack(record.number), record.pack(), db=self._db["pages"])

    def _put_url(self, key: bytes, record: UrlRecord) -> None:
        self._txn.put(key, record.pack(), db=self._db["urls"])

    def _next(self, counter: str) -> int:
        number = self.counter(counter) + 1
        self._txn.put(counter.encode(), number.to_bytes(8, "big"), db=self._db["meta"])
        return number
