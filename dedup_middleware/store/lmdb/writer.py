"""Changing the store, inside one short write transaction."""

from __future__ import annotations

import json
import struct
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import NotAStore, SchemeMismatch
from dedup_middleware.store import packing
from dedup_middleware.store.keys import lookup_keys, split
from dedup_middleware.store.records import PageRecord, UrlRecord, new_record

from .view import NUMBER_KEY, SEQUENCE_KEY, View

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.read import Outline

    from .view import Lookup


_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class Writer(View):
    """A snapshot that nobody else can change, and that can be changed."""

    def check_header(self, header: str) -> None:
        """Refuse a store of another scheme or format; name a new one."""
        known = self._get("meta", b"header")
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
        """Refuse a store whose pages another method has indexed; name that of a new one."""
        known = (self._get("meta", b"method") or b"").decode()
        if not known and self._get("meta", b"page") is None:
            self._txn.put(b"method", label.encode(), db=self._db["meta"])
        elif (known := known or "cascade") != label:
            raise SchemeMismatch(
                f"The pages of this store were indexed by the method {known}, not by {label}. "
                "Start a new store, or set DEDUP_METHOD and its options as they were then"
            )

    def begin_run(self, run: str, spider: str) -> int:
        """Enter a run in the list; return its number."""
        number = self._next("run")
        self._put_run(number, {"run": run, "spider": spider, "started": time.time()})
        return number

    def finish_run(self, run: str) -> None:
        """Note that a run has ended and its journal is complete."""
        for number, known in enumerate(self.runs(), 1):
            if known["run"] == run:
                self._put_run(number, {**known, "finished": time.time()})

    def register(
        self,
        url: str,
        key: bytes,
        fingerprint: Fingerprint,
        outline: Outline,
        lookup: Lookup,
        *,
        delivered: bool,
    ) -> int:
        """Make a page known under its URL, in place of what was there; return its number."""
        self._forget_own_page(key)
        number = self._next("page")
        self._put_page(
            new_record(
                number,
                url,
                key,
                fingerprint,
                run=self._own_run,
                delivered=delivered,
                now=time.time(),
            )
        )
        page = NUMBER_KEY.pack(number)
        self._txn.put(page, packing.pack(outline), db=self._db["outlines"])
        if not delivered:
            self._txn.put(page, b"", db=self._db["pending"])
        with self._txn.cursor(self._db["postings"]) as cursor:
            cursor.putmulti([(posting, page) for posting in split(lookup.keys[~lookup.full])])
        self._put_url(key, UrlRecord(False, number, fingerprint.digest))
        self._txn.delete(key, db=self._db["redundant"])
        return number

    def alias(self, key: bytes, digest: bytes, original: int) -> None:
        """Remember that a URL shows what a registered page shows; it is no candidate itself."""
        self._forget_own_page(key)
        self._put_url(key, UrlRecord(True, original, digest))

    def keep(self, key: bytes, outline: Outline) -> None:
        """Keep what a redundant page says, for people to look at."""
        self._txn.put(key, packing.pack(outline), db=self._db["redundant"])

    def seen(self, number: int) -> None:
        """Note that a page was met again."""
        record = self.any_page(number)
        if record is not None:
            self._put_page(replace(record, last_seen=time.time()))

    def supersede(self, number: int) -> None:
        """Mark a page whose text stands inside a later one."""
        record = self.any_page(number)
        if record is not None:
            self._put_page(replace(record, superseded=True))

    def deliver(self, number: int) -> None:
        """Mark a pending page as delivered: from now on it may be an original in any run."""
        record = self.any_page(number)
        if record is not None and not record.delivered:
            self._put_page(replace(record, delivered=True))
            self._txn.delete(NUMBER_KEY.pack(number), db=self._db["pending"])

    def withdraw(self, number: int) -> None:
        """Forget a page: it matches no more, and its URL passes again."""
        record = self.any_page(number)
        if record is None:
            return
        page = NUMBER_KEY.pack(number)
        for posting in split(lookup_keys(record, alike=True)):
            self._txn.delete(posting, page, db=self._db["postings"])
        for name in ("pages", "outlines", "pending"):
            self._txn.delete(page, db=self._db[name])
        known = self.url(record.key)
        if known is not None and not known.alias and known.number == number:
            self._txn.delete(record.key, db=self._db["urls"])

    def forget(self, number: int) -> None:
        """Withdraw a page that may be damaged; what leads to it may stay."""
        try:
            self.withdraw(number)
        except (struct.error, ValueError):  # its record can't be read
            for name in ("pages", "outlines", "pending"):
                self._txn.delete(NUMBER_KEY.pack(number), db=self._db[name])

    def take_out(self, table: str, key: bytes, value: bytes = b"") -> None:
        """Delete an entry of a table, for those who mend it."""
        self._txn.delete(key, value, db=self._db[table])

    def mark_pending(self, number: int, pending: bool) -> None:
        key, table = NUMBER_KEY.pack(number), self._db["pending"]
        if pending:
            self._txn.put(key, b"", db=table)
        else:
            self._txn.delete(key, db=table)

    def put_back(self, sequence: int, decision: bytes) -> None:
        """Write a decision down that was lost."""
        self._txn.put(SEQUENCE_KEY.pack(sequence), decision, db=self._db["decisions"])

    def raise_counter(self, name: str, number: int) -> None:
        """Let numbers go on after one."""
        self._txn.put(name.encode(), number.to_bytes(8, "big"), db=self._db["meta"])

    def withdraw_dead(self) -> int:
        """Forget the pending pages of runs that died; return how many there were."""
        with self._txn.cursor(self._db["pending"]) as cursor:
            numbers = [NUMBER_KEY.unpack(key)[0] for key in cursor.iternext(values=False)]
        dead = [number for number in numbers if self.page(number) is None]
        for number in dead:
            self.withdraw(number)
        return len(dead)

    def decide(self, decision: dict[str, Any]) -> bytes:
        """Write a decision down under the next sequence number, which it gets; return its JSON.

        That is ASCII, so that no byte of a stranger's URL gets through.
        """
        sequence = self._next("sequence")
        decision["seq"] = sequence
        data = _encode(decision).encode("ascii")
        self._txn.put(SEQUENCE_KEY.pack(sequence), data, db=self._db["decisions"], append=True)
        return data

    def _forget_own_page(self, key: bytes) -> None:
        known = self.url(key)
        if known is not None and not known.alias:
            self.withdraw(known.number)

    def _put_run(self, number: int, run: dict[str, Any]) -> None:
        self._txn.put(NUMBER_KEY.pack(number), json.dumps(run).encode(), db=self._db["runs"])

    def _put_page(self, record: PageRecord) -> None:
        self._txn.put(NUMBER_KEY.pack(record.number), record.pack(), db=self._db["pages"])

    def _put_url(self, key: bytes, record: UrlRecord) -> None:
        self._txn.put(key, record.pack(), db=self._db["urls"])

    def _next(self, counter: str) -> int:
        name = counter.encode()
        number = int.from_bytes(self._get("meta", name) or b"", "big") + 1
        self._txn.put(name, number.to_bytes(8, "big"), db=self._db["meta"])
        return number
