"""What a process has open of hosts, books and forms of URLs, and its way into the store and back.

A URL is made canonical by the rules of its host. It is known under its own form, and for each thing
that could be removed from it under the form without that. So the pages of two URLs that differ in
one thing meet, whichever thing it is; and when a rule about it is learned, what was fetched before
is found under the canonical form.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import zstandard

from dedup_middleware.store.engine import Batch, Conflict, portions
from dedup_middleware.store.hosts import (
    Form,
    add_forms,
    book_key,
    bucket_key,
    find_form,
    pack_book,
    unpack_book,
)

from .book import Book
from .parsed import AMP, CASE, INDEX, PORT, PRINT, TOGGLES, Variant
from .rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dedup_middleware.store.engine import Engine

    from .book import Observation
    from .parsed import Parsed, Thing
    from .values import RuleKind

MOST_ON_THEIR_WAY = 10_000
"""Requests of a host that are remembered."""
MOST_BOOKS = 1024
"""Books that are open; of more, those used least recently are closed."""
MOST_HOSTS = 1_000_000
"""Hosts of which a store keeps books; of others nothing is written."""
_UNREADABLE = (LookupError, TypeError, ValueError, zstandard.ZstdError)
MOST_KNOWN = 1 << 14
"""Forms that a process remembers."""
_DETAILED = INDEX | CASE | AMP | PRINT


@dataclass(slots=True)
class OpenBook:
    """The book of a host, and what this process knows of it besides."""

    book: Book
    data: bytes | None
    """As it is in the store."""
    is_kept: bool
    """Whether it is written into the store."""
    since: list[Observation] = field(default_factory=list)
    """What was learned since it was read or written."""
    on_their_way: dict[str, Parsed] = field(default_factory=dict)
    """Requests that were sent, by URL."""
    forms: tuple[Rules, dict[str, list[str]]] = field(default_factory=lambda: (Rules(), {}))
    """Canonical forms of these with their URLs, by the rules that have made them."""
    formed: dict[str, str] = field(default_factory=dict)
    """The form under which each request is entered."""
    sent: Counter[str] = field(default_factory=Counter)
    """Requests by shape, where there is a budget."""

    def send(self, url: str, parsed: Parsed) -> None:
        """Note that a request was sent."""
        if len(self.on_their_way) < MOST_ON_THEIR_WAY and url not in self.on_their_way:
            self.on_their_way[url] = parsed
            self._enter(url, parsed)

    def arrive(self, url: str) -> None:
        """Note that a request is not on its way any more."""
        parsed = self.on_their_way.pop(url, None)
        form = self.formed.pop(url, None)
        if parsed is not None and form is not None:
            forms = self.forms[1]
            forms[form].remove(url)
            if not forms[form]:
                del forms[form]

    def _enter(self, url: str, parsed: Parsed) -> None:
        """Enter a form as it is now: what the rules make of a URL changes with their evidence."""
        form = self.formed[url] = self.forms[0].apply(parsed)[0].url
        self.forms[1].setdefault(form, []).append(url)

    def on_its_way(self, form: Parsed) -> dict[str, int]:
        """Return the URLs of the requests of a canonical form that were sent, with toggles."""
        if self.forms[0] is not self.book.rules:
            self.forms = self.book.rules, {}
            for url, one in self.on_their_way.items():
                self._enter(url, one)
        urls = self.forms[1].get(form.url, ())
        return {url: self.on_their_way[url].variant.flags for url in urls}


class Shelf:
    """Open books, read when they are first asked for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._books: OrderedDict[str, OpenBook] = OrderedDict()
        self._room: int | None = None
        """How many new hosts the store may take."""

    def open(self, host: str) -> OpenBook:
        """Return the book of a host."""
        opened = self._books.get(host)
        if opened is None:
            book, data = self._read(host)
            opened = OpenBook(book, data, data is not None or self._has_room())
            self._books[host] = opened
            if len(self._books) > MOST_BOOKS:
                oldest = list(self._books)[: MOST_BOOKS // 2]
                self._save(oldest)
                for name in oldest:
                    del self._books[name]
        elif len(self._books) > 1:
            self._books.move_to_end(host)
        return opened

    def save(self) -> None:
        """Write all books that have changed."""
        self._save(list(self._books))

    def scan(self) -> Iterator[Book]:
        """Yield all books of the store."""
        with self._engine.snapshot() as snapshot:
            for _, data in snapshot.scan("site_books"):
                book = self._unpacked(data)
                if book:
                    yield book

    def change(self, host: str, change: Callable[[Book], None]) -> None:
        """Change the book of a host by hand, and write it."""
        opened = self.open(host)
        change(opened.book)
        while isinstance(self._write([host])[0], Conflict):
            self._read_again(host)
            change(opened.book)

    def _save(self, hosts: Sequence[str]) -> None:
        changed = [host for host in hosts if self._books[host].since]
        for some in portions([host for host in changed if self._books[host].is_kept]):
            left = list(some)
            while left:
                for result in self._write(left):
                    if isinstance(result, Conflict):
                        self._read_again(left[0])
                    else:
                        left.pop(0)
        for host in changed:
            self._books[host].since.clear()

    def _write(self, hosts: Sequence[str]) -> list[object]:
        """Write books in their order, up to one that another process has written meanwhile."""
        batches, packed = [], []
        for host in hosts:
            opened, key = self._books[host], book_key(host)
            packed.append(pack_book(opened.book.as_json()))
            batch = Batch(expect=[("site_books", key, opened.data)])
            batch.puts.append(("site_books", key, packed[-1]))
            batches.append(batch)
        results = self._engine.apply(batches)
        for host, data, result in zip(hosts, packed, results, strict=False):
            if not isinstance(result, Conflict):
                self._books[host].data = data
        return [*results]

    def _read_again(self, host: str) -> None:
        """Read a book that another process has written; learn again what was learned since."""
        opened = self._books[host]
        opened.book, opened.data = self._read(host)
        for seen in opened.since:
            opened.book.apply(seen)

    def _has_room(self) -> bool:
        """Return True if the store may take one more host."""
        if self._room is None:
            with self._engine.snapshot() as snapshot:
                self._room = MOST_HOSTS - snapshot.sizes()["site_books"].entries
        self._room -= 1
        return self._room >= 0

    def _read(self, host: str) -> tuple[Book, bytes | None]:
        with self._engine.snapshot() as snapshot:
            data = snapshot.get("site_books", (book_key(host),))[0]
        return self._unpacked(data) or Book(host), data

    def _unpacked(self, data: bytes | None) -> Book | None:
        try:
            return Book.of_json(unpack_book(data)) if data else None
        except _UNREADABLE:  # it is learned again
            return None


class Written(NamedTuple):
    """A form of a URL, before it is in the store."""

    form: Form
    url: Parsed
    thing: Thing | None
    """What was removed; None: nothing."""
    page: str
    """The URL of the page that it shows."""
    votes: bool
    """Whether it may vote: it is known how it compares with earlier forms in memory only."""


def form_key(host: str, rest: str, kind: str = "", name: str = "") -> int:
    """Return the key of the form of a URL without a thing; without one, of the URL itself."""
    text = f"{host}\n{kind}\n{name}\n{rest}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def hash_of(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def page_hash(url: str) -> int:
    """Return what is kept of the URL of a page."""
    return form_key("", url)


def difference(one: Variant, other: Variant) -> RuleKind | None:
    """Return the one toggle in which two URLs of one form differ; None if it is not just one."""
    bits = one.flags ^ other.flags
    if not bits and one.port != other.port:
        return "port"
    if bits.bit_count() != 1 or (bits != PORT and one.port != other.port):
        return None
    return next(kind for kind, bit in TOGGLES.items() if bit == bits)


def is_alike(one: Variant, other: Variant, mask: int) -> bool:
    """Return True if two URLs of one form are written alike, but for toggles in a mask."""
    if (one.flags ^ other.flags) & ~mask or (one.port != other.port and not mask & PORT):
        return False
    # a detail can't say which of several toggles it is about
    return one.detail == other.detail or not one.flags & ~mask & _DETAILED


def variant_of(form: Form) -> Variant:
    return Variant(form.flags, form.port, form.detail)


class Forms:
    """The forms that a process has seen, and those of the store."""

    def __init__(self, engine: Engine, crawl: int) -> None:
        self._engine = engine
        self._crawl = crawl
        self._known: dict[int, bytes] = {}
        """Packed, as there are many."""
        self._pending: dict[int, Written] = {}

    def known(self, key: int) -> Form | None:
        """Return a form that this process has seen."""
        return find_form(self._known.get(key), key)

    def find(self, host: str, keys: Iterable[int]) -> Iterator[Form]:
        """Yield the forms with some keys; the store is asked for those that are not known."""
        missing = []
        for key in keys:
            form = self.known(key)
            if form is None:
                missing.append(key)
            else:
                yield form
        if missing:
            with self._engine.snapshot() as snapshot:
                buckets = snapshot.get("site_forms", [bucket_key(host, key) for key in missing])
            for key, bucket in zip(missing, buckets, strict=True):
                form = find_form(bucket, key)
                if form is not None:
                    yield form

    def put(self, written: Written) -> None:
        """Enter a form, unless one of the same key was entered in this crawl."""
        key = written.form.key
        known = self.known(key)
        if known is not None and known.crawl == self._crawl:
            return
        self._known[key] = add_forms(None, [written.form])
        self._pending[key] = written
        if len(self._known) > MOST_KNOWN:
            for old in list(self._known)[: MOST_KNOWN // 4]:
                del self._known[old]

    def lose(self, url: Parsed, keys: Iterable[int], page: int) -> None:
        """Note that the page of some forms was lost: it counts as fetched no more."""
        for key in keys:
            known = self.known(key)
            if known is not None and known.page == page:
                lost = known._replace(crawl=0)
                self._known[key] = add_forms(None, [lost])
                self._pending[key] = Written(lost, url, None, "", votes=False)

    def flush(self, is_kept: Callable[[str], bool]) -> list[tuple[Written, Form]]:
        """Write what waits about hosts that are kept.

        Return the forms that others, or this process long ago, have entered, each beside the new
        one of the same key.
        """
        pending, self._pending = list(self._pending.values()), {}
        met = list[tuple[Written, Form]]()
        buckets: dict[bytes, list[Written]] = {}
        kept = {host for host in {one.url.host for one in pending} if is_kept(host)}
        for one in (one for one in pending if one.url.host in kept):
            buckets.setdefault(bucket_key(one.url.host, one.form.key), []).append(one)
        for keys in portions(list(buckets)):
            batch = Batch()
            with self._engine.snapshot() as snapshot:
                known = snapshot.get("site_forms", keys)
            for key, bucket in zip(keys, known, strict=True):
                for one in buckets[key]:
                    old = find_form(bucket, one.form.key)
                    if old is not None and one.votes:
                        met.append((one, old))
                forms = [one.form for one in buckets[key]]
                batch.puts.append(("site_forms", key, add_forms(bucket, forms)))
            self._engine.apply([batch])
        return met
