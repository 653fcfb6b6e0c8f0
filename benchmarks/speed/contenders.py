"""Ways from HTML to a verdict: this project, and what others would write with other libraries.

The others take the text of a page, its sets of four words in a row, a MinHash of 128 values, and an
index that finds Jaccard similarities of .8. What is found is not kept, nor is what has fewer words.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dedup_middleware import Deduplicator, Page
from dedup_middleware.store.memory import MemoryStore
from lab.accuracy.scoring import UNIQUE, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

    Judge = Callable[[str, bytes], Judgement]
    Text = Callable[[bytes], str]
    Index = Callable[[str, list[str]], str | None]

SHINGLE_WORDS = 4
HASHES, THRESHOLD = 128, 0.8


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to judge pages, one after the other."""

    name: str
    packages: tuple[str, ...]
    start: Callable[[Path, ExitStack], Judge]
    """Begin with nothing known, in a folder that is empty; the stack closes what it opens."""

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(package for package in self.packages if find_spec(package) is None)


def _deduplicator(store: Callable[[Path], Any]) -> Callable[[Path, ExitStack], Judge]:
    def start(folder: Path, stack: ExitStack) -> Judge:
        dedup = stack.enter_context(Deduplicator(store(folder), is_sole=True))

        def judge(url: str, body: bytes) -> Judgement:
            verdict = dedup.process(Page(url=url, html=body, encoding="utf-8"))
            return Judgement(str(verdict.kind), verdict.original)

        return judge

    return start


def _library(text_of: Text, make: Callable[[], Index]) -> Callable[[Path, ExitStack], Judge]:
    def start(_: Path, __: ExitStack) -> Judge:
        index = make()

        def judge(url: str, body: bytes) -> Judgement:
            words = text_of(body).lower().split()
            # texts without a shingle would all be the same
            original = index(url, words) if len(words) >= SHINGLE_WORDS else None
            return Judgement("near", original) if original else UNIQUE

        return judge

    return start


def _shingles(words: list[str]) -> set[str]:
    return {
        " ".join(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)
    }


def _by_selectolax(body: bytes) -> str:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body)
    tree.strip_tags(["script", "style", "noscript"])
    return tree.body.text(separator=" ") if tree.body else ""


def _by_trafilatura(body: bytes) -> str:
    from trafilatura import extract

    return extract(body) or ""


def _datasketch() -> Index:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=HASHES)
    known: dict[str, Any] = {}

    def judge(url: str, words: list[str]) -> str | None:
        made = MinHash(num_perm=HASHES)
        made.update_batch([shingle.encode() for shingle in _shingles(words)])
        found = index.query(made)
        if found:
            best: str = max(found, key=lambda name: made.jaccard(known[name]))
            return best
        index.insert(url, made)
        known[url] = made
        return None

    return judge


def _rensa() -> Index:
    from rensa import RMinHash, RMinHashDeduplicator

    index = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=HASHES, use_lsh=True)
    known: dict[str, Any] = {}

    def judge(url: str, words: list[str]) -> str | None:
        made = RMinHash(num_perm=HASHES, seed=42)
        made.update(list(_shingles(words)))
        found = index.get_duplicates(made)
        if found:
            best: str = max(found, key=lambda name: made.jaccard(known[name]))
            return best
        index.add(url, made)
        known[url] = made
        return None

    return judge


def _gaoya() -> Index:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        jaccard_threshold=THRESHOLD,
        num_bands=None,  # it chooses the bands
        band_size=None,
        num_hashes=HASHES,
        ngram_range=(SHINGLE_WORDS, SHINGLE_WORDS),
    )
    known: list[str] = []

    def judge(url: str, words: list[str]) -> str | None:
        text = " ".join(words)
        found = index.query(text, return_similarity=True)
        if found:
            best: int = max(found, key=lambda one: one[1])[0]
            return known[best]
        index.insert_document(len(known), text)
        known.append(url)
        return None

    return judge


OURS = "this project"
CONTENDERS = (
    Contender(OURS, (), _deduplicator(lambda folder: folder / "store")),
    Contender(f"{OURS}, in memory", (), _deduplicator(lambda _: MemoryStore())),
    *(
        Contender(f"{text} + {index.__name__[1:]}", (text, index.__name__[1:]), _library(by, index))
        for text, by, index in (
            ("selectolax", _by_selectolax, _datasketch),
            ("selectolax", _by_selectolax, _rensa),
            ("selectolax", _by_selectolax, _gaoya),
            ("trafilatura", _by_trafilatura, _rensa),
        )
    ),
)
