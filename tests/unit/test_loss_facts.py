"""Facts in what would be lost: what differs in a pair of units, or takes the place of another."""

from __future__ import annotations

import pytest

from tests.support.loss import (
    NAMES,
    TIDES,
    became,
    compare,
    judged,
    on_host,
    paragraphs,
    sections,
    table,
)

FACTS = {
    "price": ("The ticket costs 35 crowns at the gate.", "The ticket costs 53 crowns at the gate."),
    "dose": ("Take 20 mg of it before each meal.", "Take 20 g of it before each meal."),
    "date": (
        "The court met in this house on 12 May 1824.",
        "The court met in this house on 14 May 1824.",
    ),
    "name": (
        "The first keeper was a sailor called Anders from the north.",
        "The first keeper was a sailor called Halvor from the north.",
    ),
    "mail": (
        "Write to office@harbour.example if you want to stay.",
        "Write to pilot@harbour.example if you want to stay.",
    ),
    "not": (
        "Visitors are allowed to enter the lighthouse by night.",
        "Visitors are not allowed to enter the lighthouse by night.",
    ),
    "spelled": (
        "Boats leave the harbour two hours early.",
        "Boats leave the harbour 3 hours early.",
    ),
    "language": (
        "This tool was written in C# by the keeper.",
        "This tool was written in C by him.",
    ),
    "extended": ("The pilot takes 40 crowns an hour.", "The pilot takes 40 000 crowns an hour."),
    "opposite": (
        "Boats leave the harbour before high water.",
        "Boats leave the harbour after high water.",
    ),
    "denied by a prefix": (
        "The way along the cliff is safe in winter.",
        "The way along the cliff is unsafe in winter.",
    ),
    "condition": (
        "Guests may moor at the old pier and stay until the morning.",
        "Guests may moor at the old pier if the pilot agrees and stay until the morning.",
    ),
    "choice": ("Steer for the red lamp on the pier.", "Steer for the green lamp on the pier."),
    "jour": ("Le port est ouvert le lundi soir.", "Le port est ouvert le mardi soir."),
    "address at the beginning": (
        "10.0.0.1 is the pilot's machine.",
        "10.0.0.9 is the pilot's machine.",
    ),
    "section of an act": (
        "It is forbidden by section 7 of the act.",
        "It is forbidden by section 9 of the act.",
    ),
    "built": ("The tower was built 1820 by Anders.", "The tower was built 1830 by Anders."),
    "behind a copyright": (
        "© 2019 The Harbour, call 555-1234 to dock",
        "© 2019 The Harbour, call 555-9876 to dock",
    ),
    "qualified": (
        "The class org.sea.tides.Table has all of them.",
        "The class org.sea.boats.Table has all of them.",
    ),
}


@pytest.mark.parametrize("what", FACTS)
def test_another_fact_is_found_and_never_dropped(what: str) -> None:
    page, other = FACTS[what]
    loss = compare(paragraphs(page), paragraphs(other))
    assert (loss.mine.facts, loss.theirs.facts) == (1, 1)
    assert became(paragraphs(page), paragraphs(other)) == {("fact", page)}
    verdict = judged(paragraphs(page), paragraphs(other))
    assert verdict.action != "drop", verdict.reason


@pytest.mark.parametrize(
    ("page", "other"),
    [
        ("The war (1954-62) was long.", "The war (1954–62) was long."),
        ("The office has four rooms.", "The office has 4 rooms."),
    ],
)
def test_other_ways_to_write_a_number_are_no_other_fact(page: str, other: str) -> None:
    loss = compare(paragraphs(page), paragraphs(other))
    assert (loss.mine.facts, loss.mine.lost) == (0, 0)
    assert judged(paragraphs(page), paragraphs(other)).action == "drop"


@pytest.mark.parametrize(
    ("page", "other"),
    [
        ("The pilot takes 2 hours for it.", "The pilot takes 2 hours 30 minutes for it."),
        ("The tour is free for children.", "The tour is free for children under 6."),
    ],
)
def test_what_only_one_page_says_of_an_amount_is_another_fact(page: str, other: str) -> None:
    for one, two in ((page, other), (other, page)):
        assert compare(paragraphs(one), paragraphs(two)).mine.facts == 1
        assert judged(paragraphs(one), paragraphs(two)).action != "drop"


def test_an_identifier_in_marked_text_is_a_fact_unless_other_pages_show_it() -> None:
    page, other = (
        f"<header>Members of {name}.Size</header>{paragraphs(*TIDES)}"
        for name in ("poolIn", "dbOut")
    )
    assert compare(page, other).mine.facts == 1
    assert compare(on_host(page, 40, 20), on_host(other, 40, 20)).mine.facts == 0


