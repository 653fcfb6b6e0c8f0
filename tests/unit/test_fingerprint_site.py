"""Site memory: what is known of a host, and what a page tells about it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.fingerprint.site import (
    Arrival,
    SiteMemory,
    address_mark,
    arrival_of,
    block_hash,
    is_true_address,
    without,
)
from dedup_middleware.read import read
from dedup_middleware.read.outline import BY_MEMORY, title_parts
from tests.support.hosts import memory

KEYS = st.integers(0, 2**64 - 1)


def arrival(html: str, url: str = "") -> Arrival:
    page = Page(url="", html=html)
    outline = read(page)
    return arrival_of(outline, fingerprint(page, outline), url)


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


@given(st.dictionaries(KEYS, st.integers(3, 2**16 - 1)), st.frozensets(KEYS))
def test_memory_survives_packing(units: dict[int, int], shared_names: frozenset[int]) -> None:
    known = memory(units, names=20, shared_names=shared_names)
    again = SiteMemory.unpack(known.pack())
    assert again == known
    assert {key: again.df(key) for key in units} == units
    assert not any(again.df(key ^ 1) for key in units if key ^ 1 not in units)


@pytest.mark.parametrize("damage", [b"", b"x", b"12345678"])
def test_memory_of_another_length_is_refused(damage: bytes) -> None:
    packed = memory({7: 3}).pack()
    with pytest.raises(ValueError, match=r"bytes|buffer"):
        SiteMemory.unpack(packed + damage if damage else packed[:-1])


@given(KEYS, KEYS, st.lists(KEYS, unique=True), st.lists(KEYS), st.binary(min_size=64, max_size=64))
def test_arrivals_survive_packing(
    text: int, name: int, units: list[int], parts: list[int], sample: bytes
) -> None:
    packed = (np.array(numbers, "<u8").tobytes() for numbers in (units, parts))
    one = Arrival(text, name, *packed, sample)
    assert Arrival.unpack(one.pack()) == one


def test_what_a_host_repeats_is_marked_and_the_text_stays() -> None:
    outline = read(Page(url="", html="<p>Read more of us</p><p>The tide came in at night</p>"))
    known = memory({block_hash("Read more of us"): 4}, names=50)
    marked = without(outline, known)
    assert marked.main == "The tide came in at night"
    assert marked.text == outline.text
    assert BY_MEMORY in marked.boilerplate
    assert without(outline, memory({1: 4})) is outline
    rare = memory({block_hash("Read more of us"): 4}, names=51)  # less than 8 %
    assert without(outline, rare) is outline


def test_an_address_that_many_pages_declare_is_not_true() -> None:
    page = "https://a.example/page"
    declared = f'<link rel="canonical" href="{page}"><p>The tide came in at night'
    units = np.frombuffer(arrival(declared, "https://a.example/other").units, "<u8").tolist()
    assert address_mark(page) in units
    assert units == sorted(units)
    assert address_mark(page) not in np.frombuffer(arrival(declared, page).units, "<u8")
    assert not is_true_address(page, memory({address_mark(page): 4}))
    assert is_true_address(page, memory({address_mark(page): 4}, names=60))


def test_the_name_of_a_page_is_title_and_heading() -> None:
    one = "<title>Tides | Sea</title><h1>Tides</h1><p>The tide came in."
    assert arrival(one).name == arrival(one + " It went out.").name
    assert arrival(one).name != arrival(one.replace("Tides", "Boats")).name
    assert arrival("<p>The tide came in.").name == 0


@pytest.mark.parametrize("title", ["x" * 10**6, " | " * 10**5, ""])
def test_hostile_titles(title: str) -> None:
    assert arrival(f"<title>{title}</title><p>The tide came in.").units


def test_of_very_many_units_the_same_count_on_every_page() -> None:
    units = [f"<p>block {n}</p>" for n in range(6000)]
    one, other = arrival("".join(units)).units, arrival("".join(reversed(units))).units
    assert one == other
    assert len(one) == 8 * 4096
