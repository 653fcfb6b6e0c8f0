"""Changes of a store: what one judged page writes, what that rests on, and both as a batch.

A page is judged on a `View`, without a lock, and entered by `Store.commit`, which is optimistic on
what the view showed: `Seen`. If something else has come since that could change the verdict, the
commit does nothing and returns `Conflict`; judge again and try again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from . import packing
from .engine import NUMBER, PRESENT, Batch, Conflict
from .packing import PAGE_IN_URL, UrlRecord, packed_page
from .runs import RUNS_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.fingerprint.site import Arrival
    from dedup_middleware.fingerprint.volatile import Revisit
    from dedup_middleware.read import Outline

    from .hosts import Hosts
    from .packing import PageRecord
    from .tables import Tables
    from .view import View

    Told: TypeAlias = Arrival | Revisit
    """What a page tells about its host: one whose URL was not known, or was."""
    Index = Callable[[Tables, int], None]
    """Enters a page of some number into the tables of a method."""

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
OF_PAGE = ("pages", "outlines", "pending")
"""Tables whose keys are numbers of pages."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a judgement rests on."""

    last_page: int
    """The highest page number at the time of the view."""
    url: UrlRecord | None
    original: int | None = None
    """The page that the verdict names; it must still be allowed as an original."""
    keys: Keys | None = None
    """The lists in which new members count as arrived; None: none of them."""
    any_page: bool = False
    """Whether each new page counts as arrived, as for methods with an index of their own."""
    site_version: int = 0
    """Of the memory of the page's site."""
    version: int | None = None
    """That of the view, if it has one: where it is still the same, nothing has arrived."""
    asked: Collection[bytes] = ()
    """The keys of URLs and hosts that were looked at."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A page that becomes known under its URL, in place of what was there."""

    url: str
    fingerprint: Fingerprint
    outline: Outline
    keys: Keys
    """Those under which it will be found."""
    delivered: bool
    index: Index | None = None
    seen: tuple[float, float] | None = None
    """When it was first and last seen, if that was in another store."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A URL that shows what a registered page shows; it is no candidate itself."""

    digest: bytes
    original: int
    outline: Outline | None = None
    """Kept for people who compare, where it differs from that of the original."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one judged page changes."""

    key: bytes
    """Of the page's URL."""
    page: Registration | Copy | None = None
    decision: dict[str, Any] | None = None
    """A line of the journal; gets its sequence number at commit."""
    site: tuple[bytes, Told] | None = None
    """The key of the page's host, and what the page tells about it."""
    supersedes: int | None = None
    """The page whose place the one at this URL takes; its URL becomes that of a copy."""
    delivered: Sequence[int] = ()
    """Earlier pages of which nothing is pending any more."""


def batch_of(view: View, change: Change, seen: Seen, run: int, hosts: Hosts) -> Batch | Conflict:
    """Return what a change writes in a run; `Conflict` if the view shows what was not seen."""
    key, page, at_url, snapshot = change.key, change.page, seen.url, view.snapshot
    packed_url = None if at_url is None else at_url.pack()
    is_same = seen.version is not None and seen.version == snapshot.version
    if not is_same and snapshot.get("urls", (key,))[0] != packed_url:
        return Conflict()
    batch = Batch(version=seen.version, expect=[("urls", key, packed_url)])
    if seen.original is not None and not _expect_original(batch, view, seen.original, run):
        return Conflict()
    site_version = None if is_same else seen.site_version
    if change.site and not hosts.add(batch, snapshot, *change.site, site_version):
        return Conflict()
    if seen.any_page:
        new = tuple(view.numbers(after=seen.last_page))
        if new:
            return Conflict(new)
        batch.last_page = view.last_page
    elif seen.keys is not None:
        batch.watch, batch.after = seen.keys, seen.last_page
    if change.decision is not None:  # first, because what fails must change nothing
        change.decision["seq"] = None
        batch.line = _encode(change.decision).encode("ascii")
        batch.packed_line = packing.pack_line(batch.line)
    if isinstance(page, Registration):
        _register(batch, view, change.key, page, at_url, run)
    elif isinstance(page, Copy):
        text = packing.pack(page.outline) if page.outline else None
        _copy(batch, key, at_url, UrlRecord(True, page.original, page.digest), text)
    if change.delivered:
        batch.deletes += [("pending", NUMBER.pack(number)) for number in change.delivered]
    if change.supersedes is not None:
        _supersede(batch, view, change, at_url)
    return batch


