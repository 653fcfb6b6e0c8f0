"""Facts: numbers and names, and places where two texts have different ones."""

from __future__ import annotations

import pytest
from dedup_middleware.similarity.alignment import ANCHOR_WORDS, align, masks
from dedup_middleware.similarity.overlap import numbered, shingle_numbers, word_numbers

from dedup_middleware.read.words import words
from dedup_middleware.similarity.facts import Facts, facts_of, swapped_facts, swapped_subject
from dedup_middleware.similarity.languages import STOP_WORDS
from tests.support.texts import article


def facts(text: str) -> Facts:
    found = words(text)
    return facts_of(found, numbered(found), text)


@pytest.mark.parametrize(
    ("text", "numbers", "names"),
    [
        (
            "On Monday the ferry to Oslo left at 9 with 40 cars; the pilot, Ada Berg, was well.",
            {"9", "40"},
            {"on", "monday", "oslo", "ada", "berg"},
        ),
        ("you may pay 1,299.50 for the XR200 or the mk4", {"xr200", "mk4"}, {"xr200"}),
        # German nouns begin with capitals: names can't be recognised
        (
            "Der Hafen von Emden war im Januar zugefroren, und die Fähre blieb 14 Tage am Kai.",
            {"14"},
            set(),
        ),
        ("ALL OF THIS IS SHOUTED AT ADA IN OSLO, 3 TIMES", {"3"}, set()),
        ("", set(), set()),
        ("… — !", set(), set()),
        ("nothing here is a name", set(), set()),
        ("In the town they say that Иван and Éva are in the town of all towns.", set(), {"иван"}),
    ],
)
def test_numbers_and_names(text, numbers, names):
    found = facts(text)
    assert numbers <= found.numbers <= found.marked
    assert names <= found.marked
    if not names:
        assert found.marked == found.numbers
    assert {word for word in found.marked - found.numbers if word in names} == names - found.numbers


def test_a_word_that_also_occurs_in_lower_case_is_no_name():
    found = facts("Terns fly far to the south, and no other terns than the terns of Riga do that.")
    assert found.marked == {"riga"}


def swaps(first: str, second: str) -> int:
    one, other = facts(first), facts(second)
    numbers = word_numbers(numbered(one.words), numbered(other.words))
    alignment = align(*numbers, shingle_numbers(*numbers, ANCHOR_WORDS))
    moved = masks(alignment.passages, len(one.words), len(other.words))
    return swapped_facts(alignment.runs, one, other, STOP_WORDS["en"], moved)


SHOP = (
    "You are looking at the kettle from Bergen, which costs 40 crowns and was put on this page in "
    "the spring of 2019. The lid is sold apart for 12 crowns, and it has a knob made of wood."
)


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({}, 0),
        ({"2019": "2024"}, 1),
        ({"spring of 2019": "autumn of 2024"}, 1),
        ({"spring of 2019": "month 5, day 4, of 2024"}, 1),
        ({"40 crowns": "45 crowns", "12 crowns": "13 crowns"}, 2),
        ({"40": "45", "12": "13", "Bergen": "Oslo"}, 3),
        ({"Bergen": "Oslo or Riga"}, 1),
        ({" from Bergen": ""}, 0),
        ({"costs 40": "costs many"}, 0),
        ({"wood": "bone"}, 0),
        ({"Bergen": "home"}, 0),
    ],
)
def test_swapped_facts_are_counted_by_place(changes, places):
    other = SHOP
    for old, new in changes.items():
        assert old in other
        other = other.replace(old, new)
    assert swaps(SHOP, other) == swaps(other, SHOP) == places


def test_names_that_the_other_text_has_in_lower_case_are_no_facts():
    one = "In the evening we sat in the garden and Spring came up to us with a jug of cold milk."
    other = one.replace("Spring", "Riga").replace("cold", "spring")
    assert swaps(one, other) == 0
    assert swaps(one, one.replace("Spring", "Riga")) == 1


def test_facts_that_moved_are_not_different_facts():
    fruits = "Apple Pear Plum Cherry Quince Medlar Orange Lemon".split()
    lines = [
        f"In the {fruit} year {1900 + n} the town of {fruit} built {n + 3} bridges over a river."
        for n, fruit in enumerate(fruits)
    ]
    assert swaps(" ".join(lines), " ".join(reversed(lines))) == 0
    changed = [line.replace("Plum", "Grape").replace("1902", "1802") for line in lines]
    assert swaps(" ".join(lines), " ".join(changed)) == 3


def test_names_in_code_are_facts():
    text = (
        "call open_socket with a name, then readAll of it, and look at the table at the end of it"
    )
    assert facts(text).marked == {"open_socket", "readall"}
    assert swaps(text, text.replace("open_socket", "parse_table").replace("readAll", "skip")) == 1


def test_swapped_facts_of_nothing():
    assert swaps("", "") == swaps("", SHOP) == 0


def test_swapped_facts_in_long_text():
    text = " ".join(article(3, 400))
    assert swaps(text, text) == 0
    assert swaps(text, f"{text} Read 17 times.") == 0
    assert swaps(f"{text} Read 16 times.", f"{text} Read 17 times.") == 1


def test_swapped_subject():
    one, other = facts("the tern dives and the tern eats"), facts("the gull dives and a gull eats")
    common = STOP_WORDS["en"]
    assert swapped_subject(one, other, common) == 2
    assert swapped_subject(one, one, common) == 0
    more = facts("the tern dives, and the tern eats what the gull has")
    assert swapped_subject(one, more, common) == 0, "one page only says more"
    assert swapped_subject(facts("it costs 4 4 4"), facts("it costs 5 5 5"), common) == 0
    assert swapped_subject(facts(""), one, common) == 0
