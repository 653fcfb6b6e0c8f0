"""Evidence → finding → verdict: identical, short and cut pages, what comparisons add up to.

A finding is a verdict without its action; `with_action` is the one place that decides that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import without
from dedup_middleware.read.outline import PLAIN
from dedup_middleware.similarity.loss import Loss, compare_units, units_of
from dedup_middleware.text import printable
from dedup_middleware.urls import same_site
from dedup_middleware.verdict import REDUNDANT, Action, Evidence, Kind, Lost, Verdict, milder

from . import reasons
from .match import MOST_AROUND, MOST_MOVED, bound_of, lost_of, relation, scores_of, why_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison
    from dedup_middleware.verdict import Changes

    from .match import Kept, KnownPage, Match


@dataclass(frozen=True, slots=True)
class Finding:
    """What a page is, and why."""

    kind: Kind
    reason: str
    evidence: Evidence
    original: KnownPage | None = None
    score: float = 0.0
    swallowed: tuple[KnownPage, ...] = ()
    kept: Kept | None = None
    """Why it is never dropped although it is like another."""
    new: tuple[float, float] = (0.0, 0.0)
    """The share of the page's text that the original lacks, and the reverse."""
    lost: Lost | None = None
    """What the original does not have of the page; None if it was compared with no page."""


def _as_it_is(match: Match) -> Match:
    return match


@dataclass(frozen=True, slots=True)
class Matches:
    """The known pages that a method compared a page with."""

    matches: Sequence[Match]
    notes: tuple[str, ...] = ()
    """What limits them."""
    model: int = 0
    method: str = ""
    """The name of the method, if it is not the cascade."""
    explain: Callable[[Match], Match] = _as_it_is
    """Compares a page with the one that it is like by sentences, for the evidence."""


def without_words(subject: Subject) -> Finding | None:
    """Find a page that has no words."""
    if subject.fingerprint.words:
        return None
    cut = subject.outline.cut
    reason = f"The page has no words{', or ' + cut[0] if cut else ''}."
    return Finding(Kind.UNIQUE, reason, Evidence("read"))


def unchanged(subject: Subject, digest: bytes, at_url: KnownPage | None) -> Finding | None:
    """Find a page that shows what its URL showed last: the digest is of that."""
    if at_url is None or digest != subject.fingerprint.digest:
        return None
    reason = "Its text has not changed since this URL was last seen."
    return Finding(Kind.UNCHANGED, reason, _identical(subject), at_url, 1.0, lost=_nothing(subject))


def unchanged_main(
    subject: Subject, at_url: KnownPage | None, earlier: Outline | None
) -> Finding | None:
    """Find a page whose main text is what its URL showed last; only what is around it changed."""
    if at_url is None or at_url.key != subject.key or earlier is None or not subject.comparable:
        return None
    shown = without(earlier, subject.site)
    if subject.own.main != shown.main:
        return None
    # main text is a guess, and may have missed the point of the page
    site = subject.site
    known = {"names": site.names.to_bytes(4, "little"), "rarity": site.units}
    page, before = (units_of(one)._replace(**known) for one in (subject.own, shown))
    (loss,) = compare_units(page, [before])
    mine = loss.mine
    if mine.share > MOST_AROUND or mine.facts or mine.code or mine.moved >= MOST_MOVED:
        return None
    reason = "Its main text has not changed since this URL was last seen."
    return Finding(Kind.UNCHANGED, reason, Evidence("main"), at_url, 1.0, lost=_nothing(subject))


def exact(subject: Subject, same_digest: Iterable[KnownPage]) -> Finding | None:
    """Find a page whose text equals that of another; of short and cut pages the bytes too."""
    page = subject.fingerprint
    equal = [
        known
        for known in same_digest
        if known.digest == page.digest
        and known.key != subject.key
        and (subject.comparable or (page.body and known.body == page.body))
        and subject.admits(known)
    ]
    if not equal:
        return None
    # the first that it may be dropped for
    known = min(equal, key=lambda one: not shows_all(subject, one, Kind.EXACT))
    reason = f"All its visible text equals that of {printable(known.url)}."
    return Finding(Kind.EXACT, reason, _identical(subject), known, 1.0, lost=_nothing(subject))


def not_comparable(subject: Subject, *, known_url: bool) -> Finding | None:
    """Find a page that was cut, or that has too few words to compare."""
    if subject.comparable:
        return None
    cut, words = subject.outline.cut, subject.words
    reason = (
        f"It was read in part only ({cut[0]})"
        if cut
        else f"It has {words} word{'s' * (words != 1)} of its own: too few to compare"
    )
    reason += "; no page with the same bytes is known."
    return Finding(_new(known_url), reason, Evidence("digest"))


