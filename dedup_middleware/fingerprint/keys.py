"""Look-up keys: by which a page is found again.

A key is eight bytes: a tag that says what it is made of, and 56 bits of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .simhash import lookup_keys as simhash_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .hashing import Hashes
    from .sample import Sample
    from .scheme import Fingerprint

    Keys = NDArray[np.uint64]

DIGEST, SIMHASH, SHINGLE, PAIR = 1, 2, 3, 4
_PAYLOAD = np.uint64((1 << 56) - 1)
_TAG_SHIFT = np.uint64(56)


def lookup_keys(page: Fingerprint, *, alike: bool) -> Keys:
    """Return the keys of a page, ascending; without `alike` only the one for equal text."""
    keys = np.empty(1 + (len(page.keys) if alike else 0), np.uint64)
    keys[0] = digest_key(page.digest)
    if alike:
        keys[1:] = page.keys
    return keys


def digest_key(digest: bytes) -> int:
    """Return the key for equal text."""
    return DIGEST << 56 | int.from_bytes(digest[:7], "big")


def alike_keys(simhash: int, sample: Sample, pairs: Hashes) -> Keys:
    """Return the keys of pages that are alike, ascending."""
    keys = np.array([SIMHASH << 56 | key for key in simhash_keys(simhash)], np.uint64)
    hashed = ((sample.hashes, SHINGLE), (pairs, PAIR))
    return np.concatenate(
        (keys, *(np.unique(hashes & _PAYLOAD) | np.uint64(tag << 56) for hashes, tag in hashed))
    )


def tags(keys: Keys) -> NDArray[np.uint64]:
    """Return what each key is made of."""
    return keys >> _TAG_SHIFT