@pytest.mark.parametrize(
    ("page", "other"),
    [
        (table("HW_REG_MODE Modes", "HW_REG_BASES Aperture"), table("HW_REG_MODE Modes")),
        (
            paragraphs("Operands: s, flat_scratch, xnack_mask, vcc, ttmp, m0"),
            paragraphs("Operands: s, vcc, ttmp, null, m0"),
        ),
        (paragraphs("Ask pilot@sea.example."), ""),
    ],
)
def test_a_name_that_the_other_page_never_mentions_is_lost(page: str, other: str) -> None:
    verdict = judged(page, other)
    assert (verdict.kind, verdict.action) == ("near", "tag"), verdict.reason
    assert judged(other, page).kind in ("near", "contained")
    assert judged(page, f"{other}{page}").action == "drop"


def test_a_name_that_is_only_a_part_of_another_one_is_lost() -> None:
    page, other = (
        paragraphs(
            f"See the manual of the harbour{more}.", *TIDES, "Boats call pilot_set_speed_now first."
        )
        for more in (" and set_speed too", "")
    )
    assert compare(page, other).mine.facts == 1
    assert compare(page, f"{other}<p>It is (or x=set_speed;) slow.").mine.facts == 0


def test_a_name_in_brackets_or_in_tex_is_that_name() -> None:
    page, other = (
        paragraphs(f"The group {name} has eight points, see ({one}).")
        for name, one in ((r"\\(S_8\\)", "SymmetricGroup"), ("S_8", "SymmetricGroup"))
    )
    assert compare(page, other).mine.facts == 0


@pytest.mark.parametrize(
    ("page", "other"),
    [("20 €", "30 €"), ("Anna Schmidt", "Peter Meier"), ("White.", "Black."), ("Yes.", "No.")],
)
def test_a_short_text_in_the_place_of_another_is_another_fact(page: str, other: str) -> None:
    for one, two in ((page, other), (other, page)):
        verdict = judged(f"<h2>Which?</h2><p>{one}</p>", f"<h2>Which?</h2><p>{two}</p>")
        assert verdict.action != "drop", verdict.reason
    many = on_host(f"<p>{page}</p>", 40, 20), on_host(f"<p>{other}</p>", 40, 20)
    assert compare(*many).mine.facts == 0, "what many pages show says nothing of one of them"


def test_a_value_that_stands_elsewhere_as_well_is_missed_in_its_place() -> None:
    def options(limit: int) -> str:
        values = (("Interval", 0), ("Limit", limit))
        return "".join(f"<h2>{name}</h2>{table(f'default {value}')}" for name, value in values)

    for page, other in ((0, 500), (500, 0)):
        assert judged(options(page), options(other)).action != "drop"


def test_two_cells_that_were_exchanged_keep_a_page() -> None:
    page = table("Oslo yes", "Bergen no", head="Harbour Open")
    other = table("Oslo no", "Bergen yes", head="Harbour Open")
    verdict = judged(page, other)
    assert verdict.action != "drop", verdict.reason


def test_of_equal_partners_the_one_in_the_same_place_is_taken() -> None:
    text = "The keeper writes down the height of \\(x\\) each morning."
    page = sections(*((name, text) for name in NAMES))
    other = sections(*((name, text.replace("\\(x\\)", "x")) for name in NAMES))
    assert compare(page, other).mine.moved == 0


VOLATILE = {
    "edited": ("Last modified: 12 May 2024 10:33", "Last modified: 3 June 2025 08:12"),
    "views": ("1,234 views", "98,765 views"),
    "copyright": ("© 2019 The Harbour", "© 2024 The Harbour"),
    "section": (
        "How the tide is measured on the coast is told in Section 5.4 of it.",
        "How the tide is measured on the coast is told in Section 6.1 of it.",
    ),
}


@pytest.mark.parametrize("what", VOLATILE)
def test_dates_of_edit_counters_and_numbers_of_sections_are_no_facts(what: str) -> None:
    page, other = map(paragraphs, VOLATILE[what])
    assert compare(page, other).mine.facts == 0
    verdict = judged(page, other)
    assert (verdict.kind, verdict.action) == ("near", "drop"), verdict.reason


def test_a_version_in_a_heading_that_is_a_link_is_a_fact() -> None:
    page, other = (f"<h2><a href=/v>Version {one} is out</a></h2>" for one in ("2.4", "2.9"))
    assert compare(page, other).mine.facts == 1
    named, another = (f"<h2><a href=/v>The road to {one}</a></h2>" for one in ("Oslo", "Rome"))
    assert compare(named, another).mine.facts == 0, "a teaser of another page"


def cards(*entries: str) -> str:
    """Show entries, `name price`, as many shops do: no table, no heading."""
    rows = (entry.split() for entry in entries)
    return "".join(f"<div><div>{name}</div><div>{price}</div></div>" for name, price in rows)


def test_prices_that_were_exchanged_keep_a_page_and_cards_in_another_order_do_not() -> None:
    page = cards("Saw 12.00", "Axe 19.00")
    assert judged(page, cards("Saw 19.00", "Axe 12.00")).action != "drop"
    assert compare(page, cards("Axe 19.00", "Saw 12.00")).mine.lost == 0
