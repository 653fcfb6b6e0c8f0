"""What all methods have in common."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.store.tables import MemoryTables, Tables
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.store.tables import Tables

    from .document import Document


_NUMBER = struct.Struct(">I")
_LAST = b"last"
_DOCUMENT = b"document:"


class Match(NamedTuple):
    """An earlier document that is like the one in question."""

    name: str
    forward: float
    """How much of the document stands in the earlier one, as the method sees it: 0…1."""
    backward: float
    """How much of the earlier document stands in this one."""


@dataclass
class Method(ABC):
    """A method that tells which earlier documents a document is like.

    Its options are the fields of the class.
    """

    in_store: ClassVar[bool] = False
    """Whether the index is kept in tables, and so can be in a store; else in memory."""

    threshold: float

    @abstractmethod
    def add(self, document: Document) -> None:
        """Make a document known."""

    @abstractmethod
    def candidates(self, document: Document) -> list[Match]:
        """Score the known documents that the method finds to have anything in common with one."""

    def matches(self, document: Document) -> list[Match]:
        """Give the known documents that a document is like, best first."""
        found = [match for match in self.candidates(document) if self.kind(match)]
        return sorted(found, key=lambda match: (-max(match[1:]), -min(match[1:])))

    def kind(self, match: Match) -> Kind | None:
        """Name how the document relates to the earlier one, if it does.

        A method without direction gives two equal figures, and so says near or nothing.
        """
        if min(match.forward, match.backward) >= self.threshold:
            return Kind.NEAR
        if match.forward >= self.threshold:
            return Kind.CONTAINED
        return Kind.CONTAINS if match.backward >= self.threshold else None


@dataclass
class IndexedMethod(Method):
    """A method whose index is kept in tables: in memory, or in a store across runs."""

    in_store: ClassVar[bool] = True

    tables: Tables = field(default_factory=MemoryTables, kw_only=True, repr=False)

    def over(self, tables: Tables) -> Self:
        """Give this method over other tables, such as another snapshot of the same store."""
        return replace(self, tables=tables)

    def _enter(self, name: str, data: bytes = b"") -> int:
        """Give a document its number, and keep its name with what the method knows of it."""
        number = self._documents + 1
        self.tables.put(_LAST, _NUMBER.pack(number))
        head = _NUMBER.pack(len(data))
        packed = head + data + name.encode("utf-8", "surrogatepass")
        self.tables.put(_DOCUMENT + _NUMBER.pack(number), packed)
        return number

    def _entry(self, number: int) -> tuple[str, bytes]:
        """Give the name of a document and what the method has kept of it."""
        packed = self.tables.get(_DOCUMENT + _NUMBER.pack(number))
        if packed is None:
            raise LookupError(f"There is no document {number} in the index")
        end = _NUMBER.size + _NUMBER.unpack_from(packed)[0]
        return packed[end:].decode("utf-8", "surrogatepass"), packed[_NUMBER.size : end]

    @property
    def _documents(self) -> int:
        """How many documents were ever entered."""
        last = self.tables.get(_LAST)
        return _NUMBER.unpack(last)[0] if last else 0


def folded(rows: Hashes) -> Hashes:
    """Fold each column of some rows into one key.

    >>> len(np.unique(folded(np.array([[1, 2, 1], [3, 3, 4]], np.uint64))))
    3
    """
    keys: Hashes = shingle_hashes(rows, len(rows))[0]  # a column is one shingle of all its values
    return keys


def full(tables: Tables, keys: Hashes, most: int) -> NDArray[np.bool_]:
    """Tell which keys lead to so many documents that no more are posted."""
    known = tables.postings(keys).keys
    counts = np.searchsorted(known, keys, "right") - np.searchsorted(known, keys)
    return counts >= most


def post(tables: Tables, keys: Hashes, number: int, most: int) -> None:
    """Post a document under those keys that are not full."""
    tables.post(keys[~full(tables, keys, most)], number)
