"""Which pages are gone: their postings stay in sorted runs until these are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import NUMBER_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Entry = Callable[[bytes], bytes | None]

PAGES = 1 << 13  # one bit each, in an entry
_BYTES = PAGES // 8


def gone_key(page: int) -> bytes:
    """Return the key of the entry that tells of a page."""
    return NUMBER_KEY.pack(page // PAGES)


def with_page(data: bytes | None, page: int) -> bytes:
    """Mark a page in its entry.

    >>> is_gone(np.array([8, 9]), {gone_key(9): with_page(None, 9)}.get).tolist()
    [False, True]
    """
    bits = bytearray(data or bytes(_BYTES))
    bits[page % PAGES // 8] |= 1 << page % 8
    return bytes(bits)


def is_gone(pages: NDArray[np.integer[Any]], entry: Entry) -> NDArray[np.bool_]:
    """Return which pages are gone."""
    flags = np.zeros(len(pages), np.bool_)
    chunks = pages // PAGES
    for chunk in np.unique(chunks).tolist():
        data = entry(NUMBER_KEY.pack(chunk))
        if data:
            here = np.flatnonzero(chunks == chunk)
            places = pages[here] % PAGES
            bits = np.frombuffer(data, np.uint8)[places >> 3] >> (places & 7).astype(np.uint8)
            flags[here] = bits & 1
    return flags
