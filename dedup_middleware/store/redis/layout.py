"""The tables of a store on a server.

A table is a hash, so that a script can name all keys that it touches; `buckets` and `gone` are
strings.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.store.records import PageRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FORMAT = 1
HEADER = f"{SCHEME} server-{FORMAT}"
TABLES = (
    *("meta", "runs", "leases", "tokens"),  # tokens: what was done last, in case nobody heard
    *("urls", "pages", "outlines", "pending", "gone"),  # pending: the runs of such pages
    *("recent", "buckets", "postings"),  # see postings.py
    *("kept", "decisions"),  # kept: what near and contained pages said, by URL
    *("generations", "sites", "site_counts", "site_texts", "arrivals"),  # by host
    *("index", "index_postings"),  # of a method other than the cascade
)
"""In the order in which scripts get them."""
HOST_KEY = 16  # bytes
AT_ONCE = 500
"""Fields that one command has at most, and changes that others wait for."""
NUMBER = struct.Struct(">I")


_T = TypeVar("_T")


def tables(prefix: str) -> dict[str, str]:
    """Return the key of each table; what braces hold keeps them together in a proxy's shards."""
    return {table: f"{{{prefix}}}:{table}" for table in TABLES}


def parts(things: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield some at a time: others may want to write."""
    for first in range(0, len(things), AT_ONCE):
        yield things[first : first + AT_ONCE]


def packed_numbers(numbers: Iterable[int]) -> bytes:
    return b"".join(map(NUMBER.pack, numbers))


def unpacked_numbers(data: bytes) -> list[int]:
    """Restore numbers.

    >>> unpacked_numbers(packed_numbers([3, 4]))
    [3, 4]
    """
    found: list[int] = np.frombuffer(data, ">u4").tolist()
    return found


def packed_page(record: PageRecord, host: bytes) -> bytes:
    """Pack a record, with the key of its host, so that a script knows it."""
    return record.pack() + host


def unpacked_page(number: int, data: bytes, *, delivered: bool) -> PageRecord:
    """Restore a record; whether the page is delivered is not in it, as that changes."""
    return PageRecord.unpack(number, bytes((delivered,)) + data[1:-HOST_KEY])
