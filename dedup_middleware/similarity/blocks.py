"""What blocks of two pages tell that runs of words do not: lists, text beside the main text."""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.read import Outline

_NEW_ENTRIES, _REST_DIFFERS, _ONLY_NAME_DIFFERS = 1, 2, 4
_MOST_WORDS = 0xFFFF_FFFF


class BlockComparison(NamedTuple):
    """What the blocks of a page and of another one say."""

    new_entries: bool
    """The page is a list, and has entries that the other lacks."""
    rest_differs: bool
    """One of them shows more text outside its main text than in it, and other text."""
    only_name_differs: bool
    """The other page says all that the page says, in the same order, but for its names."""


def compare_blocks(
    page: Outline, words: int, names: Iterable[str], others: Sequence[tuple[Outline, int]]
) -> tuple[bool, list[BlockComparison]]:
    """Return whether a page is a list, with hardly any prose, and how it compares with others.

    Each page comes with the number of words of its main text.
    """
    counts = pack(f"<{1 + len(others)}I", words, *(count for _, count in others))
    parts = ["\n".join(names).encode(), counts]
    for outline in (page, *(outline for outline, _ in others)):
        parts += (outline.kinds, outline.boilerplate, outline.lines)
    is_list, *found = core.call_parts("compare_blocks", parts)
    return bool(is_list), [
        BlockComparison(
            bool(bits & _NEW_ENTRIES),
            bool(bits & _REST_DIFFERS),
            bool(bits & _ONLY_NAME_DIFFERS),
        )
        for bits in found
    ]


def rest_differs(page: Outline, words: int, known: Outline) -> bool:
    """Return True if a page shows more text outside its main text than in it, and other text."""
    _, (found,) = compare_blocks(page, words, (), [(known, _MOST_WORDS)])
    return found.rest_differs
