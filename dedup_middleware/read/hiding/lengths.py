"""Numbers and lengths in CSS values."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import NUMBER

EM = 16.0
_PERCENT = 12.8  # pixels, of the width of a screen
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "em": EM,
    "rem": EM,
    "ex": 8.0,
    "ch": 8.0,
    "pt": 1.33,
    "pc": 16.0,
    "cm": 38.0,
    "mm": 3.8,
    "in": 96.0,
    "vw": 12.8,
    "vh": 8.0,
    "vi": 12.8,
    "%": _PERCENT,
}
_LENGTH = re.compile(rf"([-+]?(?:{NUMBER}))([a-z]+|%)?")
_NUMBER = re.compile(rf"({NUMBER})(%?)")
_GREATEST = 1e9


class Length(NamedTuple):
    """A number with its unit."""

    number: float
    unit: str

    @property
    def pixels(self) -> float:
        return self.number * _PIXELS[self.unit]


def lengths(value: str) -> list[Length]:
    """Return the lengths in a value; a number without unit is one.

    >>> [one.pixels for one in lengths("calc(-1em + 2 * 3px) 90deg")]
    [-16.0, 2.0, 3.0]
    """
    found = (Length(_cut(one[1]), one[2] or "") for one in _LENGTH.finditer(value))
    return [one for one in found if one.unit in _PIXELS]


def number(value: str) -> Length | None:
    """Return a value that is a number or percentage without sign; None for any other."""
    found = _NUMBER.fullmatch(value)
    return Length(_cut(found[1]), found[2]) if found else None


def share(value: str) -> float | None:
    """Return a number or percentage, of which 100 is one.

    >>> share("30%"), share(".5"), share("half")
    (0.3, 0.5, None)
    """
    found = number(value)
    if found is None:
        return None
    return found.number * 0.01 if found.unit else found.number


def least(value: str, percent: float = _PERCENT, default: float = 1.0) -> float:
    """Return the least length in pixels."""
    return min(_in_pixels(value, percent), default=default)


def most(value: str, percent: float = _PERCENT) -> float:
    """Return the greatest length in pixels."""
    return max(_in_pixels(value, percent), default=0.0)


def _in_pixels(value: str, percent: float) -> list[float]:
    return [one.number * percent if one.unit == "%" else one.pixels for one in lengths(value)]


def _cut(digits: str) -> float:
    return max(-_GREATEST, min(_GREATEST, float(digits)))
