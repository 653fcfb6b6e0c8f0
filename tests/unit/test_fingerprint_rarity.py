"""Counting on how many different pages of a host a unit of text stands."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint, rarity
from dedup_middleware.fingerprint.rarity import LAST_PAGE, SiteCounts, UnitCounts
from dedup_middleware.fingerprint.scheme import WORD_SAMPLE
from dedup_middleware.fingerprint.site import (
    FEWEST,
    Arrival,
    SiteMemory,
    arrival_of,
    block_hash,
)
from dedup_middleware.read import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TEMPLATE = (101, 102)


def packed(*keys: int) -> bytes:
    return np.array(sorted({*keys}), "<u8").tobytes()


def sample(seed: int) -> bytes:
    """Return the sample of a page whose words no other has."""
    return bytes(Random(seed).choices(range(1, 256), k=WORD_SAMPLE))


def arrival(number: int, *units: int, name: int | None = None, words: int | None = None) -> Arrival:
    """Return a page with the template; others have its words if they have the same number."""
    name, words = (number if one is None else one for one in (name, words))
    return Arrival(number, name, packed(*TEMPLATE, *units), b"", sample(words))


def learned(arrivals: Iterable[Arrival]) -> tuple[SiteCounts, list[SiteMemory]]:
    """Count pages; return the counts and the generations that began."""
    counts, generations = SiteCounts(), []
    for one in arrivals:
        if counts.learn(one) and counts.is_due:
            generations.append(counts.generation(len(generations) + 1))
    return counts, generations


def frequencies(memory: SiteMemory) -> dict[int, int]:
    keys = np.frombuffer(memory.units, "<u8", len(memory.units) // 10).tolist()
    return {key: memory.df(key) for key in keys}


def test_generations_begin_at_fixed_numbers_of_pages() -> None:
    counts, generations = learned(arrival(n, 1000 + n) for n in range(1, 40))
    assert counts.pages == 39
    assert [one.generation for one in generations] == [1, 2, 3, 4]  # at 4, 8, 16 and 32 pages
    for memory, pages in zip(generations, (4, 8, 16, 32), strict=True):
        assert memory.names == pages
        assert frequencies(memory) == dict.fromkeys(TEMPLATE, pages)


@pytest.mark.parametrize("copies", [10, 40, 400])
@pytest.mark.parametrize("others", [0, 30])
def test_copies_of_an_article_do_not_make_it_frequent(copies: int, others: int) -> None:
    """They differ in a view counter, which stands in the text."""
    random = Random(copies)
    vocabulary = [f"word{n}" for n in range(5000)]
    units = [" ".join(random.choices(vocabulary, k=12)) for _ in range(6)]
    pages = [html("Tides", [*units, f"{views} views"]) for views in range(copies)]
    for n in range(others):
        text = [" ".join(random.choices(vocabulary, k=12)) for _ in range(6)]
        pages.insert(random.randrange(len(pages)), html(f"Other {n}", [*text, "1 view"]))
    counts, generations = learned(read_arrival(page) for page in pages)
    memory = [*generations, counts.generation(0)][-1]
    assert counts.pages == copies + others
    assert all(memory.df(block_hash(unit)) == 0 for unit in units)
    assert (memory.df(block_hash("About us")) >= 30) == bool(others)


@pytest.mark.parametrize("title", ["The Sea", ""])
def test_a_host_with_one_title_for_all_learns_its_sidebar(title: str) -> None:
    random = Random(5)
    vocabulary = [f"word{n}" for n in range(5000)]
    pages = (html(title, [" ".join(random.choices(vocabulary, k=40))]) for _ in range(300))
    counts, generations = learned(map(read_arrival, pages))
    found = [one.df(block_hash("About us")) for one in generations]
    assert found == [4, 8, 16, 32, 64, 128, 256]
    assert counts.counted == 256  # no more pages of one name count


def html(title: str, blocks: Sequence[str]) -> str:
    """Return a page of a site whose sidebar is not marked up as one."""
    texts = "".join(f"<p>{text}</p>" for text in blocks)
    return f"<title>{title}</title><div>About us</div><article>{texts}</article>"


def read_arrival(source: str) -> Arrival:
    page = Page(url="", html=source)
    outline = read(page)
    return arrival_of(outline, fingerprint(page, outline))


def test_of_pages_that_share_a_name_with_few_others_only_some_count() -> None:
    named = [arrival(n, 1000 + n) for n in range(1, 33)]
    same = [arrival(n, 7, name=1) for n in range(33, 129)]
    counts, _ = learned([*named, *same[:20]])
    assert counts.counted == 32 + rarity.SAME_NAME - 1  # one of the others has this name, too
    _, generations = learned([*named, *same])
    assert generations[-1].df(7) > 2 * rarity.SAME_NAME  # by now most pages have it


def test_pages_without_words_count_once_for_a_name() -> None:
    pages = [Arrival(n, n % 4, packed(7), b"") for n in range(64)]
    counts, generations = learned(pages)
    assert counts.counted == generations[-1].df(7) == 4


def test_what_four_different_names_have_names_no_page() -> None:
    pages = [Arrival(n, n, b"", packed(900, n, n // 3 + 100)) for n in range(1, 17)]
    _, generations = learned(pages)
    assert generations[-1].shared_names == {900}  # 100 and those that follow have three each


def test_pages_of_one_name_count_once_in_titles() -> None:
    pages = [Arrival(n, 1, b"", packed(900), sample(n)) for n in range(1, 9)]
    _, generations = learned(pages)
    assert generations[-1].shared_names == frozenset()


class Shown(NamedTuple):
    """A page as people describe it: pages of one name and one text are copies."""

    name: int
    text: int
    units: frozenset[int]


PAGES = st.lists(
    st.builds(
        Shown,
        st.integers(0, 8),
        st.integers(0, rarity.SAME_NAME - 1),
        st.frozensets(st.integers(0, 12) | st.integers(0, 2**64 - 1), max_size=6),
    ),
    max_size=64,
)


def arrivals_of(pages: Iterable[Shown]) -> list[Arrival]:
    return [
        Arrival(n, one.name, packed(*one.units), packed(one.name), sample(one.text))
        for n, one in enumerate(pages)
    ]


@given(PAGES)
def test_frequencies_are_those_of_the_definition(pages: list[Shown]) -> None:
    counts, generations = learned(arrivals_of(pages))
    ends = [end for end in (4, 8, 16, 32, 64) if end <= len(pages)]
    for end, memory in zip(ends, generations, strict=True):
        different = {}  # the first page of each name and text
        for page in pages[:end]:
            different.setdefault((page.name, page.text), page.units)
        expected = Counter(unit for units in different.values() for unit in units)
        assert frequencies(memory) == {u: n for u, n in expected.items() if n >= FEWEST}
        assert memory.names == len(different)
    assert counts.pages == len(pages)


@given(PAGES, st.randoms())
def test_the_order_of_pages_makes_no_difference(pages: list[Shown], random: Random) -> None:
    """Where it is clear which pages are different: here copies have the same units."""
    first: dict[tuple[int, int], Shown] = {}
    pages = [first.setdefault((one.name, one.text), one) for one in pages]
    shuffled = random.sample(pages, len(pages))
    one, other = (learned(arrivals_of(some))[0].generation(1) for some in (pages, shuffled))
    assert one == other


@given(PAGES, st.integers(0, 64))
def test_counts_survive_packing(pages: list[Shown], middle: int) -> None:
    """Whoever goes on with what another has packed publishes the same."""
    arrivals = arrivals_of(pages)
    counts, _ = learned(arrivals[:middle])
    counts.generation(1)
    again = SiteCounts.unpack(counts.pack())
    assert again.pack() == counts.pack()
    for one in (counts, again):
        for page in arrivals[middle:]:
            one.learn(page)
    assert again.generation(2) == counts.generation(2)
    assert again.pack() == counts.pack()


@pytest.mark.parametrize("damage", [b"x", bytes(WORD_SAMPLE)])
def test_counts_of_another_length_are_refused(damage: bytes) -> None:
    data = learned([arrival(1)])[0].pack()
    for wrong in (data + damage, data[: -len(damage)]):
        with pytest.raises(ValueError, match=r"bytes|buffer"):
            SiteCounts.unpack(wrong)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units that are seen once make room for those that many pages have, never the other way."""
    monkeypatch.setattr(rarity, "SMALL_HOST", 64)
    monkeypatch.setattr(rarity, "UNITS_A_PAGE", 1)
    monkeypatch.setattr(rarity, "MOST_PENDING", 1000)
    monkeypatch.setattr(rarity, "MOST_COUNTED", 500)
    random, counts = Random(3), SiteCounts()
    for n in range(LAST_PAGE + 100):
        counts.learn(arrival(n, *(random.getrandbits(64) for _ in range(20))))
        if counts.is_due:
            memory = counts.generation(1)
            assert len(counts.units.frequent(1)[0]) <= max(64, counts.pages)
            assert frequencies(memory) == dict.fromkeys(TEMPLATE, counts.pages)
    assert counts.pages == LAST_PAGE
    assert len(counts.pack()) < 10 * LAST_PAGE + (12 + WORD_SAMPLE) * LAST_PAGE + 1000


