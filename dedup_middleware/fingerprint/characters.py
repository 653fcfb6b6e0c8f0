"""Tables that do for arrays of code points what `read.words` does for strings."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.read.words import fold, is_spaceless, is_word_character

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bits of a character's class.
WORD = 1  # part of a word
UNSETTLED = 2  # folding may change, merge or drop it, or make more than one character of it
SPACELESS = 4  # of a script that has no spaces between words

ABOVE = 8  # beyond the table

SIZE = 0x20000  # what lies above is rare: Han, private use, invisible tags


class Tables(NamedTuple):
    """For each code point below SIZE its class and its folded form."""

    classes: NDArray[np.uint8]
    folded: NDArray[np.uint32]


@cache
def tables() -> Tables:
    """Derive the tables from the definitions; takes some 0.1 s, once."""
    classes = np.zeros(SIZE, np.uint8)
    folded = np.arange(SIZE, dtype=np.uint32)
    for code, character in enumerate(map(chr, range(SIZE))):
        form = character.lower() if code < 0x80 else fold(character)
        if len(form) != 1 or 0x1100 <= code < 0x1200 or unicodedata.category(form)[0] == "M":
            classes[code] = UNSETTLED
        elif form != character:
            folded[code] = ord(form)
        if is_word_character(form[:1]):
            classes[code] |= WORD
        if is_spaceless(form):
            classes[code] |= SPACELESS
    classes[-1] = ABOVE
    return Tables(classes, folded)
