"""Succession: a page with a better URL takes the place of the known one that shows the same.

The known page was delivered already, so the better one passes, too, and whoever keeps the pages is
told which to delete. As long as the better one may still be lost in a pipeline, the known page
keeps its place, and nobody is told anything.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .fingerprint.site import address_mark
from .judge.relation import MOST_NEW
from .judge.survivor import Claim, why_better
from .store import Change, Seen
from .urls import host_key, url_key
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .fingerprint.site import SiteMemory
    from .judge.decide import Finding
    from .judge.query import KnownPage, Query
    from .read import Identity
    from .settings import Settings
    from .store import View

SAME_PAGE = frozenset({Kind.EXACT, Kind.NEAR})


@dataclass(frozen=True, slots=True)
class Superseded:
    """A page whose place another one has taken."""

    url: str
    by: str


@dataclass(frozen=True, slots=True)
class Heir:
    """A registered page that takes the place of a known one when it is delivered."""

    url: str
    number: int
    place: int
    """The number of the known page."""
    decision: dict[str, Any]
    """The line of the journal about the page."""


class Heirs:
    """The heirs of one process that are not delivered yet; threads may share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heirs: dict[int, Heir] = {}
        self.places: frozenset[int] = frozenset()
        """The pages that have heirs; copies are dropped for these."""

    def add(self, heir: Heir) -> None:
        with self._lock:
            self._heirs[heir.number] = heir
            self.places |= {heir.place}

    def pop(self, numbers: Iterable[int]) -> list[Heir]:
        with self._lock:
            found = [heir for one in numbers if (heir := self._heirs.pop(one, None))]
            if found:
                self.places = frozenset(heir.place for heir in self._heirs.values())
            return found


def contested(
    finding: Finding,
    query: Query,
    view: View,
    settings: Settings,
    wishes: Mapping[Kind, Action],
    *,
    known_url: bool,
) -> Finding:
    """Return a finding that says, if it is so, that the page takes the place of its original."""
    known = finding.original
    if (
        settings.survivor != "best"
        or known is None
        or finding.kind not in SAME_PAGE
        or finding.kept
        or finding.new[1] > MOST_NEW[Kind.NEAR]  # the known page has what this one lacks
        or wishes.get(finding.kind) is Action.DROP
    ):
        return finding
    # a URL that was seen before moves no other by a redirect, or two could do so for ever
    redirects = () if known_url else query.redirected_from
    page = Claim(query.url, credible_address(query, finding, view), redirects)
    (outline,) = view.outlines([known.number])
    why = why_better(
        page, _claim_of(known, outline.identity, query, view), settings.preferred_hosts
    )
    if why is None:
        return finding
    return replace(
        finding,
        reason=f"{finding.reason} It takes the place of that page: {why}.",
        evidence=replace(finding.evidence, supersedes=known.url),
    )


def credible_address(query: Query, finding: Finding, view: View) -> str | None:
    """Return the address that a page declares; None if that shows another page."""
    address = query.outline.identity.address
    number = finding.original.number if finding.original else None
    return _credible(address, query.url, number, query.site, view)


def _claim_of(known: KnownPage, identity: Identity, query: Query, view: View) -> Claim:
    address = identity.address
    if address and url_key(address) == query.key:
        return Claim(known.url, address)  # the page in question, which shows the same
    host = host_key(known.url)
    site = query.site if host == query.host else view.host(host)
    return Claim(known.url, _credible(address, known.url, known.number, site, view))


def _credible(
    address: str | None, url: str, number: int | None, site: SiteMemory, view: View
) -> str | None:
    """Return an address unless many pages declare it, or it shows another page than a number."""
    if address is None or address == url or url_key(address) == url_key(url):
        return address
    if address_mark(address) in site.boilerplate:
        return None
    shown = view.url(url_key(address))
    if shown is None or shown.number == number or not view.pages([shown.number]):
        return address
    return None


def succession(heir: Heir, view: View) -> tuple[Change, Seen] | None:
    """Return how an heir takes its place; None if either page is gone."""
    key = url_key(heir.url)
    at_url, place = view.url(key), view.records([heir.place])
    if at_url is None or at_url.alias or at_url.number != heir.number or not place:
        return None
    line = {
        **heir.decision,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "overrules": heir.decision["seq"],
        "supersedes": place[0].url,
    }
    return Change(key, decision=line, supersedes=heir.place), Seen(view.last_page, at_url)
