"""Look-up keys: by which a page is found again.

A key is eight bytes: a tag that says what it is made of, and 56 bits of that. Ten keys are made of
a SimHash, so that two within distance 3 share at least one: three bits that differ touch at most
three of five blocks, so that two blocks are equal, and each pair of blocks is a key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .scheme import Fingerprint

    Keys = NDArray[np.uint64]

DIGEST, SIMHASH, SHINGLE, PAIR = 1, 2, 3, 4


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
