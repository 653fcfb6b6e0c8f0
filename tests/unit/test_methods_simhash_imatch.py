"""Words weighted by idf: the counts, SimHash and I-Match."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fuzz.definitions import simhash
from dedup_middleware.fingerprint.hashing import word_hash, word_hashes
from dedup_middleware.methods import Document, Match, Tables
from dedup_middleware.methods._index import WordCounts
from dedup_middleware.methods.simhash import block_keys, weighted_simhashes
from tests.support.methods import CORPUS, U64, WORDS, candidates, documents, indexed, of_words


def first_documents(count: int) -> int:
    """Return how many documents the weights of the stage come from, if so many are known."""
    return 2 ** int(math.log2(count)) if count else 0


def rarest_first(words: set[str], known: list[set[str]]) -> list[tuple[float, int]]:
    weights = [
        (
            -math.log10((len(known) + 1) / (sum(word in one for one in known) + 1)),
            word_hash(word.encode()),
        )
        for word in words
    ]
    return [(-weight, value) for weight, value in sorted(weights)]


@given(CORPUS, WORDS)
def test_word_counts_are_those_of_the_documents(corpus: list[list[str]], query: list[str]) -> None:
    counts, words = WordCounts(Tables()), sorted(set(query))
    for known in corpus:
        counts.count(word_hashes(known))
    hashes = word_hashes(words)
    assert counts.documents == len(corpus)
    sizes = sorted({first_documents(count) for count in range(len(corpus) + 1)})
    plain, more = counts.idf_by_stage(hashes), counts.idf_by_stage(hashes, plus_one=True)
    included = counts.idf_by_stage(hashes, included=True)
    assert included.shape == plain.shape == (len(sizes), len(words))
    assert more.ravel().tolist() == pytest.approx((plain + 1).ravel().tolist())
    for stage, size in enumerate(sizes):
        sets = [set(known) for known in corpus[:size]]
        counted = [sum(word in known for known in sets) for word in words]
        wanted = [math.log10(max(size, 1) / max(count, 1)) for count in counted]
        assert plain[stage].tolist() == pytest.approx(wanted)
        weights = {value: weight for weight, value in rarest_first(set(words), sets)}
        assert included[stage].tolist() == pytest.approx([weights[int(one)] for one in hashes])


def test_what_is_kept_of_a_word_grows_only_with_the_stages() -> None:
    tables = Tables()
    sizes = []
    for _ in range(5):
        for _ in range(100):
            WordCounts(tables).count(word_hashes(["tide"]))
        sizes.append(sum(map(len, tables._values.values())))
    assert WordCounts(tables).documents == 500
    assert WordCounts(tables).idf_by_stage(word_hashes(["tide"])).tolist() == [[0.0]] * 10
    assert sizes[-1] - sizes[0] <= 2 * sizes[0] / 7  # 7 stages, then 9


def test_simhash_worked_example() -> None:
    features = np.array([0b1100, 0b1011, 0b0100, 0b1111, 0b1000, 0b0110], np.uint64)
    weights = np.array([[0.10, 0.04, 0.03, 0.02, 0.01, 0.06]])
    assert weighted_simhashes(features, weights) == [0b1100]


def folded(hashes: list[int], weights: list[float], size: int) -> int:
    """Return the bits that features which have them outweigh those which lack them, by hand."""
    whole = [round(weight * 65536) for weight in weights]
    return sum(
        1 << bit
        for bit in range(size)
        if sum(w if value >> bit & 1 else -w for w, value in zip(whole, hashes, strict=True)) > 0
    )


@given(
    st.lists(st.tuples(U64, st.floats(0, 1e4)), min_size=1, max_size=30),
    st.lists(st.floats(0, 8), min_size=30, max_size=30),
)
def test_simhashes_of_64_and_160_bits_are_those_of_the_definition(
    weighted: list[tuple[int, float]], others: list[float]
) -> None:
    features, weights = [list(column) for column in zip(*weighted, strict=True)]
    rows = [weights, others[: len(features)]]
    values = np.array(features, np.uint64)
    digests = [hashlib.sha1(one.to_bytes(8, "big")).digest() for one in features]
    for size, hashes in (
        (64, features),
        (160, [int.from_bytes(digest, "big") for digest in digests]),
    ):
        expected = [folded(hashes, row, size) for row in rows]
        assert weighted_simhashes(values, np.array(rows), size) == expected


@pytest.mark.parametrize("size", [64, 160])
def test_weights_above_255_do_not_overflow(size: int) -> None:
    features = np.array([0b1100, 0b1011], np.uint64)
    light, heavy = np.array([[2.0, 1.0]]), np.array([[2000, 1000]])
    assert weighted_simhashes(features, heavy, size) == weighted_simhashes(features, light, size)


@given(st.lists(U64, min_size=1, max_size=40))
def test_equal_weights_give_the_simhash_of_a_page(features: list[int]) -> None:
    values = np.array(features, np.uint64)
    assert weighted_simhashes(values, np.ones((2, len(values)))) == [simhash(values.tolist())] * 2


@given(U64, st.integers(0, 16), st.data())
def test_simhashes_within_reach_share_a_key(value: int, reach: int, data: st.DataObject) -> None:
    flipped = data.draw(st.sets(st.integers(0, 63), max_size=reach))
    other = value ^ sum(1 << bit for bit in flipped)
    keys = set(block_keys(value, 3, reach).tolist())
    assert keys & set(block_keys(other, 3, reach).tolist())
    assert len(keys) == math.comb(reach + 2, 2)
    assert not keys & set(block_keys(value, 4, reach).tolist())


def naive_simhash(words: set[str], known: list[set[str]], skip: int) -> int:
    weighted = rarest_first(words, known)
    kept = [(round(weight * 65536), value) for weight, value in weighted[skip:]]
    if not any(weight for weight, _ in kept):
        kept = [(1, value) for _, value in weighted]
    return sum(
        1 << bit
        for bit in range(64)
        if sum(weight if value >> bit & 1 else -weight for weight, value in kept) > 0
    )


@given(CORPUS, WORDS, st.integers(0, 3), st.sampled_from([1, 3, 16]))
def test_simhash_finds_all_within_reach(
    corpus: list[list[str]], query: list[str], skip: int, reach: int
) -> None:
    made = indexed("simhash", skip=skip, reach=reach)
    found = candidates(made, of_words(corpus), of_words([query])[0])
    named = [(str(number), set(words)) for number, words in enumerate(corpus) if words]
    wanted = []
    for place, (name, words) in enumerate(named if query else []):
        known = [one for _, one in named[: first_documents(place)]]
        mine, other = (naive_simhash(one, known, skip) for one in (set(query), words))
        differing = (mine ^ other).bit_count()
        if differing <= reach:
            wanted.append(Match(name, 1 - differing / 64, 1 - differing / 64))
    assert found == wanted


@pytest.mark.parametrize(("threshold", "reach"), [(1 - 2 / 64, 2), (0.9, 6), (1.0, 0), (0.1, 16)])
def test_the_threshold_is_a_distance(threshold: float, reach: int) -> None:
    made = indexed("simhash", threshold=threshold)
    made.add(Document.of_text("a", "tide"))
    (value,) = (word_hash(word.encode()) for word in ["tide"])
    assert made.tables.postings(block_keys(value, 0, reach)).numbers.tolist() == [1] * math.comb(
        reach + 2, 2
    )
    later = indexed("simhash", threshold=0.99).over(made.tables)  # keeps the reach
    assert later.candidates(Document.of_text("b", "Tide!")) == [Match("a", 1.0, 1.0)]
    default = indexed("simhash")
    assert [bool(default.kind(Match("a", *(1 - d / 64,) * 2))) for d in (2, 3)] == [True, False]


@given(CORPUS, WORDS, st.integers(0, 3), st.integers(1, 4))
def test_imatch_finds_those_with_the_same_rare_words(
    corpus: list[list[str]], query: list[str], skip: int, count: int
) -> None:
    def rare_words(words: set[str], known: list[set[str]]) -> set[int]:
        return {value for _, value in rarest_first(words, known)[skip : skip + count]}

    made = indexed("imatch", skip=skip, words=count)
    found = candidates(made, of_words(corpus), of_words([query])[0])
    sets = [(str(number), set(words)) for number, words in enumerate(corpus)]
    named = [(name, words) for name, words in sets if len(words) > skip]
    wanted = []
    for place, (name, words) in enumerate(named if len(set(query)) > skip else []):
        known = [one for _, one in named[: first_documents(place)]]
        if rare_words(set(query), known) == rare_words(words, known):
            wanted.append(Match(name, 1.0, 1.0))
    assert found == wanted


def test_imatch_ignores_misspellings_and_common_words() -> None:
    made = indexed("imatch", words=3)
    common = ["tide and moon", "tide and boat", "tide and rope", "tide and sail"]
    rare = sorted("harbour lantern anchor keel mast".split(), key=lambda w: word_hash(w.encode()))
    for document in documents([*common, f"tide and {' '.join(rare)}"]):
        made.add(document)
    invented = (f"x{number}" for number in range(1000))
    misspelt = next(w for w in invented if word_hash(w.encode()) < word_hash(rare[2].encode()))
    assert made.candidates(Document.of_text("q", f"{misspelt} {' '.join(rare[1:])} moon and rope"))
    assert not made.candidates(Document.of_text("q", f"tide and {' '.join(rare[:-1])} mat"))


def test_160_bits_as_in_the_thesis():
    texts = ["the tide came in and lifted the boats at night", "a moon rose over the hills"]
    made = indexed("simhash", bits="160", reach=16)
    for number, text in enumerate(texts):
        made.add(Document.of_text(str(number), text))
    found = made.candidates(Document.of_text("q", "At night the tide came in and lifted boats"))
    assert found == [("0", 1, 1)]
    words = word_hashes(["tide", "boats", "night"])
    (value,) = weighted_simhashes(words, np.ones((1, 3)), 160)
    assert 64 < value.bit_length() <= 160
    for reach in (0, 2, 16):
        for flipped in range(reach + 1):
            other = value ^ sum(1 << 7 * bit for bit in range(flipped))
            keys = [set(block_keys(one, 1, reach, 160).tolist()) for one in (value, other)]
            assert keys[0] & keys[1]