def _expect_original(batch: Batch, view: View, number: int, run: int) -> bool:
    """Expect that a page may still be an original; return False if it may not."""
    record = next(iter(view.records([number])), None)
    if record is None:
        return False
    batch.expect.append(("pages", NUMBER.pack(number), PRESENT))
    if record.run == run:
        return True
    version = view.snapshot.get("meta", (RUNS_VERSION,))[0]
    batch.expect.append(("meta", RUNS_VERSION, version))
    return view.may_be_original(record, batch.alive)


def _register(
    batch: Batch, view: View, key: bytes, page: Registration, at_url: UrlRecord | None, run: int
) -> None:
    if at_url is not None:
        _withdraw_own_page(batch, at_url)
        batch.deletes.append(("redundant", key))
    batch.keys = page.keys
    batch.page = [
        ("pages", packed_page(page.url, key, page.fingerprint, run, page.seen)),
        ("outlines", packing.pack(page.outline)),
    ]
    if not page.delivered:
        batch.page.append(("pending", b""))
    own = UrlRecord(False, 0, page.fingerprint.digest)
    batch.named.append(("urls", key, own.pack(), PAGE_IN_URL))
    if page.index:  # what it writes depends on the number, so that must be the next one
        tables = view.tables()
        page.index(tables, view.last_page + 1)
        tables.write(batch)
        batch.last_page = view.last_page


def _copy(
    batch: Batch, key: bytes, known: UrlRecord | None, copy: UrlRecord, text: bytes | None
) -> None:
    """Note that a URL shows what a page shows; the number 0 stands for the new page."""
    if known is not None:
        _withdraw_own_page(batch, known)
    if copy.number:
        batch.puts.append(("urls", key, copy.pack()))
    else:
        batch.named.append(("urls", key, copy.pack(), PAGE_IN_URL))
    if text is not None:
        batch.puts.append(("redundant", key, text))
    elif known is not None and known.digest != copy.digest:  # what was kept is shown no more
        batch.deletes.append(("redundant", key))


def _supersede(batch: Batch, view: View, change: Change, at_url: UrlRecord | None) -> None:
    """Let the URL of a page become that of a copy of the page at the URL of the change."""
    number = change.supersedes or 0
    if isinstance(change.page, Registration):
        successor, digest = 0, change.page.fingerprint.digest
    elif change.page is None and at_url is not None and not at_url.alias:
        successor, digest = at_url.number, at_url.digest
    else:
        return
    record = next(iter(view.records([number])), None)
    if record is None or number == successor or number in batch.withdrawn:
        return
    page = NUMBER.pack(number)
    there = view.snapshot.get("urls", (record.key,))[0]
    batch.expect += (("pages", page, PRESENT), ("urls", record.key, there))
    text = None if record.digest == digest else view.snapshot.get("outlines", (page,))[0]
    copy = UrlRecord(True, successor, record.digest)
    _copy(batch, record.key, UrlRecord.unpack(there) if there else None, copy, text)


def _withdraw_own_page(batch: Batch, known: UrlRecord) -> None:
    if not known.alias:
        remove_page(batch, known.number)


def remove_page(batch: Batch, number: int) -> None:
    """Remove a page, without what its URL says."""
    key = NUMBER.pack(number)
    batch.deletes += ((table, key) for table in OF_PAGE)
    batch.withdrawn.append(number)


def withdraw(batch: Batch, view: View, numbers: Iterable[int]) -> None:
    """Remove pages: they match no more, and their URLs pass again."""
    records = view.records(numbers)
    at_urls = view.snapshot.get("urls", [record.key for record in records])
    for record, at_url in zip(records, at_urls, strict=True):
        remove_page(batch, record.number)
        own = UrlRecord(False, record.number, record.digest).pack()
        if at_url == own:
            batch.expect.append(("urls", record.key, own))
            batch.deletes.append(("urls", record.key))


def settle(
    view: View,
    delivered: Iterable[int],
    withdrawn: Collection[int],
    seen_again: Collection[int],
    superseded: Collection[int],
    now: float,
) -> Batch:
    """Return the batch that writes down what became of pages."""
    batch = Batch()
    batch.deletes += (("pending", NUMBER.pack(number)) for number in delivered)
    for record in view.records({*seen_again, *superseded} - {*withdrawn}):
        changed = replace(
            record,
            last_seen=now if record.number in seen_again else record.last_seen,
            superseded=record.superseded or record.number in superseded,
        )
        _replace(batch, record, changed)
    withdraw(batch, view, withdrawn)
    return batch


def _replace(batch: Batch, record: PageRecord, changed: PageRecord) -> None:
    key = NUMBER.pack(record.number)
    batch.expect.append(("pages", key, record.pack()))
    batch.puts.append(("pages", key, changed.pack()))
