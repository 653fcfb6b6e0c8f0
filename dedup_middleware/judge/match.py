"""A match: a known page that may be like a page, as far as compared, and how the two relate.

Two questions are asked apart. Whether two pages are the same to a person gives the kind. What would
be lost with the page gives the action: whatever the kind, a page is dropped only if next to nothing
of it is lost, and no fact differs.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.fingerprint import subject
from dedup_middleware.fingerprint.scheme import least_shared
from dedup_middleware.similarity import odds_ratio
from dedup_middleware.similarity.loss import told
from dedup_middleware.verdict import Kind, Lost, Scores

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.scheme import Estimate
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison, Deep, Loss
    from dedup_middleware.similarity.comparison import Both
    from dedup_middleware.similarity.loss import Side, Units

SIMHASH_DISTANCE = 3
REWORDED_PAIRS = 5
"""Word pairs of two samples that make pages worth comparing, whatever their shingles say."""
MARGIN = 0.3
"""How far runs of words may stay below the thresholds for units to be worth a look."""

# Chosen on labelled pages (`python -m lab.accuracy`), each set left out in turn.
OWN_WEIGHT = 20.0
"""Words of its own, weighed by rarity, without which a page is like no other."""
FACTS_DIFFER, EACH_FACT, MOST_FACTS = 0.1, 0.15, 4.0
"""What pages must keep more of each other if facts differ, and for each that does in 100 words."""
NAMED, NAMED_WORDS = 0.02, 2.0
"""What may be lost to a page that has another name, if they are to be called the same: this share
of a page, or so many words unit by unit but for what heads it. A list of one post is such a page,
or the same note on two objects. It is tagged, never dropped."""
NAMED_WEIGHT = 100.0
"""What a page must weigh for a name in its text to be so little of it."""
GROWN = 2.0
"""How many times the share that may be lost must be new in a page that has grown: a byline and a
counter are a twentieth of a short page."""
NOTHING_LOST, HELD = 0.03, 0.9
"""A page that keeps all but this share of another one, and has more, contains it; one that has
another name must keep such a share."""
MOST_MOVED = 1.0
"""The weight in words of text that stands in another place: two cells may have been exchanged."""
MOST_NEW = 4.0
"""The weight in words of text that the other page does not have at all, or not in its place."""
MOST_AROUND = 0.3
"""The share of all that a page shows that may be lost, links and boilerplate included: main text is
a guess, and may have missed the point of the page."""
YOUNG, YOUNG_SHARE = 8, 0.2
"""While a host has shown fewer different pages than this, nobody knows what it repeats on all of
them: only such a part of the bound may be lost."""


class Context(NamedTuple):
    """What speaks for or against two pages being the same, besides what they say."""

    names_differ: bool = False
    """Each has a name that the other lacks; or the languages differ."""
    names_agree: bool = False
    """They have a title or main heading in common."""
    small_part: bool = False
    """The known page is so much longer that the page is not dropped for it."""
    is_young: bool = False
    """Few different pages of the host are known."""
    is_hidden: bool = False
    """Styles hide most of the text of one of them."""


NO_CONTEXT = Context()


class Kept(Enum):
    """Why a page is not dropped although it is like another, in words."""

    FACTS = "A fact differs, so it is kept."
    NAMED = "Its title, main heading or language is another, so it is kept."
    LOST = "Too much of it would be lost, so it is kept."
    NEW = "A text of it is new, so it is kept."
    AROUND = "Too much of what stands around its main text would be lost, so it is kept."
    MOVED = "A part of it stands in another place there, so it is kept."
    REWORDED = "Too much of it is said in other words, so it is kept."
    HIDDEN = "Styles hide most of its text, or of that page's, so it is kept."
    CUT = "The pages were compared in part only, so it is kept."


def is_comparable(words: int, outline: Outline, settings: Settings) -> bool:
    """Return True if a page has enough text, and all of it, to be compared."""
    return words >= settings.min_words and outline.is_comparable


def is_worth_comparing(distance: int, estimate: Estimate, lowest: float) -> bool:
    """Return True if pages may share so much, given how little a sample says."""
    shared, (mine, theirs), pairs = estimate
    return (
        pairs >= REWORDED_PAIRS
        or distance <= SIMHASH_DISTANCE
        or (mine > 0 and 0 < shared >= least_shared(mine, lowest))
        or (theirs > 0 and 0 < shared >= least_shared(theirs, lowest))
    )


def is_near_match(comparison: Comparison, settings: Settings) -> bool:
    """Return True if runs of words agree so far that units are worth a look."""
    return max(comparison.overlap[1:]) >= gate(settings)


def gate(settings: Settings) -> float:
    """Return the share in runs of words from which on pages are compared unit by unit."""
    return max(0.1, min(settings.near, settings.contained) - MARGIN)


def coverage(comparison: Comparison) -> Both:
    """Return what thresholds are compared with: what each keeps, less what facts that differ say.

    Journals name it, so that other thresholds can be tried on them.
    """
    apart = _disagreement(comparison.loss) if comparison.loss else 0.0
    mine, theirs = kept_shares(comparison)
    return max(0.0, mine - apart), max(0.0, theirs - apart)


def kept_shares(comparison: Comparison) -> Both:
    """Return how much of each page the other keeps: 0…1."""
    if comparison.deep and comparison.deep.by_rs:
        return comparison.deep.rs
    if comparison.loss is None:
        return comparison.overlap[1:]
    mine, theirs = comparison.loss
    known = 1 - mine.lost / mine.weight if mine.weight else 0.0
    return known, 1 - theirs.lost / theirs.weight if theirs.weight else 0.0


def relation(
    comparison: Comparison, settings: Settings, context: Context = NO_CONTEXT
) -> Kind | None:
    """Return how a page relates to a known one; None if it does not.

    A page is no copy of one with another name, however much they share, unless that name is next
    to all that differs. One that has all of an earlier page, and more, is its successor.
    """
    if comparison.deep and comparison.deep.by_rs:
        return _published_relation(comparison.deep, settings)
    loss = comparison.loss
    if loss is None:
        return None
    known, contains = coverage(comparison)
    is_own, has_own = loss.mine.weight >= OWN_WEIGHT, loss.theirs.weight >= OWN_WEIGHT
    # what the titles of a young host share is not known: pages of one heading are alike, and kept
    is_named = context.names_differ and not (context.is_young and context.names_agree)
    may_be_same = not is_named or _says_the_same(loss.mine)
    if is_own and has_own and min(known, contains) >= settings.near:
        if not may_be_same:
            return None
        # main text has grown, too: what stands around it is known only after some pages of the host
        new = min(new_share(loss.mine), 1 - comparison.overlap.containment)
        grown = has_grown(new, loss.theirs.share, settings.max_loss)
        return Kind.CONTAINS if grown else Kind.NEAR
    if is_own and known >= settings.contained and (may_be_same or context.small_part):
        return Kind.CONTAINED
    # a list or a chapter has another name than what it holds, all of it
    least = 1.0 if loss.theirs.others else HELD
    holds = not context.names_differ or 1 - loss.theirs.share >= least
    return Kind.CONTAINS if has_own and holds and contains >= settings.contained else None


def has_grown(new: float, lost: float, max_loss: float) -> bool:
    """Return True if a page has all of another one, and much that is new."""
    return new > GROWN * max_loss and lost <= NOTHING_LOST


def new_share(side: Side) -> float:
    """Return how much of a page is new text; more boilerplate, or other words, are not."""
    if not side.words or not side.weight:
        return 0.0
    return min(side.share, side.lost_words / side.words, side.new / side.weight)


def why_kept(
    comparison: Comparison, kind: Kind, settings: Settings, context: Context = NO_CONTEXT
) -> Kept | None:
    """Return why a page that is like another is not dropped for it; None if it may be."""
    loss = comparison.loss
    if loss is None or kind not in (Kind.NEAR, Kind.CONTAINED):
        return None
    mine, bound = loss.mine, bound_of(settings, context)
    is_lost = mine.share > bound or mine.lost_words > 2 * bound * mine.words
    reasons = (
        (Kept.FACTS, mine.code or (mine.facts and not is_lost)),
        (Kept.NAMED, context.names_differ),
        (Kept.LOST, is_lost),
        (Kept.NEW, mine.new >= MOST_NEW),
        (Kept.MOVED, mine.moved >= MOST_MOVED),
        (Kept.REWORDED, mine.changed > bound),
        (Kept.AROUND, mine.plain_lost > MOST_AROUND * mine.plain),
        (Kept.HIDDEN, context.is_hidden),
        (Kept.CUT, mine.cut),
    )
    for why, holds in reasons:
        if holds:
            return why
    return None


def bound_of(settings: Settings, context: Context) -> float:
    """Return the share of a page that may be lost."""
    return settings.max_loss * (YOUNG_SHARE if context.is_young else 1.0)


def _disagreement(loss: Loss) -> float:
    """Return what facts that differ say against two pages being the same."""
    facts = max(loss.mine.others, loss.theirs.others)
    if not facts:
        return 0.0
    words = max(1.0, min(loss.mine.words, loss.theirs.words))
    return FACTS_DIFFER + EACH_FACT * min(MOST_FACTS, facts / (1 + words / 100))


def _says_the_same(side: Side) -> bool:
    """Return True if next to nothing of a page is lost but its name."""
    is_told = side.facts or side.code or side.changed > NAMED or side.new >= MOST_NEW
    is_whole = side.whole <= min(NAMED_WORDS, NAMED * side.weight)
    return is_whole or (side.weight >= NAMED_WEIGHT and not is_told)


def _published_relation(deep: Deep, settings: Settings) -> Kind | None:
    """Return how pages relate by the thesis: RS if one lies inside the other, else the odds.

    The thesis has no thresholds: its pairs that are alike have odds of 8 to 12, others 0.1 at most.
    """
    here, there = deep.rs
    if here >= settings.contained and there < settings.near:
        return Kind.CONTAINED
    if there >= settings.contained and here < settings.near:
        return Kind.CONTAINS
    alike = odds_ratio(here, there) >= odds_ratio(settings.near, settings.near)
    return Kind.NEAR if alike else None


class KnownPage(subject.KnownPage, Protocol):
    """A page of the store, as far as the judge looks at it."""

    @property
    def digest(self) -> bytes: ...

    @property
    def body(self) -> bytes: ...

    @property
    def words(self) -> int: ...

    @property
    def uncertain(self) -> bool:
        """Whether nobody can be sure that visitors see all of its text."""

    @property
    def presentation(self) -> bytes:
        """A hash of all in the page that can have a say in whether its text is seen."""

    @property
    def run(self) -> int:
        """The number of the run that registered it."""

    @property
    def delivered(self) -> bool: ...


class Match(NamedTuple):
    """A known page, and what was found out about how a page is like it.

    It is a tuple because a page may have dozens of them.
    """

    page: KnownPage
    coverage: Both
    """The share of the page that counts as known from the other, and the reverse."""
    overlap: float
    """The share of either page that is in the other, counted in runs of words."""
    kind: Kind | None = None
    """How the page relates to the known one; None if it does not."""
    stage: str = "estimate"
    """The deepest stage that looked at the known page."""
    distance: int = 0
    """Between the SimHashes."""
    estimate: Estimate | None = None
    """None if a published method found the page."""
    comparison: Comparison | None = None
    """None if the estimate ruled the page out."""
    context: Context = NO_CONTEXT
    level: str = ""
    """The class that the method gave the known page, if it has classes."""
    units: tuple[Units, Units] | None = None
    """What was compared of both pages."""

    @property
    def kept(self) -> Both:
        """The share of the page that the other keeps, and the reverse, whatever facts differ."""
        return kept_shares(self.comparison) if self.comparison else self.coverage

    @property
    def score(self) -> float:
        """The share of the page that the other has word for word: reworded copies come last."""
        loss = self.comparison.loss if self.comparison else None
        return max(0.0, 1 - loss.mine.changed) if loss else self.coverage[0]

    @property
    def deep(self) -> Deep | None:
        return self.comparison.deep if self.comparison else None


def scores_of(match: Match) -> Scores:
    """Return what was measured of a match, for the evidence."""
    comparison, estimate = match.comparison, match.estimate
    if estimate is None:
        forward, backward = known = _rounded(match.coverage)
        if forward == backward:  # as of methods without direction
            return Scores(resemblance=forward, known=known)
        return Scores(containment=forward, contained_by=backward, known=known)
    shares = comparison.overlap if comparison else (estimate.resemblance, *match.coverage)
    resemblance, containment, contained_by = (round(share, 4) for share in shares)
    scores = Scores(match.distance, resemblance, containment, contained_by)
    deep = match.deep
    if comparison and (comparison.loss or deep):
        scores = replace(scores, known=_rounded(match.coverage))
    if deep:
        scores = replace(
            scores,
            covered=_rounded(deep.covered),
            aligned=_rounded(deep.aligned),
            swapped=deep.swapped,
            subject=deep.subject,
            replaced=deep.replaced,
            words=deep.words,
            common=_rounded(deep.common),
            facts=_rounded(deep.facts),
            numbers=deep.numbers,
            rs=_rounded(deep.rs),
            odds_ratio=round(odds_ratio(*deep.rs), 3),
            tree=_rounded(deep.tree),
            sentence_share=_rounded(deep.sentence_share),
            chain=_rounded(deep.chain),
            negated=deep.negated,
        )
    return scores


def lost_of(match: Match, bound: float | None) -> Lost | None:
    """Return what would be lost with a page, in its own words, and what may be."""
    comparison, units = match.comparison, match.units
    if comparison is None or comparison.loss is None:
        return None
    side = comparison.loss.mine
    found = [*told(side, *units)] if units else []
    return Lost(
        round(side.share, 4),
        round(side.lost_words),
        side.units,
        round(side.words),
        tuple(one.text for one in found if one.why == "lost"),
        tuple((one.text, one.partner) for one in found if one.why == "fact"),
        tuple(one.text for one in found if one.why == "moved"),
        None if bound is None else round(bound, 4),
    )


def _rounded(both: Both) -> Both:
    return round(both[0], 4), round(both[1], 4)
