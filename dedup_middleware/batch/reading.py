"""Stages *read* and *sites*: pages as later stages need them, and the memory of their hosts.

Site memory counts arrivals and never verdicts, so that it is known before anything is judged. What
is volatile is not learned here: what a URL showed before a revisit depends on verdicts.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.fingerprint.rarity import SiteCounts
from dedup_middleware.fingerprint.scheme import fingerprint_of, lookup_keys
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, Arrival, SiteMemory
from dedup_middleware.fingerprint.subject import Subject, read_subject
from dedup_middleware.judge.match import is_comparable
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.store.packing import pack, unpack
from dedup_middleware.text import printable
from dedup_middleware.urls import url_key

from .arrow import encodable
from .candidates import sketched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from dedup_middleware.page import Page
    from dedup_middleware.settings import Settings
    from dedup_middleware.verdict import Verdict

ROWS = 512  # in a batch
_LEARNED = Arrival(0, 0, b"")  # what a page tells about its host is in the memory of sites already

SCHEMA = pa.schema(
    [
        ("arrival", pa.int64()),  # the page's place in the order of all pages
        ("url", pa.binary()),  # UTF-8, but any character that JSON can name may be in it
        ("url_key", pa.binary()),
        ("host", pa.binary()),
        ("address", pa.binary()),  # the key of the URL that the page declares as its own
        ("keys", pa.list_(pa.int64())),  # by which it is looked up
        ("same", pa.binary()),  # a hash of keys, sketch and presentation: copies have one
        ("sketch", pa.binary()),  # by which it is decided what is worth comparing
        ("site", pa.binary()),  # what it tells about its host
        ("body", pa.binary()),  # a hash of its bytes
        ("presentation", pa.binary()),  # and of what can have a say in how its text looks
        ("uncertain", pa.bool_()),  # whether that may hide some of it
        ("size", pa.int64()),
        ("redirected_from", pa.list_(pa.binary())),
        ("outline", pa.binary()),
        *(("kind", pa.string()), ("action", pa.string()), ("reason", pa.string())),  # if alone
        ("problem", pa.string()),  # what could not be read; there may be no page, then
    ]
)


def generations(arrivals: Iterable[tuple[int, bytes, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the memory of a host, packed, each with the arrival after which it holds.

    `arrivals` are pages of the host in order, with the key of their URL and what each tells about
    the host. More of one text or of one URL than the first make no difference, nor do those after
    `LAST_PAGE` texts.
    """
    counts, texts, urls, number = SiteCounts(), set[int](), set[bytes](), 0
    for arrival, url, packed in arrivals:
        page = Arrival.unpack(packed)
        is_known = url in urls
        if page.sample.strip(b"\0"):  # else it has no words, and nothing is kept of it
            urls.add(url)
        if is_known or page.text in texts or not counts.learn(page):
            continue
        texts.add(page.text)
        if counts.is_due:
            number += 1
            yield arrival, counts.generation(number).pack()


class SiteTable:
    """What was known of hosts at any time.

    >>> table = SiteTable()
    >>> table.add(b"host", 7, SiteMemory(generation=1).pack())
    >>> [table.at(b"host", arrival).generation for arrival in (7, 8)]
    [0, 1]
    """

    def __init__(self) -> None:
        self._since: dict[bytes, list[int]] = {}
        self._memories: dict[bytes, list[bytes | SiteMemory]] = {}

    def add(self, host: bytes, since: int, packed: bytes) -> None:
        """Add the next generation of a host: what is known after an arrival."""
        self._since.setdefault(host, []).append(since)
        self._memories.setdefault(host, []).append(packed)

    def at(self, host: bytes, arrival: int) -> SiteMemory:
        """Return what is known of a host when a page arrives."""
        place = bisect_left(self._since.get(host, ()), arrival) - 1
        if place < 0:
            return UNKNOWN_SITE
        memory = self._memories[host][place]
        if isinstance(memory, bytes):
            memory = self._memories[host][place] = SiteMemory.unpack(memory)
        return memory


def read_rows(
    pages: Iterable[tuple[int, Page | str]], settings: Settings, rows: int = ROWS
) -> Iterator[pa.RecordBatch]:
    """Read pages, each with its place in the order of arrival; in place of one, what went wrong."""
    batch: list[dict[str, Any]] = []
    with Deduplicator(MemoryStore(), settings=settings) as alone:
        for arrival, page in pages:
            if isinstance(page, str):
                row: dict[str, Any] = {"problem": encodable(page)}
            else:
                done = read_subject(page, max_html=settings.max_html, max_text=settings.max_text)
                row = _row(done, alone.probe(done), settings)
            batch.append({"arrival": arrival, **row})
            if len(batch) == rows:
                yield pa.RecordBatch.from_pylist(batch, SCHEMA)
                batch = []
    if batch:
        yield pa.RecordBatch.from_pylist(batch, SCHEMA)


def page_of(row: dict[str, Any]) -> Subject:
    """Return the page of a row; its fingerprint is made again, as few pages need it."""
    outline = unpack(row["outline"])
    made = fingerprint_of(outline, row["body"])
    return Subject(
        url_of(row["url"]),
        row["url_key"],
        row["host"],
        outline,
        replace(made, presentation=row["presentation"], uncertain=row["uncertain"]),
        _LEARNED,
        row["size"],
        tuple(map(url_of, row["redirected_from"])),
    )


def url_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _row(page: Subject, alone: Verdict, settings: Settings) -> dict[str, Any]:
    outline, made = page.outline, page.fingerprint
    address = outline.identity.address
    declared = url_key(address) if address else None
    # what its site's memory takes off a page makes it shorter still
    keys = lookup_keys(made, alike=is_comparable(made.words, outline, settings))
    sketch = sketched(made)
    return {
        "url": _encoded(page.url),
        "url_key": page.key,
        "host": page.host,
        "address": None if declared == page.key else declared,
        "keys": keys.view(np.int64),
        "same": hashlib.blake2b(
            keys.tobytes() + sketch + made.presentation, digest_size=16
        ).digest(),
        "sketch": sketch,
        "site": page.arrival.pack(),
        "body": made.body,
        "presentation": made.presentation,
        "uncertain": made.uncertain,
        "size": page.size,
        "redirected_from": [_encoded(url) for url in page.redirected_from],
        "outline": pack(outline),
        "kind": str(alone.kind),
        "action": str(alone.action),
        "reason": alone.reason,
        "problem": None
        if page.readable
        else f"{printable(page.url)}: can't be read as HTML; passed",
    }


def _encoded(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")
