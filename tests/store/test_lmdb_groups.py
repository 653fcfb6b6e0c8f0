"""Several batches in one transaction of LMDB."""

from __future__ import annotations

import numpy as np
import pytest

from dedup_middleware.store.engine import Batch
from dedup_middleware.store.lmdb.engine import make_engine
from dedup_middleware.store.lmdb.postings import MEMTABLE_PAGES, part_of

GROUP = 10  # so that segments are made within one
KEYS = 40


def keys_of(page: int) -> np.ndarray:
    return np.random.default_rng(page).integers(1, 1 << 63, KEYS, dtype=np.uint64)


@pytest.fixture
def engine(tmp_path):
    engine = make_engine(tmp_path / "store", 1 << 30, is_sole=False)
    yield engine
    engine.close()


def test_what_is_remembered_of_segments_is_committed(engine):
    """A transaction that writes has its pages in memory that is freed at its end."""
    writer, environment = engine.environment.writer, engine.environment
    for first in range(1, 3 * MEMTABLE_PAGES, GROUP):
        pages = range(first, first + GROUP)
        batches = [Batch(keys=keys_of(page), watch=keys_of(page), after=0) for page in pages]
        done = engine.apply(batches)
        assert [one.number for one in done] == list(pages)
        if writer._mapped is None:
            continue
        manifest, segments = writer._mapped
        with environment.begin() as txn:
            for segment in manifest.segments:
                for number, part in enumerate(segments.parts[segment.number]):
                    there = part_of(txn, environment.db["segments"], segment, number)
                    assert part.flags.owndata or part.ctypes.data == there.ctypes.data
    with engine.snapshot() as snapshot:
        found = snapshot.search(keys_of(1))
    assert 1 in found[:, 1]


def test_pages_of_a_transaction_that_failed_are_forgotten(engine, monkeypatch):
    engine.apply([Batch(keys=keys_of(1))])

    def fail(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(engine.environment.writer, "_write", fail)
    batches = [Batch(keys=keys_of(page), watch=keys_of(page)) for page in (2, 3, 4)]
    with pytest.raises(Exception, match="No space left"):
        engine.apply(batches)
    monkeypatch.undo()
    engine.apply([Batch(keys=keys_of(7), watch=keys_of(7))])  # the second page
    with engine.snapshot() as snapshot:
        assert 2 in snapshot.search(keys_of(7))[:, 1]
        assert 2 not in snapshot.search(keys_of(2))[:, 1]
