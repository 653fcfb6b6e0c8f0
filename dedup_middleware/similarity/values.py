"""What a comparison is made of: sentences, and which of them stand in both pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.read import Outline


class Sentence(NamedTuple):
    """A sentence of a page; a heading, a list item and a table cell are sentences too."""

    text: str
    """As it stands on the page."""
    node: int
    """The node of the outline that it stands in."""
    words: tuple[str, ...]
    """What is left of it when only content counts."""
    numbers: frozenset[str] = frozenset()
    negated: bool = False
    """Whether it says that something is not so; refined words don't tell."""


class Match(NamedTuple):
    """A sentence of the first page and one of the second that say the same."""

    first: int
    second: int
    similarity: float
    """1 if nothing but stop words and endings differ, less if it was reworded."""


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
    """For each node with sentences, the share of them that stand in the other page."""
    cut: int = 0
    """How many sentences were too many to be compared."""
