"""Comparison by the compiled core: what is counted, by definition, and bounded work."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import definitions
from benchmarks.fuzz.numbers import identifying_numbers
from dedup_middleware import core
from dedup_middleware.errors import CoreError
from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.read.outline import Identity, Outline
from dedup_middleware.read.words import words
from dedup_middleware.similarity import SentenceTest, measures
from dedup_middleware.similarity.measures import measure_sentences, measure_words
from dedup_middleware.similarity.prepared import PageTable, Prepared, read_table
from dedup_middleware.similarity.sentences import language_of, stems_of
from tests.support import pairing

TESTS = [SentenceTest(), SentenceTest("overlap")]
ENTRIES = "distinct_hashes english_stems".split()
PART_ENTRIES = """
    arrival mark_shared revisit page main_shingles language shared_hashes
    units compare_units compare_words compare_sentences
""".split()
MARKS = (
    ". . . ! ? … ... .. , ; : - – ( ) [3] [citation needed] ” “ ' » \u00a0» / * € $ £ ♥ ²".split(
        " "
    )
)
ABBREVIATIONS = (
    "Dr Mr e.g i.e U.S etc St No fig vs Prof 3 b iv 2.1 31 2010 Oktober I XIV J CA".split()
)
WORDS = """
    the of not don t won a in und nicht der die la de The He In Der It tide moon boats harbour
    Harbour Ada camelCase snake_case _x x1 1a GmbH Straße ÉCOLE ΑΒΓ привет Ёлка ёлка µm ſt ς Ǆ ª ½
    ﬁ İ co\u00adop 漢字 かな שלום كتاب ٣ e\u0301 a\u200cb \u2122 ไทย
""".split()
NUMBERS = """
    $5 5€ 1,000.00 EUR 30 dollars 7-yen Rs. 12 USD zł 030 1234-567 2024-05-06 6/5/24 12:30 1998–2004
    1998-2004 10.0.0.12 GB82 WEST 1234 5698 7654 32 +49 (30) 901820 123456 00 12345678 3.14 v2.3.1
""".split()
PARTS = st.sampled_from([*MARKS, *ABBREVIATIONS, *WORDS, *NUMBERS]) | st.text(max_size=3)
BLOCK = st.builds(
    lambda parts, glue: "".join(part + end for part, end in zip(parts, glue, strict=False)).strip(),
    st.lists(PARTS, max_size=40),
    st.lists(st.sampled_from([" ", " ", " ", ". ", ""]), min_size=40, max_size=40),
)
LONG = st.lists(st.sampled_from(WORDS), min_size=60, max_size=200).map(" ".join)
SENTENCE = st.lists(st.sampled_from(WORDS[:20]), min_size=1, max_size=8).map(
    lambda words: " ".join(words) + "."
)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
BLOCKS = st.lists(PARAGRAPH | BLOCK | LONG, max_size=8)
SUFFIXES = """
    s ss sses ies ied eed ed ing y ational tional enci anci izer bli alli entli eli ousli ization
    ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti
    ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous
    ive ize e ll
""".split()
ENGLISH = st.builds(
    "{}{}{}".format,
    st.text("aeiouybdlstwxzéß9", min_size=1, max_size=6) | st.sampled_from(WORDS),
    st.sampled_from(["", *SUFFIXES]),
    st.sampled_from(["", *SUFFIXES]),
)
IRREGULAR = """
    sky skies dying lying tying news innings inning outings outing cannings canning howe proceed
    exceed succeed dies died by yyyyy supercalifragilisticexpialidociousnesses
