"""Judgements: what a page is, found on a snapshot of the store, and what that changes there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .fingerprint.site import without
from .fingerprint.volatile import revisit_of
from .judge.decide import (
    compared,
    exact,
    not_comparable,
    unchanged,
    unchanged_main,
    with_action,
    with_changes,
    without_words,
)
from .replacement import credible_address, prefer_better_url
from .similarity.changes import changes
from .store import Change, Copy, Registration, Seen
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from .fingerprint.subject import Subject
    from .fingerprint.volatile import Revisit
    from .judge.decide import Finding
    from .methods.adapter import Matcher
    from .read import Outline
    from .settings import Settings
    from .store import Candidates, PageRecord, UrlRecord, View
    from .store.change import Index
    from .verdict import Verdict

IDENTICAL = frozenset({Kind.EXACT, Kind.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found about a page, and what that rests on."""

    subject: Subject
    finding: Finding
    verdict: Verdict
    """The finding, with its action."""
    seen: Seen
    view: View
    found: Candidates | None
    """What its keys lead to; None if they were not looked up."""
    refuted: bool
    """Whether the page declares an address that shows something else."""
    revisit: Revisit | None = None
    """What has become of what its URL showed before; None if the URL was not known."""


def find(
    subject: Subject,
    view: View,
    matcher: Matcher,
    settings: Settings,
    requested: Mapping[Kind, Action],
    *,
    gone: Container[bytes] = (),
) -> Judgement:
    """Find what a page is, and whether it is to stand for what is known already."""
    at_url = view.url(subject.key)
    known = _page_at(subject, view, at_url)
    found: Candidates | None = None
    earlier = _earlier(subject, view, at_url) if at_url else None
    finding = (
        without_words(subject)
        or unchanged(subject, at_url.digest if at_url else b"", known)
        or unchanged_main(subject, known, earlier)
    )
    if finding is None:
        found = view.candidates(
            subject.fingerprint,
            alike=subject.comparable and matcher.uses_keys,
            cap=settings.max_postings,
            most=settings.max_candidates,
        )
        finding = (
            exact(subject, view.pages(found.same_digest))
            or not_comparable(subject, known_url=known is not None)
            or compared(
                subject,
                matcher.matches(subject, view, found),
                settings,
                known_url=known is not None,
            )
        )
        if finding.kind is Kind.UPDATED and earlier:
            before = without(earlier, subject.site)
            finding = with_changes(finding, changes(before, subject.own))
    if finding.original:
        finding = prefer_better_url(
            finding, subject, view, settings, requested, known_url=at_url is not None, gone=gone
        )
    address = subject.outline.identity.address
    refuted = address is not None and credible_address(address, subject, finding, view) is None
    verdict = with_action(finding, subject, settings, requested)
    seen = _seen(view, at_url, subject, finding, found, any_page=not matcher.uses_keys)
    revisit = None
    if at_url:
        page = subject.arrival.name or int.from_bytes(subject.key[:8], "little")
        revisit = revisit_of(page, subject.site.names, earlier, subject.outline)
    return Judgement(subject, finding, verdict, seen, view, found, refuted, revisit)


def change_of(
    judgement: Judgement,
    entry: dict[str, Any] | None,
    index: Callable[[Subject], Index | None],
    *,
    pending: bool,
    delivered: Sequence[int] = (),
) -> Change:
    """Say what the store is to write; whatever passes is registered."""
    subject, finding, verdict = judgement.subject, judgement.finding, judgement.verdict
    found = judgement.found
    page: Registration | Copy | None = None
    supersedes: int | None = None
    if verdict.redundant and verdict.action is Action.DROP and finding.original:
        if finding.original.key != subject.key:
            kept = None if verdict.kind in IDENTICAL else subject.outline
            page = Copy(subject.fingerprint.digest, finding.original.number, kept)
    elif found is not None:
        page = Registration(
            subject.url,
            subject.fingerprint,
            subject.outline,
            found.keys[~found.full],
            delivered=not pending,
            index=index(subject),
        )
        if verdict.evidence.supersedes and finding.original and not pending:
            supersedes = finding.original.number
    site = subject.host, judgement.revisit or subject.arrival
    return Change(subject.key, page, entry, site, supersedes, delivered)


def _page_at(subject: Subject, view: View, at_url: UrlRecord | None) -> PageRecord | None:
    """Return the page that stands for the URL's text, unless the drop behind it was wrong."""
    page = next(iter(view.pages([at_url.number])), None) if at_url else None
    if page is None or at_url is None or not at_url.alias:
        return page
    excluded = page.key != subject.key and not subject.admits(page)
    return None if excluded or subject.overrides.restored else page


def _earlier(subject: Subject, view: View, at_url: UrlRecord) -> Outline | None:
    """Return what a URL showed last, if that is known."""
    is_same = at_url.digest == subject.fingerprint.digest
    return subject.outline if is_same else view.last_text(subject.key)


def _seen(
    view: View,
    at_url: UrlRecord | None,
    subject: Subject,
    finding: Finding,
    found: Candidates | None,
    *,
    any_page: bool,
) -> Seen:
    original = finding.original.number if finding.original else None
    if at_url and finding.kind is Kind.UPDATED:  # else the URL passes as one that is not known
        original = at_url.number
    any_page = any_page and found is not None and finding.kind is not Kind.EXACT
    keys, site = found.keys if found else None, subject.site.version
    seen = view.last_page, at_url, original, keys, any_page, site, view.version
    return Seen(*seen, view.asked)
