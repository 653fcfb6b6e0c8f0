"""Evidence → Verdict: what the comparisons of a page add up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .compare import odds_ratio
from .verdict import Action, Evidence, Kind, Scores, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .compare import Comparison
    from .fingerprint import Fingerprint
    from .fingerprint.sketch import Estimate
    from .settings import Settings
    from .store.records import PageRecord

SIMHASH_DISTANCE = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known page that may be like the page in question."""

    record: PageRecord
    distance: int
    estimate: Estimate
    comparison: Comparison | None = None
    """None if the estimate ruled the candidate out."""

    @property
    def resembles(self) -> bool:
        """Whether anything at all speaks for it."""
        return self.distance <= SIMHASH_DISTANCE or self.estimate.resemblance > 0

    @property
    def scores(self) -> Scores:
        resemblance, containment, contained_by = (
            self.comparison.overlap if self.comparison else self.estimate[:3]
        )
        scores = Scores(
            simhash_distance=self.distance,
            resemblance=round(resemblance, 4),
            containment=round(containment, 4),
            contained_by=round(contained_by, 4),
        )
        if self.comparison is None or self.comparison.sentences is None:
            return scores
        one, other = self.comparison.sentences.rs
        rs = (round(one, 4), round(other, 4))
        return replace(scores, rs=rs, odds_ratio=round(odds_ratio(one, other), 3))

    @property
    def stage(self) -> str:
        """The deepest stage that looked at the candidate."""
        if self.comparison is None:
            return "estimate"
        return "sentences" if self.comparison.sentences else "shingles"

    @property
    def closeness(self) -> float:
        scores = self.scores
        return max(scores.containment or 0.0, scores.contained_by or 0.0)


def is_worth_comparing(candidate: Candidate, settings: Settings) -> bool:
    """Tell whether the pages may be alike, given how little a sample says."""
    return candidate.distance <= SIMHASH_DISTANCE or candidate.estimate.may_reach(
        min(settings.near, settings.contained)
    )


def relation(comparison: Comparison, settings: Settings) -> Kind | None:
    """Name how a page relates to a known one, if it does."""
    containment, contained_by = comparison.overlap[1:]
    if min(containment, contained_by) >= settings.near:
        return Kind.NEAR
    if containment >= settings.contained:
        return Kind.CONTAINED
    if contained_by >= settings.contained:
        return Kind.CONTAINS
    return None


def judge(
    page: Fingerprint,
    candidates: Sequence[Candidate],
    settings: Settings,
    *,
    known_url: bool,
    notes: tuple[str, ...],
) -> tuple[Verdict, PageRecord | None, list[PageRecord]]:
    """Decide about a page whose digest is new: verdict, original, and the pages it swallows."""
    related: dict[Kind, list[Candidate]] = {Kind.NEAR: [], Kind.CONTAINED: [], Kind.CONTAINS: []}
    for candidate in candidates:
        kind = candidate.comparison and relation(candidate.comparison, settings)
        if kind:
            related[kind].append(candidate)
    redundant = related[Kind.NEAR] + related[Kind.CONTAINED]
    if redundant:
        best = min(redundant, key=_by_score)
        kind = Kind.NEAR if best in related[Kind.NEAR] else Kind.CONTAINED
        return _matched(kind, page, best, (), settings, notes), best.record, []
    swallowed = sorted(related[Kind.CONTAINS], key=_by_score)
    if swallowed:
        best = swallowed[0]
        urls = tuple(candidate.record.url for candidate in swallowed)
        verdict = _matched(Kind.CONTAINS, page, best, urls, settings, notes)
        return verdict, best.record, [candidate.record for candidate in swallowed]
    closest = max(candidates, key=lambda one: (one.closeness, -one.record.number), default=None)
    return unmatched(known_url, closest, settings, notes), None, []


def same(kind: Kind, original: str, settings: Settings, notes: tuple[str, ...]) -> Verdict:
    """Judge a page whose digest is known: exact or unchanged."""
    reason = (
        f"All its visible text equals that of {printable(original)}."
        if kind is Kind.EXACT
        else "Its text has not changed since this URL was last seen."
    )
    action = settings.actions[kind]
    return Verdict(kind, original, 1.0, reason, Evidence("digest", notes=notes), action)


def unmatched(
    known_url: bool, closest: Candidate | None, settings: Settings, notes: tuple[str, ...]
) -> Verdict:
    """Judge a page that is like no other: updated or unique."""
    kind = Kind.UPDATED if known_url else Kind.UNIQUE
    reason = (
        "The text at this URL has changed since it was last seen, and is like no other known page."
        if known_url
        else "Nothing like it is known."
    )
    evidence = Evidence("lookup", notes=notes)
    if closest is not None and closest.closeness > 0:
        about = "" if closest.comparison else "about "
        shared = f"{about}{closest.scores.containment or 0:.0%} of its text"
        reason += f" The closest page, {printable(closest.record.url)}, has {shared}: too little."
        evidence = Evidence(closest.stage, closest.scores, closest.record.url, notes=notes)
    return Verdict(kind, None, 0.0, reason, evidence, settings.actions[kind])


def not_comparable(reason: str, stage: str, *, known_url: bool, settings: Settings) -> Verdict:
    """Judge a page of which too little is known to compare it."""
    kind = Kind.UPDATED if known_url else Kind.UNIQUE
    return Verdict(kind, None, 0.0, reason, Evidence(stage), settings.actions[kind])


def printable(url: str) -> str:
    """Show a stranger's URL without what could disturb a terminal or a log."""
    return "".join(
        character if character.isprintable() else f"%{ord(character):02X}" for character in url
    )


def _by_score(candidate: Candidate) -> tuple[float, int]:
    return -(candidate.scores.containment or 0.0), candidate.record.number


def _matched(
    kind: Kind,
    page: Fingerprint,
    best: Candidate,
    swallowed: tuple[str, ...],
    settings: Settings,
    notes: tuple[str, ...],
) -> Verdict:
    scores, url = best.scores, printable(best.record.url)
    containment, contained_by = scores.containment or 0.0, scores.contained_by or 0.0
    longer = best.record.words / max(page.words, 1)
    action = settings.actions[kind]
    if kind is Kind.NEAR:
        reason = f"{containment:.0%} of its text stands in {url}"
        reason += f", and {contained_by:.0%} of that page's text here"
    elif kind is Kind.CONTAINED:
        reason = (
            f"{containment:.0%} of its text stands in {url}, which is {longer:.1f} times as long"
        )
        if action is Action.DROP and longer > settings.contained_ratio:
            action = Action.TAG
    else:
        others = len(swallowed) - 1
        more = f" and of {others} more known page{'s' * (others > 1)}" if others else ""
        reason = f"It holds {contained_by:.0%} of the text of {url}{more}, and much that is new"
    if best.comparison and best.comparison.sentences and kind is not Kind.CONTAINS:
        sentences = best.comparison.sentences
        reason += (
            f"; {sentences.matched[0]} of its {sentences.total[0]} sentences are the same there"
        )
    evidence = Evidence(best.stage, scores, swallowed=swallowed, notes=notes)
    return Verdict(kind, best.record.url, containment, reason + ".", evidence, action)
