"""Postings in segments: what was posted is found, through all making and compacting of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.store import Store, open_reader
from dedup_middleware.store import open_store as open_folder
from dedup_middleware.store.engine import choose
from dedup_middleware.store.lmdb import postings, writer
from dedup_middleware.store.lmdb.postings import (
    LEVELS_MERGE,
    Manifest,
    MappedSegments,
    Memtable,
    Segment,
)
from dedup_middleware.store.tables import Withdrawn
from dedup_middleware.store.verify import Damage
from tests.support.stores import made_up, register

PAGES = 400


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make segments of few pages, with parts of few postings."""
    monkeypatch.setattr(writer, "FLUSH_PAGES", 4)
    monkeypatch.setattr(writer, "MEMTABLE_PAGES", 8)
    monkeypatch.setattr(postings, "PART_POSTINGS", 16)


def fill(store: Store, numbers: range) -> None:
    for number in numbers:
        # under a key of its own, and one that every tenth page has
        register(
            store,
            f"https://{number}.example/",
            made_up(number << 32, [number, 7_000 + number % 10]),
        )


def found(store: Store, number: int) -> set[int]:
    page = made_up(2**64 - 1, [number, 7_000 + number % 10])
    with store.snapshot() as view:
        return {*view.candidates(page, alike=True, cap=64, most=1000).alike}


def manifest(store: Store) -> Manifest:
    with store.snapshot() as view:
        return view.snapshot.manifest


