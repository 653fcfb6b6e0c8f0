"""Word hashes (MurmurHash3) and the shingle hashes that are combined from them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import mmh3
import numpy as np

from dedup_middleware import core
from dedup_middleware.read.words import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SEED = 0x5CA7
LONGEST_CACHED = 40  # characters
_FMIX_1, _FMIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def word_hash(word: bytes) -> int:
    """Hash one word; fits `simhash.Simhash(…, hashfunc=word_hash)`."""
    return mmh3.hash64(word, SEED, signed=False)[0]


def word_hashes(words: Iterable[str]) -> Hashes:
    """Hash every word of a list, in order."""
    return np.frombuffer(b"".join(map(_packed_hash, words)), "<u8").astype(np.uint64)


def _packed_hash(word: str) -> bytes:
    return _cached_hash(word) if len(word) <= LONGEST_CACHED else _cached_hash.__wrapped__(word)


@lru_cache(1 << 17)  # a stream of invented or long words must not fill the memory
def _cached_hash(word: str) -> bytes:
    return word_hash(word.encode("utf-8", "surrogatepass")).to_bytes(8, "little")


def text_hashes(text: str) -> Hashes:
    """Hash every word of a text, in order."""
    return np.frombuffer(core.call("word_hashes", utf8(text)), "<u8")


def shingle_hashes(hashes: Hashes, width: int) -> Hashes:
    """Combine each `width` neighbouring word hashes into one; a shorter text is one shingle.

    >>> len(shingle_hashes(word_hashes("to be or not to be".split()), 4))
    3
    """
    width = min(width, len(hashes))
    count = len(hashes) - width + 1 if width else 0
    combined = hashes[:count].copy()
    for offset in range(1, width):
        combined *= _MULTIPLIER
        combined += hashes[offset : offset + count]
    return finished(combined)


def distinct(hashes: Hashes) -> Hashes:
    """Return the distinct hashes, ascending; quicker than `np.unique`."""
    ascending: Hashes = np.sort(hashes)
    is_new = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_new[1:])
    return ascending[is_new]


def finished(values: Hashes) -> Hashes:
    """Spread every input bit over all output bits, in place (MurmurHash3's finaliser)."""
    values ^= values >> np.uint64(33)
    values *= _FMIX_1
    values ^= values >> np.uint64(33)
    values *= _FMIX_2
    values ^= values >> np.uint64(33)
    return values
