"""Changes: what is new and what is gone in a page since its URL was last seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.text import beginning
from dedup_middleware.verdict import LONGEST, Changes

from .sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.read import Outline

MOST = 10
"""Sentences that are kept of each kind: journals keep them."""


def changes(before: Outline, after: Outline) -> Changes:
    """Compare two versions of a page, sentence by sentence; order does not count."""
    old, new = (Counter(_blocks(one)) for one in (before, after))
    total = sum(_words(text) * count for one in (old, new) for text, count in one.items())
    # sentences only of blocks that are not in both, as few are after most changes
    old, new = _sentences(old - new), _sentences(new - old)
    added, removed = list((new - old).elements()), list((old - new).elements())
    changed = sum(map(_words, (*added, *removed)))
    return Changes(
        share=changed / total if total else 0.0,
        added=tuple(_kept(added)),
        removed=tuple(_kept(removed)),
        counts=(len(added), len(removed)),
    )


def _blocks(outline: Outline) -> list[str]:
    nodes = zip(outline.texts, outline.boilerplate, strict=True)
    return [text for text, boilerplate in nodes if text and not boilerplate]


def _sentences(blocks: Counter[str]) -> Counter[str]:
    return Counter(split_sentences(*blocks.elements()))


def _words(text: str) -> int:
    return text.count(" ") + 1


def _kept(sentences: list[str]) -> Iterator[str]:
    return (beginning(text, LONGEST) for text in sentences[:MOST])
