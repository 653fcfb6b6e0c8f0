"""What would be lost of a page, unit by unit: kept, moved, reworded, other facts, rarity."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page, Verdict
from dedup_middleware.fingerprint.site import pack_numbers
from dedup_middleware.read import KINDS, Identity, Outline, read
from dedup_middleware.similarity import Loss
from dedup_middleware.similarity.loss import Units, compare_units, told, units_of
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article

UNIT = struct.Struct("<4Q4I4B")  # its key comes first
OLD, NEW = "https://a.example/old", "https://a.example/new"
TEXT = [part.replace("&", "&amp;").replace("<", "&lt;") for part in article(7, 700)]
TIDES = (
    "The tide comes in twice a day along this coast.",
    "Boats leave the small harbour before the water is gone.",
    "The keeper of the lighthouse writes down what he sees.",
)


def units(html: str) -> Units:
    return units_of(read(Page(url=OLD, html=html)))


def compare(page: str | Units, other: str | Units) -> Loss:
    one, two = (units(each) if isinstance(each, str) else each for each in (page, other))
    (loss,) = compare_units(one, [two])
    return loss


def became(page: str, other: str) -> set[tuple[str, str]]:
    """Return what became of units of the first page: why, and their text."""
    one, two = units(page), units(other)
    return {(each.why, each.text) for each in told(compare(one, two).mine, one, two)}


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def judged(page: str, other: str, title: str = "Tides", other_title: str = "Tides") -> Verdict:
    """Return the verdict on a page after another, both on a host with much text in common."""
    with Deduplicator(MemoryStore()) as dedup:
        for url, text, name in ((OLD, other, other_title), (NEW, page, title)):
            body = f"<title>{name}</title><h1>{name}</h1>{paragraphs(*TEXT)}{text}"
            verdict = dedup.process(Page(url=url, html=body))
    return verdict


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


def sections(*pairs: tuple[str, str], form: str = "h2") -> str:
    """Put texts below their headings: of a section, a list of terms, or in bold."""
    if form == "dl":
        return "<dl>" + "".join(f"<dt>{name}<dd>{text}" for name, text in pairs) + "</dl>"
    if form == "bold":
        return "".join(f"<p><b>{name}</b></p><p>{text}</p>" for name, text in pairs)
    return "".join(f"<h2>{name}</h2><p>{text}</p>" for name, text in pairs)


NAMES = ("Low water", "High water", "Storms")


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


def table(*rows: str, head: str = "") -> str:
    heads = "<tr>" + "".join(f"<th>{cell}" for cell in head.split()) if head else ""
    cells = ("".join(f"<td>{cell}" for cell in row.split()) for row in rows)
    return f"<table>{heads}{''.join(f'<tr>{row}' for row in cells)}</table>"


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


# facts

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


def on_host(page: str, names: int, count: int) -> Units:
    """Return the units of a page, all of which stand on so many pages of its host."""
    return of_host(read(Page(url=OLD, html=page)), names, count)


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
    lambda nodes: Outline(
        Identity(),
        bytes(node[0] for node in nodes),
        tuple(min(node[1], at - 1) for at, node in enumerate(nodes)),
        bytes(node[2] for node in nodes),
        tuple(node[3] for node in nodes),
        links=bytes(node[4] for node in nodes),
        grid=bytes(node[5] for node in nodes),
    )
)


def of_host(page: Outline, names: int, count: int) -> Units:
    found = units_of(page)
    keys = sorted({key for key, *_ in UNIT.iter_unpack(found.packed)})
    rarity = pack_numbers(np.array(keys, np.uint64), np.full(len(keys), count))
    return found._replace(names=names.to_bytes(4, "little"), rarity=rarity)


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
    more = Outline(
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
    assert after.lost <= before.lost + 1e-9


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
        units_of(Outline(Identity(), bytes(count), (-1,) * count, bytes(count), tuple(found)))
        for found in (texts, [text.replace("tide", "water", 1) for text in texts])
    )
    (same, loss) = compare_units(page, [page, other])
    assert same.mine.lost == same.theirs.lost == 0
    assert 0 <= loss.mine.share <= 1
