"""Character tables: what `read.words` does to strings, for arrays of code points."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.read.words import SPACELESS_RUN, WORD_RUN, fold

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
    """Derive the tables from the definitions, once."""
    characters = [chr(code) if chr(code) != "\n" else " " for code in range(SIZE)]
    forms = fold("\n".join(characters)).split("\n")  # the line feeds keep them apart
    settled = "".join(form if len(form) == 1 else "\n" for form in forms)
    folded = np.frombuffer(settled.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    classes = np.zeros(SIZE, np.uint8)
    classes[folded == ord("\n")] = UNSETTLED
    classes[0x1100:0x1200] |= UNSETTLED  # Hangul letters, which may join
    classes[[unicodedata.category(form)[0] == "M" for form in settled]] |= UNSETTLED
    for pattern, bit in ((WORD_RUN, WORD), (SPACELESS_RUN, SPACELESS)):
        for run in pattern.finditer(settled):
            classes[run.start() : run.end()] |= bit
    classes[-1] = ABOVE
    return Tables(classes, folded)