def compared(subject: Subject, matches: Matches, settings: Settings, *, known_url: bool) -> Finding:
    """Find what a page is that equals no other, from what it was compared with."""
    related: dict[Kind, list[Match]] = {Kind.NEAR: [], Kind.CONTAINED: [], Kind.CONTAINS: []}
    for one in matches.matches:
        if one.kind:
            related[one.kind].append(one)
    # a small part of a page may also be a copy of another page, and that says more of it
    small = [one for one in related[Kind.CONTAINED] if is_small_part(subject, one.page, settings)]
    large = [one for one in related[Kind.CONTAINED] if one not in small]
    redundant = related[Kind.NEAR] + large or small
    if redundant:
        # a page of its own site first, and one that it may be dropped for: for others it is kept
        best = min(redundant, key=lambda one: _by_action(subject, one, settings))
        kind = Kind.NEAR if best in related[Kind.NEAR] else Kind.CONTAINED
        return _matched(kind, subject, best, matches, settings)
    swallowed = sorted(related[Kind.CONTAINS], key=_by_score)
    if swallowed:
        pages = tuple(one.page for one in swallowed)
        return _matched(Kind.CONTAINS, subject, swallowed[0], matches, settings, pages)
    return _unmatched(matches, settings, known_url=known_url)


def with_action(
    finding: Finding, subject: Subject, settings: Settings, requested: Mapping[Kind, Action]
) -> Verdict:
    """Decide what is done with a page: by the request, then the settings, then a person's word."""
    kind, original = finding.kind, finding.original
    notes = subject.notes
    action = requested.get(kind, settings.actions[kind])
    small = original and kind is Kind.CONTAINED and is_small_part(subject, original, settings)
    if kind not in requested and action is Action.DROP and finding.evidence.supersedes:
        action = Action.PASS
    elif kind not in requested:
        if original and not same_site(subject.url, original.url):
            action = milder(action, settings.cross_host.get(kind, action))
        if action is Action.DROP and (small or finding.kept):
            action = Action.TAG
        if action is Action.DROP and original and not shows_all(subject, original, kind):
            action = Action.TAG
            shown = f"{printable(original.url)} is of another site and may hide what both say"
            notes += (f"is kept: {shown}",)
    if action is Action.DROP and original and _is_restored(kind, subject):
        action = Action.PASS
        notes += (f"passes, restored by a person, although it is like {printable(original.url)}",)
    evidence = finding.evidence
    if notes or subject.site.generation:
        evidence = replace(
            evidence, notes=evidence.notes + notes, generation=subject.site.generation
        )
    reason = finding.reason
    if finding.lost and kind in (Kind.NEAR, Kind.CONTAINED):  # others lose nothing
        clause = reasons.lost(finding.lost, finding.kept)
        reason = f"{reason.removesuffix('.')}; {clause}." if clause else reason
    return Verdict(
        kind,
        original.url if original else None,
        finding.score,
        reason,
        evidence,
        action,
        finding.lost,
    )


def with_changes(finding: Finding, found: Changes) -> Finding:
    """Return the finding of an updated page with what changed."""
    evidence = replace(
        finding.evidence,
        scores=replace(finding.evidence.scores, changed=round(found.share, 4)),
        changes=found,
    )
    return replace(finding, reason=f"{finding.reason} {reasons.changed(found)}", evidence=evidence)


def is_small_part(subject: Subject, around: KnownPage, settings: Settings) -> bool:
    """Return True if a page is worth keeping beside the one around it: a post in an archive."""
    return _longer(subject, around) > settings.contained_ratio


def shows_all(subject: Subject, known: KnownPage, kind: Kind) -> bool:
    """Return False if a page of another site may hide what it has of a page's text.

    Nobody can list what hides text. But a page that has only ordinary text markup hides none; and
    pages with the same text, all else that has a say being equal as well, show the same of it.
    """
    page = subject.fingerprint
    if same_site(subject.url, known.url) or known.presentation == PLAIN:
        return True
    is_same = known.presentation == page.presentation or known.body == page.body
    return is_same if kind is Kind.EXACT else not known.uncertain


