"""Changes that are not in LMDB yet: every look-up reads them first."""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from .layout import sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import lmdb

    from dedup_middleware.fingerprint.keys import Keys

    Listener = Callable[[list[bytes]], object]

MISSING = b"missing"
"""What `find` returns for a key of which a buffer says nothing; told by identity."""
_key = itemgetter(0)


class Buffer:
    """Entries to put and to delete, postings to add, and lines for journals."""

    def __init__(self, parent: Buffer | None = None) -> None:
        """Begin with what another buffer holds, which stays as it is."""
        self.tables: defaultdict[str, dict[bytes, bytes | None]] = defaultdict(dict)
        """By table and key; None deletes an entry."""
        self.postings: list[tuple[Keys, int]] = []
        self.lines: list[tuple[Listener, bytes]] = []
        self.parent = parent

    @property
    def is_empty(self) -> bool:
        return not self.tables

    def touches(self, table: str) -> bool:
        """Return True if it changes a table."""
        return table in self.tables or (self.parent is not None and self.parent.touches(table))

    def find(self, table: str, key: bytes) -> bytes | None:
        """Return the value that an entry will have, None if it is to be deleted, or MISSING."""
        held = self.tables.get(table)
        if held is not None and key in held:
            return held[key]
        return self.parent.find(table, key) if self.parent else MISSING

    def stored(self, table: str, first: bytes = b"") -> list[tuple[bytes, bytes | None]]:
        """Return the entries of a table from a key on, as they will be stored."""
        held = {**(self.parent.tables if self.parent else {}).get(table, {})}
        held |= self.tables.get(table, {})
        return [
            (key, value if value is None else sealed(key, value))
            for key, value in sorted(held.items(), key=_key)
            if key >= first
        ]

    def absorb(self, other: Buffer) -> None:
        """Take over the changes of a buffer that began with this one."""
        for table, entries in other.tables.items():
            self.tables[table].update(entries)
        self.postings += other.postings
        self.lines += other.lines

    def write(self, txn: lmdb.Transaction, databases: Mapping[str, Any]) -> None:
        """Write the entries of all tables, in the order of their keys."""
        for table in self.tables:
            puts = []
            for key, value in self.stored(table):
                if value is None:
                    txn.delete(key, db=databases[table])
                else:
                    puts.append((key, value))
            with txn.cursor(databases[table]) as cursor:
                last = bytes(cursor.key()) if cursor.last() else b""
                old = [put for put in puts if put[0] <= last]
                cursor.putmulti(old)
                # the others are appended, which leaves no page half full
                cursor.putmulti(puts[len(old) :], append=True)

    def tell(self) -> None:
        """Give each journal its lines, now that what they tell of is written."""
        heard: dict[Listener, list[bytes]] = {}
        for listener, line in self.lines:
            heard.setdefault(listener, []).append(line)
        for listener, told in heard.items():
            listener(told)
