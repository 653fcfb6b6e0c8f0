"""Ordinary revisions: another date, a sentence added, a word misspelt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .falsify import DATES, change_fact, find_facts, replace_fact

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
    """Change a date, add a sentence to a paragraph that is prose, and misspell a word in one.

    >>> from random import Random
    >>> for text in revise(["Written in May 2021.", "The furnace is lit."], [1], Random(1)):
    ...     print(text)
    Written in May 2023.
    The furncae is lit. Nothing else has changed here since the page was first published.
    """
    revised = list(paragraphs)
    dates = [fact for fact in find_facts(paragraphs) if fact.kind in DATES]
    if dates:
        date = rng.choice(dates)
        revised = replace_fact(paragraphs, date, change_fact(date, rng))
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
    'The frunace is lit.'
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
