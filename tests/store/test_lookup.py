"""Which pages are found by look-up keys."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.stores import Stores, made_up, register

CAP = {"cap": 64, "most": 32}


@settings(max_examples=30)
@given(
    values=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20),
    flipped=st.sets(st.integers(0, 63), max_size=3),
    data=st.data(),
)
def test_every_page_within_simhash_distance_3_is_found(
    stores: Stores,
    values: list[int],
    flipped: set[int],
    data: st.DataObject,
) -> None:
    index = data.draw(st.integers(0, len(values) - 1))
    asked = values[index]
    for bit in flipped:
        asked ^= 1 << bit
    with stores.open(stores.new_place()) as store:
        numbers = [
            register(store, f"https://{n}.example/", made_up(value, [n + 1]))
            for n, value in enumerate(values)
        ]
        with store.snapshot() as view:
            found = view.candidates(made_up(asked, [10**9]), alike=True, **CAP).alike
    assert numbers[index] in found


def test_hot_keys_keep_their_earliest_entries_and_say_so(stores: Stores) -> None:
    rng = random.Random(1)
    with stores.open(stores.new_place()) as store:
        for n in range(100):
            register(store, f"https://{n}.example/", made_up(rng.getrandbits(64), [5, 1000 + n]))
        with store.snapshot() as view:
            lookup = view.candidates(made_up(0, [5]), alike=True, cap=64, most=1000)
    assert lookup.alike == list(range(1, 65))
    assert lookup.capped == 1


def test_pages_that_share_rare_shingles_come_before_those_that_share_common_ones(
    stores: Stores,
) -> None:
    rng = random.Random(1)
    common = list(range(1, 9))
    with stores.open(stores.new_place()) as store:
        for n in range(40):
            page = made_up(rng.getrandbits(64), [*common, 100 + n])
            register(store, f"https://{n}.example/", page)
        page = made_up(rng.getrandbits(64), [8, 50, 51, 52])
        rare = register(store, "https://rare.example/", page)
        with store.snapshot() as view:
            asked = made_up(rng.getrandbits(64), [*common, 50, 51, 52])
            assert rare in view.candidates(asked, alike=True, cap=64, most=1).alike
