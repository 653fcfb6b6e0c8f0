"""What Spark's workers do in each stage: batches of Arrow in, batches of Arrow out.

Batches of one partition come in order; what belongs together, by the first column, comes together.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.store.hosts import Hosts
from dedup_middleware.store.memory import MemoryStore

from . import candidates, reading
from .arrow import VERDICT, Clusters, columns_of, encodable
from .candidates import Comparer, Stored, components
from .reading import SiteTable, generations, page_of
from .sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page
    from dedup_middleware.settings import Settings
    from dedup_middleware.store.engine import Snapshot
    from dedup_middleware.verdict import Verdict

    from .candidates import Numbers

    Batches = Iterable[pa.RecordBatch]
    Made = Iterator[pa.RecordBatch]
    Rows = Iterator[tuple[Any, ...]]

FILE_SHIFT = 32
"""A page's place is the number of its file, and behind that its own there."""
ALWAYS = (1 << 63) - 1
_ROWS = 4096

SITES = pa.schema(
    [("host", pa.binary()), ("since", pa.int64()), ("memory", pa.binary()), ("until", pa.int64())]
)
PAIRS = pa.schema([("page", pa.int64()), ("known", pa.int64()), ("shared", pa.int64())])
EDGES = pa.schema([("page", pa.int64()), ("known", pa.int64())])
COPIES = EDGES.append(pa.field("is_copy", pa.bool_()))
CANDIDATES = EDGES.append(pa.field("why", pa.int64()))
COMPONENTS = pa.schema([("arrival", pa.int64()), ("component", pa.int64())])
VERDICTS = pa.schema([("arrival", pa.int64()), ("url", pa.string()), *VERDICT])


def read(batches: Batches, settings: Settings) -> Made:
    """Read files: (file, path)."""
    pages = (_numbered(file, Path(path), settings) for file, path in _rows(batches))
    return reading.read_rows(chain.from_iterable(pages), settings)


def _numbered(file: int, path: Path, settings: Settings) -> Iterator[tuple[int, Page | str]]:
    problems: deque[str] = deque()
    place = file << FILE_SHIFT
    for page in Sources([path], problems.append, max_html=settings.max_html):
        yield place, page
        place += 1
    yield from ((place, problem) for problem in problems)


def learn(batches: Batches) -> Made:
    """Learn what the memory of hosts was: (host, arrival, url_key, site) in order of arrival."""
    return _batched(_generations(batches), SITES)


def _generations(batches: Batches) -> Rows:
    for host, rows in groupby(_rows(batches), itemgetter(0)):
        found = list(generations((arrival, url, site) for _, arrival, url, site in rows))
        ends = [*(since for since, _ in found[1:]), ALWAYS]
        yield from ((host, *one, end) for one, end in zip(found, ends, strict=False))


def pair(batches: Batches, cap: int) -> Made:
    """Pair pages that share keys: (key, arrival); all rows of a key are in the partition."""
    columns = [
        (batch.column(0).to_numpy(), batch.column(1).to_numpy()) for batch in batches if len(batch)
    ]
    if not columns:
        return
    keys, pages = (np.concatenate(column) for column in zip(*columns, strict=True))
    for pairs in candidates.pairs_of(keys, pages, cap):
        yield _columns(pairs, PAIRS)


def gate(batches: Batches, settings: Settings) -> Made:
    """Choose what is worth comparing: (page, known, shared, sketch), the page itself first."""
    return _batched(_candidates(batches, settings), CANDIDATES)


def _candidates(batches: Batches, settings: Settings) -> Rows:
    for page, rows in groupby(_rows(batches), itemgetter(0)):
        (_, _, _, sketch), *known = rows
        if known:
            yield from _chosen(page, sketch, known, settings)


def _chosen(page: int, sketch: bytes, known: Sequence[tuple[Any, ...]], settings: Settings) -> Rows:
    _, numbers, shared, sketches = zip(*known, strict=True)
    why = np.array(candidates.may_be_alike(sketch, sketches, settings))
    why[candidates.have_digest(np.array(shared, np.int64))] = candidates.SAME
    for number, one in zip(numbers, why.tolist(), strict=True):
        if one:
            yield page, number, one


def compare(batches: Batches, settings: Settings) -> Made:
    """Find what is related: (page, known, why, outline, memory), the page itself first."""
    return _batched(_related(batches, Comparer(settings)), EDGES)


