"""Words, fingerprints and normal forms of the compiled core are those of the twins in Python."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dedup_middleware import core
from dedup_middleware.fingerprint import compiled
from dedup_middleware.fingerprint.compiled import MainText
from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.fingerprint.scheme import main_text
from dedup_middleware.fingerprint.site import block_hash
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.words import composed, fold, words
from tests.support.markup import needs_core
from tests.support.texts import article

pytestmark = needs_core

EVERYTHING = [chr(code) for code in range(0x110000)]
DECOMPOSED = [one for one in EVERYTHING if unicodedata.decomposition(one)[:1] not in {"", "<"}]
# joined by composition, put in another order, folded to several characters, dropped or cut
CHARACTER = (
    st.characters()
    | st.sampled_from([one for one in EVERYTHING if unicodedata.category(one)[0] == "M"])
    | st.sampled_from([one for one in EVERYTHING if unicodedata.combining(one)])
    | st.sampled_from([one for one in EVERYTHING if one.casefold() != one])
    | st.sampled_from(DECOMPOSED)
    | st.sampled_from([unicodedata.normalize("NFD", one)[-1] for one in DECOMPOSED])
    | st.characters(min_codepoint=0x1100, max_codepoint=0x11FF)
    | st.sampled_from([chr(0xAC00 + 28 * index) for index in range(399)])
    | st.characters(min_codepoint=0x591, max_codepoint=0x8FF)
    | st.characters(min_codepoint=0xFB00, max_codepoint=0xFFEF)
    | st.sampled_from(
        "aeisoEI ßİıﬁσςΣёЁЕе\u0308\u0301\u0327\u0323\u0345각\u0653\u064e\u0640中文か\u3099"
        "ไทย\u200d\u00ad\n,._=\u0338\ud83d\ude00\u0378\U0001e290\U00020001"
    )
)
TEXT = st.lists(CHARACTER, max_size=30).map("".join)


def numbers(main: MainText) -> tuple[object, ...]:
    lists = (main.sample.hashes, main.pairs, main.keys, main.shingles)
    numbers = (main.words, main.simhash, main.sample.limit, main.sketch)
    return (*numbers, *(one.tolist() for one in lists))


def assert_equal(text: str) -> None:
    assert core.call("fold", utf8(text)).decode() == fold(text)
    assert core.call("nfc", utf8(text)) == utf8(composed(text))
    hashes = word_hashes(words(text))
    assert compiled.text_hashes(text).tolist() == hashes.tolist()
    assert numbers(compiled.main_text(text)) == numbers(main_text(hashes))
    line = text.replace("\n", " ")
    assert compiled.block_hashes([line]) == [block_hash(line)]


@given(TEXT)
@example("\u0451\u0308\u0300 \u0435\u0306\u0308")
@example("I\u0307\u0323 \u0130 \u01c5\u030c")
@example("x\u0302\u4e2d\u0302\u6587 \u0e01\u0e31\u0e01a")
@example("\ud83d\ude00 \ude00\ud83d")
def test_any_text(text):
    assert_equal(text)


@given(st.lists(TEXT, max_size=4), st.integers(1, 80))
def test_repeated_text(parts, times):
    assert_equal("".join(part * times for part in parts))


def test_every_character_alone_and_between_letters():
    # all but most of Han and of what is unassigned; line feeds keep them apart
    codes = (*range(0x20010), *range(0x2F7F0, 0x2FA30), *range(0xE0000, 0xE0200), 0x10FFFF)
    text = "\n".join(chr(code) for code in codes if chr(code) != "\n")
    assert_equal(text)
    assert_equal(text.replace("\n", "\na"))
    assert_equal(text.replace("\n", "\u0301\n"))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 8, 50, 300, 2_000, 12_000])
def test_pages_of_all_lengths(length):
    assert_equal(" ".join(article(11, max(length, 1)))[: 7 * length])


@pytest.mark.parametrize("size", range(40))
def test_words_of_all_lengths(size):
    assert_equal("a" * size + " " + "é" * size)


@pytest.mark.parametrize(
    "part", ["\u0301\u0316", "\u0344\u00ad\u0316", "\ufe77\u0323", "\u0308", "\u0f73\u0f75"]
)
def test_a_long_run_of_marks(part):
    assert_equal("a\u0451" + part * 100_000)


@given(st.integers(1, 5), st.integers(0, 3000), st.integers(0, 40))
def test_frequent_words_and_repeated_shingles(different, times, rest):
    frequent = " ".join(f"w{number}" for number in range(different))
    assert_equal(f"{frequent} " * times + " ".join(f"r{number}" for number in range(rest)))
