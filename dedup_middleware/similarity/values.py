"""Values of a comparison: sentences, matched sentences, matched nodes, and the two sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.read import Outline


class Sentence(NamedTuple):
    """A sentence of a page; headings, list items and table cells are sentences too."""

    text: str
    """As on the page."""
    node: int
    """The node of the outline that it belongs to."""
    words: tuple[str, ...]
    """Its content words, refined."""
    numbers: frozenset[str] = frozenset()
    negated: bool = False
    """Whether it has a negation, which refined words don't show."""


class Match(NamedTuple):
    """A sentence of the first page and one of the second that say the same."""

    first: int
    second: int
    similarity: float
    """1 if only stop words and endings differ, less if it was reworded."""


class Edge(NamedTuple):
    """A node of the first page and one of the second that share sentences."""

    first: int
    second: int
    matches: int
    """How many pairs of sentences they share."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two compared pages."""

    outline: Outline
    sentences: tuple[Sentence, ...]
    """Those of the main text, in reading order."""
    shading: Mapping[int, float]
    """For each node with sentences, the share of them that the other page has too."""
    cut: int = 0
    """How many sentences were left out because there were too many."""
