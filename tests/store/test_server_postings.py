"""Postings on a server: the log of recent pages, and the buckets that it is compacted into."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.store import open_store
from dedup_middleware.store.redis import postings
from dedup_middleware.store.redis.postings import Buckets, compact, grown, mixed, search, touched
from tests.support.stores import made_up, register


def nothing_is_gone(pages: np.ndarray) -> np.ndarray:
    return np.zeros(len(pages), bool)


@given(st.lists(st.lists(st.integers(0, 300), max_size=60), max_size=12), st.integers(1, 9))
def test_what_is_compacted_is_found_however_often_buckets_were_split(
    pages: list[list[int]], per_bucket: int
) -> None:
    buckets = Buckets(0, 16, 0, np.zeros(5, np.uint32))
    stored: dict[int, bytes] = {}
    expected: set[tuple[int, int]] = set()
    spread = np.uint64(0x9E3779B97F4A7C15)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "POSTINGS_PER_BUCKET", per_bucket)
        for page, some in enumerate(pages, 1):
            keys = mixed(np.unique(np.array(some, np.uint64)) * spread)
            numbers = touched(buckets, keys, grown(buckets, len(keys)))
            values = [stored.get(number) for number in numbers.tolist()]
            after, filled, emptied = compact(
                buckets, numbers, values, keys, np.full(len(keys), page), page, nothing_is_gone
            )
            for number in emptied:
                del stored[number]
            stored |= filled
            buckets = Buckets.unpack(after.pack())
            expected |= {(key, page) for key in keys.tolist()}
    wanted = mixed(np.arange(301, dtype=np.uint64) * spread)
    values = [stored.get(number) for number in buckets.of(wanted).tolist()]
    found = search(wanted, buckets, values).tolist()
    assert {(int(wanted[place]), page) for place, page in found} == expected
    assert len(found) == len(expected)
    assert all(np.frombuffer(one, postings.ENTRY).size for one in stored.values())


def test_postings_are_found_however_many_there_are(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "POSTINGS_PER_BUCKET", 4)
    rng = random.Random(3)
    shingles = [[rng.getrandbits(56) for _ in range(40)] for _ in range(400)]
    with open_store(place) as store:
        for number, some in enumerate(shingles):
            register(store, f"https://{number}.example/", made_up(rng.getrandbits(64), some))
        with store.snapshot() as view:
            assert view.sizes()["postings"].entries > 2 * postings.FEWEST_BUCKETS, "they were split"
            for number, some in enumerate(shingles):
                found = view.candidates(made_up(0, some[:5]), alike=True, cap=9, most=9)
                assert number + 1 in found.alike