def test_what_is_forgotten_never_counts_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that rotates its templates loses what it knows of them, and invents nothing."""
    monkeypatch.setattr(rarity, "SMALL_HOST", 24)
    monkeypatch.setattr(rarity, "UNITS_A_PAGE", 0)
    monkeypatch.setattr(rarity, "MOST_PENDING", 100)
    monkeypatch.setattr(rarity, "MOST_COUNTED", 48)
    pages = [[n // 7 * 100 + unit for unit in range(20)] for n in range(512)]
    _, generations = learned(arrival(n, *units) for n, units in enumerate(pages))
    for memory in generations:
        seen = Counter(unit for units in pages[: memory.names] for unit in {*units, *TEMPLATE})
        assert all(count <= seen[unit] for unit, count in frequencies(memory).items())
        assert memory.df(TEMPLATE[0]) == memory.names


@given(
    st.lists(st.lists(st.integers(0, 40), unique=True, max_size=8), max_size=12),
    st.integers(0, 12),
    st.integers(1, 50),
)
def test_the_most_frequent_units_are_kept(pages: list[list[int]], middle: int, most: int) -> None:
    expected = Counter(unit for page in pages for unit in page)
    counts = UnitCounts()
    for number, page in enumerate(pages):
        counts.add(packed(*page))
        if number == middle:
            different = {unit for page in pages[: number + 1] for unit in page}
            assert set(counts.frequent(1)[0].tolist()) == different
    assert dict(zip(*(one.tolist() for one in counts.frequent(1)), strict=True)) == expected
    counts.keep(most)
    in_order = sorted(expected, key=lambda unit: (-expected[unit], unit))
    assert counts.frequent(1)[0].tolist() == sorted(in_order[:most])
