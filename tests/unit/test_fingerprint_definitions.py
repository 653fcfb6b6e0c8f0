"""Fingerprints are what ten lines over lists and sets say of the words of a text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.fuzz import definitions
from dedup_middleware import core
from dedup_middleware.fingerprint import Fingerprint
from dedup_middleware.fingerprint.hashing import text_hashes
from dedup_middleware.fingerprint.scheme import fingerprint_of
from dedup_middleware.fingerprint.site import block_hash
from dedup_middleware.read import Identity, Outline
from dedup_middleware.read.words import utf8, words
from tests.support.texts import article

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


def made_of(text: str) -> Fingerprint:
    lines = tuple(text.split("\n"))
    count = len(lines)
    return fingerprint_of(
        Outline.of_nodes(Identity(), b"\1" * count, (-1,) * count, bytes(count), lines), b""
    )


def assert_equal(text: str) -> None:
    hashes = definitions.word_hashes(words(text))
    assert text_hashes(text).tolist() == hashes
    made, shingles = made_of(text), definitions.shingle_hashes(hashes)
    assert (made.words, made.simhash) == (len(hashes), definitions.simhash(hashes))
    assert made.shingles is not None
    assert made.shingles.tolist() == shingles
    assert (made.sample.hashes.tolist(), made.sample.limit) == definitions.sample(shingles)
    pairs = definitions.pairs(hashes)
    assert made.pairs.tolist() == pairs
    sketch = made.sketch
    both = [*sketch.sample.tolist(), *sketch.pairs.tolist()]
    assert (sketch.limit, sketch.sampled, both) == definitions.sketch(shingles, pairs)
    assert made.word_sample == definitions.word_sample(hashes)
    sampled = made.sample.hashes.tolist()
    assert made.keys.tolist() == definitions.keys(made.simhash, sampled, pairs)
    line = text.replace("\n", " ")
    assert core.call("block_hashes", utf8(line)) == block_hash(line).to_bytes(8, "little")


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


@given(st.integers(1, 5), st.integers(0, 3000), st.integers(0, 40))
def test_frequent_words_and_repeated_shingles(different, times, rest):
    frequent = " ".join(f"w{number}" for number in range(different))
    assert_equal(f"{frequent} " * times + " ".join(f"r{number}" for number in range(rest)))
