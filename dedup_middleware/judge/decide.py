"""Evidence → Verdict: what the comparisons of a page add up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from dedup_middleware.similarity import odds_ratio
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action, Evidence, Kind, Scores, Verdict

from .reasons import found_in, held_of, shares, too_little

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.sample import Estimate
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison, Deep, Words
    from dedup_middleware.similarity.comparison import Both
    from dedup_middleware.store.records import PageRecord

SIMHASH_DISTANCE = 3
WEIGHTS = {"covered": 0.4, "aligned": 0.4, "sentence_share": 0.1, "tree": 0.1}
"""What each measure adds to the share of a page that is known; fitted with `benchmarks.fit`."""
SWAPPED_WEIGHT, MOST_SWAPPED = 0.2, 4.0
SUBJECT_WEIGHT, MOST_SUBJECT, MOST_MENTIONS = 0.15, 1.0, 5
REPLACED_WEIGHT, REPLACED_FREE = 3.0, 0.1
DOUBT = 3
"""Words that count twice if they differ: the shorter the pages, the less the others say."""
MARGIN = 0.22
"""How far runs of words may stay below the thresholds for sentences to be worth a look."""


class Likeness(Protocol):
    """A known page, and what was found out about how the page in question is like it."""

    @property
    def record(self) -> PageRecord: ...

    @property
    def comparison(self) -> Comparison | None: ...

    @property
    def deep(self) -> Deep | None: ...

    @property
    def known(self) -> Both:
        """How much of the page stands in the known one, and the other way round."""

    @property
    def scores(self) -> Scores: ...

    @property
    def closeness(self) -> float: ...

    @property
    def stage(self) -> str:
        """The deepest stage that looked at the known page."""

    def kind(self, settings: Settings) -> Kind | None:
        """Name how the page relates to the known one, if it does."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known page that may be like the page in question, as the cascade sees it."""

    record: PageRecord
    distance: int
    estimate: Estimate
    comparison: Comparison | None = None
    """None if the estimate ruled the candidate out."""

    @property
    def resembles(self) -> bool:
        """Whether anything at all speaks for it."""
        return self.distance <= SIMHASH_DISTANCE or self.estimate.resemblance > 0

    def kind(self, settings: Settings) -> Kind | None:
        return relation(self.comparison, settings) if self.comparison else None

    @property
    def deep(self) -> Deep | None:
        return self.comparison.deep if self.comparison else None

    @property
    def known(self) -> Both:
        return known(self.comparison) if self.comparison else self.estimate[1:3]

    @property
    def scores(self) -> Scores:
        shares = self.comparison.overlap if self.comparison else self.estimate[:3]
        resemblance, containment, contained_by = (round(share, 4) for share in shares)
        scores = Scores(self.distance, resemblance, containment, contained_by)
        words, deep = self.comparison and self.comparison.words, self.deep
        if words:
            scores = replace(
                scores,
                covered=_rounded(words.covered),
                aligned=_rounded(words.aligned),
                swapped=words.swapped,
                subject=words.subject,
                replaced=words.replaced,
                known=_rounded(self.known),
            )
        if deep:
            one, other = deep.counts[0].found, deep.counts[1].found
            scores = replace(
                scores,
                rs=_rounded((one, other)),
                odds_ratio=round(odds_ratio(one, other), 3),
                tree=_rounded(deep.tree),
                sentence_share=_rounded(deep.sentence_share),
            )
        return scores

    @property
    def closeness(self) -> float:
        """How much of either page stands in the other, counted in runs of words."""
        return max(self.comparison.overlap[1:] if self.comparison else self.estimate[1:3])

    @property
    def stage(self) -> str:
        if self.comparison is None:
            return "estimate"
        return "sentences" if self.deep else "shingles"


def is_comparable(words: int, outline: Outline, settings: Settings) -> bool:
    """Tell whether there is text enough, and all of it, to be compared."""
    return words >= settings.min_words and not outline.cut


def is_worth_comparing(candidate: Candidate, settings: Settings) -> bool:
    """Tell whether the pages may be alike, given how little a sample says."""
    return candidate.distance <= SIMHASH_DISTANCE or candidate.estimate.may_reach(_gate(settings))


def is_near_match(comparison: Comparison, settings: Settings) -> bool:
    """Tell whether runs of words are so much alike that sentences are worth a look."""
    return max(comparison.overlap[1:]) >= _gate(settings)


def known(comparison: Comparison) -> Both:
    """Tell how much of each page is known from the other: 0…1.

    Where the facts differ, as in two entries of one template, less of the page is known than
    words and sentences say; and where there are few words, they say less.
    """
    found = comparison.deep or comparison.words
    if found is None:
        return comparison.overlap[1:]
    less, doubt = other_facts(found), DOUBT / max(1, min(found.words))
    # what was not looked at counts in full: more it can't be
    shares = (
        sum(weight * getattr(found, name, (1, 1))[i] for name, weight in WEIGHTS.items())
        for i in (0, 1)
    )
    first, second = (max(0.0, share - less - min(doubt, 1 - share)) for share in shares)
    return first, second


def other_facts(found: Words) -> float:
    """Tell how much what the pages say differently speaks against their being the same.

    A date, a counter, a session id, another name: one place and one more for each hundred words
    says nothing; nor do so many mentions of what the other page lacks, up to five more; nor a
    passage or two that were rewritten, up to ten words in a hundred.
    """
    words = max(1, min(found.words))
    swapped = found.swapped / (1 + words / 100) - 1
    subject = found.subject / (1 + min(words / 100, MOST_MENTIONS)) - 1
    replaced = found.replaced / words - REPLACED_FREE
    return (
        SWAPPED_WEIGHT * min(MOST_SWAPPED, max(0.0, swapped))
        + SUBJECT_WEIGHT * min(MOST_SUBJECT, max(0.0, subject))
        + REPLACED_WEIGHT * max(0.0, replaced)
    )


