"""Look-up keys: by which a page is found again.

A key is eight bytes: a tag that says what it is made of, and 56 bits of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.simhash import lookup_keys as simhash_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint

    Keys = NDArray[np.uint64]

DIGEST, SIMHASH, SHINGLE, PAIR = 1, 2, 3, 4
KEY_BYTES = 8
NUMBER = np.dtype(">u4")
POSTING = np.dtype([("key", ">u8"), ("page", NUMBER)])
_PAYLOAD = np.uint64((1 << 56) - 1)
_TAG_SHIFT = np.uint64(56)
_CODE_SHIFT = 40
_CODE_MASK = (1 << _CODE_SHIFT) - 1


def digest_key(digest: bytes) -> int:
    """Give the key for equal text."""
    return DIGEST << 56 | int.from_bytes(digest[:7], "big")


def lookup_keys(page: Fingerprint, *, alike: bool) -> Keys:
    """Give the keys of a page, ascending; without `alike` only the one for equal text."""
    keys = [digest_key(page.digest)]
    if not alike:
        return np.array(keys, np.uint64)
    keys += [SIMHASH << 56 | key for key in simhash_keys(page.simhash)]
    hashed = ((page.sample.hashes, SHINGLE), (page.pairs, PAIR))
    return np.concatenate(
        (
            np.array(keys, np.uint64),
            *(np.unique(hashes & _PAYLOAD) | np.uint64(tag << 56) for hashes, tag in hashed),
        )
    )


def tags(keys: Keys) -> NDArray[np.uint64]:
    """Tell what each key is made of."""
    return keys >> _TAG_SHIFT


def split(keys: Keys) -> list[bytes]:
    """Give each key in the form in which LMDB sorts it."""
    packed = keys.astype(">u8").tobytes()
    return [packed[at : at + KEY_BYTES] for at in range(0, len(packed), KEY_BYTES)]


LEAST_PAIRS, MOST_BY_PAIRS = 2, 8


def pages_alike(
    pages: NDArray[np.int64], kind: NDArray[np.uint64], rarity: NDArray[np.float64], most: int
) -> list[int]:
    """Return the pages that share the rarest keys; each entry of the columns is a shared key."""
    # one pass for all kinds: most of the work is done only once
    coded = kind.astype(np.int64) << _CODE_SHIFT | pages
    codes, places, counts = np.unique(coded, return_inverse=True, return_counts=True)
    weights = np.bincount(places, rarity, len(codes))
    found: set[int] = set()
    for tag, least, limit in (
        (SHINGLE, 1, most),
        (SIMHASH, 1, most),
        (PAIR, LEAST_PAIRS, min(most, MOST_BY_PAIRS)),
    ):
        start, end = codes.searchsorted((tag << _CODE_SHIFT, (tag + 1) << _CODE_SHIFT))
        here = slice(start, end)
        numbers = (codes[here] & _CODE_MASK)[counts[here] >= least]
        if len(numbers) > limit:
            rank = np.lexsort((numbers, -weights[here][counts[here] >= least]))
            numbers = numbers[rank[:limit]]
        found.update(numbers.tolist())
    return sorted(found)
