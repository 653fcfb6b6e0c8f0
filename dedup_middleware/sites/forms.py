"""The forms in which URLs were fetched: what gives votes, and says what need not be fetched again.

A URL is made canonical by the rules of its host. It is known under its own form, and for each thing
that could be removed from it under the form without that. So the pages of two URLs that differ in
one thing meet, whichever thing it is; and when a rule about it is learned, what was fetched before
is found under the canonical form.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from dedup_middleware.store.engine import Batch, portions
from dedup_middleware.store.hosts import Form, add_forms, bucket_key, find_form

from .parsed import AMP, CASE, INDEX, PORT, PRINT, TOGGLES, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dedup_middleware.store.engine import Engine

    from .parsed import Parsed, Thing
    from .values import RuleKind

MOST_KNOWN = 1 << 14
"""Forms that a process remembers."""
_DETAILED = INDEX | CASE | AMP | PRINT


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
