"""Plans: how documents are to be made, with all options checked."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.errors import SettingError

if TYPE_CHECKING:
    from random import Random

REORDER = ("paragraphs", "sentences", "nothing")
EDITS = ("replace", "insert", "delete")
_RANGE = re.compile(r"([\d.]+)(?:-([\d.]+))?")


@dataclass(frozen=True, slots=True)
class Range:
    """A range of numbers, both ends included, to draw from."""

    low: float
    high: float

    def draw(self, rng: Random) -> float:
        return self.low if self.low == self.high else rng.uniform(self.low, self.high)

    def draw_whole(self, rng: Random) -> int:
        return rng.randint(int(self.low), int(self.high))

    def __str__(self) -> str:
        low, high = (f"{value:g}" for value in (self.low, self.high))
        return low if low == high else f"{low}-{high}"


NONE = Range(0.0, 0.0)
Shares = Range | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How one document is made of its sources.

    >>> Plan(own=Range(0.5, 1.0))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    SettingError: own must lie from 0 to 0.99, not 0.5-1
    """

    shares: Shares = Range(0.1, 1.0)
    """The least share of each source that is taken: a range, or a figure for each source."""
    own: Range = NONE
    """The share of the document that is in none of its sources."""
    edits: Range = NONE
    """The share of the taken terms that are edited."""
    edit_kinds: tuple[str, ...] = EDITS
    reorder: str = "paragraphs"

    def __post_init__(self) -> None:
        shares = (self.shares,) if isinstance(self.shares, Range) else self.shares
        for share in shares:
            _check("shares", share, 0.001, 1.0)
        if not shares:
            raise SettingError("shares must name at least one figure")
        _check("own", self.own, 0.0, 0.99)
        _check("edits", self.edits, 0.0, 1.0)
        if self.reorder not in REORDER:
            raise SettingError(f"reorder must be one of {', '.join(REORDER)}, not {self.reorder!r}")
        if not self.edit_kinds or not set(self.edit_kinds) <= set(EDITS):
            raise SettingError(
                f"edit kinds must be some of {', '.join(EDITS)}, not {', '.join(self.edit_kinds)!r}"
            )

    def draw_shares(self, count: int, rng: Random) -> list[float]:
        """Draw the share to take of each source."""
        if isinstance(self.shares, Range):
            return [self.shares.draw(rng) for _ in range(count)]
        if len(self.shares) != count:
            raise SettingError(f"shares are {len(self.shares)}, but there are {count} sources")
        return list(self.shares)


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """How a series of documents is made."""

    count: int = 100
    sources: Range = Range(1, 3)
    """The number of sources of each document."""
    plan: Plan = field(default_factory=Plan)
    seed: int = 1
    min_terms: int = 0
    """Documents with fewer terms are labelled as undecided."""


def parse_range(name: str, text: str) -> Range:
    """Parse a number, or two with a dash between them.

    >>> parse_range("own", "0.2-0.5")
    Range(low=0.2, high=0.5)
    """
    match = _RANGE.fullmatch(text.strip())
    try:
        low = float(match[1] if match else "")
        high = float(match[2] or low) if match else low
    except ValueError:
        raise SettingError(f"{name} must be a figure or a range as 0.2-0.5, not {text!r}") from None
    if low > high:
        raise SettingError(f"{name} must go from the smaller to the larger figure, not {text!r}")
    return Range(low, high)


def parse_whole(name: str, text: str, low: int, high: int) -> Range:
    """Parse an integer, or two with a dash between them."""
    range_ = parse_range(name, text)
    if not (range_.low.is_integer() and range_.high.is_integer()):
        raise SettingError(f"{name} must be whole, not {text!r}")
    _check(name, range_, low, high)
    return range_


def parse_shares(text: str) -> Shares:
    """Parse a number or a range for all sources, or a number for each.

    >>> parse_shares("0.6,0.2"), parse_shares("0.3")
    ((0.6, 0.2), Range(low=0.3, high=0.3))
    """
    if "," not in text:
        return parse_range("shares", text)
    shares = [parse_range("shares", part) for part in text.split(",")]
    if any(share.low != share.high for share in shares):
        raise SettingError(f"shares must be one range, or figures with commas, not {text!r}")
    return tuple(share.low for share in shares)


def _check(name: str, value: Range | float, low: float, high: float) -> None:
    range_ = value if isinstance(value, Range) else Range(value, value)
    if not (math.isfinite(range_.high) and low <= range_.low <= range_.high <= high):
        raise SettingError(f"{name} must lie from {low:g} to {high:g}, not {range_}")
