"""The truth about made documents: what they have in common with earlier ones, and their labels.

Nothing is compared here: each paragraph is identified by its text, each of its terms by its place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.labels import Label

from .terms import Edits

if TYPE_CHECKING:
    from collections.abc import Iterable

Parts = dict[tuple[str, int], int]
"""The paragraphs of a document, by text and number of occurrence, with a bit for each term that is
there."""

SAME = 0.8
INSIDE = 0.9
DIFFERENT = 0.5


def number_parts(pieces: Iterable[tuple[str, int]]) -> Parts:
    """Number the occurrences of each paragraph, so that each matches one of another document.

    >>> number_parts([("a b", 0b11), ("c", 1), ("a b", 0b01)])
    {('a b', 0): 3, ('c', 0): 1, ('a b', 1): 1}
    """
    seen: Counter[str] = Counter()
    parts: Parts = {}
    for text, kept in pieces:
        parts[text, seen[text]] = kept
        seen[text] += 1
    return parts


def common_terms(one: Parts, other: Parts) -> int:
    """Count the terms that two documents have in common.

    >>> one, other = [("a b", 0b11), ("c", 1)], [("a b", 0b10), ("d", 1)]
    >>> common_terms(number_parts(one), number_parts(other))
    1
    """
    shared = one.keys() & other.keys()
    return sum((one[key] & other[key]).bit_count() for key in shared)


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a new document has in common with an earlier one."""

    url: str
    terms: int
    """Of the earlier one."""
    kept: int
    """Terms of the earlier one that are unchanged in the new one."""
    document_terms: int

    @property
    def of_source(self) -> float:
        """The expected similarity: the share of the earlier document that is in the new one."""
        return self.kept / self.terms if self.terms else 0.0

    @property
    def of_document(self) -> float:
        """The share of the new document that is in the earlier one."""
        return self.kept / self.document_terms if self.document_terms else 0.0


class OverlapIndex:
    """All documents so far, by their parts."""

    def __init__(self) -> None:
        self._documents: list[tuple[str, int]] = []
        self._holders: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)

    def add(self, url: str, terms: int, parts: Parts) -> None:
        number = len(self._documents)
        self._documents.append((url, terms))
        for key, kept in parts.items():
            self._holders[key].append((number, kept))

    def overlaps(self, terms: int, parts: Parts) -> list[Overlap]:
        """Return the overlaps of a new document with earlier ones, in their order."""
        counts: Counter[int] = Counter()
        for key, kept in parts.items():
            for number, held in self._holders.get(key, ()):
                counts[number] += (kept & held).bit_count()
        return [
            Overlap(*self._documents[number], kept, terms)
            for number, kept in sorted(counts.items())
            if kept
        ]


@dataclass(frozen=True, slots=True)
class Taken(Overlap):
    """What was taken from a source, and what is left of it.

    A paragraph that two sources have in common counts as `kept` for both.
    """

    asked: float
    """The share of the source that was to be taken at least."""
    paragraphs: tuple[int, ...]
    """Their places in the main text of the source, in the order of taking."""
    taken: int
    """Their terms, before edits."""
    edits: Edits


@dataclass(frozen=True, slots=True)
class Truth:
    """How a document was made: a line of the manifest."""

    url: str
    terms: int
    own: int
    """Terms of none of the sources."""
    own_from: str
    reorder: str
    sources: tuple[Taken, ...]
    others: tuple[Overlap, ...] = ()
    """Other documents of the set, made ones included, that it has text in common with."""

    @property
    def edits(self) -> Edits:
        return Edits.sum(source.edits for source in self.sources)


def label_document(url: str, terms: int, overlaps: Iterable[Overlap], min_terms: int = 0) -> Label:
    """Label a document by its overlaps; with fewer terms than the minimum it is undecided."""
    positives: dict[str, list[str]] = {}
    neutral: list[str] = []
    for overlap in overlaps:
        if kinds := right_kinds(overlap):
            positives[overlap.url] = kinds
        elif max(overlap.of_source, overlap.of_document) >= DIFFERENT:
            neutral.append(overlap.url)
    if terms < min_terms:
        gold = "ignore"
    elif positives:
        gold = "positive"
    else:
        gold = "ignore" if neutral else "negative"
    return Label(url, gold, positives, neutral)


def right_kinds(overlap: Overlap) -> list[str]:
    """Return the verdicts that are right for a pair; none if it is no match.

    >>> right_kinds(Overlap("a", terms=100, kept=95, document_terms=110))
    ['near', 'contains']
    >>> right_kinds(Overlap("a", terms=100, kept=30, document_terms=30))
    ['contained']
    """
    both = overlap.terms + overlap.document_terms
    right = {
        "exact": overlap.kept == overlap.terms == overlap.document_terms > 0,
        "near": 2 * overlap.kept >= SAME * both > 0,
        "contained": overlap.of_document >= INSIDE,
        "contains": overlap.of_source >= INSIDE,
    }
    return [kind for kind, is_right in right.items() if is_right]
