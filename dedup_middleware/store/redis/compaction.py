"""Compaction: the log of recent pages goes into buckets of postings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.store.engine import NUMBER

from .postings import KEY, Buckets, compact, grown, mixed, touched
from .tables import parts

if TYPE_CHECKING:
    from dedup_middleware.store.withdrawn import Withdrawn

    from .connection import Server

LONG = 320
"""How many pages of the log are enough to compact it."""
LEFT = 64  # the last ones stay: who is judging a page meanwhile looks there for what has arrived
AGAIN = 64  # pages later somebody else tries, in case that it was not done


def is_due(number: int, folded: int) -> bool:
    """Return True if it falls to the process that entered a page to compact the log."""
    long = number - folded - LONG
    return long >= 0 and long % AGAIN == 0


def compact_log(server: Server, last_page: int, withdrawn: Withdrawn) -> bool:
    """Compact the log as it was after a page; return False if another process was faster."""
    return server.unless_changed("buckets", lambda: _commands(server, last_page - LEFT, withdrawn))


def _commands(server: Server, last_page: int, withdrawn: Withdrawn) -> list[tuple[Any, ...]]:
    names = server.names
    buckets = Buckets.unpack(server.call("GET", names["buckets"]) or b"")
    count = last_page - buckets.folded
    if count <= 0:
        return []
    packed: list[bytes] = server.call("LRANGE", names["log"], 0, count - 1)
    pages = np.arange(buckets.folded + 1, buckets.folded + 1 + len(packed), dtype=np.int64)
    kept = ~withdrawn.has(pages)
    some = [entry for entry, stays in zip(packed, kept.tolist(), strict=True) if stays]
    keys = mixed(np.frombuffer(b"".join(some), KEY).astype(np.uint64))
    of_keys = np.repeat(pages[kept], [len(entry) // KEY.itemsize for entry in some])
    numbers = touched(buckets, keys, grown(buckets, len(keys)))
    values = server.many("postings", list(map(NUMBER.pack, numbers.tolist())))
    made = compact(buckets, numbers, values, keys, of_keys, last_page, withdrawn.has)
    filled = [(NUMBER.pack(number), entries) for number, entries in made.filled.items()]
    return [
        *(
            ("HSET", names["postings"], *(one for entry in some for one in entry))
            for some in parts(filled)
        ),
        *(("HDEL", names["postings"], *map(NUMBER.pack, some)) for some in parts(made.emptied)),
        ("LTRIM", names["log"], count, -1),
        ("SET", names["buckets"], made.buckets.pack()),
    ]
