"""What Spark's workers do in each stage: batches of Arrow in, batches of Arrow out.

Rows of a partition come in order; what belongs together, by the first column, comes together. Pages
are numbered by arrival. A pair is a page and a known one, which arrived before it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import deque
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.fingerprint.rarity import SiteCounts
from dedup_middleware.fingerprint.scheme import (
    Sketch,
    digest_key,
    distance,
    estimates,
    fingerprint_of,
)
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, Arrival, SiteMemory
from dedup_middleware.fingerprint.subject import Subject, read_subject
from dedup_middleware.judge.cascade import CACHED_WORDS, Cascade
from dedup_middleware.judge.decide import likely_relation
from dedup_middleware.judge.match import (
    REWORDED_PAIRS,
    gate,
    is_comparable,
    is_near_match,
    is_worth_comparing,
)
from dedup_middleware.similarity import compare_hashes
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store.hosts import Hosts
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.store.packing import pack, unpack
from dedup_middleware.text import printable
from dedup_middleware.urls import url_key

from .arrow import VERDICT, Clusters, columns_of, encodable
from .sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from dedup_middleware.page import Page
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Prepared
    from dedup_middleware.store.engine import Snapshot

    Batches = Iterable[pa.RecordBatch]
    Rows = Iterator[tuple[Any, ...]]

FILE_SHIFT = 32
"""A page's place is the number of its file, and behind that its own there."""
ROWS = 512  # in a batch
_SIMHASH = 8  # bytes
_LEARNED = Arrival(0, 0, b"")  # what a page tells about its host is in the memory of sites already

PAGES = pa.schema(
    [
        ("arrival", pa.int64()),  # the page's place in the order of all pages
        ("problem", pa.string()),  # what could not be read; there may be no page, then
        ("url_key", pa.binary()),
        ("host", pa.binary()),
        ("address", pa.binary()),  # the key of the URL that the page declares as its own
        ("digest", pa.int64()),  # the key of its text
        ("keys", pa.list_(pa.int64())),  # those by which it is found, if it is not the same text
        ("alike", pa.binary()),  # a hash of all of these and the sketch
        ("sketch", pa.binary()),  # its SimHash and sketch, by which pages are chosen to compare
        ("site", pa.binary()),  # what it tells about its host
        ("outline", pa.binary()),
        ("about", pa.binary()),  # all else that a subject is made of
    ]
)
SITES = pa.schema([("host", pa.binary()), ("since", pa.int64()), ("memory", pa.binary())])
PAIRS = pa.schema([("page", pa.int64()), ("known", pa.int64())])
CANDIDATES = PAIRS.append(pa.field("is_reworded", pa.bool_()))
COMPONENTS = pa.schema([("arrival", pa.int64()), ("component", pa.int64())])
VERDICTS = pa.schema([("arrival", pa.int64()), ("url", pa.string()), *VERDICT])


def read(rows: Rows, settings: Settings) -> Rows:
    """Read the pages of files: (file, path)."""
    for file, path in rows:
        problems: deque[str] = deque()
        arrival = file << FILE_SHIFT
        for page in Sources([Path(path)], problems.append, max_html=settings.max_html):
            yield arrival, *row_of(page, settings)
            arrival += 1
        for problem in problems:
            yield arrival, encodable(problem), *[None] * (len(PAGES) - 2)


def row_of(page: Page, settings: Settings) -> tuple[Any, ...]:
    """Return a page as later stages need it."""
    subject = read_subject(page, max_html=settings.max_html, max_text=settings.max_text)
    outline, made = subject.outline, subject.fingerprint
    address = outline.identity.address
    declared = url_key(address) if address else None
    # what its site's memory takes off a page makes it shorter still
    keys = made.keys if is_comparable(made.words, outline, settings) else made.keys[:0]
    digest = digest_key(made.digest)
    alike = keys.tobytes() + made.sketch.packed + digest.to_bytes(8, "big")
    about = (
        *(subject.url, subject.key, subject.host, subject.size, subject.redirected_from),
        *(made.body, made.presentation, made.uncertain),
    )
    problem = f"{printable(page.url)}: can't be read as HTML; passed"
    return (
        None if subject.readable else encodable(problem),
        subject.key,
        subject.host,
        None if declared == subject.key else declared,
        digest,
        keys.view(np.int64),
        hashlib.blake2b(alike, digest_size=16).digest(),
        made.simhash.to_bytes(_SIMHASH, "big") + made.sketch.packed,
        subject.arrival.pack(),
        pack(outline),
        pickle.dumps(about),
    )


def subject_of(packed: bytes, about: bytes) -> Subject:
    """Return the page of a row; its fingerprint is made again, as that is small work."""
    outline = unpack(packed)
    url, key, host, size, redirected_from, body, presentation, uncertain = pickle.loads(about)  # noqa: S301  # ours
    made = replace(fingerprint_of(outline, body), presentation=presentation, uncertain=uncertain)
    return Subject(url, key, host, outline, made, _LEARNED, size, redirected_from)