""".split()


def outline(*texts: str, language: str = "") -> Outline:
    # as on pages: white space is folded
    texts = tuple(" ".join(text.split()) for text in texts)
    return Outline.of_nodes(
        Identity(language=language), bytes(len(texts)), (-1,) * len(texts), bytes(len(texts)), texts
    )


def sentences_of(table: PageTable) -> list[tuple[int, list[str]]]:
    """Return node and words of each sentence of a table."""
    count, size, sentences = struct.unpack_from("<3I", table.packed)
    numbers = struct.unpack_from(f"<{count + 2 * sentences}I", table.packed, 24)
    found = [table.vocabulary[number] for number in numbers[:count]] if size else []
    ends, nodes = numbers[count : count + sentences], numbers[count + sentences :]
    starts = (0, *ends)
    return [(node, found[a:b]) for a, b, node in zip(starts, ends, nodes, strict=False)]


def assert_table_of_sentences(page: Outline) -> None:
    """Check that the core splits a page as it is split where its sentences are shown."""
    own = Prepared(page)
    expected = [(node, found) for node, _, found in own._split]
    flat = [word for _, found in expected for word in found]
    table = read_table(page)
    if all(found for _, found in expected):  # else only invisible characters make a sentence
        assert sentences_of(table) == expected
        assert own.word_count == len(flat)
        assert own.language == language_of(page.language, flat)
    assert table.numbers == sorted(identifying_numbers(page.main))


def assert_measures(first: Outline, second: Outline, *, numbers: bool = True) -> None:
    one, other = Prepared(first, numbers), Prepared(second, numbers)
    assert_words(one, other)
    for test in TESTS:
        (found,) = measure_sentences(one, [other], test)
        assert found == pairing.measured(one, other, test)


def assert_words(one: Prepared, other: Prepared) -> None:
    mine, theirs = (
        [word for _, found in sentences_of(side.table) for word in found] for side in (one, other)
    )
    width = max(1, min(4, len(mine), len(theirs)))
    (found,) = measure_words(one, [other])
    here, there = (set(definitions.shingles(side, width)) for side in (mine, theirs))
    assert found.shingles == (len(here), len(there), len(here & there))
    assert found.covered == (
        definitions.covered(mine, theirs, width),
        definitions.covered(theirs, mine, width),
    )
    assert found.common == definitions.common(mine, theirs)
    assert found.aligned[0] <= len(mine)
    assert found.aligned[1] <= len(theirs)
    assert all(both <= every for both, every in found.facts)
    if mine == theirs:
        assert found.aligned == (len(mine), len(mine))
        assert (found.swapped, found.subject, found.replaced) == (0, 0, 0)


@given(BLOCKS)
@settings(max_examples=300)
def test_tables_of_pages(blocks):
    assert_table_of_sentences(outline(*blocks))


@given(st.lists(st.text(max_size=30), max_size=5))
def test_tables_of_any_text(blocks):
    assert_table_of_sentences(outline(*blocks))


@given(
    st.lists(st.sampled_from([*NUMBERS, *"- / . ( ) , a x1 USD é 元 ٣".split(), " "]), max_size=30)
)
@settings(max_examples=300)
def test_identifying_numbers(parts):
    for glue in ("", " "):
        page = outline("word", glue.join(parts), "y" * 70 + "1")
        assert read_table(page).numbers == sorted(identifying_numbers(page.main))


def test_every_character_that_pages_use():
    for start in range(0, 0x3100, 64):
        characters = [chr(code) for code in range(start, start + 64)]
        assert_table_of_sentences(
            outline(*(f"a{one}b {one} {one}c. {one}D e" for one in characters))
        )


@given(st.lists(ENGLISH, min_size=1, max_size=50))
@example(IRREGULAR)
@example(["ᎠᎡ", "running"])
@settings(max_examples=300)
def test_stems_of_english(some):
    page = Prepared(outline(" ".join(some), language="en"))
    assume(page.language == "en" and page.word_count)
    expected = stems_of(page.table.vocabulary, "en", numbers=True)
    assert page.stems.decode().split("\n") == list(expected)


@given(st.lists(st.text(max_size=30) | PARAGRAPH, max_size=5), st.integers(0, 31))
@example(["\ud83d", "\ude00 the tide came in"], 0)
def test_shingles(blocks, marks):
    blank = outline(*blocks)
    page = blank.marked(bytes(marks >> at & 1 for at in range(len(blocks))))
    hashes = shingle_hashes(text_hashes(page.main), 4)
    expected = sorted({*definitions.shingle_hashes(definitions.word_hashes(words(page.main)))})
    for one in (Prepared(page), Prepared(page, hashes=hashes)):
        assert np.frombuffer(one.shingles, "<u8").tolist() == expected


@given(BLOCKS, BLOCKS, st.booleans())
@settings(max_examples=150)
def test_pages_with_nothing_in_common_but_words(first, second, numbers):
    assert_measures(outline(*first), outline(*second, language="de"), numbers=numbers)


@given(st.lists(PARAGRAPH, min_size=1, max_size=12), st.data())
@settings(max_examples=150)
def test_near_copies(blocks, data):
    copy = list(blocks)
    for _ in range(data.draw(st.integers(0, 6))):
        at = data.draw(st.integers(0, len(copy) - 1))
        change = data.draw(st.integers(0, 3))
        if change == 0:
            copy[at] = data.draw(PARAGRAPH)
        elif change == 1:
            copy.insert(at, copy.pop())
        elif change == 2 and len(copy) > 1:
            del copy[at]
        else:
            copy[at] = copy[at].replace(data.draw(st.sampled_from(WORDS[:20])), "other")
    assert_measures(outline(*blocks, language="en"), outline(*copy, language="en"))


@given(st.lists(st.integers(0, 6), max_size=200), st.lists(st.integers(0, 6), max_size=200))
@example([1] * 130, [1] * 70 + [2] + [1] * 70)
def test_repetitive_texts(first, second):
    one, other = (outline(" ".join(f"w{number}" for number in text)) for text in (first, second))
    assert_measures(one, other)


@given(st.lists(st.booleans(), min_size=3, max_size=120), st.randoms(use_true_random=False))
def test_words_that_an_edit_keeps_are_aligned(is_kept, rng):
    """No word occurs twice, so that nothing else can be aligned."""
    text = [f"w{number}" for number in range(len(is_kept))]
    copy: list[str] = []
    for word, stays in zip(text, is_kept, strict=True):
        copy.append(word if stays else f"x{len(copy)}")
        if not stays and rng.random() < 0.5:
            copy.append(f"y{len(copy)}")
    one, other = (Prepared(outline(" ".join(side))) for side in (text, copy))
    (found,) = measure_words(one, [other])
    assert found.aligned == (definitions.kept(is_kept),) * 2


@given(st.permutations(range(8)), st.lists(st.integers(3, 9), min_size=8, max_size=8))
def test_sentences_that_keep_their_order_are_a_chain(places, lengths):
    texts = [" ".join(f"s{n}w{k}" for k in range(length)) for n, length in enumerate(lengths)]
    copy = [texts[places.index(place)] for place in range(len(places))]
    one, other = Prepared(outline(*texts)), Prepared(outline(*copy))
    (found,) = measure_sentences(one, [other], SentenceTest())
    assert found.chain == (definitions.chain(places, lengths),) * 2
    assert found.matched == (sum(lengths),) * 2


def test_a_list_without_a_language_is_read_in_that_of_its_copy():
    fields = ("con", "cdone", *(f"connections_{number}" for number in range(16)))
    names = [f"{field}: relay_sessions, candidates" for field in fields]
    alone = Prepared(outline(*names))
    beside = Prepared(outline("Here is a list of all fields that the structures have.", *names))
    assert (alone.language, beside.language) == ("", "en")
    for one, other in ((alone, beside), (beside, alone)):
        (found,) = measure_sentences(one, [other], SentenceTest())
        assert [side.same for side in found.counts] == [len(names)] * 2


@given(st.lists(st.integers(20, 40), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_long_passages_that_moved_are_aligned(lengths, rng):
    passages = [" ".join(f"p{n}w{k}" for k in range(size)) for n, size in enumerate(lengths)]
    moved = rng.sample(passages, len(passages))
    one, other = (Prepared(outline(" ".join(side))) for side in (passages, moved))
    assert measure_words(one, [other])[0].aligned == (sum(lengths),) * 2


def page_of(paragraphs: int, start: str = "") -> Outline:
    return outline(start, *["a"] * paragraphs)


def page_of_links(count: int, start: int) -> Outline:
    return outline(
        *(f"Report {number} of the harbour office" for number in range(start, start + count))
    )


def page_of_one_sentence(words: int, start: int) -> Outline:
    return outline(" ".join(f"word{number % 5000}" for number in range(start, start + words)))


HOSTILE = {
    "paragraphs": lambda size: (page_of(size), page_of(size - 9, "b")),
    "links": lambda size: (page_of_links(size, 0), page_of_links(size, size // 50)),
    "other links": lambda size: (page_of_links(size, 0), page_of_links(size, 10**6)),
    "one sentence": lambda size: (page_of_one_sentence(size, 0), page_of_one_sentence(size, 7)),
}


def steps_of(pages: tuple[Outline, Outline]) -> tuple[int, int]:
    """Return the work of the core for two pages: cells of tables, words looked up."""
    both = [Prepared(page) for page in pages]
    words = core.call_parts("compare_words", measures.word_parts(both))
    sentences = core.call_parts("compare_sentences", measures.sentence_parts(both, SentenceTest()))
    return struct.unpack_from("<Q", words)[0], struct.unpack_from("<Q", sentences, 4)[0]


@pytest.mark.parametrize("pages", HOSTILE.values(), ids=HOSTILE)
def test_work_is_bounded(pages):
    cells, steps = steps_of(pages(25_000))
    assert cells <= 100_000_000
    assert steps <= 2 * pairing.MOST_STEPS


@pytest.mark.parametrize("pages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages(pages):
    assert_measures(*pages(600))


def test_what_is_cut_has_no_partner(monkeypatch):
    monkeypatch.setattr(pairing, "MOST_STEPS", 10_000)
    first, second = (Prepared(page).sentences for page in HOSTILE["other links"](300))
    found = pairing.pair_sentences(first, second)
    assert found.cut > 0
    assert found.steps <= 10_000
    assert all(partner.place < 0 for partner in found.partners[-found.cut :])


@given(st.binary(max_size=200))
def test_bytes_that_are_no_pages(data):
    for name in ENTRIES:
        with suppress(CoreError):
            core.call(name, data)
    for mode in range(3):
        with suppress(CoreError):
            core.call("sentences", data, mode)


@given(st.lists(st.binary(max_size=60), max_size=9))
def test_parts_that_are_no_pages(parts):
    for name in PART_ENTRIES:
        with suppress(CoreError):
            core.call_parts(name, parts)


def test_half_a_page_is_refused():
    page = Prepared(outline("The tide came in."))
    languages, whole, other = measures.word_parts((page, page))
    with pytest.raises(CoreError, match="not what it takes"):
        core.call_parts("compare_words", (languages, whole[: len(whole) // 2], other))


def test_a_page_is_compared_with_many_as_with_each():
    texts = ["The tide came in. It rose.", "The tide went out.", "", "Nothing alike at all."]
    page, *others = (Prepared(outline(text)) for text in ["The tide came in.", *texts])
    one_by_one = [measure_words(page, [other])[0] for other in others]
    assert measure_words(page, others) == one_by_one
    test = SentenceTest()
    one_by_one = [measure_sentences(page, [other], test)[0] for other in others]
    assert measure_sentences(page, others, test) == one_by_one
    hashes = measures.shared_hashes(page, others)
    assert hashes == [measures.shared_hashes(page, [other])[0] for other in others]