@pytest.fixture(params=[True, False], ids=["sole", "shared"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    return lambda: open_folder(tmp_path / "s", is_sole=request.param)


def test_all_pages_are_found(open_store: Callable[[], Store], tmp_path: Path) -> None:
    with open_store() as store:
        fill(store, range(PAGES))
        for number in (0, 5, 99, 250, PAGES - 1):
            expected = {n + 1 for n in range(PAGES) if n % 10 == number % 10}
            assert found(store, number) == expected
        known = manifest(store).segments
        assert [one.first for one in known[1:]] == [one.last + 1 for one in known[:-1]]
        assert len({one.level for one in known}) > 2
        assert len(known) < 4 * LEVELS_MERGE, "they are compacted as fast as new ones come"
    with open_store() as store:
        assert 250 in found(store, 249), "also those that were recent"
        fill(store, range(PAGES, PAGES + 20))
        assert len(found(store, 9)) == PAGES // 10 + 2
    with open_reader(tmp_path / "s") as reader:
        assert {*reader.verify(lambda _: None).found} <= {Damage.DIGEST}, "no text was made up"


def test_withdrawn_pages_are_not_found_and_leave_at_compaction(
    open_store: Callable[[], Store],
) -> None:
    with open_store() as store:
        for start in range(0, PAGES, 50):
            fill(store, range(start, start + 50))
            store.settle(withdrawn=[number + 1 for number in range(start, start + 50, 2)])
        assert found(store, 1) == {n + 1 for n in range(PAGES) if n % 10 == 1}
        assert found(store, 2) == set()
        kept = sum(one.postings for one in manifest(store).segments)
        posted = sum(len(np.unique(made_up(n << 32, [n]).sample.hashes)) + 12 for n in range(PAGES))
        assert kept < 0.8 * posted


def test_segments_are_found_after_lmdb_has_used_their_place_again(
    open_store: Callable[[], Store],
) -> None:
    with open_store() as store:
        for start in range(0, PAGES, 4):
            fill(store, range(start, start + 4))
            assert len(found(store, 3)) == sum(n % 10 == 3 for n in range(start + 4))
            store.engine.environment._sync()  # from now on, nobody needs what is older


def test_a_view_keeps_what_it_saw(open_store: Callable[[], Store]) -> None:
    with open_store() as store:
        fill(store, range(40))
        page = made_up(2**64 - 1, [7_003])
        with store.snapshot() as view:
            before = view.candidates(page, alike=True, cap=64, most=100).alike
            fill(store, range(40, 140))
            assert view.candidates(page, alike=True, cap=64, most=100).alike == before
        assert before == [4, 14, 24, 34]


def test_old_parts_are_deleted(open_store: Callable[[], Store]) -> None:
    with open_store() as store:
        fill(store, range(PAGES))
        with store.snapshot() as view:
            stored = sum(1 for _ in view.snapshot.scan("segments"))
            state = view.snapshot.manifest
        needed = sum(one.parts for one in state.segments)
        unfinished = sum(one.done for one in state.compactions)
        old = sum(one.parts for one in state.old)
        assert stored == needed + unfinished + old
        assert old <= needed


keys = st.integers(0, 2**64 - 1)


@st.composite
def made_segments(draw: st.DrawFn) -> tuple[MappedSegments, dict[int, list[int]]]:
    """Make some segments, and say what each key leads to."""
    expected: dict[int, list[int]] = {}
    made, parts, first = [], {}, 1
    for number in range(draw(st.integers(0, 3))):
        posted = draw(st.lists(st.tuples(keys, st.integers(0, 99)), max_size=40, unique=True))
        count = draw(st.integers(1, 5))
        values = sorted(
            int(postings.finished(np.array([key], np.uint64))[0]) >> 24 << 24 | page
            for key, page in posted
        )
        segment = Segment(number, 0, first, first + 99, count, len(values))
        cut: list[list[int]] = [[] for _ in range(count)]
        for value in values:
            cut[(value >> 24 << 24) * count >> 64].append(value)
        made.append(segment)
        parts[number] = [np.array(part, "<u8") for part in cut]
        for key, page in sorted(posted, key=lambda one: one[1]):
            expected.setdefault(key, []).append(first + page)
        first += 100
    return MappedSegments(made, parts), expected


@given(made_segments(), st.lists(keys, max_size=5))
def test_all_postings_of_segments_and_of_the_newest_are_found(
    made: tuple[MappedSegments, dict[int, list[int]]], others: list[int]
) -> None:
    mapped, expected = made
    wanted = np.array(sorted({*expected, *others}), np.uint64)
    newest = Memtable(999)
    for page in range(1000, 1004):
        newest.add(wanted[::2], page)
    withdrawn = Withdrawn()
    withdrawn.add(range(0, 1004, 3))
    found = mapped.search(wanted, newest, 1002, withdrawn).tolist()
    places = {key: place for place, key in enumerate(wanted.tolist())}
    recents = [[place, page] for place in range(0, len(wanted), 2) for page in range(1000, 1003)]
    old = [[places[key], page] for key in expected for page in expected[key]]
    assert found == sorted(one for one in old + recents if one[1] % 3)


@given(
    st.lists(st.integers(0, 2**56 - 1), max_size=12, unique=True).map(sorted),
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 11), st.integers(1, 30)), max_size=80),
    st.integers(0, 6),
)
def test_pages_that_share_the_rarest_keys_are_chosen(
    payloads: list[int], shared: list[tuple[int, int, int]], most: int
) -> None:
    wanted = np.array([tag << 56 | one for tag in range(1, 5) for one in payloads], np.uint64)
    places = {((tag - 1) * len(payloads) + at, page) for tag, at, page in shared}
    found = np.array(sorted(one for one in places if one[0] < len(wanted)), np.uint32).reshape(
        -1, 2
    )
    if not len(found):
        return
    chosen = choose(wanted, found, cap=2, most=most)
    leads = Counter(place for place, _ in found.tolist())
    assert chosen.full.tolist() == [leads[place] >= 2 for place in range(len(wanted))]
    alike: set[int] = set()
    for tag, least, limit in ((3, 1, most), (2, 1, most), (4, 2, min(most, 8))):
        shares: dict[int, list[Fraction]] = {}
        for place, page in found.tolist():
            if int(wanted[place]) >> 56 == tag:
                shares.setdefault(page, []).append(Fraction(1, leads[place]))
        ranked = sorted((-sum(one), page) for page, one in shares.items() if len(one) >= least)
        alike.update(page for _, page in ranked[:limit])
    same = [page for place, page in found.tolist() if int(wanted[place]) >> 56 == 1]
    assert (chosen.same_digest, chosen.alike) == (sorted(same), sorted(alike))
