"""What is known of hosts.

Pages with a new text that arrive from a host are a log, by host and number. At fixed numbers of
arrivals a generation of the host's memory is published: a pure function of the arrivals up to that
number, so that whichever process gets there computes the same. What it has counted is kept for the
next generation, and the log up to there is deleted.

Pages that were seen before are another log of the host, of which the same is true: it tells what
changes by itself. They say nothing new about what the host repeats.

Whole hosts have a book each, and the forms in which their URLs were fetched. A book is JSON,
compressed; the room `sites` knows what it says. Forms are in buckets, a fixed number of them for
each host and a bounded number of forms in each, of which those that were written first make room
for others: so a host can fill its own buckets only.
"""

from __future__ import annotations

import json
import secrets
import struct
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from dedup_middleware.fingerprint.rarity import FIRST_GENERATION, LAST_PAGE, SiteCounts
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, Arrival, SiteMemory
from dedup_middleware.fingerprint.volatile import Revisit, RevisitCounts
from dedup_middleware.urls import host_key

from .engine import NUMBER, number_of, portions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .change import Told
    from .engine import Batch, Snapshot

MOST_HOSTS, MOST_PAGES = 64, 8192
"""Hosts whose counts a process keeps, and pages that these have counted, all together. Of other
hosts the arrivals are read again when their next generation is published."""
MOST_MEMORIES, MOST_BYTES = 1024, 1 << 26
"""Hosts whose memories a process keeps, and bytes of these, all together."""
SITES_VERSION = b"sites"
"""In `meta`: a random value that changes with every generation of a host."""
_TEXT = struct.Struct("<Q")
_REVISITS = b"r"

_COUNTED_BY: dict[type, Any] = {Arrival: SiteCounts, Revisit: RevisitCounts}
BUCKETS, MOST_FORMS = 1024, 60
"""Of a host, and in a bucket: as many as LMDB keeps in half a page."""
_FORM = struct.Struct(">QBHIIQI")
_BUCKET = struct.Struct(">H")
_MAX_UNPACKED = 1 << 24


def generation_of(arrivals: int) -> int:
    """Return the generation that is published after so many arrivals.

    >>> [generation_of(arrivals) for arrivals in (3, 4, 7, 8, 16)]
    [0, 1, 1, 2, 3]
    """
    if arrivals < FIRST_GENERATION:
        return 0
    return arrivals.bit_length() - FIRST_GENERATION.bit_length() + 1


def end_of(generation: int) -> int:
    """Return the number of the arrival with which the next generation begins.

    >>> [end_of(generation) for generation in (0, 1, 2)]
    [4, 8, 16]
    """
    return FIRST_GENERATION << generation


def arrival_key(log: bytes, number: int) -> bytes:
    return log + NUMBER.pack(number)


def revisits_of(host: bytes) -> bytes:
    """Return the key of a host's log of revisits; that of its log of arrivals is its own."""
    return host + _REVISITS


def is_of_revisits(key: bytes) -> bool:
    """Return True if a key in a table of hosts is that of a log of revisits: those are odd."""
    return len(key) % 2 == 1


def entries_left(snapshot: Snapshot, host: bytes) -> int:
    """Return how many pages of a host it takes to publish the next generation of either log."""
    sizes = map(number_of, snapshot.get("site_pages", (host, revisits_of(host))))
    return min(end_of(generation_of(size)) - size for size in sizes)


