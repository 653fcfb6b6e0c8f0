"""What would be lost of a page, unit by unit: kept, moved, reworded, other facts, rarity."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read import KINDS, Identity, Outline
from dedup_middleware.similarity.loss import compare_units, units_of
from tests.support.loss import (
    NAMES,
    TIDES,
    became,
    compare,
    judged,
    of_host,
    on_host,
    paragraphs,
    sections,
    table,
)

# what is kept


def test_nothing_of_a_page_is_lost_to_itself() -> None:
    page = paragraphs(*TIDES)
    loss = compare(page, page)
    assert loss.mine == loss.theirs
    assert (loss.mine.share, loss.mine.changed, loss.mine.facts, loss.mine.told) == (0, 0, 0, ())
    assert loss.mine.weight == loss.mine.words == sum(len(text.split()) for text in TIDES)


def test_a_sentence_more_is_lost_with_the_page_that_has_it() -> None:
    loss = compare(paragraphs(*TIDES), paragraphs(*TIDES[:2]))
    assert loss.mine.lost == loss.mine.lost_words == len(TIDES[2].split())
    assert loss.mine.units == 1
    assert loss.theirs.lost == 0
    assert became(paragraphs(*TIDES), paragraphs(*TIDES[:2])) == {("lost", TIDES[2])}


@pytest.mark.parametrize("form", ["h2", "dl", "bold"])
def test_a_section_that_moves_with_its_heading_is_kept(form: str) -> None:
    pairs = [*zip(NAMES, TIDES, strict=True)]
    loss = compare(sections(*pairs, form=form), sections(*pairs[1:], pairs[0], form=form))
    assert (loss.mine.lost, loss.theirs.lost) == (0, 0)


@pytest.mark.parametrize("form", ["h2", "dl", "bold"])
def test_an_answer_below_another_question_is_out_of_place(form: str) -> None:
    page = sections(*zip(NAMES, TIDES, strict=True), form=form)
    other = sections(*zip(NAMES, (*TIDES[1:], TIDES[0]), strict=True), form=form)
    assert became(page, other) == {("moved", text) for text in TIDES}
    loss = compare(page, other)
    assert loss.mine.moved == loss.mine.lost > 0
    assert judged(page, other).action != "drop"


def test_a_renamed_heading_contradicts_nothing() -> None:
    page = sections(*zip(NAMES, TIDES, strict=True))
    other = sections(*zip(("Ebb", "Flood", "Gales"), TIDES, strict=True))
    assert became(page, other) == {("lost", name) for name in NAMES}


def test_rows_in_another_order_are_kept() -> None:
    rows = ("Ebb low calm", "Flood high rough", "Spring higher wild")
    loss = compare(
        table(*rows, head="Tide Water Sea"), table(*reversed(rows), head="Tide Water Sea")
    )
    assert (loss.mine.lost, loss.theirs.lost) == (0, 0)


def test_a_cell_in_another_row_is_out_of_place() -> None:
    page = table("Ebb low calm", "Flood high rough", head="Tide Water Sea")
    other = table("Ebb high calm", "Flood low rough", head="Tide Water Sea")
    assert became(page, other) == {("moved", "low"), ("moved", "high")}


def test_a_table_of_another_form_is_another_page() -> None:
    page, other = (
        table("one two three", "four five six"),
        table("one two", "three four", "five six"),
    )
    assert compare(page, other).mine.moved > 0
    assert judged(page, other).kind != "exact"


# links


@pytest.mark.parametrize("shown", ["<h2>{}</h2>", "<p>{}</p>"])
def test_a_link_keeps_no_heading_and_no_sentence(shown: str) -> None:
    text = "The keeper of the lighthouse"
    linked = f"<ul><li><a href=/>{text}</a></li></ul>"
    page, other = (paragraphs(*TIDES[:2]) + each for each in (shown.format(text), linked))
    loss = compare(page, other)
    assert loss.mine.lost == len(text.split())


def test_a_teaser_in_a_link_keeps_what_it_is_from() -> None:
    page = paragraphs(" ".join(TIDES))
    assert compare(page, f"<a href=/post><div>{' '.join(TIDES)}</div></a>").mine.lost == 0


def test_a_sentence_that_ends_with_a_link_is_text() -> None:
    page, other = (
        f"<p>For more of it, see <a href=/>{name}::set_lock_limit()</a>.</p>" for name in ("A", "B")
    )
    assert compare(page, other).mine.facts == 1


# rarity


def test_what_many_pages_show_weighs_less() -> None:
    page = paragraphs(*TIDES)
    weights = [compare(on_host(page, 1000, count), page).mine.weight for count in (1, 2, 3, 11)]
    assert weights[0] == weights[1] == compare(page, page).mine.weight
    assert weights[2:] == [weights[0] / 2, weights[0] / 10]


@pytest.mark.parametrize(("names", "least"), [(10_000, 0.25), (400, 0.0)])
def test_lost_prose_counts_a_quarter_unless_a_twentieth_of_the_host_shows_it(
    names: int, least: float
) -> None:
    page, count = paragraphs(*TIDES), 40
    loss = compare(on_host(page, names, count), paragraphs("Nothing of that is here."))
    assert loss.mine.lost == pytest.approx(loss.mine.words * max(least, 1 / (count - 1)))
    assert loss.mine.share == pytest.approx(1)
    assert loss.mine.lost_words == loss.mine.words, "plain words, whatever they weigh"


# names


def test_pages_with_names_of_their_own_are_one_only_if_nothing_else_is_lost() -> None:
    more = paragraphs(*TIDES[:2])
    verdict = judged(more, more, "Low water", "High water")
    assert verdict.kind == "near", verdict.reason
    verdict = judged(paragraphs(*TIDES), more, "Low water", "High water")
    assert verdict.action == "pass", verdict.reason


@pytest.mark.parametrize(("one", "other"), [("operator|", "operator-"), ("org.a.b", "org.a.c")])
def test_a_sign_or_the_last_part_makes_another_name(one: str, other: str) -> None:
    """What a reference says of operators is the same but for the sign."""
    page, known = (
        paragraphs(f"Return what {name} gives for the two sets.", *TIDES) for name in (one, other)
    )
    verdict = judged(page, known, one, other)
    assert verdict.action != "drop", verdict.reason
    assert "title, main heading or language" in verdict.reason


# properties

WORDS = st.sampled_from(
    "tide boat harbour 12 35 not the of Oslo a@b.example © x_y 漢 . ? , | -".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
NODES = st.lists(
    st.tuples(
        st.sampled_from(range(len(KINDS))),  # kind
        st.integers(-1, 12),  # parent
        st.sampled_from([0, 0, 0, 1, 2, 3]),  # mark
        TEXTS | st.just(""),
        st.sampled_from([0, 0, 255, 128]),  # share of links
        st.integers(0, 3),  # column
    ),
    max_size=14,
)
PAGES = NODES.map(
    lambda nodes: Outline.of_nodes(
        Identity(),
        bytes(node[0] for node in nodes),
        tuple(min(node[1], at - 1) for at, node in enumerate(nodes)),
        bytes(node[2] for node in nodes),
        tuple(node[3] for node in nodes),
        links=bytes(node[4] for node in nodes),
        grid=bytes(node[5] for node in nodes),
    )
)


@given(PAGES, st.integers(0, 9))
def test_any_page_loses_nothing_to_itself(page: Outline, count: int) -> None:
    one = of_host(page, 9, count)
    loss = compare(one, one)
    assert loss.mine == loss.theirs
    assert (loss.mine.lost, loss.mine.reworded, loss.mine.facts, loss.mine.units) == (0, 0, 0, 0)


@given(PAGES, PAGES, st.integers(0, 99), st.integers(0, 99))
def test_loss_is_a_share(page: Outline, other: Outline, names: int, count: int) -> None:
    one, two = of_host(page, names, count), units_of(other)
    loss, back = compare(one, two), compare(two, one)
    assert (loss.mine, loss.theirs) == (back.theirs, back.mine)
    for side in loss:
        numbers = side[:7]
        assert all(math.isfinite(number) and number >= 0 for number in numbers)
        assert 0 <= side.moved <= side.lost <= side.weight + 1e-9
        assert side.changed <= 1 + 1e-9
        assert side.lost_words <= side.words + 1e-9


@given(PAGES, PAGES, TEXTS)
def test_what_the_other_page_has_more_below_a_new_heading_loses_nothing(
    page: Outline, other: Outline, text: str
) -> None:
    more = Outline.of_nodes(
        Identity(),
        other.kinds + bytes([KINDS.index("heading"), KINDS.index("text")]),
        (*other.parents, -1, len(other.kinds)),
        other.boilerplate + bytes(2),
        (*other.texts, "Heading that stands nowhere else", f"Quite new {text}"),
        links=other.links + bytes(2),
        grid=other.grid + bytes(2),
    )
    mine = units_of(page)
    before, after = compare(mine, units_of(other)).mine, compare(mine, units_of(more)).mine
    is_disputed = after.facts > before.facts  # by a sentence that says nearly the same: tide not
    assert after.lost <= before.lost + 1e-9 or is_disputed


# bounded work: no time is measured, but none of these would end if it grew with pairs


@pytest.mark.parametrize(
    "texts",
    [
        ["The tide comes in twice a day."] * 100_000,
        [
            f"The tide {number} comes in at {number % 977} of {number % 89}."
            for number in range(100_000)
        ],
        ["tide " * 200_000],
        ["潮汐" * 170_000],
    ],
    ids=["one unit", "many units", "long unit", "long unit without spaces"],
)
def test_huge_pages_take_bounded_work(texts: list[str]) -> None:
    count = len(texts)
    page, other = (
        units_of(
            Outline.of_nodes(Identity(), bytes(count), (-1,) * count, bytes(count), tuple(found))
        )
        for found in (texts, [text.replace("tide", "water", 1) for text in texts])
    )
    (same, loss) = compare_units(page, [page, other])
    assert same.mine.lost == same.theirs.lost == 0
    assert 0 <= loss.mine.share <= 1