def may_match(comparison: Comparison, settings: Settings) -> bool:
    """Tell whether sentences can still make a match of what words say."""
    return relation(comparison, settings) is not None


def relation(comparison: Comparison, settings: Settings) -> Kind | None:
    """Name how a page relates to a known one, if it does."""
    containment, contained_by = known(comparison)
    if min(containment, contained_by) >= settings.near:
        return Kind.NEAR
    if containment >= settings.contained:
        return Kind.CONTAINED
    if contained_by >= settings.contained:
        return Kind.CONTAINS
    return None


def is_small_part(page: Fingerprint, around: PageRecord, settings: Settings) -> bool:
    """Tell whether a page is worth keeping beside the one around it: a post in an archive."""
    return _longer(page, around) > settings.contained_ratio


def judge(
    page: Fingerprint,
    candidates: Sequence[Likeness],
    settings: Settings,
    *,
    known_url: bool,
    notes: tuple[str, ...],
    model: int = 0,
) -> tuple[Verdict, PageRecord | None, list[PageRecord]]:
    """Decide about a page whose digest is new: verdict, original, and the pages it swallows."""
    related: dict[Kind, list[Likeness]] = {Kind.NEAR: [], Kind.CONTAINED: [], Kind.CONTAINS: []}
    for candidate in candidates:
        kind = candidate.kind(settings)
        if kind:
            related[kind].append(candidate)
    # a small part of a page may also be a copy of another page, and that says more of it
    small: list[Likeness] = []
    large: list[Likeness] = []
    for candidate in related[Kind.CONTAINED]:
        part = is_small_part(page, candidate.record, settings)
        (small if part else large).append(candidate)
    redundant = related[Kind.NEAR] + large or small
    if redundant:
        best = min(redundant, key=_by_score)
        kind = Kind.NEAR if best in related[Kind.NEAR] else Kind.CONTAINED
        return _matched(kind, page, best, (), settings, notes, model), best.record, []
    swallowed = sorted(related[Kind.CONTAINS], key=_by_score)
    if swallowed:
        best = swallowed[0]
        urls = tuple(candidate.record.url for candidate in swallowed)
        verdict = _matched(Kind.CONTAINS, page, best, urls, settings, notes, model)
        return verdict, best.record, [candidate.record for candidate in swallowed]
    by_closeness = sorted(candidates, key=lambda one: (-one.closeness, one.record.number))
    closest = max(by_closeness, key=lambda one: max(one.known), default=None)
    return unmatched(known_url, closest, settings, notes, model), None, []


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
    known_url: bool,
    closest: Likeness | None,
    settings: Settings,
    notes: tuple[str, ...],
    model: int = 0,
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
        words = closest.comparison.words if closest.comparison else None
        reason += " " + too_little(
            closest.record.url,
            words,
            words.covered[0] if words else closest.known[0],
            about=closest.comparison is None,
            facts=words is not None and other_facts(words) > 0,
        )
        notes += _cut(closest)
        evidence = Evidence(
            closest.stage, closest.scores, closest.record.url, notes=notes, model=model
        )
    return Verdict(kind, None, 0.0, reason, evidence, settings.actions[kind])


def not_comparable(reason: str, stage: str, *, known_url: bool, settings: Settings) -> Verdict:
    """Judge a page of which too little is known to compare it."""
    kind = Kind.UPDATED if known_url else Kind.UNIQUE
    return Verdict(kind, None, 0.0, reason, Evidence(stage), settings.actions[kind])


def _gate(settings: Settings) -> float:
    lowest = min(settings.near, settings.contained)
    return lowest if settings.sentences == "off" else max(0.1, lowest - MARGIN)


def _rounded(both: Both) -> Both:
    return round(both[0], 4), round(both[1], 4)


def _longer(page: Fingerprint, known: PageRecord) -> float:
    return known.words / max(page.words, 1)


def _by_score(candidate: Likeness) -> tuple[float, int]:
    return -candidate.known[0], candidate.record.number


def _cut(candidate: Likeness) -> tuple[str, ...]:
    """Say how many sentences were not compared."""
    cut = sum(candidate.deep.matching.cut) if candidate.deep else 0
    return (f"{cut} sentences of the two pages were too many to be compared",) if cut else ()


def _matched(
    kind: Kind,
    page: Fingerprint,
    best: Likeness,
    swallowed: tuple[str, ...],
    settings: Settings,
    notes: tuple[str, ...],
    model: int,
) -> Verdict:
    url, deep, scores = best.record.url, best.deep, best.scores
    action = settings.actions[kind]
    if kind is Kind.CONTAINS:
        reason = held_of(url, deep, scores.contained_by or 0.0, more=len(swallowed) - 1)
    else:
        reason = found_in(url, deep) if deep else shares(url, scores)
    if kind is Kind.CONTAINED:
        reason += f" That page is {_longer(page, best.record):.1f} times as long."
        if action is Action.DROP and is_small_part(page, best.record, settings):
            action = Action.TAG
    evidence = Evidence(
        best.stage, scores, swallowed=swallowed, notes=notes + _cut(best), model=model
    )
    return Verdict(kind, url, min(1.0, best.known[0]), reason, evidence, action)
