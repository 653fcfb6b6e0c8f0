"""Indexes of methods in a store: the same answers as in memory, bounded lists, odd texts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dedup_middleware.methods import Document, Match, make_method
from dedup_middleware.store import Store
from tests.support.methods import documents, indexed, of_text, shares
from tests.support.texts import article

HASHING = ("shingles", "characters", "minhash", "simhash", "dsc", "fingerprints", "imatch")
IN_MEMORY = ("patricia", "fourgrams", "fuzzy")
WORDS = "kol mip zub dorn flim grak vunt pelk".split()  # no stop words


def check(
    folder: Path, name: str, options: dict[str, object], known: list[Document]
) -> dict[str, list[Match]]:
    """Check that an index in a store answers as one in memory, also when opened again."""
    memory, stored = indexed(name, **options), indexed(name, **options)
    store = Store(folder)
    for place, document in enumerate(known):
        if place == 20:
            store.close()
            store = Store(folder)
        wanted = memory.candidates(document)
        with store.snapshot() as view:
            assert stored.over(view.tables).candidates(document) == wanted
        with store.write() as txn:
            over = stored.over(txn.tables)
            assert over.candidates(document) == wanted
            over.add(document)
        memory.add(document)
    store.close()
    found: dict[str, list[Match]] = {}
    with Store(folder) as store, store.snapshot() as view:
        for document in known:
            found[document.name] = memory.candidates(document)
            assert stored.over(view.tables).candidates(document) == found[document.name]
    return found


@pytest.fixture(scope="module")
def pages() -> list[Document]:
    """Make articles, each also without its end and with an addition."""
    texts = []
    for seed in range(12):
        parts = article(seed, 120)
        texts += [
            " ".join(parts),
            " ".join(parts[:-1]),
            " ".join([*parts, *article(seed + 50, 40)]),
        ]
    return documents(texts)


@pytest.mark.parametrize("name", HASHING)
def test_hashing_methods_answer_in_a_store_as_in_memory(
    name: str, tmp_path: Path, pages: list[Document]
) -> None:
    options = {"simhash": {"reach": 16}, "dsc": {"modulus": 3}}.get(name, {})
    found = check(tmp_path / "store", name, options, pages)
    assert sum(map(len, found.values())) > len(pages)
    assert all(Match(one, 1.0, 1.0) in matches for one, matches in found.items())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("codet", {}),
        ("codet", {"most_visitors": 4, "window": 9, "suffixes": 3}),
        ("oscds", {}),
        ("oscds", {"most_documents": 3, "most_sentences": 4}),
        ("oscds", {"overlaps": False, "ends": "sentences"}),
    ],
)
def test_sentence_methods_answer_in_a_store_as_in_memory(
    name: str, options: dict[str, object], tmp_path: Path
) -> None:
    assert check(tmp_path / "store", name, options, with_common_sentences(30))


def with_common_sentences(count: int) -> list[Document]:
    """Make documents that share sentences with others."""
    rng = random.Random(5)
    made: list[list[list[str]]] = []
    for _ in range(count):
        sentences = [rng.choices(WORDS, k=rng.randrange(1, 7)) for _ in range(8)]
        if made:
            sentences += rng.sample(rng.choice(made), 3)
        made.append(sentences)
    return documents([" ".join(f"{' '.join(one).title()}." for one in some) for some in made])


@pytest.mark.parametrize("name", HASHING)
def test_what_all_documents_share_leads_only_to_the_first(name: str) -> None:
    options = {"modulus": 1} if name == "dsc" else {}
    made = indexed(name, max_postings=3, **options)
    text = " ".join(article(1, 60))
    for number in range(9):
        made.add(Document.of_text(str(number), text))
    found = {match.name for match in made.candidates(Document.of_text("q", text))}
    assert {"0", "1", "2"} <= found
    assert len(found) <= (9 if name in {"simhash", "imatch"} else 3)  # there, each stage has three


@pytest.mark.parametrize("name", HASHING)
def test_odd_texts_neither_fail_nor_match_others(name: str) -> None:
    texts = ["", " \n ", "♥ ♠", "\ud800 \ud800x", "中文字符" * 30, "a" * 5000, "one", "\x00\x1b[2J"]
    made = indexed(name)
    for document in documents(texts):
        assert made.matches(document) == []
        made.add(document)
    for document in documents(texts):
        assert {match.name for match in made.matches(document)} <= {document.name}


@pytest.mark.parametrize("name", IN_MEMORY)
@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "\ud800 \ud800x. " * 30, "♥ ♠ ♣ " * 30, "漢字。" * 2_000, "1 2 3. " * 9],
)
def test_odd_texts_match_themselves(name, text):
    made = make_method(name, numbers=True) if name != "patricia" else make_method(name)
    made.add(of_text(text, "old"))
    (found,) = made.candidates(of_text(text))
    assert found.forward == found.backward == 1
    for empty in ("", "\n\n", "."):
        made.add(of_text(empty, "nothing"))
        assert shares(made.candidates(of_text(empty))).keys() <= {"nothing"}
    assert len(made.candidates(of_text(text))) == 1
