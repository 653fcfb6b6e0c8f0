"""Stage *candidates*: which pages share look-up keys, and which of them may be alike.

Pages are numbered by arrival. A pair is a page and a known one, which arrived before it.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.keys import DIGEST, PAIR, SHINGLE, SIMHASH
from dedup_middleware.fingerprint.simhash import distance
from dedup_middleware.fingerprint.sketch import Sketch, estimates
from dedup_middleware.judge.relation import is_worth_comparing
from dedup_middleware.store.candidates import LEAST_PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.settings import Settings

    from .components import Numbers

# How many keys of each kind two pages share, in one number; a page has less than 2¹² of a kind.
_BITS = 12
_UNIT = np.zeros(8, np.int64)
_UNIT[[SHINGLE, SIMHASH, PAIR, DIGEST]] = 1 << (_BITS * np.arange(4))
_TAG_SHIFT = 56
_SIMHASH = Struct("<Q")


class Pairs(NamedTuple):
    """Columns of pairs, and the keys that the pages of each share."""

    page: Numbers
    known: Numbers
    shared: Numbers


def pairs_of(keys: Numbers, pages: Numbers, cap: int) -> tuple[Pairs, Numbers]:
    """Return the pairs of pages that share keys, and the pages that met a cap.

    A row of the columns is a key and a page that has it; all rows with a key must be there. Of the
    pages with a key the first `cap` are known to those that come later.
    """
    order = np.lexsort((pages, keys))
    keys, pages = keys[order], pages[order]
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else keys
    sizes = np.diff(np.r_[begins, len(keys)])
    first = np.repeat(begins, sizes)
    known = np.minimum(np.arange(len(keys)) - first, cap)
    """How many known pages each row has."""
    page = np.repeat(pages, known)
    within = np.arange(len(page)) - np.repeat(np.cumsum(known) - known, known)
    other = pages[np.repeat(first, known) + within]
    unit = np.repeat(_UNIT[keys >> _TAG_SHIFT], known)
    return summed(Pairs(page, other, unit)), np.unique(pages[known == cap])


def summed(pairs: Pairs) -> Pairs:
    """Return each pair once, with all the keys that its pages share."""
    if not len(pairs.page):
        return pairs
    order = np.lexsort((pairs.known, pairs.page))
    page, known, shared = (column[order] for column in pairs)
    new = np.r_[True, (page[1:] != page[:-1]) | (known[1:] != known[:-1])]
    return Pairs(page[new], known[new], np.add.reduceat(shared, np.flatnonzero(new)))


def count(shared: Numbers, tag: int) -> Numbers:
    """Return how many keys of a kind pairs share.

    >>> count(_UNIT[[PAIR, PAIR]].sum(keepdims=True), PAIR).tolist()
    [2]
    """
    return shared // _UNIT[tag] % (1 << _BITS)


def are_candidates(shared: Numbers) -> NDArray[np.bool_]:
    """Return which pairs share enough keys for the pages to be looked at."""
    return (shared % _UNIT[PAIR] > 0) | (count(shared, PAIR) >= LEAST_PAIRS) | have_digest(shared)


def have_digest(shared: Numbers) -> NDArray[np.bool_]:
    """Return which pairs have the same text."""
    return shared >= _UNIT[DIGEST]


def sketched(page: Fingerprint) -> bytes:
    """Pack what `may_be_alike` needs of a page."""
    return _SIMHASH.pack(page.simhash) + page.sketch.pack()


def may_be_alike(page: bytes, known: Sequence[bytes], settings: Settings) -> list[bool]:
    """Return which known pages are worth comparing with a page, each as `sketched` packs it."""
    simhash, sketch = _unpacked(page)
    simhashes, sketches = zip(*map(_unpacked, known), strict=True)
    return [
        is_worth_comparing(distance(simhash, other), estimate, settings)
        for other, estimate in zip(simhashes, estimates(sketch, sketches), strict=True)
    ]


def _unpacked(packed: bytes) -> tuple[int, Sketch]:
    (simhash,) = _SIMHASH.unpack_from(packed)
    return simhash, Sketch.unpack(packed[_SIMHASH.size :])
