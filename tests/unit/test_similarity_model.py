"""Word models: counted as defined, bounded, reproducible, and safe to load."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.errors import DedupError
from dedup_middleware.similarity import model as module
from dedup_middleware.similarity.matching import least_frequent
from dedup_middleware.similarity.model import Model, load, save
from lab.training import Limits, Trainer, train

COUNT_ALL = Limits(least_documents=1, copied=2.0)
WORDS = st.sampled_from("sea tide moon boat ice bread lamp hat kettle wax sand salt".split())
DOCUMENTS = st.lists(st.lists(st.lists(WORDS, max_size=6), max_size=4), max_size=14)


def naive(documents, limits: Limits) -> dict[tuple[str, str], float]:
    """Correlate words in two loops."""
    sets = list({frozenset(word for sentence in one for word in sentence) for one in documents})
    vocabulary = sorted({word for one in sets for word in one})
    n = {word: sum(word in one for one in sets) for word in vocabulary}
    order = sorted(
        (word for word in vocabulary if n[word] >= limits.least_documents),
        key=lambda word: (-n[word], word),
    )[: limits.words]
    factors = {}
    for i, j in combinations(order, 2):
        both = sum(i in one and j in one for one in sets)
        if both:
            factors[i, j] = factors[j, i] = both / (n[i] + n[j] - both)
    return factors


def correlations(model: Model) -> dict[tuple[str, str], float]:
    return {
        (word, other): model.correlation(word, other)
        for word in model.words
        for other in model.words
        if word != other and model.correlation(word, other)
    }


def assert_sound(model: Model) -> None:
    for word in model.words:
        assert model.correlation(word, word) == 1
        for other in model.words:
            assert 0 <= model.correlation(word, other) <= 1
            assert model.correlation(word, other) == model.correlation(other, word)


def assert_same(one: Model, other: Model) -> None:
    for name in ("number", "documents", "words"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("frequencies", "grams", "holders"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)


@given(DOCUMENTS, st.integers(1, 3), st.sampled_from([3, 30_000]))
def test_correlations_are_those_of_two_loops(documents, least, words):
    limits = replace(COUNT_ALL, least_documents=least, words=words)
    model = train(documents, limits=limits)
    assert correlations(model) == pytest.approx(naive(documents, limits))
    assert_sound(model)
    assert len(model.words) <= words
    every = [*model.words, "unknown"]
    table = model.table(every, every[::-1])
    for (i, one), (j, other) in product(enumerate(every), enumerate(every[::-1])):
        expected = model.correlation(one, other) if "unknown" not in (one, other) else 0
        assert table[i, j] == pytest.approx(expected)
    for word in model.words:
        near = [(one, model.correlation(word, one)) for one in model.words if one != word]
        near = sorted((pair for pair in near if pair[1]), key=lambda pair: -pair[1])
        assert [factor for _, factor in model.closest(word)] == [pair[1] for pair in near[:5]]


def test_worked_numbers():
    texts = [
        *("motor car", "motor car road", "car bus motor", "car sea", "sea wind", "sea fish"),
        *("motor oil", "gull"),
    ]
    model = train([[text.split()] for text in texts], limits=Limits(copied=2))
    assert model.documents == 8
    assert model.words == ("car", "motor", "sea")
    assert [model.frequency(word) for word in ("car", "motor", "sea", "road")] == [4, 4, 3, 0]
    assert model.correlation("car", "motor") == pytest.approx(3 / 5)
    assert model.correlation("car", "sea") == pytest.approx(1 / 6)
    assert model.correlation("car", "road") == model.correlation("x", "y") == 0
    assert model.correlation("x", "x") == 1
    assert model.closest("motor", least=0.2) == [("car", pytest.approx(0.6))]
    assert model.closest("road") == []


def sentences(seed: int, count: int = 40) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[f"w{number}" for number in rng.integers(0, 500, 8)] for _ in range(count)]


def test_duplicates_are_left_out():
    trainer = Trainer()
    first = sentences(1)
    trainer.add(first)
    trainer.add(first)
    trainer.add(reversed(first))  # the same words
    trainer.add([*first[:-2], *sentences(2, 2)])  # edited
    trainer.add(first[10:20])  # an excerpt
    assert (trainer.used, trainer.duplicates) == (1, 4)
    trainer.add(sentences(3))
    trainer.add([])
    trainer.add([[], ()])
    assert (trainer.used, trainer.duplicates, trainer.empty, trainer.spare) == (2, 4, 2, 0)


def test_the_sample_of_documents_is_bounded_and_the_same_in_any_order():
    limits = Limits(documents=20)
    documents = [sentences(seed, 5) for seed in range(100)]
    forth, back = Trainer(limits), Trainer(limits)
    for one, other in zip(documents, reversed(documents), strict=True):
        forth.add(one)
        back.add(other)
    assert forth.used == back.used == 20
    assert forth.spare > 0
    assert len(forth._owners) == sum(len(one.sample.hashes) for one in forth._documents.values())
    one, other = forth.model(), back.model()
    assert_same(replace(one, grams=other.grams), other)
    spare = forth.spare
    for document in documents:  # what was left out stays out
        forth.add(document)
    assert (forth.duplicates, forth.spare) == (20, spare + 80)
    assert_same(forth.model(), one)


def test_words_are_bounded():
    limits = replace(COUNT_ALL, document_words=30, words=50)
    documents = [sentences(seed) for seed in range(20)]
    long, broken = "x" * 65, "two\nlines"
    model = train([[[long, broken, *one[0]], *one[1:]] for one in documents], limits=limits)
    assert len(model.words) == 50
    assert int(model.frequencies.sum()) <= 20 * 30
    assert not {long, broken, "two"} & set(model.words)
    assert_sound(model)


def test_grams_are_counted_over_the_corpus():
    model = train([[["novel", "creations"]], [["novel"], ["novel"]], [["tide"]]])
    counted = [model.gram_frequency(gram) for gram in ("nove", "velc", "tide", "xyzz")]
    assert counted == [3, 1, 1, 0]
    assert least_frequent(["novel", "creations"], model.gram_frequency) == "velcelcrlcre"


@pytest.fixture(scope="module")
def trained() -> Model:
    documents = [sentences(seed, 12) for seed in range(60)]
    documents += [[["größe", "漢字", "\ud800", f"a{n}", f"b{n}"]] for n in range(4)]
    return train(documents, limits=replace(COUNT_ALL, least_documents=2), number=7)


def test_a_model_is_what_it_was_before_saving(trained, tmp_path):
    assert trained.frequency("größe") == trained.frequency("\ud800") == 4
    save(trained, tmp_path / "a.model")
    again = load(tmp_path / "a.model")
    assert_same(again, trained)
    save(again, str(tmp_path / "b.model"))
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.model", "b.model"]


@given(DOCUMENTS)
def test_the_same_documents_give_the_same_bytes(documents):
    first = module._packed(train(documents))
    assert first == module._packed(train(iter(documents)))
    assert_same(module._unpacked(module._decompressed(first)), train(documents))


def test_a_model_of_nothing_knows_nothing():
    model = train([])
    assert (model.documents, model.words, model.closest("a")) == (0, (), [])
    assert model.correlation("a", "b") == model.gram_frequency("abcd") == 0


def refused(path: Path) -> str:
    with pytest.raises(DedupError) as caught:
        load(path)
    message = str(caught.value)
    assert str(path) in message
    assert "python -m lab.train" in message
    return message


def test_damaged_files_are_refused(trained, tmp_path):
    path = tmp_path / "a.model"
    save(trained, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    for end in (*range(40), *range(40, len(whole), max(1, len(whole) // 200))):
        path.write_bytes(whole[:end])
        refused(path)
    for at in (*range(40), *rng.integers(0, len(whole), 200).tolist()):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        refused(path)
    path.write_bytes(whole + b"x")
    refused(path)


def test_the_message_says_what_is_wrong(trained, tmp_path, monkeypatch):
    path = tmp_path / "a.model"
    assert "No such file" in refused(path)
    assert "Is a directory" in refused(tmp_path)
    path.write_bytes(b"\x80\x04N.")
    assert "is not a model" in refused(path)
    save(trained, path)
    whole = bytearray(path.read_bytes())
    whole[12] = 9
    path.write_bytes(whole)
    assert "format 9" in refused(path)
    save(trained, path)
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    assert "larger" in refused(path)


def sealed(data: bytes) -> bytes:
    """Wrap contents as a model with a correct checksum."""
    packed = zstandard.ZstdCompressor().compress(data)
    return module._OUTER.pack(module._MAGIC, 2, module._checksum(packed)) + packed


def contents(*, head=None, frequencies=(3, 3, 2), holders=b"\xe0\x70\x30", **parts):
    cells = parts.get("cells", (0, 5))
    words = parts.get("words", b"a\nb\nc")
    head = head or (1, 4, 3, 0, len(cells), len(words))
    counts = np.array((*frequencies, *cells)).astype("<u4").tobytes()
    return struct.pack("<6I", *head) + counts + holders + words


def test_a_model_made_by_hand_is_read(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(sealed(contents()))
    model = load(path)
    assert model.correlation("b", "a") == pytest.approx(2 / 4)
    assert model.correlation("c", "b") == pytest.approx(2 / 3)
    assert_sound(model)


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"\0" * 24,
        contents(head=(1, 4, 2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1)),
        contents(head=(0, 4, 3, 0, 2, 5)),
        contents(head=(1, 0, 3, 0, 2, 5)),
        contents(head=(1, 2, 3, 0, 2, 5)),
        contents(head=(1, 4, 3, 0, 0, 5), cells=()),
        contents(frequencies=(3, 3, 0), holders=b"\xe0\x70\0"),
        contents(frequencies=(3, 3, 5)),
        contents(holders=b"\xe0\x70\x18"),
        contents(holders=b"\xe0\x70"),
        contents(words=b"a\nb\nb"),
        contents(words=b"a\nb\n"),
        contents(words=b"a\nb"),
        contents(words=b"a\nb\n\xff"),
        contents() + b"more",
    ],
)
def test_forged_contents_are_refused(forged, tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(sealed(forged))
    assert "damaged" in refused(path)


def test_a_decompression_bomb_is_refused(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(sealed(bytes(64 << 20)))
    assert "67,108,864 bytes" in refused(path)
    packed = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 20))
    checksum = hashlib.blake2b(packed, digest_size=16).digest()
    path.write_bytes(module._OUTER.pack(module._MAGIC, 2, checksum) + packed)
    assert "damaged" in refused(path)


def test_a_model_that_cannot_be_written_leaves_nothing_behind(trained, tmp_path):
    with pytest.raises(DedupError, match="No such file or directory"):
        save(trained, tmp_path / "absent" / "a.model")
    (tmp_path / "taken").mkdir()
    with pytest.raises(DedupError, match="Is a directory"):
        save(trained, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
