"""Runs of four letters: the rarest of them stand for a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LETTERS = 4
CHOSEN = 3


def grams(words: Sequence[str]) -> list[str]:
    """List the 4-grams of a refined sentence; they run across its words.

    >>> " ".join(grams(["novel", "creations"]))
    'nove ovel velc elcr lcre crea reat eati atio tion ions'

    A shorter sentence stands for itself.

    >>> grams(["a", "bc"])
    ['abc']
    """
    text = "".join(words)
    return [text[at : at + LETTERS] for at in range(max(1, len(text) - LETTERS + 1))]


def least_frequent(words: Sequence[str], frequency: Callable[[str], int]) -> str:
    """Join the three distinct 4-grams that are rarest in the corpus, rarest first.

    >>> rare = {"lcre": 1, "velc": 0}
    >>> least_frequent(["novel", "creations"], lambda gram: rare.get(gram, 9))
    'velclcrenove'
    """
    # sorting is stable: of equally rare ones the first in the sentence goes before
    return "".join(sorted(dict.fromkeys(grams(words)), key=frequency)[:CHOSEN])
