"""The layout of entries in LMDB, and what LMDB raises, as errors that say what to do.

Values end in a checksum, and long ones are cut into pieces.
"""

from __future__ import annotations

import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING
from zlib import crc32

import lmdb

from dedup_middleware.errors import NotAStore, StoreError, StoreFull, store_error
from dedup_middleware.store.engine import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX = ("recent", "segments", "withdrawn")
"""What keys lead to: the newest pages, older ones, and those that were withdrawn."""
DATABASES = (*TABLES, *INDEX)
PART_KEY = struct.Struct(">II")
"""A segment of postings, and the number of one of its parts."""
WITHDRAWN_VERSION = b"withdrawn"
"""In `meta`: a random value that changes whenever pages are withdrawn."""

CHECKSUM = struct.Struct("<I")
SEALED = 0x2144DF1C
"""The CRC of anything that its own CRC follows."""
PIECE = 660  # bytes: LMDB rounds values over 2 kB up to whole pages, and six of these fill one
PIECES = struct.Struct(">H")
FIRST_PIECE = PIECES.pack(0)


SEEDS = {name: crc32(name.encode()) if name != "meta" else 0 for name in DATABASES}
"""What checksums begin with. That of `meta` never changes: it says what format the others have."""


def sealed(table: str, key: bytes, value: bytes) -> bytes:
    """Add a checksum to a value; a value under another key or in another table does not fit it.

    >>> unsealed("pages", b"key", sealed("pages", b"key", b"value"))
    b'value'
    >>> unsealed("pages", b"kez", sealed("pages", b"key", b"value"))
    >>> unsealed("urls", b"key", sealed("pages", b"key", b"value"))
    """
    return value + CHECKSUM.pack(crc32(value, crc32(key, SEEDS[table])))


def unsealed(table: str, key: bytes, data: bytes | memoryview) -> bytes | None:
    """Return a value without its checksum; None if it does not fit."""
    return bytes(data[:-4]) if crc32(data, crc32(key, SEEDS[table])) == SEALED else None


def pieces(key: bytes, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Cut a long value into entries that LMDB stores without gaps."""
    count = -(-(len(data) + PIECES.size) // PIECE)
    data = PIECES.pack(count) + data
    for number in range(count):
        yield key + PIECES.pack(number), data[number * PIECE : (number + 1) * PIECE]


def translation(path: str, error: Exception) -> StoreError:
    """Return the error to raise in place of one of LMDB or of the file system."""
    if isinstance(error, lmdb.MapFullError):
        return StoreFull(
            f"The store {path} has reached its map limit; raise DEDUP_MAP_SIZE. "
            "What was registered before is intact"
        )
    if isinstance(error, lmdb.CorruptedError | lmdb.PageNotFoundError | lmdb.BadValsizeError):
        return StoreError(f"The store {path} is damaged ({error}); start a new one")
    if isinstance(error, lmdb.InvalidError | lmdb.VersionMismatchError):
        return NotAStore(f"{path} is not a dedup store: {error}")
    return store_error(path, error)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what LMDB and the file system raise into errors that say what to do."""
    try:
        yield
    except (lmdb.Error, OSError) as error:
        raise translation(path, error) from error
