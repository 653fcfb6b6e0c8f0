"""The page in question: what was read of it, and what is made of that when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from dedup_middleware.fingerprint.site import UNKNOWN_SITE
from dedup_middleware.text import printable

from .blocks import is_list
from .names import Names
from .overrides import NO_OVERRIDES, PageOverrides

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity import Comparison, Prepared

    from .relation import Context


class KnownPage(Protocol):
    """A page of the store, as far as the judge looks at it."""

    @property
    def number(self) -> int: ...

    @property
    def url(self) -> str: ...

    @property
    def key(self) -> bytes: ...

    @property
    def digest(self) -> bytes: ...

    @property
    def body(self) -> bytes: ...

    @property
    def words(self) -> int: ...

    @property
    def run(self) -> int:
        """The number of the run that registered it."""

    @property
    def delivered(self) -> bool: ...


@dataclass(frozen=True, eq=False)
class Query:
    """A page that was read and is to be judged."""

    url: str
    key: bytes
    outline: Outline
    """As it was read."""
    fingerprint: Fingerprint
    host: bytes
    """The key of its host."""
    own: Prepared
    """What is its own: without what the memory of its site takes for boilerplate."""
    words: int
    """Of its own main text."""
    comparable: bool
    """Whether there is enough text of its own, and all of it, to compare."""
    site: SiteMemory = UNKNOWN_SITE
    size: int | None = None
    """Of the page as it came, in bytes."""
    overrides: PageOverrides = NO_OVERRIDES
    redirected_from: tuple[str, ...] = ()
    superseded: frozenset[int] = frozenset()
    """Known pages whose places others are about to take: these are known, too."""
    comparisons: dict[int, Comparison] = field(default_factory=dict)
    """With known pages by hashes, by number; pages never change, so they hold for good."""
    deep_comparisons: dict[int, tuple[Comparison, Context]] = field(default_factory=dict)
    """With near matches, as deep as it took."""

    @cached_property
    def names(self) -> Names:
        return Names(self.own.outline, self.site)

    @cached_property
    def is_list(self) -> bool:
        """Whether it has hardly any prose."""
        return is_list(self.own.outline)

    @cached_property
    def excluded(self) -> dict[str, None]:
        """The URLs of known pages that overrides excluded, in order."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """The overrides that counted."""
        return tuple(f"a person said it is not {printable(url)}" for url in self.excluded)

    def admits(self, known: KnownPage) -> bool:
        """Return True if a known page may be its original: another URL, and not overridden."""
        if known.key == self.key or known.number in self.superseded:
            return False
        if known.key in self.overrides.excluded:
            self.excluded[known.url] = None
            return False
        return True
