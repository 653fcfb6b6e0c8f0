"""The tables of a store on a server, and how postings stand in them.

A table is a hash, so that a script can name all keys that it touches. A posting is nine bytes: 40
bits of a mixed look-up key, and the number of a page. About 32 of them are packed in one value, a
bucket; which one it is follows from the first bytes of the key, and buckets are split as postings
are added.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.store.records import PageRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.store.candidates import Found

FORMAT = 1
HEADER = f"{SCHEME} server-{FORMAT}"
TABLES = (
    *("meta", "runs", "leases", "tokens"),  # tokens: what was done last, in case nobody heard
    *("urls", "pages", "outlines", "pending", "gone", "postings"),
    *("kept", "decisions"),  # kept: what near and contained pages said, by URL
    *("sites", "site_counts", "site_texts", "arrivals"),  # by host
    *("index", "index_postings"),  # of a method other than the cascade
)
"""In the order in which scripts get them."""
FEWEST_BUCKETS = 16
HOST_KEY = 16  # bytes
NUMBER = struct.Struct(">I")
_KEY = np.dtype([("high", ">u4"), ("low", "u1")])
ENTRY = np.dtype([("key", _KEY), ("page", ">u4")])
_HIGH, _LOW, _BYTE = np.uint64(32), np.uint64(24), np.uint64(8)
_MIX = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
    (np.uint64(31), np.uint64(1)),
)


def tables(prefix: str) -> dict[str, str]:
    """Return the key of each table; what braces hold keeps them together in a proxy's shards."""
    return {table: f"{{{prefix}}}:{table}" for table in TABLES}


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


def unpacked_page(number: int, data: bytes) -> PageRecord:
    return PageRecord.unpack(number, data[:-HOST_KEY])


def mixed(keys: Keys) -> Keys:
    """Shuffle the bits of keys, so that the first ones are evenly distributed; none get equal."""
    for shift, factor in _MIX:
        keys = (keys ^ (keys >> shift)) * factor
    return keys


def packed_keys(keys: Keys) -> bytes:
    """Pack the first 40 bits of mixed keys."""
    shuffled = mixed(keys)
    packed = np.empty(len(keys), _KEY)
    packed["high"], packed["low"] = shuffled >> _HIGH, shuffled >> _LOW
    return packed.tobytes()


def buckets_of(keys: Keys, count: int) -> bytes:
    """Return the buckets of some keys as packed numbers, each once, if there are so many buckets.

    They are split one after another (linear hashing): a key whose bucket is not there yet is in the
    one that will be split.
    """
    low = np.uint64(1 << (count.bit_length() - 1))
    at = (mixed(keys) >> _HIGH) % (low + low)
    at = np.where(at < count, at, at - low)
    return np.unique(at).astype(">u4").tobytes()


def postings_of(keys: Keys, buckets: bytes, last_page: int) -> Found:
    """Find the postings of keys in buckets, without those of pages above a number."""
    entries = np.frombuffer(buckets, ENTRY)
    if not len(entries) or not len(keys):
        return np.empty((0, 2), np.uint32)
    known = mixed(keys) >> _LOW
    order = known.argsort()
    ascending, key = known[order], entries["key"]
    wanted = key["high"].astype(np.uint64) << _BYTE | key["low"]
    at = ascending.searchsorted(wanted).clip(max=len(known) - 1)
    hits = np.flatnonzero(ascending[at] == wanted)
    places, pages = order[at[hits]], entries["page"][hits].astype(np.int64)
    found = np.column_stack((places, pages)).astype(np.uint32)[pages <= last_page]
    ranked: Found = found[np.lexsort((found[:, 1], found[:, 0]))]
    return ranked
