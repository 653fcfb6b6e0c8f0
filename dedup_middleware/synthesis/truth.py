"""What is known about a made document because it was made."""

from __future__ import annotations

from dataclasses import dataclass

from .edits import Edits
from .overlap import Overlap


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
