"""The keys of a store on a server.

Tables are hashes, so that a script can name all keys that it touches; what is found by look-up keys
has structures of its own. What braces hold keeps all of them together in a proxy's shards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.store.engine import NUMBER, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable

KEYS = (
    *TABLES,
    "tokens",  # what each process has done last, in case that it did not hear of it
    "log",  # a list of the look-up keys of recent pages, in the order of their numbers
    *("buckets", "postings"),  # see postings.py: a string, and a hash
    "withdrawn",  # a string of the numbers of pages to which postings may still lead
)
"""In the order in which the script gets them."""
KEPT_TOKENS = 4096
"""Versions of which a store knows the tokens: others in their place are noticed."""


def names(prefix: str) -> dict[str, str]:
    """Return the name of each key on the server."""
    return {key: f"{{{prefix}}}:{key}" for key in KEYS}


def lease_name(prefix: str, process: str) -> str:
    """Return the key that a process of a run keeps alive."""
    return f"{{{prefix}}}:lease:{process}"


def packed_numbers(numbers: Iterable[int]) -> bytes:
    return b"".join(map(NUMBER.pack, numbers))


def unpacked_numbers(data: bytes) -> list[int]:
    """Restore numbers.

    >>> unpacked_numbers(packed_numbers([3, 4]))
    [3, 4]
    """
    found: list[int] = np.frombuffer(data, ">u4").tolist()
    return found