def _related(batches: Batches, comparer: Comparer) -> Rows:
    for number, rows in groupby(_rows(batches), itemgetter(0)):
        known = (Stored(*row[1:]) for row in rows)
        page = next(known)
        yield from ((number, one) for one in comparer.related(page, known))


def first_of(batches: Batches) -> Made:
    """Pair pages with the first of their group: (group, is_copy, is_member, arrival).

    Members come first.
    """
    return _batched(_with_first(batches), COPIES)


def _with_first(batches: Batches) -> Rows:
    for _, rows in groupby(_rows(batches), itemgetter(0)):
        (_, is_copy, is_member, first), *others = rows
        if is_member:  # else nothing is at the address that pages declare
            yield from ((page, first, is_copy) for *_, page in others if page != first)


def join(batches: Batches) -> Made:
    """Reduce edges to the first page of each component: (page, known)."""
    parts = [(batch.column(0).to_numpy(), batch.column(1).to_numpy()) for batch in batches]
    if parts:
        ones, others = (np.concatenate(column) for column in zip(*parts, strict=True))
        yield _columns(components(ones, others), COMPONENTS)


def resolve(batches: Batches, settings: Settings, overrides: Path | None) -> Made:
    """Judge components; what was known of their sites comes before their pages."""
    resolver = Resolver(settings, overrides)
    names = VERDICTS.names
    dicts = (row for batch in batches for row in _dicts(batch))
    judged = (
        tuple(row[name] for name in names)
        for _, rows in groupby(dicts, itemgetter("component"))
        for sites in [SiteTable()]
        for row in resolver.resolve(_pages(rows, sites), sites)
    )
    return _batched(judged, VERDICTS)


class Resolver:
    """Judges components one after the other."""

    def __init__(self, settings: Settings, overrides: Path | None = None) -> None:
        self._store = _Store()
        self._dedup = Deduplicator(self._store, settings=settings, overrides=overrides)

    def resolve(self, rows: Iterable[dict[str, Any]], sites: SiteTable) -> Iterator[dict[str, Any]]:
        """Yield the verdicts of a component; its rows come in order of arrival."""
        self._store.begin(sites)
        clusters = Clusters()
        for row in rows:
            page = page_of(row)
            verdict = self._judge(row["arrival"], page)
            yield {
                "arrival": row["arrival"],
                "url": encodable(page.url),
                **columns_of(page.url, verdict, clusters),
            }

    def _judge(self, arrival: int, page: Subject) -> Verdict:
        self._store.sites.arrival = arrival
        return self._dedup.process(page)


class _Sites(Hosts):
    """The memory of sites as that of all pages: nothing is learned from those of a component."""

    def __init__(self) -> None:
        super().__init__()
        self.table = SiteTable()
        self.arrival = 0

    def memory(self, snapshot: Snapshot, host: bytes) -> SiteMemory:  # noqa: ARG002  # it is elsewhere
        return self.table.at(host, self.arrival)

    def add(self, *_: object) -> bool:
        """All that can be learned is in the table."""
        return True


class _Store(MemoryStore):
    """Holds the pages of a component."""

    def __init__(self) -> None:
        super().__init__(run="batch")
        self.sites = self._hosts = _Sites()

    def begin(self, sites: SiteTable) -> None:
        """Forget all pages; numbers are not given again, as what is cached goes by them."""
        self.memory.clear()
        self.sites.table = sites


def _pages(rows: Iterable[dict[str, Any]], sites: SiteTable) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row["outline"] is None:
            sites.add(row["host"], row["arrival"], row["memory"])
        else:
            yield row


def _dicts(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    names = batch.schema.names
    return (dict(zip(names, row, strict=True)) for row in _rows([batch]))


def _rows(batches: Batches) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        columns = [column.to_numpy(zero_copy_only=False).tolist() for column in batch.columns]
        yield from zip(*columns, strict=True)


def _batched(rows: Rows, schema: pa.Schema) -> Made:
    """Yield rows in batches; the last may be empty, so that there is one."""
    is_full = True
    while is_full:
        some = [*islice(rows, _ROWS)]
        is_full = len(some) == _ROWS
        yield _columns(zip(*some, strict=True) if some else [()] * len(schema), schema)


def _columns(columns: Iterable[Iterable[Any] | Numbers], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
