"""Indexes of methods in a store: the same answers as in memory, bounded lists, odd texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.methods import Document, Match, Tables, make_method
from dedup_middleware.store import Change, Committed, Registration, Seen, Store, open_store
from dedup_middleware.store.memory import Memory, MemoryStore
from dedup_middleware.urls import url_key
from tests.support.methods import documents, indexed, of_text, shares
from tests.support.texts import article

HASHING = ("shingles", "characters", "minhash", "simhash", "dsc", "fingerprints", "imatch")
BY_TEXT = ("patricia", "fourgrams", "fuzzy")
WORDS = "kol mip zub dorn flim grak vunt pelk".split()  # no stop words


Opener = Callable[[], Store]


@pytest.fixture(params=["lmdb", "memory"])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Return a function that opens the same store again and again."""
    if request.param == "lmdb":
        return lambda: open_store(tmp_path / "store")
    memory = Memory()
    return lambda: MemoryStore(memory)


def register(store: Store, document: Document, index: Callable[[Tables, int], None]) -> None:
    """Register a document, so that the method enters it into its tables."""
    url = f"https://example.org/{document.name}"
    made = fingerprint(Page(url=url, text=document.text), document.outline)
    with store.snapshot() as view:
        seen = Seen(view.last_page, view.url(url_key(url)))
    none = np.zeros(0, np.uint64)
    page = Registration(url, made, document.outline, none, delivered=True, index=index)
    assert isinstance(store.commit(Change(url_key(url), page), seen), Committed)


def check(
    open_again: Opener, name: str, options: dict[str, object], known: list[Document]
) -> dict[str, list[Match]]:
    """Check that an index in a store answers as one in memory, also when opened again."""
    memory, stored = indexed(name, **options), indexed(name, **options)
    store = open_again()
    for place, document in enumerate(known):
        if place == 20:
            store.close()
            store = open_again()
        wanted = memory.candidates(document)

        def enter(tables: Tables, _: int, document=document, wanted=wanted) -> None:
            over = stored.over(tables)
            assert over.candidates(document) == wanted
            over.add(document)

        with store.snapshot() as view:
            assert stored.over(view.tables()).candidates(document) == wanted
        register(store, document, enter)
        memory.add(document)
    store.close()
    found = {document.name: memory.candidates(document) for document in known}
    store = open_again()
    with store.snapshot() as view:
        for document in known:
            assert stored.over(view.tables()).candidates(document) == found[document.name]
    store.close()
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
    name: str, open_again: Opener, pages: list[Document]
) -> None:
    options = {"simhash": {"reach": 16}, "dsc": {"modulus": 3}}.get(name, {})
    found = check(open_again, name, options, pages)
    assert sum(map(len, found.values())) > len(pages)
    assert all(Match(one, 1.0, 1.0) in matches for one, matches in found.items())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("codet", {}),
        ("codet", {"most_visitors": 4, "window": 9, "suffixes": 3}),
        ("oscds", {}),
        ("oscds", {"most_documents": 3, "most_sentences": 4}),
        ("oscds", {"overlaps": False, "numbers": True}),
        ("fourgrams", {}),
        ("fuzzy", {}),
        ("fuzzy", {"model": "none", "max_candidates": 3}),
        ("patricia", {}),
    ],
)
def test_sentence_methods_answer_in_a_store_as_in_memory(
    name: str, options: dict[str, object], open_again: Opener
) -> None:
    assert check(open_again, name, options, with_common_sentences(30))


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


@pytest.mark.parametrize("name", BY_TEXT)
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