class Hosts:
    """What a process remembers of hosts: memories of generations, and counts of arrivals."""

    def __init__(self) -> None:
        self._memories: dict[bytes, tuple[bytes | None, SiteMemory]] = {}
        self._bytes = 0
        """Of the units of all of them."""
        self._counts: dict[bytes, Any] = {}
        """By the key of the log; those that were used least recently come first."""
        self._pages = 0
        """Pages that all of them have counted."""

    def memory(self, snapshot: Snapshot, host: bytes) -> SiteMemory:
        """Return what is known of a host, as of the generation that a snapshot shows."""
        version = snapshot.get("meta", (SITES_VERSION,))[0]
        known = self._memories.get(host)
        if known and known[0] == version:
            return known[1]
        memory = known[1] if known else UNKNOWN_SITE
        generation, revisited = self._generations(snapshot, host)
        if memory.generation != generation:
            data = snapshot.get("sites", (host,))[0]
            memory = SiteMemory.unpack(data) if data else UNKNOWN_SITE
            if memory.generation != generation:  # it is damaged
                memory = replace(memory, generation=generation)
        if memory.revisited != revisited:
            volatile = snapshot.get("sites", (revisits_of(host),))[0] or b""
            memory = replace(memory, revisited=revisited, volatile=volatile)
        self._bytes += len(memory.units) - (len(known[1].units) if known else 0)
        if len(self._memories) >= MOST_MEMORIES or self._bytes > MOST_BYTES:
            self._memories.clear()
            self._bytes = len(memory.units)
        self._memories[host] = version, memory
        return memory

    def remembered(self, host: bytes) -> SiteMemory:
        """Return what was known of a host when a page of it was last judged here."""
        return self._memories.get(host, (None, UNKNOWN_SITE))[1]

    def add(
        self, batch: Batch, snapshot: Snapshot, host: bytes, told: Told, version: int | None
    ) -> bool:
        """Add what a page tells about its host to a batch.

        Return False if something else is known of the host than what was seen, by
        `SiteMemory.version`; None: nothing has changed since.
        """
        if version is not None:
            generation, revisited = self._generations(snapshot, host)
            if version != SiteMemory(generation, revisited=revisited).version:
                return False
        log = host if isinstance(told, Arrival) else revisits_of(host)
        entries = number_of(snapshot.get("site_pages", (log,))[0])
        end = end_of(generation_of(entries))
        batch.bound = log, end
        if isinstance(told, Revisit):
            # the log of arrivals is not bounded by the batch, but its memory counts, too
            known = snapshot.get("meta", (SITES_VERSION,))[0]
            batch.expect.append(("meta", SITES_VERSION, known))
        if entries >= LAST_PAGE:
            return True
        if isinstance(told, Arrival):
            text = host + _TEXT.pack(told.text)
            if snapshot.get("site_texts", (text,))[0] is not None:
                return True
            batch.expect.append(("site_texts", text, None))
            batch.puts.append(("site_texts", text, b""))
        if entries + 1 < end:
            batch.arrival = log, told.pack()
        else:
            self._publish(batch, snapshot, log, told, entries)
        return True

    def note(self, batch: Batch, told: Told, number: int) -> None:
        """Count what was written under a number, if what came before it was counted."""
        if batch.published:
            log, counts = batch.published
            if counts.pages >= LAST_PAGE:  # nothing more is counted
                return
            self._pages += counts.pages
        elif batch.arrival:
            log = batch.arrival[0]
            counts = self._counts.pop(log, None) or _COUNTED_BY[type(told)]()
            if counts.pages == number - 1:
                counts.learn(told)
                self._pages += 1
            elif not counts.pages:
                return
        else:
            return
        self._counts[log] = counts
        while len(self._counts) > MOST_HOSTS or self._pages > MOST_PAGES:
            self._take(next(iter(self._counts)))

    def _publish(
        self, batch: Batch, snapshot: Snapshot, log: bytes, told: Told, entries: int
    ) -> None:
        """Add the next generation of a log to a batch, with the entry that it begins with."""
        generation = generation_of(entries)
        folded = end_of(generation - 1) if generation else 0
        counts = self._take(log)
        if counts is None or counts.pages > entries:
            kind = _COUNTED_BY[type(told)]
            before = snapshot.get("site_counts", (log,))[0]
            counts = kind.unpack(before) if before else kind()
        missing = [arrival_key(log, n) for n in range(counts.pages + 1, entries + 1)]
        for some in portions(missing):
            for packed in snapshot.get("arrivals", some):
                if packed is not None:  # else it is damaged
                    counts.learn(told.unpack(packed))
        counts.learn(told)
        published = counts.publish(generation + 1)
        batch.published = log, counts
        batch.expect.append(("site_pages", log, NUMBER.pack(entries) if entries else None))
        batch.puts += (
            ("site_pages", log, NUMBER.pack(entries + 1)),
            ("sites", log, published),
            ("site_counts", log, counts.pack()),
            ("meta", SITES_VERSION, secrets.token_bytes(8)),
        )
        batch.deletes += (("arrivals", arrival_key(log, n)) for n in range(folded + 1, entries + 1))

    def _generations(self, snapshot: Snapshot, host: bytes) -> tuple[int, int]:
        """Return the generations of both logs of a host."""
        arrivals, revisits = snapshot.get("site_pages", (host, revisits_of(host)))
        return generation_of(number_of(arrivals)), generation_of(number_of(revisits))

    def _take(self, log: bytes) -> Any:
        counts = self._counts.pop(log, None)
        self._pages -= counts.pages if counts else 0
        return counts


