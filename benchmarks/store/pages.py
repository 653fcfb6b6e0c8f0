"""Pages for stores: invented ones, some of them near copies of earlier ones."""

from __future__ import annotations

import random

from dedup_middleware import Page

_FIRST = "ba be bi bo bu da de di do du fa fe ga ge ka ke la le li ma me mi mo na".split()
_LAST = "bran dor fil gan hem jor kel lam mon nor pas quil ras sen tal ur vin wex yor".split()
_WORDS = [first + last for first in _FIRST for last in _LAST]


def invented(number: int, words: int = 300) -> Page:
    """Return a page of its own; every fifth has the text of an earlier one, a little changed."""
    copied = number % 5 == 4
    rng = random.Random(number - 3 if copied else number)
    text = [rng.choice(_WORDS) for _ in range(words)]
    if copied:
        text[number % words] = "changed"
    lines = [" ".join(text[at : at + 30]) for at in range(0, words, 30)]
    html = "".join(f"<p>{line}.</p>" for line in lines)
    return Page(url=f"https://{number % 7}.example/{number}", html=f"<title>{number}</title>{html}")
