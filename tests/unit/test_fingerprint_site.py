"""Site memory: what the pages of a host have in common."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.fingerprint.site import (
    LAST_PAGE,
    MOST_BLOCKS,
    Arrival,
    BlockCounts,
    SiteCounts,
    SiteMemory,
    arrival_of,
    block_hash,
    title_parts,
    without,
)
from dedup_middleware.read import read
from dedup_middleware.read.outline import BY_MEMORY

TEMPLATE = (101, 102)


def arrival(number: int, *blocks: int, name: int | None = None) -> Arrival:
    return Arrival(number, number if name is None else name, packed(*TEMPLATE, *blocks))


def packed(*hashes: int) -> bytes:
    return np.array(hashes, "<u8").tobytes()


def learned(*arrivals: Arrival) -> tuple[SiteCounts, list[SiteMemory]]:
    """Count pages; return the counts and the generations that began."""
    counts, generations = SiteCounts(), []
    for one in arrivals:
        if counts.learn(one) and counts.is_due:
            generations.append(counts.generation(len(generations) + 1))
    return counts, generations


def test_generations_begin_at_fixed_numbers_of_pages() -> None:
    counts, generations = learned(*(arrival(n, 1000 + n) for n in range(1, 40)))
    assert counts.pages == 39
    assert [one.generation for one in generations] == [1, 2, 3, 4]  # at 4, 8, 16 and 32 pages
    assert all(one.boilerplate == set(TEMPLATE) for one in generations)


def test_pages_with_the_same_text_count_once() -> None:
    counts, generations = learned(*(arrival(1, 7) for _ in range(20)))
    assert (counts.pages, generations) == (1, [])


def test_copies_of_one_article_do_not_turn_it_into_boilerplate() -> None:
    copies = [arrival(n, 7, name=1) for n in range(1, 5)]  # other texts, as by a clock; one name
    _, generations = learned(*copies, *(arrival(n, 1000 + n) for n in range(5, 17)))
    assert [one.boilerplate for one in generations[1:]] == [frozenset(TEMPLATE)] * 2


def test_where_all_pages_have_one_name_texts_are_counted() -> None:
    _, generations = learned(*(arrival(n, 1000 + n, name=1) for n in range(1, 5)))
    assert generations[0].boilerplate == set(TEMPLATE)


def test_what_many_pages_of_a_large_site_share_by_chance_is_no_boilerplate() -> None:
    """Of 64 pages, a block on four of them is too rare."""
    _, generations = learned(*(arrival(n, 7 if n < 5 else 1000 + n) for n in range(1, 65)))
    assert 7 not in generations[-1].boilerplate


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("A: b | Site", ["A", "b", "Site"]),
        ("X in core::arch::x86 - Rust", ["X in core::arch::x86", "Rust"]),
        ("git-diff(1) — Manual", ["git-diff(1)", "Manual"]),
        ("Top (Octave C++ Classes)", ["Top", "Octave C++ Classes"]),
        ("base-4.15: Libraries (Index - $)", ["base-4.15", "Libraries", "Index", "$"]),
    ],
)
def test_titles_are_divided_outside_of_identifiers(title: str, parts: list[str]) -> None:
    assert title_parts(title) == parts


def test_what_four_different_names_have_names_no_page() -> None:
    pages = [Arrival(n, n, b"", packed(900, n, n // 3 + 100)) for n in range(1, 17)]
    _, generations = learned(*pages)
    assert generations[-1].shared_names == {900}  # 100 and those that follow have three each


def test_copies_under_one_name_count_once_in_titles() -> None:
    pages = [Arrival(n, 1, b"", packed(900)) for n in range(1, 9)]
    _, generations = learned(*pages)
    assert generations[-1].shared_names == frozenset()


def test_memory_is_bounded() -> None:
    blocks = iter(range(10**9))
    counts = SiteCounts()
    for n in range(LAST_PAGE + 100):
        counts.learn(Arrival(n, n, packed(*(next(blocks) for _ in range(20)))))
        if counts.is_due:
            counts.generation(1)
            assert len(counts.by_text) <= MOST_BLOCKS
    assert counts.pages == LAST_PAGE
    page = Page(url="", html="".join(f"<p>block {n}</p>" for n in range(5000)))
    assert len(arrival_of(read(page), b"digest" * 8).blocks) <= 8 * 512


@given(
    st.integers(0, 2**32 - 1),
    st.frozensets(st.integers(0, 2**64 - 1)),
    st.frozensets(st.integers(0, 2**64 - 1)),
)
def test_memory_survives_packing(
    generation: int, boilerplate: frozenset[int], shared_names: frozenset[int]
) -> None:
    memory = SiteMemory(generation, boilerplate, shared_names)
    assert SiteMemory.unpack(memory.pack()) == memory


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=5), max_size=12))
def test_counts_survive_packing(pages: list[list[int]]) -> None:
    counts = SiteCounts()
    for n, blocks in enumerate(pages):
        counts.learn(Arrival(n, n % 3, packed(*{*blocks}), packed(n)))
    again = SiteCounts.unpack(counts.pack())
    assert again.pack() == counts.pack()
    for one in (counts, again):
        one.learn(Arrival(99, 99, packed(7), packed(8)))
    assert again.generation(1) == counts.generation(1)
    assert SiteCounts.packed_pages(counts.pack()) == counts.pages


def test_blocks_are_marked_and_the_text_stays() -> None:
    outline = read(Page(url="", html="<p>Read more of us</p><p>The tide came in at night</p>"))
    marked = without(outline, SiteMemory(1, frozenset({block_hash("Read more of us")})))
    assert marked.main == "The tide came in at night"
    assert marked.text == outline.text
    assert BY_MEMORY in marked.boilerplate
    assert without(outline, SiteMemory(1, frozenset({1}))) is outline


def test_the_name_of_a_page_is_title_and_heading() -> None:
    def name(html: str) -> int:
        digest = hashlib.blake2b(html.encode()).digest()
        return arrival_of(read(Page(url="", html=html)), digest).name

    one = "<title>Tides | Sea</title><h1>Tides</h1><p>The tide came in."
    assert name(one) == name(one + " It went out.")
    assert name(one) != name(one.replace("Tides", "Boats"))
    assert name("<p>The tide came in.") == 0


@pytest.mark.parametrize("title", ["x" * 10**6, " | " * 10**5, ""])
def test_hostile_titles(title: str) -> None:
    page = Page(url="", html=f"<title>{title}</title><p>The tide came in.")
    assert arrival_of(read(page), b"digest" * 8).blocks


@given(
    st.lists(st.lists(st.integers(0, 40), unique=True, max_size=8), max_size=12),
    st.integers(0, 12),
    st.integers(1, 50),
)
def test_the_most_frequent_blocks_are_kept(pages, middle, most):
    expected = Counter(block for page in pages for block in page)
    counts = BlockCounts()
    for number, page in enumerate(pages):
        counts.add(np.array(page, np.uint64))
        if number == middle:
            assert len(counts) == len({block for page in pages[: number + 1] for block in page})
    all_blocks = np.arange(50, dtype=np.uint64)
    assert counts.of(all_blocks).tolist() == [expected[block] for block in range(50)]
    assert counts.frequent(2) == {block for block, count in expected.items() if count >= 2}
    counts.keep(most)
    in_order = sorted(expected, key=lambda block: (-expected[block], block))
    assert counts.hashes.tolist() == sorted(in_order[:most])
