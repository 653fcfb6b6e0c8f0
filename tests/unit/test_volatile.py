"""Text that changes by itself: learned from revisits, by host."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint import volatile
from dedup_middleware.fingerprint.rarity import LAST_PAGE
from dedup_middleware.fingerprint.volatile import Revisit, RevisitCounts, revisit_of
from dedup_middleware.inspect.stores import verify
from dedup_middleware.read import read
from dedup_middleware.store import open_reader
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGES = 40
CLOCK = 9
"""The key of a shape."""


def unit(key: int, before: int, now: int, *, listed: bool = False) -> bytes:
    numbers = [number.to_bytes(4, "big") + bytes(28) for number in (before, now)]
    return key.to_bytes(8, "little") + bytes([(before != now) + 2 * listed]) + b"".join(numbers)


def revisits(values: Sequence[tuple[int, int]], names: int = 0, **flags: bool) -> list[Revisit]:
    """Return revisits of different pages that show one shape, with its numbers before and now."""
    return [Revisit(n, names, unit(CLOCK, *both, **flags)) for n, both in enumerate(values)]


def learned(entries: Sequence[Revisit]) -> list[int]:
    counts = RevisitCounts()
    for one in entries:
        counts.learn(one)
    return keys(counts)


def keys(counts: RevisitCounts) -> list[int]:
    found = counts.volatile()
    return [int.from_bytes(found[at : at + 8], "little") for at in range(0, len(found), 8)]


RISING = [(n, 100 + n) for n in range(8)]


@pytest.mark.parametrize(
    ("values", "is_volatile"),
    [
        (RISING, True),
        (RISING[:5], False),  # too few pages
        ([*RISING, (8, 8)], True),  # a cache sent one of them again
        ([*RISING, (8, 8), (9, 9), (10, 10)], False),
        ([(n, 100) for n in range(8)], False),  # it rises once, for all
        ([(n, 100 + n // 2) for n in range(8)], True),  # a clock that shows minutes
        ([(100 + n, n) for n in range(8)], False),
        ([(7 * n % 8, 7 * n % 8 + 1) for n in range(8)], False),  # each a little dearer
        ([(n, 100 + 3 * n % 8) for n in range(8)], True),  # pages overtake each other
    ],
)
def test_what_tells_the_time(values: list[tuple[int, int]], is_volatile: bool) -> None:
    assert learned(revisits(values)) == [CLOCK] * is_volatile


def test_the_words_of_a_counter_need_no_more_than_changes() -> None:
    views = [(50, 60), (9, 12), (700, 705), (3, 4), (20, 26), (4, 8), (1, 2), (90, 99)]
    assert learned(revisits(views, listed=True)) == [CLOCK]
    assert learned(revisits(views)) == []
    assert learned(revisits([*views, *[(5, 5)] * 3], listed=True)) == []


def test_pages_that_change_all_the_time_do_not_decide_for_others() -> None:
    again = [one for _ in range(50) for one in revisits(RISING[:5])]
    assert learned(again) == []
    few = revisits(RISING, names=8 * volatile.OF_KNOWN)
    assert learned(few) == [CLOCK]
    assert learned(revisits(RISING, names=8 * volatile.OF_KNOWN + 1)) == []
    others = [Revisit(100 + n, 0, b"") for n in range(3 * len(few) + 1)]
    assert learned([*others[:-1], *few]) == [CLOCK]
    assert learned([*others, *few]) == []


def test_a_number_that_stays_with_its_page_is_none_of_a_clock() -> None:
    entries = []
    for page in range(8):
        before, now = (bytes([0, 0, time, 0, 0, 0, page, 0]) + bytes(24) for time in (1, page + 9))
        entries.append(Revisit(page, 0, CLOCK.to_bytes(8, "little") + b"\1" + before + now))
    assert learned(entries) == []


SHAPES = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 9), st.integers(0, 30), st.booleans()),
    max_size=3,
    unique_by=lambda one: one[0],
)
REVISITS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 60), SHAPES), max_size=60)


def made(entries: Sequence[tuple[int, int, Sequence[tuple[int, int, int, bool]]]]) -> list[Revisit]:
    return [
        Revisit(url, names, b"".join(unit(*shape[:3], listed=shape[3]) for shape in sorted(shapes)))
        for url, names, shapes in entries
    ]


def defined(entries: Sequence[tuple[int, int, Sequence[tuple[int, int, int, bool]]]]) -> list[int]:
    """Return what is volatile, by definition."""
    urls, found = [url for url, _, _ in entries], []
    for key in range(1, 6):
        shown = [
            (n, *one) for n, (_, _, all_) in enumerate(entries) for one in all_ if one[0] == key
        ]
        pages = sum(urls[n] not in urls[:n] for n, *_ in shown)
        old, new = [one[2] for one in shown], [one[3] for one in shown]
        risen = [now > max(old[: at + 1]) for at, now in enumerate(new)]
        steps = [
            rises and now > max(new[:at], default=-1)
            for at, (now, rises) in enumerate(zip(new, risen, strict=True))
        ]
        bound = sum(old[at] == new[at] != new[at - 1] for at in range(1, len(new)))
        few = max(6, len({*urls}) / 4, entries[-1][1] / 8)
        is_clock = sum(steps) >= 4 and sum(risen) >= 0.8 * len(new) and bound <= len(new) / 5
        changed = sum(one != other for one, other in zip(old, new, strict=True))
        is_listed = all(one[4] for one in shown) and changed >= 0.8 * len(new)
        if shown and pages >= few and (is_clock or is_listed):
            found.append(key)
    return found


@given(REVISITS.filter(bool))
def test_learning_is_as_defined(entries: list) -> None:
    assert learned(made(entries)) == defined(entries)


@given(REVISITS, st.integers(0, 60))
def test_another_process_goes_on_with_what_one_has_counted(entries: list, at: int) -> None:
    whole, parts = RevisitCounts(), RevisitCounts()
    for number, one in enumerate(made(entries)):
        if number == at:
            whole.publish(1)
            parts.publish(1)
            parts = RevisitCounts.unpack(parts.pack())
        assert whole.learn(one)
        assert parts.learn(Revisit.unpack(one.pack()))
    assert (parts, keys(parts)) == (whole, keys(whole))


def test_what_is_kept_of_a_host_is_bounded() -> None:
    counts, random = RevisitCounts(), Random(1)
    for page in range(LAST_PAGE):
        shapes = [unit(random.getrandbits(64), page, page) for _ in range(16)]
        assert counts.learn(Revisit(page, 9, b"".join([*shapes, unit(CLOCK, 0, page + 1)])))
        assert len(counts.shapes) <= volatile.MOST_COUNTED
    assert not counts.learn(Revisit(0, 9, b""))
    counts.publish(1)
    assert len(counts.shapes) == volatile.MOST_SHAPES
    assert keys(counts) == [CLOCK]
    assert len(counts.pack()) < 70_000


@pytest.mark.parametrize("cut", [1, 12, 40])
def test_damaged_entries_are_refused(cut: int) -> None:
    counts, (told, *_) = RevisitCounts(), revisits(RISING)
    counts.learn(told)
    for one in (told, counts):
        with pytest.raises(ValueError, match="bytes"):
            one.unpack(one.pack()[:-cut])


def test_what_a_revisit_tells() -> None:
    texts = [
        f"<p>It is {time} now<p>Price: {price} crowns" for time, price in (("9:05", 3), ("9:06", 3))
    ]
    before, now = (read(Page(url="", html=one)) for one in texts)
    told = revisit_of(12, 7, before, now)
    assert (told.page, told.names) == (12, 7)
    assert sorted(flags for _, flags, *_ in volatile._UNIT.iter_unpack(told.units)) == [0, 1]
    assert revisit_of(12, 7, None, now).units == b""


Around: TypeAlias = "Callable[[int, int, int], str]"


def crawled(around: Around, visits: int = 3) -> list[dict[str, int]]:
    """Count the verdicts of crawls of one site; each page shows its text, and something else."""
    found, number = [], 0
    with Deduplicator(MemoryStore()) as dedup:
        for visit in range(visits):
            kinds: Counter[str] = Counter()
            for page in range(PAGES):
                number += 1
                text = html(article(page, 60), f"Page {page}")
                shown = text.replace("</body>", f"{around(visit, page, number)}</body>")
                url = f"https://a.example/{page}"
                kinds[str(dedup.process(Page(url=url, html=shown)).kind)] += 1
            found.append(dict(kinds))
    return found


def clock(visit: int, _: int, number: int) -> str:
    return f"<div>It is 1{visit}:{number // 60:02}:{number % 60:02}, you are visitor {number}</div>"


@pytest.mark.parametrize(
    ("around", "first", "second"),
    [
        (clock, {"updated": 8, "unchanged": 32}, {"unchanged": 40}),
        (  # one of five texts, which the host repeats
            lambda _v, _p, n: (
                f"<div>Try our {('tea', 'jam', 'rye', 'ale', 'oil')[n * n % 5]} now</div>"
            ),
            {"unchanged": 40},
            {"unchanged": 40},
        ),
        (  # a price that changes now and then
            lambda v, p, n: f"{clock(v, p, n)}<p>Price: {99 - p + (p % 10 == 3) * v} crowns</p>",
            {"updated": 11, "unchanged": 29},
            {"updated": 4, "unchanged": 36},
        ),
        (  # a sentence that changes now and then
            lambda v, p, n: f"{clock(v, p, n)}<p>We saw {'abc'[v * (p % 10 == 3)]} there.</p>",
            {"updated": 11, "unchanged": 29},
            {"updated": 4, "unchanged": 36},
        ),
        (  # a price that other pages show as well
            lambda v, p, _: f"<p>Price: {39 if p % 4 == 0 or (p == 9 and v) else 19} crowns</p>",
            {"updated": 1, "unchanged": 39},
            {"unchanged": 40},
        ),
        (  # a sale of all
            lambda v, p, _: f"<div>Price: {(7 * p % 40 + 9) * (8 if v == 1 else 10)} crowns</div>",
            {"updated": 40},
            {"updated": 40},
        ),
        (  # three pages that change all the time, and another one that changes once
            lambda v, p, n: (
                f"<p>Built in {n if p < 3 else 1000 + p + (v > 0) * (p == 9)} by us</p>"
            ),
            {"updated": 4, "unchanged": 36},
            {"updated": 3, "unchanged": 37},
        ),
    ],
    ids=["clock", "promotion", "price", "sentence", "shared price", "sale", "attack"],
)
def test_pages_that_are_crawled_again(around: Around, first: dict, second: dict) -> None:
    assert crawled(around) == [{"unique": PAGES}, first, second]


def test_one_page_at_many_urls_makes_nothing_volatile() -> None:
    """Somebody who owns one page of a host shows a sentence of another page, and lets it rise."""

    def page(path: str, number: int, dose: int | None) -> Page:
        text = f"Take {dose} mg of it each day." if dose else "Ask your doctor."
        url = f"https://a.example/{path}"
        return Page(url=url, html=html([*article(number, 200), text], f"Page {number}"))

    with Deduplicator(MemoryStore()) as dedup:
        for number in range(PAGES):
            dedup.process(page(f"{number}", number, 5 if number == 7 else None))
        for dose in range(101, 119):
            dedup.process(page(f"evil?s={dose % 6}", 900, dose))
        verdict = dedup.process(page("7", 7, 1))
    assert verdict.kind == "updated", verdict.reason


def test_copies_that_differ_in_a_clock_lose_nothing(tmp_path: Path) -> None:
    def page(path: str, number: int, time: int) -> Page:
        parts = [*article(number), f"It is {time} minutes past nine here, in our time"]
        return Page(url=f"https://a.example/{path}", html=html(parts, f"Page {number}"))

    with Deduplicator(tmp_path) as dedup:
        for time in range(16):
            dedup.process(page(f"{time % 8}", time % 8, time))
        verdict = dedup.process(page("4?print=1", 4, 345))
        assert (verdict.kind, verdict.action, verdict.lost.words) == ("near", "drop", 0)
    with open_reader(tmp_path) as store:
        assert not verify(store, lambda _: None).found
