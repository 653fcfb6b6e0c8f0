"""Colours in CSS values, as far as they can be known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .lengths import number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

    Levels = tuple[int, int, int]

FAINT = 0.1  # an alpha or opacity below it is not seen
_SAME = 24  # the greatest difference of two colours that can't be distinguished
NAMED: Mapping[str, Levels] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "silver": (192, 192, 192),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
}
_PICTURES = ("url(", "gradient", "var(", "image")
_TOKEN = re.compile(r"#[0-9a-z]+|[a-z-]+(?:\([^()]*\))?")
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_BETWEEN = re.compile(r"[^ ,/]+")
_PARTS = 3


class Colour(NamedTuple):
    """Red, green and blue from 0 to 255 if they are known, and how much of them is seen."""

    levels: Levels | None
    alpha: float


def is_picture(value: str) -> bool:
    """Return True if a value is a picture, or anything."""
    return any(part in value for part in _PICTURES)


def is_clear(value: str) -> bool:
    """Return True if a value is a colour that is not seen."""
    found = _TOKEN.fullmatch(value)
    colour = _read(value) if found else None
    return colour is not None and colour.alpha < FAINT


def levels(value: str) -> Levels | None:
    """Return a colour that can be known; None for what shines through, pictures and rare names."""
    if is_picture(value):
        return None
    for token in _TOKEN.findall(value):
        colour = _read(token)
        if colour is not None:
            return colour.levels if colour.alpha >= 1 else None
    return None


def are_alike(one: Levels | None, other: Levels | None) -> bool:
    """Return True if two colours are known and can't be distinguished.

    >>> are_alike(levels("#fefefe"), levels("white")), are_alike(levels("white"), None)
    (True, False)
    """
    if one is None or other is None:
        return False
    return all(abs(a - b) <= _SAME for a, b in zip(one, other, strict=True))


def _read(token: str) -> Colour | None:
    if token in NAMED:
        return Colour(NAMED[token], 1.0)
    if token == "transparent":  # noqa: S105 - a colour, no secret
        return Colour(None, 0.0)
    if _HEX.fullmatch(token):
        return _of_digits(token[1:])
    found = _FUNCTION.fullmatch(token)
    return _of_parts(found[1], _BETWEEN.findall(found[2])) if found else None


def _of_digits(digits: str) -> Colour:
    if len(digits) <= _PARTS + 1:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue, alpha = (int((digits + "ff")[at : at + 2], 16) for at in (0, 2, 4, 6))
    return Colour((red, green, blue), alpha / 255)


def _of_parts(kind: str, parts: list[str]) -> Colour | None:
    if len(parts) < _PARTS:
        return None
    alpha = share(parts[_PARTS]) if len(parts) > _PARTS else 1.0
    if alpha is None:
        return None
    return Colour(_of_rgb(parts) if kind == "rgb" else _of_hsl(parts), alpha)


def _of_rgb(parts: list[str]) -> Levels | None:
    found = [number(part) for part in parts[:_PARTS]]
    red, green, blue = (
        -1 if one is None else _level(one.number * 2.55 if one.unit else one.number)
        for one in found
    )
    return None if min(red, green, blue) < 0 else (red, green, blue)


def _of_hsl(parts: list[str]) -> Levels | None:
    """Return a grey; other colours are not computed."""
    saturation, light = number(parts[1]), number(parts[2])
    if saturation is None or light is None or not saturation.unit or not light.unit:
        return None
    if saturation.number and 0 < light.number < 100:  # noqa: PLR2004 - percent
        return None
    grey = _level(light.number * 2.55)
    return grey, grey, grey


def _level(value: float) -> int:
    return min(255, int(value + 0.5))
