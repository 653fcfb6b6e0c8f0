"""Documents, indexes and strategies for tests of methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dedup_middleware.methods import Document, IndexedMethod, Match, Method, make_method
from dedup_middleware.similarity.model import Model, save

WORDS = st.lists(st.sampled_from("tide moon boat night sea wind rope sail".split()), max_size=12)
CORPUS = st.lists(WORDS, max_size=9)
U64 = st.integers(0, 2**64 - 1)
ALIKE_WORDS = "zaba abaz baza zabab abab bazab zazab".split()  # many 4-grams in common


def documents(texts: list[str]) -> list[Document]:
    """Make documents that are named by their numbers."""
    return [Document.of_text(str(number), text) for number, text in enumerate(texts)]


def of_words(corpus: list[list[str]]) -> list[Document]:
    return documents([" ".join(words) for words in corpus])


def of_text(text: str, name: str = "new") -> Document:
    return Document.of_text(name, text)


def of_sentences(*sentences: str, name: str = "new") -> Document:
    return of_text("\n\n".join(sentences), name)


def nonsense(name: str, count: int) -> list[str]:
    """Make sentences that no other name shares."""
    return [f"{name}{'abcdefghijklmnopqrstuvw'[n]}x {name}y gone." for n in range(count)]


def words_of(document: Document) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in document.lettered_sentences]


def indexed(name: str, **options: object) -> IndexedMethod:
    made = make_method(name, **options)
    assert isinstance(made, IndexedMethod)
    return made


def candidates(made: Method, known: list[Document], query: Document) -> list[Match]:
    """Add the known documents, then look the query up."""
    for document in known:
        made.add(document)
    return made.candidates(query)


def shares(found: list[Match]) -> dict[str, tuple[float, float]]:
    return {name: (forward, backward) for name, forward, backward in found}


def saved(model: Model, folders: Any) -> str:
    path: Path = folders.mktemp("model") / "words.model"
    save(model, path)
    return str(path)


def matched_share(partners: list[Any]) -> float:
    """Return the share of sentences that have a partner."""
    return sum(partner.place >= 0 for partner in partners) / len(partners)


def naive_shares(
    mine: list[tuple[str, ...]], known: dict[str, list[tuple[str, ...]]], same: Any
) -> dict[str, tuple[float, float]]:
    """Compare each sentence with each; leave out documents without any in common."""
    found = {}
    for name, theirs in known.items():
        forward = sum(any(same(one, other) for other in theirs) for one in mine)
        backward = sum(any(same(one, other) for one in mine) for other in theirs)
        if forward:
            found[name] = (forward / len(mine), backward / len(theirs))
    return found
