from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from simhash import Simhash, SimhashIndex

from benchmarks.fuzz import definitions
from dedup_middleware.fingerprint import fingerprint, from_simhash, hashing
from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes, word_hash, word_hashes
from dedup_middleware.fingerprint.scheme import distance, to_simhash
from dedup_middleware.page import Page
from dedup_middleware.read import read
from dedup_middleware.read.words import words
from lab.training import LEAST, MOST, sample, shared
from tests.support.texts import article, html

U64 = st.integers(0, 2**64 - 1)
MIXED = st.text(
    st.sampled_from(
        "abcdeé ß.-—'\u0301日本 हिन्दी😀\ud800İıﬁΩ\u2126\u00ad각\u1100\u1161\U00020001"
        "\u0435\u0451\u0308\uff21\uff11\uff76\uff9e\u0627\u0622\u0653\u0654\u064e\u0640\u06cc\u06f1"
        "\u05e9\u05c1\ufb2a\ufefb\ufcf2\ufdfa"
    )
    | st.characters()
)


@given(MIXED)
@example("a" * 15 + " " + "b" * 16 + " " + "é" * 8)
def test_texts_are_hashed_word_by_word(text: str) -> None:
    expected = [word_hash(word.encode()) for word in words(text)]
    assert text_hashes(text).tolist() == expected
    assert word_hashes(words(text)).tolist() == expected


def test_long_words_do_not_fill_the_memory() -> None:
    hashing._cached_hash.cache_clear()
    made = ["x" * 1_000_000, *"abcdefgh", "a"]
    assert word_hashes(made).tolist() == [word_hash(word.encode()) for word in made]
    assert hashing._cached_hash.cache_info().currsize == 8


@given(st.text(st.sampled_from("abcé 日本") | st.characters(codec="utf-8"), min_size=1))
def test_simhash_is_that_of_the_simhash_package(text: str) -> None:
    page = Page(url="https://a.example/", text=text)
    outline = read(page)
    features = words(outline.main)
    if features:
        theirs = Simhash(dict(Counter(features)), hashfunc=word_hash)
        ours = fingerprint(page, outline).simhash
        assert ours == theirs.value
        assert Simhash(ours).distance(theirs) == 0


def test_simhash_worked_example() -> None:
    # six weighted 4-bit features add up to 1100; weights in hundredths
    weights = {0b1100: 10, 0b1011: 4, 0b0100: 3, 0b1111: 2, 0b1000: 1, 0b0110: 6}
    features = [feature for feature, weight in weights.items() for _ in range(weight)]
    assert definitions.simhash(features) == 0b1100


@given(U64, U64)
@example(0, 2**64 - 1)
def test_simhashes_go_to_the_simhash_package_and_back(one: int, other: int) -> None:
    theirs = to_simhash(one), to_simhash(other)
    assert tuple(map(from_simhash, theirs)) == (one, other)
    assert theirs[0].distance(theirs[1]) == distance(one, other)


def test_a_simhash_of_the_package_is_taken_by_its_last_64_bits() -> None:
    assert from_simhash(Simhash(-1)) == 2**64 - 1  # what its own distance looks at
    with pytest.raises(ValueError, match="64 bits, not of 160"):
        from_simhash(Simhash(7, f=160))


def test_fingerprints_can_be_kept_in_an_index_of_the_simhash_package() -> None:
    pages = {
        name: Page(url=f"https://a.example/{name}", html=html(parts, site=site))
        for name, parts, site in (
            ("tides", article(1), "plain"),
            ("news", article(1), "news"),
            ("moon", article(2), "plain"),
        )
    }
    made = {name: fingerprint(page, read(page)) for name, page in pages.items()}
    index = SimhashIndex([(name, one.to_simhash()) for name, one in made.items()], k=3)
    assert {*index.get_near_dups(made["tides"].to_simhash())} == {"tides", "news"}
    assert from_simhash(made["moon"].to_simhash()) == made["moon"].simhash


@given(U64, st.sets(st.integers(0, 63), max_size=3))
def test_simhashes_within_distance_3_share_a_key(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    assert distance(value, other) == len(flipped)
    one, two = (definitions.keys(key, [], []) for key in (value, other))
    assert len(set(one)) == 10
    assert set(one) & set(two)


def test_shingles_of_a_text_shorter_than_one_are_one() -> None:
    hashes = word_hashes(["one", "two"])
    assert len(shingle_hashes(hashes, 4)) == 1
    assert len(shingle_hashes(hashes[:0], 4)) == 0


@given(st.lists(U64, max_size=900, unique=True))
def test_samples_are_the_smallest_hashes(shingles: list[int]) -> None:
    found = sample(np.array(shingles, np.uint64))
    assert found.hashes.tolist() == sorted(one for one in shingles if one <= found.limit)
    assert min(LEAST, len(shingles)) <= len(found.hashes) <= MOST


def test_a_hundred_words_in_a_page_twenty_times_longer_share_a_sample() -> None:
    rng = random.Random(7)
    found = 0
    for _ in range(1000):
        whole = rng.getrandbits(64 * 2000).to_bytes(8 * 2000, "little")
        hashes = np.frombuffer(whole, np.uint64)
        start = rng.randrange(1900)
        part = sample(shingle_hashes(hashes[start : start + 100], 4))
        found += shared(part, sample(shingle_hashes(hashes, 4))) > 0
    assert found >= 990


def test_digest_sees_boilerplate_the_sample_does_not() -> None:
    parts = article(5)
    plain, news = (
        Page(url="https://a.example/", html=html(parts, site=site)) for site in ("plain", "news")
    )
    one, other = (fingerprint(page, read(page)) for page in (plain, news))
    assert one.digest != other.digest
    assert one.simhash == other.simhash
    assert one.sample.hashes.tolist() == other.sample.hashes.tolist()


def test_digest_is_that_of_the_visible_text() -> None:
    def digest(source: str) -> bytes:
        page = Page(url="https://a.example/", html=source)
        return fingerprint(page, read(page)).digest

    same = [
        "<p>Caf\u00e9 au lait</p>",
        "<div>Cafe\u0301&nbsp; au <b>la</b>it</div>",
        "<!-- seen 12:01 --><p>Café</p>\n<p>au lait</p><script>hit(7)</script>",
    ]
    assert len({digest(source) for source in same}) == 1
    assert digest("<p>Café au lait!</p>") not in {digest(source) for source in same}
