"""Search for postings: in sorted runs, and among the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint.hashing import finished

from .recent import PlainTable
from .sorted_runs import PAGE_MASK

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.store.candidates import Found

    from .recent import Recent
    from .sorted_runs import MappedRuns


def search(keys: Keys, runs: MappedRuns, recent: Recent, upto: int) -> Found:
    """Return the pages that keys lead to; of the newest those up to a number."""
    with recent.lock:
        if isinstance(recent.table, PlainTable):
            return _search(keys, runs, recent.table, upto)
        tables = (runs.table, recent.table.numbers)
        places = [number for table in tables for number in (table.ctypes.data, len(table))]
        data = core.call("postings", keys.tobytes(), *places, upto)
    return np.frombuffer(data, "<u4").reshape(-1, 2)


def _search(keys: Keys, runs: MappedRuns, newest: PlainTable, upto: int) -> Found:
    found: list[tuple[int, int]] = []
    wanted = (finished(keys.copy()) & ~np.uint64(PAGE_MASK)).tolist()
    for place, (key, value) in enumerate(zip(keys.tolist(), wanted, strict=True)):
        for run in runs.runs:
            part = runs.parts[run.number][value * run.parts >> 64]
            start = np.searchsorted(part, np.uint64(value))
            end = np.searchsorted(part, np.uint64(value | PAGE_MASK), "right")
            found += ((place, run.first + (one & PAGE_MASK)) for one in part[start:end].tolist())
        found += ((place, page) for page in newest.find(key, upto))
    return np.array(found, np.uint32).reshape(-1, 2)
