"""Doubt: how much a decision needs a second look, by the judge's thresholds and measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import STRICTNESS, Level
from dedup_middleware.verdict import REDUNDANT, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .decisions import Decision

Shares = tuple[float, float]
"""How much of a page is known from the other, and the reverse."""
_SAME = frozenset({Kind.EXACT, Kind.UNCHANGED})
_BOUNDED = frozenset({Kind.NEAR, Kind.CONTAINED})
_MEASURES = ("covered", "aligned", "sentence_share", "tree", "common")
_FACTS = ("swapped", "numbers", "negated")
_BY_CLOSENESS, _BY_LOSS, _BY_SPREAD, _BY_FACTS = 0.8, 0.8, 0.5, 0.5
"""How much doubt each cause can give by itself."""
_WIDEST = 0.5
"""Measures of two pages that are so far apart disagree as much as they can."""
_MOST_PLACES = 4.0
"""More places in a hundred words where facts differ don't make two pages more doubtful."""


DEFAULT = STRICTNESS["balanced"]


def thresholds_of(entry: dict[str, Any]) -> Level | None:
    """Return the thresholds that the first decision of a run tells; None for others."""
    told = entry.get("thresholds")
    return Level(*(told[name] for name in Level._fields)) if told else None


def doubt(decision: Decision, thresholds: Level = DEFAULT) -> float:
    """Return how much a decision needs a second look: 0 sure … 1 doubtful.

    Four causes add up: the page is close to where it would be judged the other way; what would be
    lost is close to what may be; the measures of the two pages disagree; numbers or names differ.
    Equal texts leave no doubt.
    """
    if decision.verdict in _SAME:
        return 0.0
    known = known_shares(decision)
    if known is None or decision.stage == "method":  # its thresholds are not in the journal
        score = share(decision.score)
        return 0.0 if score is None else 1.0 - score
    sure = 1.0 - _BY_CLOSENESS * _closeness(decision, known, thresholds)
    sure *= 1.0 - _BY_LOSS * _closeness_of_loss(decision, thresholds)
    sure *= 1.0 - _BY_SPREAD * min(1.0, _spread(decision) / _WIDEST)
    sure *= 1.0 - _BY_FACTS * min(1.0, _differing_places(decision) / _MOST_PLACES)
    return 1.0 - sure


def known_shares(decision: Decision) -> Shares | None:
    """Return the shares that the judge compared with its thresholds; None if it compared none.

    Samples alone never make a match; where all word sequences were compared and no more, their
    shares are what is known.
    """
    scores, known = decision.scores, decision.scores.get("known")
    if known is None and decision.stage == "shingles" and "contained_by" in scores:
        known = [scores["containment"], scores["contained_by"]]
    return _both(known)


def share(value: float | None) -> float | None:
    """Return a number as a share."""
    return None if value is None else float(min(1, max(0, value)))


def _closeness(decision: Decision, known: Shares, thresholds: Level) -> float:
    """Return 1 for a page on the line between redundant and not, down to 0 far from it."""
    beyond_near = _beyond(min(known), thresholds.near)
    beyond = max(beyond_near, _beyond(known[0], thresholds.contained))
    if (beyond >= 0) != (decision.verdict in REDUNDANT):
        return 1.0  # names, facts or rewording have outweighed the shares
    return 1.0 - min(1.0, abs(beyond))


def _closeness_of_loss(decision: Decision, thresholds: Level) -> float:
    """Return 1 for a page that would lose all that it may, down to 0 for one that loses nothing."""
    lost = decision.lost
    if decision.verdict not in _BOUNDED or lost is None or not lost.share:
        return 0.0
    bound = thresholds.max_loss if lost.bound is None else lost.bound
    return max(0.0, min(lost.share, bound) / max(lost.share, bound))


def _beyond(value: float, threshold: float) -> float:
    """Return how far a share is beyond a threshold, as a part of the way from there to 1."""
    return (value - threshold) / max(1.0 - threshold, 1e-3)


def _spread(decision: Decision) -> float:
    """Return how far apart the measures are of how much one page has of the other."""
    pairs = [both for name in _MEASURES if (both := _both(decision.scores.get(name)))]
    if decision.verdict == Kind.CONTAINED:
        found = [forward for forward, _ in pairs]
    elif decision.verdict == Kind.CONTAINS:
        found = [backward for _, backward in pairs]
    else:
        found = [min(both) for both in pairs]
    return max(found) - min(found) if found else 0.0


def _differing_places(decision: Decision) -> float:
    """Return in how many places of a hundred words numbers, names or denials differ."""
    scores = decision.scores
    shortest: float = min(scores.get("words", (0, 0)))
    differing: float = sum(scores.get(name, 0) for name in _FACTS)
    return differing / (1.0 + shortest / 100)


def _both(values: Sequence[float] | None) -> Shares | None:
    if not values:
        return None
    forward, backward = (min(1.0, max(0.0, value)) for value in values)
    return forward, backward
