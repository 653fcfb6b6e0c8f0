"""How much two documents have in common, known from what they were put together from.

Nothing is compared here: a paragraph is followed by its name, each of its terms by its place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .edits import Edits

if TYPE_CHECKING:
    from collections.abc import Iterable


Parts = dict[tuple[str, int], int]
"""What a document holds of a paragraph: its text and which occurrence in the document it is, and a
bit for each of its terms that is there."""


def keyed(pieces: Iterable[tuple[str, int]]) -> Parts:
    """Number the occurrences of each paragraph, so that each matches one of another document.

    >>> keyed([("a b", 0b11), ("c", 1), ("a b", 0b01)])
    {('a b', 0): 3, ('c', 0): 1, ('a b', 1): 1}
    """
    seen: Counter[str] = Counter()
    parts: Parts = {}
    for text, there in pieces:
        parts[text, seen[text]] = there
        seen[text] += 1
    return parts


def common_terms(one: Parts, other: Parts) -> int:
    """Count the terms that stand in both.

    >>> common_terms(keyed([("a b", 0b11), ("c", 1)]), keyed([("a b", 0b10), ("d", 1)]))
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
    """Terms of the earlier one that stand in the new one as they were."""
    document_terms: int

    @property
    def of_source(self) -> float:
        """The expected similarity: which share of the earlier document stands in the new one."""
        return self.kept / self.terms if self.terms else 0.0

    @property
    def of_document(self) -> float:
        """Which share of the new document stands in the earlier one."""
        return self.kept / self.document_terms if self.document_terms else 0.0


class Index:
    """All documents so far, by what they hold."""

    def __init__(self) -> None:
        self._documents: list[tuple[str, int]] = []
        self._holders: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)

    def add(self, url: str, terms: int, parts: Parts) -> None:
        number = len(self._documents)
        self._documents.append((url, terms))
        for key, there in parts.items():
            self._holders[key].append((number, there))

    def overlaps(self, terms: int, parts: Parts) -> list[Overlap]:
        """List the earlier documents that have anything in common with a new one, first to last."""
        counts: Counter[int] = Counter()
        for key, there in parts.items():
            for number, held in self._holders.get(key, ()):
                counts[number] += (there & held).bit_count()
        return [
            Overlap(*self._documents[number], kept, terms)
            for number, kept in sorted(counts.items())
            if kept
        ]


@dataclass(frozen=True, slots=True)
class Taken(Overlap):
    """What was taken from a source, and what of it is left.

    `kept` is what stands in the document of the source, wherever it was taken from: if two sources
    have a paragraph in common, it counts for both.
    """

    asked: float
    """The share of the source that was to be taken at least."""
    paragraphs: tuple[int, ...]
    """Their places in the main text of the source, in the order of taking."""
    taken: int
    """Their terms, before any was edited."""
    edits: Edits


@dataclass(frozen=True, slots=True)
class Truth:
    """How a document was made: all that the manifest says."""

    url: str
    terms: int
    own: int
    """Terms of none of the sources."""
    own_from: str
    reorder: str
    sources: tuple[Taken, ...]
    others: tuple[Overlap, ...] = ()
    """Further documents of the set with which it has text in common, made ones among them."""

    @property
    def edits(self) -> Edits:
        return Edits.sum(source.edits for source in self.sources)


SAME = 0.8
INSIDE = 0.9
DIFFERENT = 0.5


@dataclass(frozen=True, slots=True)
class Label:
    """What a page should be called, and beside which earlier pages."""

    url: str
    gold: str
    positives: dict[str, list[str]]
    """Earlier pages that are like it, and the kinds that are right for each."""
    neutral: list[str]
    """Earlier pages that the rule leaves open."""

    def row(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "gold": self.gold,
            "positives": self.positives,
            "neutral": self.neutral,
        }


def label(url: str, terms: int, overlaps: Iterable[Overlap], min_terms: int = 0) -> Label:
    """Label a page; one of too few terms can't be judged, and is left open."""
    positives: dict[str, list[str]] = {}
    neutral: list[str] = []
    for overlap in overlaps:
        if kinds := kinds_of(overlap):
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


def kinds_of(overlap: Overlap) -> list[str]:
    """List the kinds that are right for a pair; none if it is no match.

    >>> from .overlap import Overlap
    >>> kinds_of(Overlap("a", terms=100, kept=95, document_terms=110))
    ['near', 'contains']
    >>> kinds_of(Overlap("a", terms=100, kept=30, document_terms=30))
    ['contained']
    """
    both = overlap.terms + overlap.document_terms
    same = 2 * overlap.kept >= SAME * both > 0
    contained, contains = overlap.of_document >= INSIDE, overlap.of_source >= INSIDE
    right = {
        "exact": overlap.kept == overlap.terms == overlap.document_terms > 0,
        "near": same,
        "contained": contained,
        "contains": contains,
    }
    return [kind for kind, is_right in right.items() if is_right]
