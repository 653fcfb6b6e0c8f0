"""Methods that work on hashes, against definitions written out plainly."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page, SettingError
from dedup_middleware.fingerprint.hashing import shingle_hashes, word_hash, word_hashes
from dedup_middleware.fingerprint.simhash import simhash
from dedup_middleware.methods import Document, IndexedMethod, Match, MemoryTables, make_method
from dedup_middleware.methods.idf import WordCounts
from dedup_middleware.methods.minhash import band_keys, best_bands, found_share, signature
from dedup_middleware.methods.shingles import character_shingles
from dedup_middleware.methods.simhash import block_keys, weighted_simhashes
from dedup_middleware.store import Store
from tests.support.texts import article, html

NAMES = ("shingles", "characters", "minhash", "simhash", "dsc", "fingerprints", "imatch")
ALL = {"max_postings": 1000, "max_candidates": 1000}
U64 = st.integers(0, 2**64 - 1)
WORDS = st.lists(st.sampled_from("tide moon boat night sea wind rope sail".split()), max_size=12)
CORPUS = st.lists(WORDS, max_size=9)
TEXTS = st.lists(st.text("abA .\u00e9", max_size=20), max_size=6)


def documents(texts: list[str]) -> list[Document]:
    return [Document.of_text(str(number), text) for number, text in enumerate(texts)]


def of_words(corpus: list[list[str]]) -> list[Document]:
    return documents([" ".join(words) for words in corpus])


def indexed(name: str, **options: object) -> IndexedMethod:
    made = make_method(name, **options)
    assert isinstance(made, IndexedMethod)
    return made


def answers(made: IndexedMethod, known: list[Document], asked: Document) -> list[Match]:
    for document in known:
        made.add(document)
    return made.candidates(asked)


def together(one: set, other: set) -> tuple[float, float]:
    return (len(one & other) / len(one | other),) * 2


def apart(one: set, other: set) -> tuple[float, float]:
    return len(one & other) / len(one), len(one & other) / len(other)


def runs(things: list[str] | str, width: int) -> set:
    width = min(width, len(things))
    return {tuple(things[at : at + width]) for at in range(len(things) - width + 1)} - {()}


def expected(
    sets: list[set], mine: set, measure: Callable[[set, set], tuple[float, float]]
) -> list[Match]:
    return [Match(str(n), *measure(mine, one)) for n, one in enumerate(sets) if one & mine]


# word and character shingles, full fingerprints, DSC


@given(CORPUS, WORDS, st.integers(1, 5), st.booleans())
def test_shingles_and_fingerprints_are_sets_of_runs_of_words(
    corpus: list[list[str]], asked: list[str], width: int, containment: bool
) -> None:
    sets = [runs(words, width) for words in corpus]
    wanted = expected(sets, runs(asked, width), apart if containment else together)
    for name in ("shingles", "fingerprints"):
        made = indexed(name, width=width, containment=containment, **ALL)
        assert answers(made, of_words(corpus), of_words([asked])[0]) == wanted


@given(TEXTS, st.text("abA .\u00e9", max_size=20), st.integers(1, 5), st.booleans())
def test_characters_are_sets_of_runs_of_characters(
    texts: list[str], asked: str, width: int, containment: bool
) -> None:
    def shingles(document: Document) -> set:
        return runs(" ".join(document.text.casefold().split()), width)

    known, (query,) = documents(texts), documents([asked])
    wanted = expected(
        [shingles(document) for document in known],
        shingles(query),
        apart if containment else together,
    )
    made = indexed("characters", width=width, containment=containment, **ALL)
    assert answers(made, known, query) == wanted


@given(CORPUS, WORDS, st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_dsc_compares_the_shingles_that_a_number_divides(
    corpus: list[list[str]], asked: list[str], width: int, modulus: int, containment: bool
) -> None:
    def sample(words: list[str]) -> set:
        return {
            run
            for run in runs(words, width)
            if int(shingle_hashes(word_hashes(run), len(run))[0]) % modulus == 0
        }

    made = indexed("dsc", width=width, modulus=modulus, containment=containment, **ALL)
    wanted = expected(
        [sample(words) for words in corpus], sample(asked), apart if containment else together
    )
    assert answers(made, of_words(corpus), of_words([asked])[0]) == wanted


def test_worked_examples_of_shingles() -> None:
    assert character_shingles("acdacef", 2).tolist() == sorted(
        int(character_shingles(pair, 2)[0]) for pair in ("ac", "cd", "da", "ce", "ef")
    )
    assert (character_shingles("in \t\n  out", 3) == character_shingles("in out", 3)).all()
    sentence = Document.of_text("a", "I did my work today")
    assert sentence.shingles(3).tolist() == sorted(
        int(Document.of_text("b", part).shingles(3)[0])
        for part in ("I did my", "did my work", "my work today")
    )
    numbers = answers(
        indexed("shingles", width=1), documents(["3 4 5 6"]), Document.of_text("b", "5 6 7 8")
    )
    assert numbers == [Match("0", 2 / 6, 2 / 6)]  # the paper prints 2/4
    rose = Document.of_text("a", "uma rosa é uma rosa é uma rosa")
    assert len(rose.shingles(4)) == 3
    red = documents(["uma rosa é uma rosa vermelha ou branca."])
    (match,) = answers(indexed("shingles", containment=True), red, rose)
    assert match.forward == pytest.approx(2 / 3)


def test_longer_shingles_make_documents_less_alike() -> None:
    parts = article(1)
    edited = [text.replace(" the ", " that ") for text in parts]
    known, asked = documents([" ".join(parts)]), Document.of_text("b", " ".join(edited))
    shares = [answers(indexed("characters", width=q), known, asked)[0][1] for q in (3, 4, 5, 9)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] > 0.5


@given(CORPUS, WORDS, st.integers(1, 3))
def test_a_feature_leads_to_the_first_documents_and_shares_stay_exact(
    corpus: list[list[str]], asked: list[str], most: int
) -> None:
    made = indexed("shingles", width=2, max_postings=most)
    found = answers(made, of_words(corpus), of_words([asked])[0])
    sets, mine = [runs(words, 2) for words in corpus], runs(asked, 2)
    assert set(found) <= set(expected(sets, mine, together))
    for shingle in mine:
        first = [str(number) for number, one in enumerate(sets) if shingle in one][:most]
        assert {match.name for match in found} >= set(first)
    if mine:
        keys = of_words([asked])[0].shingles(2)
        assert np.unique(made.tables.postings(keys).keys, return_counts=True)[1].max(initial=0) <= (
            most
        )


def test_where_one_feature_in_some_leads_to_documents_shares_are_still_exact() -> None:
    long, short = " ".join(article(1, 400)), " ".join(article(1, 60))
    other = " ".join(article(1, 200) + article(40, 200))
    known = documents([long, short, other])
    for asked in (long, short, other):
        query = Document.of_text("q", asked)
        exact = answers(indexed("characters", rate=1, **ALL), known, query)
        assert answers(indexed("characters", rate=8), known, query) == exact
        assert len(exact) == 3


def test_only_the_closest_are_scored_and_what_is_rare_counts() -> None:
    common = "the boats were lifted by the tide"  # six shingles
    known = documents([common + " a", common + " b", "moonlit nights at sea"])
    asked = Document.of_text("q", f"{common} on moonlit nights at")  # two more shingles
    made = indexed("shingles", width=2, max_candidates=1)
    assert [match.name for match in answers(made, known, asked)] == ["0"]
    for word in "defg":
        made.add(Document.of_text(word, f"{common} {word}"))
    assert [match.name for match in made.candidates(asked)] == ["2"]
    made.max_candidates = 2
    assert [match.name for match in made.candidates(asked)] == ["0", "2"]


def test_fingerprints_hold_a_document_that_has_three_in_five_there() -> None:
    words = [f"w{number}" for number in range(13)]  # ten shingles
    whole = Document.of_text("whole", " ".join(words))
    for kept, kind in ((6, "contained"), (5, None)):
        strange = [f"x{number}" for number in range(10 - kept)]
        part = Document.of_text("part", " ".join(words[: kept + 3] + strange))
        made = indexed("fingerprints")
        made.add(Document.of_text("whole", " ".join(words + [f"y{n}" for n in range(40)])))
        (match,) = made.candidates(part)
        assert (match.forward, made.kind(match)) == (kept / 10, kind)
    made = indexed("fingerprints")
    made.add(Document.of_text("part", " ".join(words[:7])))
    assert [made.kind(match) for match in made.matches(whole)] == ["contains"]


# MinHash


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
    assert len(np.unique(np.argmin(singles, axis=0))) > 12  # the functions choose for themselves


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
def test_minhash_gives_all_that_share_a_band(
    corpus: list[list[str]], asked: list[str], shape: tuple[int, int]
) -> None:
    made = indexed("minhash", width=2, permutations=16, bands=shape[0], rows=shape[1])
    found = answers(made, of_words(corpus), of_words([asked])[0])
    bands, rows = {(0, 0): best_bands(0.5, 16), (8, 0): (8, 2), (0, 2): (8, 2)}.get(shape, shape)
    wanted = []
    for number, words in enumerate(corpus):
        if not (words and asked):
            continue
        one, other = (signature(of_words([two])[0].shingles(2), 16) for two in (words, asked))
        if any(
            (one[at : at + rows] == other[at : at + rows]).all()
            for at in range(0, bands * rows, rows)
        ):
            wanted.append(Match(str(number), *(float(np.mean(one == other)),) * 2))
    assert found == wanted


def test_an_index_keeps_its_bands_whatever_the_threshold_of_later() -> None:
    tables = MemoryTables()
    indexed("minhash", threshold=0.9).over(tables).add(Document.of_text("a", "one two three four"))
    later = indexed("minhash", threshold=0.2).over(tables)
    assert later.candidates(Document.of_text("b", "One two three four.")) == [Match("a", 1.0, 1.0)]


@pytest.mark.parametrize("options", [{"bands": 129}, {"rows": 200}, {"bands": 12, "rows": 11}])
def test_more_bands_and_rows_than_permutations_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(
        SettingError, match=r"need as many permutations: set permutations to (129|200|132),"
    ):
        make_method("minhash", **options)


# weights of words, SimHash, I-Match


def first_documents(count: int) -> int:
    """Say how many documents the weights of a stage come from, if so many are known."""
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
def test_word_counts_are_those_of_the_documents(corpus: list[list[str]], asked: list[str]) -> None:
    counts, words = WordCounts(MemoryTables()), sorted(set(asked))
    for known in corpus:
        counts.count(word_hashes(known))
    hashes = word_hashes(words)
    frequency = [sum(word in known for known in corpus) for word in words]
    assert counts.documents == len(corpus)
    assert counts.frequencies(hashes).tolist() == frequency
    plain = [math.log10(max(len(corpus), 1) / max(count, 1)) for count in frequency]
    assert counts.idf(hashes).tolist() == pytest.approx(plain)
    assert counts.idf(hashes, plus_one=True).tolist() == pytest.approx([w + 1 for w in plain])
    sizes = sorted({first_documents(count) for count in range(len(corpus) + 1)})
    by_stage = counts.idf_by_stage(hashes, included=True)
    assert by_stage.shape == (len(sizes), len(words))
    for row, size in zip(by_stage, sizes, strict=True):
        sets = [set(known) for known in corpus[:size]]
        wanted = {value: weight for weight, value in rarest_first(set(words), sets)}
        assert row.tolist() == pytest.approx([wanted[int(value)] for value in hashes])


def test_what_is_kept_of_a_word_grows_with_the_stages_only() -> None:
    tables = MemoryTables()
    sizes = []
    for _ in range(5):
        for _ in range(100):
            WordCounts(tables).count(word_hashes(["tide"]))
        sizes.append(sum(map(len, tables._values.values())))
    assert WordCounts(tables).frequencies(word_hashes(["tide"])).tolist() == [500]
    assert sizes[-1] - sizes[0] <= 2 * sizes[0] / 7  # 7 stages, then 9


def test_simhash_worked_example() -> None:
    features = np.array([0b1100, 0b1011, 0b0100, 0b1111, 0b1000, 0b0110], np.uint64)
    weights = np.array([[0.10, 0.04, 0.03, 0.02, 0.01, 0.06]])
    assert weighted_simhashes(features, weights) == [0b1100]


@given(st.lists(U64, min_size=1, max_size=40))
def test_with_equal_weights_it_is_the_simhash_of_a_page(features: list[int]) -> None:
    values = np.array(features, np.uint64)
    assert weighted_simhashes(values, np.ones((2, len(values)))) == [simhash(values)] * 2


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
def test_simhash_gives_all_within_reach(
    corpus: list[list[str]], asked: list[str], skip: int, reach: int
) -> None:
    made = indexed("simhash", skip=skip, reach=reach)
    found = answers(made, of_words(corpus), of_words([asked])[0])
    named = [(str(number), set(words)) for number, words in enumerate(corpus) if words]
    wanted = []
    for place, (name, words) in enumerate(named if asked else []):
        known = [one for _, one in named[: first_documents(place)]]
        mine, other = (naive_simhash(one, known, skip) for one in (set(asked), words))
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
def test_imatch_gives_those_with_the_same_telling_words(
    corpus: list[list[str]], asked: list[str], skip: int, count: int
) -> None:
    def telling(words: set[str], known: list[set[str]]) -> set[int]:
        return {value for _, value in rarest_first(words, known)[skip : skip + count]}

    made = indexed("imatch", skip=skip, words=count)
    found = answers(made, of_words(corpus), of_words([asked])[0])
    sets = [(str(number), set(words)) for number, words in enumerate(corpus)]
    named = [(name, words) for name, words in sets if len(words) > skip]
    wanted = []
    for place, (name, words) in enumerate(named if len(set(asked)) > skip else []):
        known = [one for _, one in named[: first_documents(place)]]
        if telling(set(asked), known) == telling(words, known):
            wanted.append(Match(name, 1.0, 1.0))
    assert found == wanted


def test_imatch_is_blind_to_misspellings_and_to_common_words() -> None:
    made = indexed("imatch", words=3)
    common = ["tide and moon", "tide and boat", "tide and rope", "tide and sail"]
    rare = sorted("harbour lantern anchor keel mast".split(), key=lambda w: word_hash(w.encode()))
    for document in documents([*common, f"tide and {' '.join(rare)}"]):
        made.add(document)
    invented = (f"x{number}" for number in range(1000))
    misspelt = next(w for w in invented if word_hash(w.encode()) < word_hash(rare[2].encode()))
    assert made.candidates(Document.of_text("q", f"{misspelt} {' '.join(rare[1:])} moon and rope"))
    assert not made.candidates(Document.of_text("q", f"tide and {' '.join(rare[:-1])} mat"))


# all of them


@pytest.fixture(scope="module")
def pages() -> list[Document]:
    texts = []
    for seed in range(12):
        parts = article(seed, 120)
        texts += [
            " ".join(parts),
            " ".join(parts[:-1]),
            " ".join([*parts, *article(seed + 50, 40)]),
        ]
    return documents(texts)


@pytest.mark.parametrize("name", NAMES)
def test_an_index_in_a_store_answers_as_one_in_memory(
    name: str, tmp_path: Path, pages: list[Document]
) -> None:
    options = {"reach": 16} if name == "simhash" else {}
    if name == "dsc":
        options = {"modulus": 3}
    memory, stored = indexed(name, **options), indexed(name, **options)
    parts = pages[:20], pages[20:]
    with Store(tmp_path / "s") as store:
        for part in parts:
            with store.write() as txn:
                for document in part:
                    over = stored.over(txn.tables)
                    assert over.candidates(document) == memory.candidates(document)
                    over.add(document)
                    memory.add(document)
    found = 0
    with Store(tmp_path / "s") as store, store.snapshot() as view:
        for document in pages:
            wanted = memory.candidates(document)
            assert stored.over(view.tables).candidates(document) == wanted
            assert any(match[1:] == (1.0, 1.0) and match.name == document.name for match in wanted)
            found += len(wanted)
    assert found > len(pages)


@pytest.mark.parametrize("name", NAMES)
def test_what_all_documents_share_leads_to_the_first_only(name: str) -> None:
    options = {"modulus": 1} if name == "dsc" else {}
    made = indexed(name, max_postings=3, **options)
    text = " ".join(article(1, 60))
    for number in range(9):
        made.add(Document.of_text(str(number), text))
    found = {match.name for match in made.candidates(Document.of_text("q", text))}
    assert {"0", "1", "2"} <= found
    assert len(found) <= (9 if name in {"simhash", "imatch"} else 3)  # there, each stage has three


@pytest.mark.parametrize("name", NAMES)
def test_odd_texts_neither_fail_nor_match_others(name: str) -> None:
    texts = ["", " \n ", "♥ ♠", "\ud800 \ud800x", "中文字符" * 30, "a" * 5000, "one", "\x00\x1b[2J"]
    made = indexed(name)
    for document in documents(texts):
        assert made.matches(document) == []
        made.add(document)
    for document in documents(texts):
        assert {match.name for match in made.matches(document)} <= {document.name}


EDITED = {
    "shingles": {},
    "characters": {},
    "minhash": {},
    "simhash": {"threshold": 0.9},
    "dsc": {"modulus": 5},
    "fingerprints": {},
    "imatch": {},
}


@pytest.mark.parametrize("name", NAMES)
def test_a_slightly_edited_copy_is_near_before_and_after_the_store_is_opened_again(
    name: str, tmp_path: Path
) -> None:
    url = "https://example.org/{}".format
    parts = article(1, 400)
    edited = [*parts[:-1], parts[-1] + " Filed under the same heading as before."]
    for visit in range(2):
        with Deduplicator(tmp_path / "s", method=name, method_options=EDITED[name]) as dedup:
            if not visit:
                for seed in range(8):
                    page = Page(url=url(seed), html=html(article(seed, 400)))
                    assert dedup.process(page).kind == "unique"
            copy = dedup.process(Page(url=url(f"copy-{visit}"), html=html(edited, site="news")))
            assert (copy.kind, copy.original) == ("near", url(1))
            other = dedup.process(Page(url=url(f"new-{visit}"), html=html(article(20 + visit))))
            assert (other.kind, other.original) == ("unique", None)


@pytest.mark.parametrize("name", ["shingles", "characters", "dsc", "fingerprints"])
def test_excerpts_and_collections_by_containment(name: str, tmp_path: Path) -> None:
    options = {"containment": True, "threshold": 0.7} | EDITED[name]
    one, two, three = article(1, 400), article(2, 400), article(3, 400)
    with Deduplicator(tmp_path / "s", method=name, method_options=options) as dedup:

        def see(url: str, parts: list[str]) -> tuple[str, str | None]:
            verdict = dedup.process(Page(url=f"https://example.org/{url}", html=html(parts)))
            return str(verdict.kind), verdict.original

        assert see("one", one) == ("unique", None)
        assert see("part", one[: len(one) // 2]) == ("contained", "https://example.org/one")
        assert see("all", [*one, *two, *three])[0] == "contains"
        assert see("two", two) == ("contained", "https://example.org/all")
