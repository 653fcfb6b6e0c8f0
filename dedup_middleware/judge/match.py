"""A match: a known page that may be like a page, as far as the two were compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.fingerprint import subject
from dedup_middleware.similarity import odds_ratio
from dedup_middleware.similarity.loss import told
from dedup_middleware.verdict import Lost, Scores

from .relation import NO_CONTEXT, kept_shares

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.sketch import Estimate
    from dedup_middleware.similarity import Comparison, Deep
    from dedup_middleware.similarity.comparison import Both
    from dedup_middleware.similarity.loss import Units
    from dedup_middleware.verdict import Kind

    from .relation import Context


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
