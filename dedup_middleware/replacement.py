"""Replacement: a better page takes the place of the known one that shows the same.

The known page was delivered already, so the better one passes, too, and the pages' keeper is
told which to delete. As long as the better one may still be lost in a pipeline, the known page
keeps its place, and no signal is sent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .fingerprint.site import is_true_address
from .judge.relation import Kept
from .judge.survivor import Claim, why_better, why_longer
from .store import Change, Seen
from .urls import host_key, url_key
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from .fingerprint.site import SiteMemory
    from .fingerprint.subject import Subject
    from .judge.decide import Finding
    from .judge.match import KnownPage
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
class PendingReplacement:
    """A registered page that takes the place of a known one when it is delivered."""

    url: str
    number: int
    place: int
    """The number of the known page."""
    decision: dict[str, Any]
    """The line of the journal about the page."""


LONGER = (None, Kept.LOST, Kept.NEW, Kept.AROUND)
"""Why a page may have been kept that takes the place of a shorter one."""


def prefer_better_url(
    finding: Finding,
    subject: Subject,
    view: View,
    settings: Settings,
    requested: Mapping[Kind, Action],
    *,
    known_url: bool,
    gone: Container[bytes] = (),
) -> Finding:
    """Return a finding that says, if it is so, that the page takes the place of its original.

    `gone` has the keys of URLs that showed a page once, and show none any more.
    """
    known = finding.original
    if (
        settings.survivor == "first"
        or known is None
        or finding.kind not in SAME_PAGE
        or finding.kept not in (LONGER if settings.survivor == "longest" else (None,))
        or finding.new[1] > settings.max_loss  # the known page has what this one lacks
        or requested.get(finding.kind) is Action.DROP
    ):
        return finding
    if finding.kind is Kind.EXACT and known.key in gone:
        why: str | None = "that URL answers that it is gone"
    elif settings.survivor == "longest":
        why = why_longer(subject, known)
    else:
        # a URL that was seen before moves no other by a redirect, or two could do so for ever
        redirects = () if known_url else subject.redirected_from
        address = subject.outline.identity.address
        page = Claim(subject.url, credible_address(address, subject, finding, view), redirects)
        (outline,) = view.outlines([known.number])
        why = why_better(
            page, _claim_of(known, outline.identity, subject, view), settings.preferred_hosts
        )
    if why is None:
        return finding
    return replace(
        finding,
        reason=f"{finding.reason} It takes the place of that page: {why}.",
        evidence=replace(finding.evidence, supersedes=known.url),
    )


def credible_address(
    address: str | None, subject: Subject, finding: Finding, view: View
) -> str | None:
    """Return the address that a page declares; None if that shows another page."""
    number = finding.original.number if finding.original else None
    return _credible(address, subject.url, number, subject.site, view)


def _claim_of(known: KnownPage, identity: Identity, subject: Subject, view: View) -> Claim:
    address = identity.address
    if address and url_key(address) == subject.key:
        return Claim(known.url, address)  # the page that is judged, which shows the same text
    host = host_key(known.url)
    site = subject.site if host == subject.host else view.host(host)
    return Claim(known.url, _credible(address, known.url, known.number, site, view))


def _credible(
    address: str | None, url: str, number: int | None, site: SiteMemory, view: View
) -> str | None:
    """Return an address unless many pages declare it, or it shows another page than a number."""
    if address is None or address == url or url_key(address) == url_key(url):
        return address
    if not is_true_address(address, site):
        return None
    shown = view.url(url_key(address))
    if shown is None or shown.number == number or not view.pages([shown.number]):
        return address
    return None


def replace_known(pending: PendingReplacement, view: View) -> tuple[Change, Seen] | None:
    """Return how a page takes the place of the known one; None if either page is gone."""
    key = url_key(pending.url)
    at_url, place = view.url(key), view.records([pending.place])
    if at_url is None or at_url.alias or at_url.number != pending.number or not place:
        return None
    line = {
        **pending.decision,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "overrules": pending.decision["seq"],
        "supersedes": place[0].url,
    }
    return Change(key, decision=line, supersedes=pending.place), Seen(view.last_page, at_url)
