"""The open sets as documents, pairs of documents, pairs of sentences, and sources to mix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware import Page
from dedup_middleware.methods import Document, make_method
from dedup_middleware.similarity.comparison import Overlap, of_counts
from lab.accuracy.sets import batches_of, find_sets, labels_of
from lab.progress import progress, progress_bar
from lab.rows import existing, page_problem, read_rows
from lab.synthesis import SourceCollection, source_of_outline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lab.accuracy.scoring import Label
    from lab.accuracy.sets import PageSet
    from lab.synthesis import Source

MOST_PAGES = 400
"""Of each set: the tables of five documents are made, and some compare every page with all."""
LEAST_TERMS = 100
"""Of a page that documents are made of."""


@dataclass(frozen=True)
class Labelled:
    """A set: batches of documents that share a store, in order of arrival, and their labels."""

    name: str
    mode: str
    batches: Sequence[Sequence[Document]]
    labels: Mapping[str, Label]

    @property
    def documents(self) -> list[Document]:
        return [document for batch in self.batches for document in batch]


class Pair(NamedTuple):
    """A document and an earlier one."""

    new: Document
    earlier: Document
    kinds: tuple[str, ...]
    """The right kinds of the new one beside the earlier one; empty if they differ."""

    @property
    def alike(self) -> bool:
        return bool(self.kinds)


def read_sets(data: Path, problems: list[str], mode: str = "") -> list[Labelled]:
    """Read the first pages of all sets of a folder, or of those of a mode."""
    found = [
        _read_set(one, problems) for one in find_sets([data], problems) if mode in ("", one.mode)
    ]
    if not found:
        problems.append(f"{data}: no set{f' of mode {mode}' if mode else ''} with pages here")
    return found


def read_pages(data: Path, problems: list[str]) -> list[Document]:
    """Read the pages without labels in the folder itself, if there are any."""
    path = existing(data, "pages")
    if path is None:
        return []
    rows = progress(read_rows(path, page_problem, problems), "pages")
    return [document_of(row["url"], row["html"]) for row in rows if row is not None]


def document_of(url: str, html: str) -> Document:
    return Document.of(Page(url=url, html=html.encode("utf-8", "surrogatepass"), encoding="utf-8"))


def pairs_of(labelled: Labelled) -> list[Pair]:
    """Pair each document with those that it duplicates, and with the most similar other one.

    In a stream any earlier document that the label does not name is different; of those, the one
    with the most shingles of four words in common is the hardest to distinguish.
    """
    pairs: list[Pair] = []
    for batch in labelled.batches:
        known: dict[str, Document] = {}
        shingles = make_method("shingles", width=4)
        for document in batch:
            label = labelled.labels.get(document.name)
            if label and known:
                for name, kinds in label.positives.items():
                    if name in known:
                        pairs.append(Pair(document, known[name], tuple(kinds)))
                named = {*label.positives, *label.neutral}
                others = [one for one in shingles.candidates(document) if one.name not in named]
                if others and label.gold != "skip":
                    closest = max(others, key=lambda one: (one.forward, one.name))
                    pairs.append(Pair(document, known[closest.name], ()))
            known[document.name] = document
            shingles.add(document)
    return pairs


def _read_set(page_set: PageSet, problems: list[str]) -> Labelled:
    labels = {label.url: label for label in labels_of(page_set, problems)}
    batches: list[list[Document]] = []
    left = MOST_PAGES
    with progress_bar(min(left, page_set.size or left), page_set.name) as advance:
        for batch in batches_of(page_set, problems):
            batches.append([])
            for row in islice(batch, left):
                batches[-1].append(document_of(row["url"], row["html"]))
                advance(1)
            left -= len(batches[-1])
            if not left:
                break
    return Labelled(page_set.name, page_set.mode, batches, labels)


def read_pools(data: Path, problems: list[str]) -> dict[str, list[Source]]:
    """Return for each set its distinct pages that are long enough to take parts of."""
    found = {one.name: one.documents for one in read_sets(data, problems, "stream")}
    found["pages"] = read_pages(data, problems)
    pools: dict[str, list[Source]] = {}
    for name, documents in found.items():
        collection = SourceCollection(min_terms=LEAST_TERMS, hold_out=False, seed=0)
        for document in documents:
            collection.add(source_of_outline(document.name, document.outline))
        pools[name] = collection.sources
    return {name: sources for name, sources in pools.items() if sources}


def document_of_lines(name: str, lines: str) -> Document:
    """Make a document of text with a line for each paragraph."""
    return Document.of_text(name, lines.replace("\n", "\n\n"))


def sentence_pairs(
    data: Path, problems: list[str], sets: Collection[str] = ()
) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the set, both sentences and whether they say the same, of all labelled pairs."""
    path = existing(data, "sentences")
    if path is None:
        problems.append(f"{data / 'sentences'}.jsonl.gz: not found")
        return
    for row in read_rows(path, _pair_problem, problems):
        if row is not None and row["label"] is not None and (not sets or row["set"] in sets):
            yield row["set"], row["a"], row["b"], bool(row["label"])


def _pair_problem(row: Mapping[str, object]) -> str | None:
    if not all(isinstance(row.get(key), str) for key in ("set", "a", "b")):
        return "'set', 'a' and 'b' must be strings"
    return None if row.get("label", "") in {0, 1, None} else "'label' must be 1, 0 or null"


def of_sets(mine: NDArray[Any], theirs: NDArray[Any]) -> Overlap:
    """Compare two sets, each given as distinct values.

    >>> of_sets(np.array([3, 4, 5, 6]), np.array([5, 6, 7, 8])).resemblance == 2 / 6
    True
    """
    shared = len(np.intersect1d(mine, theirs, assume_unique=True))
    return of_counts(len(mine), len(theirs), shared)
