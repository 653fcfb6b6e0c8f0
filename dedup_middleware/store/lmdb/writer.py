"""Changes of an LMDB store: they go into a buffer, which is written in one short transaction."""

from __future__ import annotations

import json
import struct
import time
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import SiteCounts
from dedup_middleware.store import packing
from dedup_middleware.store.protocol import Arrived, Committed, Copy, Registration
from dedup_middleware.store.records import PageRecord, UrlRecord, new_record
from dedup_middleware.store.tables import check_method

from . import gone
from .layout import NUMBER_KEY, SEQUENCE_KEY, piece_keys, pieces
from .sites import arrival_key
from .view import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.site import Arrival
    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.protocol import Change, EndedRun, Run, Seen

    from .buffer import Listener

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class Writer(View):
    """A snapshot that nobody else can change, and that can be changed."""

    def label(self, header: str) -> None:
        """Name the scheme and format of a new store."""
        if not self.scheme:
            self._put("meta", b"header", header.encode())

    def check_method(self, label: str) -> None:
        known = self._meta("method")
        if not known and not self.last_page:
            self._put("meta", b"method", label.encode())
        else:
            check_method(self.method, label)

    def begin_run(self, run: Run) -> int:
        """Enter a process of a run in the list; return its number."""
        run["last_page"], run["last_sequence"] = self.last_page, self.last_sequence()
        number = self._next("run")
        self._put_run(number, run)
        return number

    def finish_run(self, name: str) -> None:
        for number, run in self.numbered_runs().items():
            if run["run"] == name and "finished" not in run:
                self._put_run(number, {**run, "finished": time.time()})

    def end_run(self, number: int, end: EndedRun) -> None:
        """Note how a process of a run has ended; the last one commits it."""
        run = self.run(number)
        if run:
            self._put_run(number, {**run, **end})
            self._commit_run(run["run"])

    def commit_run(self, name: str) -> int:
        """Let the pages of a run count, however it ended; return of how many processes."""
        found = [(number, run) for number, run in self._waiting() if run["run"] == name]
        for number, run in found:
            self._put_run(number, {**run, "committed": time.time()})
        return len(found)

    def end_dead_runs(self) -> list[int]:
        """Commit what ended well; return the numbers of what did not, and is to be discarded."""
        dead = [(number, run) for number, run in self._waiting() if not self._is_alive(run)]
        for name in {run["run"] for _, run in dead}:
            self._commit_run(name)
        return [number for number, run in dead if not run.get("well")]

    def discard(self, number: int, after: int, most: int) -> int | None:
        """Withdraw pages of a run above a number; return up to which, None if that was all."""
        numbers = list(islice(self.numbers(after), most))
        self.withdraw(one.number for one in self.records(numbers) if one.run == number)
        run = self.run(number)
        if run and len(numbers) < most:
            self._put_run(number, {**run, "discarded": time.time()})
        return numbers[-1] if len(numbers) == most else None

    def _waiting(self) -> list[tuple[int, Run]]:
        """List the processes whose pages do not count for other runs yet."""
        done = {"committed", "discarded"}
        return [
            (number, run)
            for number, run in self.numbered_runs().items()
            if run.get("commit") == "finish" and not done & run.keys()
        ]

    def _commit_run(self, name: str) -> None:
        """Let pages of a run count that are safe, if no other process is still at it."""
        of_run = [(number, run) for number, run in self._waiting() if run["run"] == name]
        if any("finished" not in run and self._is_alive(run) for _, run in of_run):
            return
        for number, run in of_run:
            if run.get("well"):
                self._put_run(number, {**run, "committed": time.time()})

    def what_arrived(self, change: Change, seen: Seen) -> Arrived | None:
        """Return what came since a judgement that could change it; None if nothing did."""
        if seen.original is not None and not self.pages([seen.original]):
            return Arrived()
        if seen.version is not None and self._environment.commits.is_same(seen.version, self._txn):
            return None
        if self.url(change.key) != seen.url:
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

    def make(self, change: Change, listener: Listener) -> Committed:
        """Make a change; the listener gets its line of the journal when it is written."""
        number = None
        if isinstance(change.page, Registration):
            number = self._register(change.key, change.page)
        elif isinstance(change.page, Copy):
            self._note_copy(change.key, change.page)
        if change.supersedes is not None:
            self._supersede(change.supersedes, change.key)
        if change.site:
            self._learn(*change.site)
        if change.decision is None:
            return Committed(number)
        sequence = self._next("sequence")
        change.decision["seq"] = sequence
        line = _encode(change.decision).encode("ascii")
        self._put("decisions", SEQUENCE_KEY.pack(sequence), packing.pack_line(line))
        self._buffer.lines.append((listener, line))
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
                self._delete("pending", NUMBER_KEY.pack(record.number))

    def withdraw(self, numbers: Iterable[int]) -> None:
        """Remove pages: they match no more, and their URLs pass again."""
        for record in self.records(numbers):
            self._remove(record.number)
            known = self.url(record.key)
            if known is not None and not known.alias and known.number == record.number:
                self._delete("urls", record.key)

    def withdraw_dead(self) -> None:
        """Remove the pending pages of runs that died."""
        numbers = [NUMBER_KEY.unpack(key)[0] for key, _ in self.entries("pending")]
        records = self.records(numbers)
        runs = {number: self.run(number) for number in {record.run for record in records}}
        dead = {number for number, run in runs.items() if not (run and self._is_alive(run))}
        self.withdraw(record.number for record in records if record.run in dead)

    def forget_urls(self, keys: Iterable[bytes]) -> None:
        """Remove what was seen at URLs, pages and copies."""
        for key in keys:
            self._withdraw_own_page(key)
            self._delete("urls", key)
            self._delete_long("redundant", key)

    def forget_decisions(self, upto: int, most: int) -> None:
        """Remove the oldest decisions, so many at most."""
        first = self.counter("forgotten") + 1
        last = min(upto, first + most - 1)
        for sequence in range(first, last + 1):
            self._delete("decisions", SEQUENCE_KEY.pack(sequence))
        if last >= first:
            self._put("meta", b"forgotten", last.to_bytes(8, "big"))

    def repair(self, damages: Damages) -> None:
        """Remove what can't be right, and put back what journals have kept."""
        for number in damages.pages:
            with suppress(struct.error, ValueError):  # its record can't be read
                self.withdraw([number])
            self._remove(number)
        for number in damages.missing:
            self._note_gone(number)
        for table, key in damages.entries:
            self._delete(table, key)
        for number, pending in damages.pending.items():
            if pending:
                self._put("pending", NUMBER_KEY.pack(number), b"")
            else:
                self._delete("pending", NUMBER_KEY.pack(number))
        for sequence, line in damages.decisions.items():
            self._put("decisions", SEQUENCE_KEY.pack(sequence), packing.pack_line(line))
        for name, number in damages.counters.items():
            self._put("meta", name.encode(), number.to_bytes(8, "big"))

    def _learn(self, host: bytes, arrival: Arrival) -> None:
        counts = self._environment.site_counts.counts(host, self.entry)
        if not counts.learn(arrival):
            return
        self._put("site_pages", host, NUMBER_KEY.pack(counts.pages))
        if not counts.is_due:
            self._put("arrivals", arrival_key(host, counts.pages), arrival.pack())
            return
        memory = counts.generation(self.host(host).generation + 1)
        before = self.entry("site_counts", host)
        self._put("sites", host, memory.pack())
        self._put("site_counts", host, counts.pack())
        first = SiteCounts.packed_pages(before) + 1 if before else 1
        for number in range(first, counts.pages):
            self._delete("arrivals", arrival_key(host, number))

    def _register(self, key: bytes, page: Registration) -> int:
        self._withdraw_own_page(key)
        number = self._next("page")
        packed = NUMBER_KEY.pack(number)
        record = new_record(
            number,
            page.url,
            key,
            page.fingerprint,
            run=self._own_run,
            delivered=page.delivered,
            seen=page.seen,
        )
        self._put_page(record)
        self._put_long("outlines", packed, packing.pack(page.outline))
        if not page.delivered:
            self._put("pending", packed, b"")
        self._buffer.postings.append((page.keys, number))
        self._put_url(key, UrlRecord(False, number, page.fingerprint.digest))
        self._delete_long("redundant", key)
        if page.index:
            page.index(self.tables(), number)
        return number

    def _note_copy(self, key: bytes, copy: Copy) -> None:
        known = self.url(key)
        self._withdraw_own_page(key)
        self._put_url(key, UrlRecord(True, copy.original, copy.digest))
        if copy.outline:
            self._delete_long("redundant", key)
            self._put_long("redundant", key, packing.pack(copy.outline))
        elif known is None or known.digest != copy.digest:  # what was kept is shown no more
            self._delete_long("redundant", key)

    def _supersede(self, number: int, key: bytes) -> None:
        successor = self.url(key)
        for record in self.records([number]):
            if successor and not successor.alias and successor.number != number:
                same = record.digest == successor.digest
                outline = None if same else self.outlines([number])[0]
                self._note_copy(record.key, Copy(record.digest, successor.number, outline))

    def _withdraw_own_page(self, key: bytes) -> None:
        known = self.url(key)
        if known is not None and not known.alias:
            self.withdraw([known.number])

    def _remove(self, number: int) -> None:
        page = NUMBER_KEY.pack(number)
        self._delete("pages", page)
        self._delete("pending", page)
        self._delete_long("outlines", page)
        self._note_gone(number)

    def _note_gone(self, number: int) -> None:
        key = gone.gone_key(number)
        self._put("gone", key, gone.with_page(self.entry("gone", key), number))

    def _put_run(self, number: int, run: Run) -> None:
        self._put("runs", NUMBER_KEY.pack(number), json.dumps(run).encode())

    def _put_page(self, record: PageRecord) -> None:
        self._put("pages", NUMBER_KEY.pack(record.number), record.pack())

    def _put_url(self, key: bytes, record: UrlRecord) -> None:
        self._put("urls", key, record.pack())

    def _next(self, counter: str) -> int:
        number = self.counter(counter) + 1
        self._put("meta", counter.encode(), number.to_bytes(8, "big"))
        return number

    def _put(self, table: str, key: bytes, value: bytes) -> None:
        self._buffer.tables[table][key] = value

    def _delete(self, table: str, key: bytes) -> None:
        self._buffer.tables[table][key] = None

    def _put_long(self, table: str, key: bytes, value: bytes) -> None:
        self._buffer.tables[table].update(pieces(key, value))

    def _delete_long(self, table: str, key: bytes) -> None:
        for piece in piece_keys(key, lambda one: self.entry(table, one)):
            self._delete(table, piece)
