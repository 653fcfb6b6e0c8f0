"""The interface of methods, and the base of those that keep their index in tables."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from dedup_middleware.store.tables import Tables
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from .document import Document

_NUMBER = struct.Struct(">I")
_LAST = b"last"
_DOCUMENT = b"document:"


class Match(NamedTuple):
    """A known document that resembles the one in question."""

    name: str
    forward: float
    """The share of the new document that the known one holds, as the method sees it: 0…1."""
    backward: float
    """The share of the known document that the new one holds."""

    @property
    def level(self) -> str:
        """The class of the match, of a method that has classes."""
        return ""


@dataclass
class Method(ABC):
    """Finds the known documents that a document resembles. Its options are its fields."""

    in_store: ClassVar[bool] = False
    """Whether the index is kept in tables, and so can be in a store; otherwise in memory."""

    threshold: float

    @abstractmethod
    def add(self, document: Document) -> None:
        """Add a document to the index."""

    @abstractmethod
    def candidates(self, document: Document) -> list[Match]:
        """Score the known documents that have anything in common with a document."""

    def matches(self, document: Document) -> list[Match]:
        """Return the known documents that a document resembles, best first."""
        found = [match for match in self.candidates(document) if self.kind(match)]
        return sorted(found, key=lambda match: (-max(match[1:]), -min(match[1:])))

    def kind(self, match: Match) -> Kind | None:
        """Return how the new document relates to the known one, None if it does not.

        The two shares of a symmetric method are equal, so it returns near or None.
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

    tables: Tables = field(default_factory=Tables, kw_only=True, repr=False)

    def over(self, tables: Tables) -> Self:
        """Return this method over other tables, such as another snapshot of the same store."""
        return replace(self, tables=tables)

    def _enter(self, name: str, data: bytes = b"") -> int:
        """Number a document; keep its name and what the method needs to know of it."""
        number = self._documents + 1
        self.tables.put(_LAST, _NUMBER.pack(number))
        head = _NUMBER.pack(len(data))
        packed = head + data + name.encode("utf-8", "surrogatepass")
        self.tables.put(_DOCUMENT + _NUMBER.pack(number), packed)
        return number

    def _entry(self, number: int) -> tuple[str, bytes]:
        """Return the name of a document and what the method has kept of it."""
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