class Form(NamedTuple):
    """A form of a URL that was fetched, and the page that it showed."""

    key: int
    """A hash of the form."""
    flags: int
    port: int
    detail: int
    """How the URL was written."""
    value: int
    """A hash of what was left out of the URL to get the form."""
    page: int
    """A hash of the URL of the page."""
    crawl: int
    """A hash of the name of the crawl; 0 if the page was lost."""


def book_key(host: str) -> bytes:
    """Return the key of the book of a host."""
    return host_key(f"https://{host}")


def bucket_key(host: str, form: int) -> bytes:
    """Return the key of the bucket of a host that a form is in."""
    return book_key(host) + _BUCKET.pack(form % BUCKETS)


def bucket_keys(host: bytes) -> Iterator[bytes]:
    """Yield the keys of all buckets of a host, whose book has a key."""
    return (host + _BUCKET.pack(number) for number in range(BUCKETS))


def pack_book(book: dict[str, Any]) -> bytes:
    """Compress a book."""
    return zstandard.compress(json.dumps(book, separators=(",", ":")).encode(), 1)


def unpack_book(data: bytes) -> dict[str, Any]:
    """Restore a book; raise ValueError or ZstdError if it can't be read."""
    book = json.loads(zstandard.decompress(data, _MAX_UNPACKED))
    if not isinstance(book, dict) or not isinstance(book.get("host"), str):
        raise ValueError("not a book")  # noqa: TRY004 - as what else can't be read
    return book


def books(snapshot: Snapshot) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield all books that can be read, with their keys."""
    for key, data in snapshot.scan("site_books"):
        with suppress(ValueError, zstandard.ZstdError):
            yield key, unpack_book(data or b"")


def find_form(bucket: bytes | None, key: int) -> Form | None:
    """Return a form in a bucket.

    >>> form = Form(7, 0, 0, 0, 1, 2, 3)
    >>> find_form(add_forms(None, [form]), 7) == form, find_form(None, 7)
    (True, None)
    """
    at = _place(bucket or b"", key)
    return None if at < 0 else Form(*_FORM.unpack_from(bucket or b"", at))


def add_forms(bucket: bytes | None, forms: list[Form]) -> bytes:
    """Return a bucket with some more forms, each in place of one of the same key."""
    data = bucket or b""
    for form in forms:
        at = _place(data, form.key)
        if at >= 0:
            data = data[:at] + data[at + _FORM.size :]
        data += _FORM.pack(*form)
    return data[-MOST_FORMS * _FORM.size :]


def count_forms(bucket: bytes) -> int:
    """Count the forms in a bucket; raise ValueError if it can't be read."""
    forms, rest = divmod(len(bucket), _FORM.size)
    if rest:
        raise ValueError("not a bucket of forms")
    return forms


def _place(bucket: bytes, key: int) -> int:
    """Return where a form begins; -1 if it is not there."""
    packed = key.to_bytes(8, "big")
    at = bucket.find(packed)
    while at % _FORM.size and at >= 0:  # a part of another form that looks like it
        at = bucket.find(packed, at + 1)
    return at
