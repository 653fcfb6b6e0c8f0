"""Facts: numbers and names, and places where two texts have different ones."""

from __future__ import annotations

import struct
from typing import NamedTuple

import pytest

from dedup_middleware.read import Identity, Outline
from dedup_middleware.similarity import Prepared
from dedup_middleware.similarity.measures import WordMeasures, measure_words
from tests.support.texts import article

DIGIT, MARKED = 1, 2


class Facts(NamedTuple):
    """Which words of a text are numbers, and which are numbers or may be names."""

    numbers: set[str]
    marked: set[str]


def prepared(text: str) -> Prepared:
    return Prepared(Outline.of_nodes(Identity(language="en"), b"\1", (-1,), b"\0", (text,)))


def facts(text: str) -> Facts:
    table = prepared(text).table
    count, size, sentences = struct.unpack_from("<3I", table.packed)
    at = 24 + 4 * count + 8 * sentences
    flags = dict(zip(table.vocabulary, table.packed[at : at + size], strict=False))
    numbers, marked = ({word for word in flags if flags[word] & bit} for bit in (DIGIT, MARKED))
    return Facts(numbers, marked)


def compared(first: str, second: str) -> WordMeasures:
    return measure_words(prepared(first), [prepared(second)])[0]


def swaps(first: str, second: str) -> int:
    return compared(first, second).swapped


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
        # words that are not folded letter by letter: a soft hyphen, a mark, a script without spaces
        (
            "In the har\u00adbour of Łódź they saw Ada and Ιάσων with 漢字 and ٣٤ cafe\u0301s",
            {"٣٤"},
            {"łódź", "ada", "ιάσων"},
        ),
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
    def subject(first: str, second: str) -> int:
        return compared(first, second).subject

    one, other = "the tern dives and the tern eats", "the gull dives and a gull eats"
    assert subject(one, other) == 2
    assert subject(one, one) == 0
    assert subject(one, "the tern dives, and the tern eats what the gull has") == 0, "it says more"
    assert subject("it costs 4 4 4", "it costs 5 5 5") == 0
    assert subject("", one) == 0
