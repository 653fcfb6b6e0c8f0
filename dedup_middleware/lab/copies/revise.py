"""Ordinary revisions: a sentence added, a typo made or mended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_ADDED = (
    "Thanks to all readers who sent corrections to this page.",
    "This part was revised after several readers had asked about it.",
    "More about this can be found in the pages that follow.",
    "Nothing else has changed here since the page was first published.",
    "Comments on this paragraph are welcome, as always.",
    "Some of the wording was made clearer in this edition.",
)
_LONG_WORD = re.compile(r"(?<![\w./-])[a-z]{6,}(?![\w/-])")


def revise(paragraphs: Sequence[str], prose: Sequence[int], rng: Random) -> list[str]:
    """Add a sentence to one of the paragraphs that are prose, and misspell a word in one.

    >>> from random import Random
    >>> revise(["The furnace is lit."], [0], Random(1))
    ['The furncae is lit. This part was revised after several readers had asked about it.']
    """
    revised = list(paragraphs)
    places = [place for place in prose if _LONG_WORD.search(revised[place])]
    if places:
        place = rng.choice(places)
        revised[place] = misspell(revised[place], rng)
    if prose:
        revised[rng.choice(prose)] += f" {rng.choice(_ADDED)}"
    return revised


def misspell(text: str, rng: Random) -> str:
    """Swap two letters of a long word, if there is one.

    >>> from random import Random
    >>> misspell("The furnace is lit.", Random(1))
    'The furancce is lit.'
    """
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    start, end = rng.choice(words).span()
    pairs = [at for at in range(start + 1, end - 2) if text[at] != text[at + 1]]
    if not pairs:
        return text
    at = rng.choice(pairs)
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"
