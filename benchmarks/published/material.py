"""The open sets as documents and pairs of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tqdm import tqdm

from benchmarks.accuracy.sets import batches_of, find_sets, labels_of
from benchmarks.rows import existing, page_problem, read_rows
from dedup_middleware import Page
from dedup_middleware.methods import Document, make_method

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.accuracy.scoring import Label
    from benchmarks.accuracy.sets import PageSet


@dataclass(frozen=True)
class Labelled:
    """A set: documents that share a store, in order of arrival, and what is known of them."""

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
    """What the new one may rightly be called beside the earlier one; nothing if they differ."""

    @property
    def alike(self) -> bool:
        return bool(self.kinds)


def read_sets(data: Path, problems: list[str], mode: str = "") -> list[Labelled]:
    """Read all sets of a folder, or those of a mode."""
    found = [
        _read_set(one, problems) for one in find_sets([data], problems) if mode in ("", one.mode)
    ]
    if not found:
        problems.append(f"{data}: no set{f' of mode {mode}' if mode else ''} with pages here")
    return found


def read_pages(data: Path, problems: list[str]) -> list[Document]:
    """Read the pages without labels that stand in the folder itself, if there are any."""
    path = existing(data, "pages")
    if path is None:
        return []
    rows = tqdm(read_rows(path, page_problem, problems), desc="pages", unit="page", disable=None)
    return [document_of(row["url"], row["html"]) for row in rows if row is not None]


def document_of(url: str, html: str) -> Document:
    return Document.of(Page(url=url, html=html.encode("utf-8", "surrogatepass"), encoding="utf-8"))


def pairs_of(labelled: Labelled) -> list[Pair]:
    """List each document with those that it is like, and with the different one most like it.

    In a stream any earlier document that the labels do not name is different; of those, the one
    with the most runs of four words in common is the hardest to tell apart.
    """
    pairs: list[Pair] = []
    for batch in labelled.batches:
        known: dict[str, Document] = {}
        runs = make_method("shingles", width=4)
        for document in batch:
            label = labelled.labels.get(document.name)
            if label and known:
                for name, kinds in label.positives.items():
                    if name in known:
                        pairs.append(Pair(document, known[name], tuple(kinds)))
                named = {*label.positives, *label.neutral}
                others = [one for one in runs.candidates(document) if one.name not in named]
                if others and label.gold != "skip":
                    closest = max(others, key=lambda one: (one.forward, one.name))
                    pairs.append(Pair(document, known[closest.name], ()))
            known[document.name] = document
            runs.add(document)
    return pairs


def _read_set(page_set: PageSet, problems: list[str]) -> Labelled:
    labels = {label.url: label for label in labels_of(page_set, problems)}
    batches: list[list[Document]] = []
    with tqdm(total=page_set.size, desc=page_set.name, unit="page", disable=None) as progress:
        for batch in batches_of(page_set, problems):
            batches.append([])
            for row in batch:
                batches[-1].append(document_of(row["url"], row["html"]))
                progress.update()
    return Labelled(page_set.name, page_set.mode, batches, labels)


def sentence_pairs(
    data: Path, problems: list[str], sets: Collection[str] = ()
) -> Iterator[tuple[str, str, str, bool]]:
    """Give the set, both sentences and whether they say the same, of all judged pairs."""
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
