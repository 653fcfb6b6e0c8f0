"""A known page that may be like the page in question, as far as the two were compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.similarity import odds_ratio
from dedup_middleware.verdict import Kind, Scores

from .relation import NO_CONTEXT, REWORDED_PAIRS, SIMHASH_DISTANCE, Context, known, relation

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.sketch import Estimate
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison, Deep
    from dedup_middleware.similarity.comparison import Both

    from .query import KnownPage


class Likeness(Protocol):
    """A known page, and what was found out about how the page in question is like it."""

    @property
    def page(self) -> KnownPage: ...

    @property
    def comparison(self) -> Comparison | None: ...

    @property
    def deep(self) -> Deep | None: ...

    @property
    def context(self) -> Context: ...

    @property
    def known(self) -> Both:
        """The share of the page that is known from the other, and the reverse."""

    @property
    def scores(self) -> Scores: ...

    @property
    def closeness(self) -> float: ...

    @property
    def level(self) -> str:
        """The class that the method gave the known page, if it has classes."""

    @property
    def stage(self) -> str:
        """The deepest stage that looked at the known page."""

    def kind(self, settings: Settings) -> Kind | None:
        """Return how the page relates to the known one; None if it does not."""


class Candidate(NamedTuple):
    """A known page as the cascade sees it; a tuple, as each page in question has dozens of them."""

    page: KnownPage
    distance: int
    estimate: Estimate
    comparison: Comparison | None = None
    """None if the estimate ruled the candidate out."""
    context: Context = NO_CONTEXT

    @property
    def resembles(self) -> bool:
        """Whether anything at all speaks for it."""
        estimate = self.estimate
        return (
            estimate.shared > 0
            or self.distance <= SIMHASH_DISTANCE
            or estimate.pairs >= REWORDED_PAIRS
        )

    @property
    def may_be_reworded(self) -> bool:
        """Whether so many words stand near the same other words that sentences are worth a look."""
        return self.estimate.pairs >= REWORDED_PAIRS

    def kind(self, settings: Settings) -> Kind | None:
        return relation(self.comparison, settings, self.context) if self.comparison else None

    @property
    def deep(self) -> Deep | None:
        return self.comparison.deep if self.comparison else None

    @property
    def known(self) -> Both:
        if self.comparison is None:
            return self.estimate.containment, self.estimate.contained_by
        return known(self.comparison, new_site=self.context.new_site)

    @property
    def scores(self) -> Scores:
        shares = (
            self.comparison.overlap if self.comparison else (self.estimate.resemblance, *self.known)
        )
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
                words=words.words,
                common=_rounded(words.common),
                facts=_rounded(words.facts),
                numbers=words.numbers,
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
                chain=_rounded(deep.chain),
                negated=deep.negated,
            )
        return scores

    @property
    def closeness(self) -> float:
        """The share of either page that is in the other, counted in runs of words."""
        return max(self.comparison.overlap[1:] if self.comparison else self.known)

    @property
    def level(self) -> str:
        return ""

    @property
    def stage(self) -> str:
        if self.comparison is None:
            return "estimate"
        return "sentences" if self.deep else "shingles"


def _rounded(both: Both) -> Both:
    return round(both[0], 4), round(both[1], 4)
