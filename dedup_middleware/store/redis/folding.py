"""Folding: the log of recent pages goes into buckets of postings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import NUMBER, parts
from .postings import KEY, Buckets, fold, grown, mixed, touched

if TYPE_CHECKING:
    from .connection import Server

LONG = 320
"""How many pages of the log are enough to fold it."""
LEFT = 64  # the last ones stay: who is judging a page meanwhile looks there for what has arrived
AGAIN = 64  # pages later somebody else tries, in case that it was not done


def is_due(number: int, folded: int) -> bool:
    """Return True if it falls to the process that entered a page to fold the log."""
    long = number - folded - LONG
    return long >= 0 and long % AGAIN == 0


def fold_log(server: Server, last_page: int) -> bool:
    """Fold the log as it was after a page; return False if another process was faster."""
    return server.unless_changed("buckets", lambda: _commands(server, last_page - LEFT))


def _commands(server: Server, last_page: int) -> list[tuple[Any, ...]]:
    tables = server.tables
    buckets = Buckets.unpack(server.call("GET", tables["buckets"]) or b"")
    recent = range(buckets.folded + 1, last_page + 1)
    if not recent:
        return []
    packed = [entry or b"" for entry in server.many("recent", recent)]
    keys = mixed(np.frombuffer(b"".join(packed), KEY).astype(np.uint64))
    pages = np.repeat(np.array(recent, np.int64), [len(entry) // KEY.itemsize for entry in packed])
    numbers = touched(buckets, keys, grown(buckets, len(keys)))
    values = server.many("postings", numbers.tolist())
    made = fold(buckets, numbers, values, keys, pages, last_page)
    filled = [(NUMBER.pack(number), entries) for number, entries in made.filled.items()]
    gone = [(tables["postings"], made.emptied), (tables["recent"], list(recent))]
    return [
        *(
            ("HSET", tables["postings"], *(one for entry in part for one in entry))
            for part in parts(filled)
        ),
        *(("HDEL", table, *map(NUMBER.pack, part)) for table, some in gone for part in parts(some)),
        ("SET", tables["buckets"], made.buckets.pack()),
    ]