def _matched(
    kind: Kind,
    subject: Subject,
    best: Match,
    matches: Matches,
    settings: Settings,
    swallowed: tuple[KnownPage, ...] = (),
) -> Finding:
    best = matches.explain(best)
    url, deep, scores = best.page.url, best.deep, scores_of(best)
    comparison = best.comparison
    if kind is Kind.CONTAINS:
        share = best.kept[1]
        more = len(swallowed) - 1
        reason = reasons.contains(url, deep, share, more=more, context=best.context)
    else:
        reason = reasons.found_in(url, deep, best.context) if deep else reasons.shares(url, scores)
    if kind is Kind.CONTAINED:
        reason += f" That page is {_longer(subject, best.page):.1f} times as long."
    kept = comparison and why_kept(comparison, kind, settings, best.context)
    lost = lost_of(best, None if kind is Kind.CONTAINS else bound_of(settings, best.context))
    if lost and kept:
        is_young = best.context.is_young and lost.share <= settings.max_loss
        reason += f" {reasons.kept(kept, is_young=is_young)}"
    elif kind is Kind.CONTAINED and is_small_part(subject, best.page, settings):
        reason += " It is a small part of that page, so it is kept."
    evidence = Evidence(
        best.stage,
        scores,
        swallowed=tuple(page.url for page in swallowed),
        notes=matches.notes + _not_compared(best),
        model=matches.model,
        level=best.level,
    )
    score = min(1.0, best.score)
    reason = _by(reason, matches, best.level)
    here, there = best.kept
    new = 1 - here, 1 - there
    return Finding(kind, reason, evidence, best.page, score, swallowed, kept or None, new, lost)


def _unmatched(matches: Matches, settings: Settings, *, known_url: bool) -> Finding:
    reason = (
        "The text at this URL has changed since it was last seen, and is like no other known page."
        if known_url
        else "Nothing like it is known."
    )
    closest = min(matches.matches, key=_by_overlap, default=None)
    evidence = Evidence("lookup", notes=matches.notes)
    if closest is not None and closest.overlap > 0:
        comparison = closest.comparison
        reason += " " + reasons.too_little(
            closest.page.url,
            comparison.loss if comparison else None,
            closest.kept[0],
            about=comparison is None,
            context=closest.context,
        )
        suspect = comparison and likely_relation(comparison, settings)
        evidence = Evidence(
            closest.stage,
            scores_of(closest),
            closest.page.url,
            suspect=closest.page.url if suspect in REDUNDANT else None,
            notes=matches.notes + _not_compared(closest),
            model=matches.model,
            level=closest.level,
        )
    return Finding(_new(known_url), _by(reason, matches), evidence)


def likely_relation(comparison: Comparison, settings: Settings) -> Kind | None:
    """Return how a page would relate to another if names and facts did not count."""
    if comparison.loss:
        mine, theirs = (side._replace(others=0) for side in comparison.loss)
        comparison = replace(comparison, loss=Loss(mine, theirs))
    return relation(comparison, settings)


def _new(known_url: bool) -> Kind:
    return Kind.UPDATED if known_url else Kind.UNIQUE


def _identical(subject: Subject) -> Evidence:
    return Evidence("digest", notes=subject.outline.cut)


def _nothing(subject: Subject) -> Lost:
    return Lost(of=subject.fingerprint.words)


def _by(reason: str, matches: Matches, level: str = "") -> str:
    if not matches.method:
        return reason
    return f"{reason} Found by the method {matches.method}{f', as {level} copy' if level else ''}."


def _longer(subject: Subject, known: KnownPage) -> float:
    return known.words / max(subject.fingerprint.words, 1)


def _is_elsewhere(subject: Subject, one: Match) -> bool:
    return not same_site(subject.url, one.page.url)


def _by_action(subject: Subject, one: Match, settings: Settings) -> tuple[bool, bool, float, int]:
    kept = one.comparison and one.kind and why_kept(one.comparison, one.kind, settings, one.context)
    return _is_elsewhere(subject, one), kept is not None, *_by_score(one)


def _by_score(one: Match) -> tuple[float, int]:
    return -one.score, one.page.number


def _by_overlap(one: Match) -> tuple[float, float, int]:
    return -max(one.kept), -one.overlap, one.page.number


def _not_compared(one: Match) -> tuple[str, ...]:
    cut = sum(one.deep.matching.cut) if one.deep else 0
    return (f"{cut} sentences of the two pages were too many to be compared",) if cut else ()


def _is_restored(kind: Kind, subject: Subject) -> bool:
    """Return True if a person restored the page; unchanged ones only if that was restored."""
    overrides = subject.overrides
    return overrides.restored and (kind is not Kind.UNCHANGED or subject.key in overrides.excluded)
