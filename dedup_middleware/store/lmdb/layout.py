"""The tables of an LMDB store, and how entries stand in them: each value ends in a checksum."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING
from zlib import crc32

from dedup_middleware.fingerprint import SCHEME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FORMAT = 3
HEADER = f"{SCHEME} format-{FORMAT}"
DATABASES = (
    *("meta", "runs", "urls", "pages", "outlines", "pending", "decisions"),
    *("recent", "postings", "gone"),  # what keys lead to: newest, in sorted runs, not any more
    "redundant",  # what near and contained pages said, by URL; for people who compare
    *("sites", "site_counts", "site_pages", "arrivals"),  # by host
    *("index", "index_postings"),  # of a method other than the cascade
)
UNCHECKED = frozenset({"index", "index_postings"})
"""Tables whose entries have no checksums."""
NUMBER_KEY = struct.Struct(">I")
SEQUENCE_KEY = struct.Struct(">Q")
PART_KEY = struct.Struct(">II")
"""A run of postings, and the number of one of its parts."""

CHECKSUM = struct.Struct("<I")
PIECE = 660  # bytes: LMDB rounds values over 2 kB up to whole pages, and six of these fill one
_PIECES = struct.Struct(">H")


def sealed(key: bytes, value: bytes) -> bytes:
    """Add a checksum to a value; a value under another key does not fit it.

    >>> unsealed(b"key", sealed(b"key", b"value"))
    b'value'
    >>> unsealed(b"kez", sealed(b"key", b"value"))
    """
    return value + CHECKSUM.pack(crc32(value, crc32(key)))


def unsealed(key: bytes, data: bytes | memoryview) -> bytes | None:
    """Return a value without its checksum; None if it does not fit."""
    data = bytes(data)
    value = data[: -CHECKSUM.size]
    fits = data[-CHECKSUM.size :] == CHECKSUM.pack(crc32(value, crc32(key)))
    return value if fits else None


def pieces(key: bytes, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Cut a long value into entries that LMDB stores without gaps."""
    count = -(-(len(data) + _PIECES.size) // PIECE)
    data = _PIECES.pack(count) + data
    for number in range(count):
        yield key + _PIECES.pack(number), data[number * PIECE : (number + 1) * PIECE]


def joined(key: bytes, entry: Callable[[bytes], bytes | None]) -> bytes | None:
    """Put a value together again; None if a piece is missing."""
    first = entry(key + _PIECES.pack(0))
    count = _PIECES.unpack_from(first)[0] if first else 0
    found = [first, *(entry(key + _PIECES.pack(number)) for number in range(1, count))]
    whole = [one for one in found if one is not None]
    return b"".join(whole)[_PIECES.size :] if whole and len(whole) == len(found) else None


def piece_keys(key: bytes, entry: Callable[[bytes], bytes | None]) -> list[bytes]:
    """Return the keys of the pieces of a value; none if there is no such value."""
    first = entry(key + _PIECES.pack(0))
    count = _PIECES.unpack_from(first)[0] if first else 0
    return [key + _PIECES.pack(number) for number in range(count)]
