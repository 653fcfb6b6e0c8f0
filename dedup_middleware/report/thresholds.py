"""What the judge would say at other thresholds, from the shares that the journal has kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from dedup_middleware.settings import Settings

Both = tuple[float, float]
"""How much of a page is known from the other, and the reverse."""


class Thresholds(NamedTuple):
    near: float
    contained: float

    @classmethod
    def of(cls, settings: Settings) -> Thresholds:
        return cls(settings.near, settings.contained)


def related(known: Both, thresholds: Thresholds) -> Kind | None:
    """Name how a page relates to a known one, as the judge does; the script has the same rule.

    >>> related((0.9, 0.5), Thresholds(near=0.72, contained=0.8))
    <Kind.CONTAINED: 'contained'>
    """
    forward, backward = known
    if min(forward, backward) >= thresholds.near:
        return Kind.NEAR
    if forward >= thresholds.contained:
        return Kind.CONTAINED
    return Kind.CONTAINS if backward >= thresholds.contained else None


def margin(known: Both, thresholds: Thresholds) -> float:
    """Tell how far a pair is from being judged otherwise.

    >>> round(margin((0.7, 0.5), Thresholds(near=0.72, contained=0.8)), 2)
    0.1
    """
    to_near = abs(min(known) - thresholds.near)
    kind = related(known, thresholds)
    if kind is Kind.NEAR:
        return to_near
    to_contained, to_contains = (abs(share - thresholds.contained) for share in known)
    if kind is Kind.CONTAINED:
        return min(to_near, to_contained)
    if kind is Kind.CONTAINS:
        return min(to_near, to_contains)
    return min(to_near, to_contained, to_contains)
