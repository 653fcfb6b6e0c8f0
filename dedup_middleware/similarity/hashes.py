"""Shingle hashes of pages: the distinct ones of a page, and how many two pages share."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint.hashing import distinct, shingle_hashes, text_hashes
from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS

from .table import packed_texts

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline

_LENGTH = Struct("<I")


def distinct_shingles(outline: Outline, hashes: Hashes | None) -> Hashes:
    """Return the distinct shingle hashes of a main text, ascending; all of them may be given."""
    if core.available():
        data = (
            core.call("main_shingles", packed_texts(outline))
            if hashes is None
            else core.call("distinct_hashes", _packed(hashes))
        )
        if data:  # else there are no words, or half surrogate pairs
            return np.frombuffer(data, "<u8")
    if hashes is None:
        hashes = shingle_hashes(text_hashes(outline.main), SHINGLE_WORDS)
    return distinct(hashes)


def count_shared(mine: Hashes, theirs: Hashes) -> int:
    """Count the hashes that two ascending lists share."""
    if not core.available():
        return len(np.intersect1d(mine, theirs, assume_unique=True))
    first = _packed(mine)
    data = core.call("shared_hashes", _LENGTH.pack(len(first)) + first + _packed(theirs))
    return int(_LENGTH.unpack(data)[0])


def _packed(hashes: Hashes) -> bytes:
    return hashes.astype("<u8", copy=False).tobytes()