def learn(rows: Rows) -> Rows:
    """Learn what was known of hosts, and after which page: (host, arrival, url_key, site).

    Site memory counts arrivals and never verdicts, so that it is known before anything is judged.
    More of one text or of one URL than the first make no difference, nor do those after
    `LAST_PAGE` texts. What is volatile is not learned: what a URL showed before a revisit depends
    on verdicts.
    """
    for host, pages in groupby(rows, itemgetter(0)):
        counts, texts, urls, generation = SiteCounts(), set[int](), set[bytes](), 0
        for _, arrival, url, packed in pages:
            page = Arrival.unpack(packed)
            is_known = url in urls
            if page.sample.strip(b"\0"):  # else it has no words, and nothing is kept of it
                urls.add(url)
            if is_known or page.text in texts or not counts.learn(page):
                continue
            texts.add(page.text)
            if counts.is_due:
                generation += 1
                yield host, arrival, counts.generation(generation).pack()


def choose(rows: Rows, settings: Settings) -> Rows:
    """Choose the pairs that are worth comparing: (page, known, sketch).

    Each page comes first itself.
    """
    lowest = gate(settings)
    for _, pages in groupby(rows, itemgetter(0)):
        numbers, packed = zip(*(row[1:] for row in pages), strict=True)
        simhashes = [int.from_bytes(one[:_SIMHASH], "big") for one in packed]
        sketches = [Sketch(one[_SIMHASH:]) for one in packed]
        found = estimates(sketches[0], sketches[1:])
        for known, simhash, estimate in zip(numbers[1:], simhashes[1:], found, strict=True):
            if is_worth_comparing(distance(simhashes[0], simhash), estimate, lowest):
                yield numbers[0], known, estimate.pairs >= REWORDED_PAIRS


def compare(rows: Rows, settings: Settings) -> Rows:
    """Find the pairs that may be related: (page, known, is_reworded, outline).

    Each page comes first itself. Names and facts, which can only speak against a relation, are left
    out, and so is what sites repeat: that depends on when it is asked for.
    """
    cascade, cache = Cascade(settings), PreparedCache(CACHED_WORDS)

    def prepared(number: int, outline: bytes) -> Prepared:
        words = len(outline) // 3  # compressed, about
        key = number, 0
        return cache.get(key) or cache.put(
            key, words, cascade.prepare(unpack(outline), UNKNOWN_SITE)
        )

    for page, known, is_reworded, outline in rows:
        other = prepared(known, outline)
        if known == page:
            own = other
            continue
        (by_hashes,) = compare_hashes(own, [other])
        if is_reworded or is_near_match(by_hashes, settings):
            (compared,) = cascade.compare([by_hashes], own, [other])
            if likely_relation(compared, settings):
                yield page, known


def join(rows: Rows) -> Rows:
    """Reduce pairs to the first page of each component: (page, known).

    >>> sorted(join(iter([(9, 5), (5, 2), (7, 8)])))
    [(2, 2), (5, 2), (7, 7), (8, 7), (9, 2)]
    """
    nearer: dict[int, int] = {}  # an earlier page of the component; of the first one itself

    def first(page: int) -> int:
        while (other := nearer.setdefault(page, page)) != page:
            nearer[page] = page = nearer[other]
        return page

    for page, known in rows:
        one, other = first(page), first(known)
        nearer[max(one, other)] = min(one, other)
    return ((page, first(page)) for page in list(nearer))


def resolve(rows: Rows, settings: Settings, overrides: Path | None) -> Rows:
    """Judge components: (component, arrival, outline, about, host, memory), in order of arrival.

    A row has a page, or what is known of a host from that page on.
    """
    for _, members in groupby(rows, itemgetter(0)):
        sites, clusters = _Sites(), Clusters()
        with Deduplicator(_Store(sites), settings=settings, overrides=overrides) as dedup:
            for _, arrival, outline, about, host, memory in members:
                if memory is not None:
                    sites.known[host] = SiteMemory.unpack(memory)
                    continue
                page = subject_of(outline, about)
                found = columns_of(page.url, dedup.process(page), clusters)
                yield arrival, encodable(page.url), *(found[name] for name, _ in VERDICT)


class _Sites(Hosts):
    """What is known of hosts from all pages: nothing is learned from those of a component."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[bytes, SiteMemory] = {}

    def memory(self, snapshot: Snapshot, host: bytes) -> SiteMemory:  # noqa: ARG002  # it is elsewhere
        return self.known.get(host, UNKNOWN_SITE)

    def add(self, *_: object) -> bool:
        return True


class _Store(MemoryStore):
    def __init__(self, sites: _Sites) -> None:
        super().__init__(run="batch")
        self._hosts = sites


def in_batches(
    batches: Batches, stage: Callable[..., Rows], schema: pa.Schema, values: dict[str, Any]
) -> Iterator[pa.RecordBatch]:
    """Give a stage the rows of batches, and yield what it makes, in batches."""
    made = stage(rows_of(batches), **values)
    while some := [*islice(made, ROWS)]:
        columns = zip(*some, strict=True)
        arrays = [pa.array(one, field.type) for one, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def rows_of(batches: Batches) -> Rows:
    for batch in batches:
        columns = [column.to_numpy(zero_copy_only=False).tolist() for column in batch.columns]
        yield from zip(*columns, strict=True)
