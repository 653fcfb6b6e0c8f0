"""Which pages were withdrawn: their postings stay in segments until these are compacted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.store.engine import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Entry = Callable[[bytes], bytes | None]

PAGES = 1 << 13  # one bit each, in an entry
_BYTES = PAGES // 8


def entry_key(page: int) -> bytes:
    """Return the key of the entry that tells of a page."""
    return NUMBER.pack(page // PAGES)


def with_page(data: bytes | None, page: int) -> bytes:
    """Mark a page in its entry.

    >>> is_withdrawn(np.array([8, 9]), {entry_key(9): with_page(None, 9)}.get).tolist()
    [False, True]
    """
    bits = bytearray(data or bytes(_BYTES))
    bits[page % PAGES // 8] |= 1 << page % 8
    return bytes(bits)


def is_withdrawn(pages: NDArray[np.integer[Any]], entry: Entry) -> NDArray[np.bool_]:
    """Return which pages were withdrawn."""
    flags = np.zeros(len(pages), np.bool_)
    chunks = pages // PAGES
    for chunk in np.unique(chunks).tolist():
        data = entry(NUMBER.pack(chunk))
        if data:
            here = np.flatnonzero(chunks == chunk)
            places = pages[here] % PAGES
            bits = np.frombuffer(data, np.uint8)[places >> 3] >> (places & 7).astype(np.uint8)
            flags[here] = bits & 1
    return flags
