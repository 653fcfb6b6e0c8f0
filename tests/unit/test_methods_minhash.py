"""MinHash: signatures, bands, and what an index finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import SettingError
from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.methods import Document, Match, Tables, make_method
from dedup_middleware.methods.minhash import band_keys, best_bands, found_share, signature
from tests.support.methods import CORPUS, U64, WORDS, candidates, indexed, of_words


def mixed(numbers: set[int] | range) -> np.ndarray:
    return np.sort(shingle_hashes(np.array(sorted(numbers), np.uint64), 1))


@given(st.sets(U64, min_size=1, max_size=300), st.sets(U64, min_size=1, max_size=300), U64)
def test_minhash_estimates_resemblance(one: set[int], other: set[int], cut: int) -> None:
    other |= {value for value in one if value < cut}  # so that there is something to share
    true = len(one & other) / len(one | other)
    values = [signature(mixed(numbers), 256) for numbers in (one, other)]
    estimate = float(np.mean(values[0] == values[1]))
    assert abs(estimate - true) <= 5 * (math.sqrt(true * (1 - true) / 256) + 1 / 256)


def test_the_signature_is_the_smallest_value_of_each_function() -> None:
    shingles = mixed(range(3000))  # more than are computed at once
    singles = [signature(shingles[at : at + 1], 16) for at in range(len(shingles))]
    assert (np.min(singles, axis=0) == signature(shingles, 16)).all()
    assert len(np.unique(np.argmin(singles, axis=0))) > 12  # the functions choose independently


def test_bands_of_equal_values_have_keys_of_their_own() -> None:
    assert len(np.unique(band_keys(np.full(128, 7, np.uint32), 32, 4))) == 32


@pytest.mark.parametrize("resemblance", [0.2, 0.4, 0.5, 0.6, 0.8])
def test_lsh_finds_as_many_pairs_as_the_curve_says(resemblance: float) -> None:
    pairs, size = 400, 150
    shared = round(2 * size * resemblance / (1 + resemblance))
    bands, rows = best_bands(0.5, 128)
    found = 0
    for pair in range(pairs):
        start = pair * 10_000
        sets = (
            mixed(range(start, start + size)),
            mixed(range(start + size - shared, start + 2 * size - shared)),
        )
        one, other = (band_keys(signature(values, 128), bands, rows) for values in sets)
        found += bool((one == other).any())
    true = shared / (2 * size - shared)
    curve = float(found_share(np.array([true]), bands, rows)[0])
    assert found / pairs == pytest.approx(curve, abs=4 * math.sqrt(curve * (1 - curve) / pairs))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_no_other_bands_make_fewer_mistakes(threshold: float) -> None:
    def mistakes(bands: int, rows: int) -> float:
        grid = [(step + 0.5) / 5000 for step in range(5000)]
        found = [1 - (1 - s**rows) ** bands for s in grid]
        return sum(f if s < threshold else 1 - f for s, f in zip(grid, found, strict=True))

    shapes = [(bands, rows) for rows in range(1, 13) for bands in range(1, 12 // rows + 1)]
    chosen = best_bands(threshold, 12)
    assert chosen in shapes
    assert mistakes(*chosen) <= min(mistakes(*shape) for shape in shapes) * 1.001
    assert best_bands(0.5, 128) == (25, 5)


@given(CORPUS, WORDS, st.sampled_from([(0, 0), (8, 0), (0, 2), (5, 3)]))
def test_minhash_finds_all_that_share_a_band(
    corpus: list[list[str]], query: list[str], shape: tuple[int, int]
) -> None:
    made = indexed("minhash", width=2, permutations=16, bands=shape[0], rows=shape[1])
    found = candidates(made, of_words(corpus), of_words([query])[0])
    bands, rows = {(0, 0): best_bands(0.5, 16), (8, 0): (8, 2), (0, 2): (8, 2)}.get(shape, shape)
    wanted = []
    for number, words in enumerate(corpus):
        if not (words and query):
            continue
        one, other = (signature(of_words([two])[0].shingles(2), 16) for two in (words, query))
        if any(
            (one[at : at + rows] == other[at : at + rows]).all()
            for at in range(0, bands * rows, rows)
        ):
            wanted.append(Match(str(number), *(float(np.mean(one == other)),) * 2))
    assert found == wanted


def test_an_index_keeps_its_bands_if_the_threshold_changes() -> None:
    tables = Tables()
    indexed("minhash", threshold=0.9).over(tables).add(Document.of_text("a", "one two three four"))
    later = indexed("minhash", threshold=0.2).over(tables)
    assert later.candidates(Document.of_text("b", "One two three four.")) == [Match("a", 1.0, 1.0)]


@pytest.mark.parametrize("options", [{"bands": 129}, {"rows": 200}, {"bands": 12, "rows": 11}])
def test_more_bands_and_rows_than_permutations_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(
        SettingError, match=r"need as many permutations: set permutations to (129|200|132),"
    ):
        make_method("minhash", **options)
