"""What a report needs to know of two compared pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.compare.values import Edge, Match, Side


class Compared(Protocol):
    """Two pages, and which of their sentences and nodes belong together."""

    @property
    def first(self) -> Side: ...

    @property
    def second(self) -> Side: ...

    @property
    def pairs(self) -> tuple[Match, ...]: ...

    @property
    def edges(self) -> tuple[Edge, ...]: ...

    @property
    def names(self) -> tuple[str, str]:
        """URLs or file names."""

    @property
    def summary(self) -> str:
        """What was found, in a sentence."""

    @property
    def measures(self) -> Mapping[str, str]:
        """Labels and values, ready to be shown."""
