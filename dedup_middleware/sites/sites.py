"""What is learned about whole sites while they are crawled, and what need not be fetched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.urls import host_of

from .values import SEND, Decision, Fetched, Notice, Rule, Site

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.store import Reader, Store


class Sites:
    """What is known of the hosts of a store.

    Use it from one thread. `observe` tells it about each page that was judged, `consider` asks it
    about each request before that is sent.
    """

    def __init__(
        self,
        store: Store | Reader,
        *,
        explore: float = 0.05,
        salt: str = "",
        shape_budget: int | None = None,
        priors: Iterable[Rule] = (),
    ) -> None:
        self._store = store
        self._explore = explore
        self._salt = salt
        self._shape_budget = shape_budget
        self._priors = tuple(priors)
        self._sites: dict[str, Site] = {}

    def observe(self, fetched: Fetched) -> list[Notice]:
        """Learn from a page that was judged; return what people should be told."""
        host = host_of(fetched.url).removeprefix("www.")
        known = self._sites.get(host) or Site(host)
        self._sites[host] = replace(
            known,
            fetched=known.fetched + 1,
            new=known.new + fetched.is_new,
            redundant=known.redundant + (not fetched.is_new),
            size=known.size + fetched.size,
        )
        return []

    def consider(self, url: str, referrer: str = "", *, depth: int = 0) -> Decision:
        """Return what should be done with a request before it is sent; nothing is changed.

        No store is asked unless a rule matches the URL.
        """
        del url, referrer, depth
        return SEND

    def sent(self, url: str) -> None:
        """Note that a request was sent: its canonical form is on its way."""

    def failed(self, url: str) -> None:
        """Note that a request brought no page: its canonical form is free again."""

    def flush(self) -> None:
        """Write what was learned into the store; call it now and then, and at the end."""

    def overview(self, host: str | None = None) -> Iterator[Site]:
        """Yield what is known of each host, or of one, by host."""
        for name in sorted(self._sites):
            if host in (None, name):
                yield self._sites[name]

    def pin(self, rule: Rule) -> None:
        """Let a rule hold, whatever pages show. A rule of kind `mirror` lets it skip."""

    def withdraw(self, rule: Rule) -> None:
        """Let a rule never hold again."""
