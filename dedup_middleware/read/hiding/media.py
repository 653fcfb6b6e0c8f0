"""Media queries: which parts of a sheet hold on a desktop screen."""

from __future__ import annotations

import re

from .text import NUMBER, lower, words

SCREEN = 1280.0  # pixels
_EM = 16.0
_MEDIA = ("all", "screen", "only all", "only screen")
_LEAST_WIDTH = re.compile(
    rf"\( ?(?:min-width ?:|width ?>=?) ?({NUMBER})(px|r?em)? ?\)",
)


def is_for_screens(query: str) -> bool:
    """Return True if a media query holds on a desktop screen, whatever the visitor prefers.

    >>> is_for_screens("screen and (min-width: 40em)"), is_for_screens("(max-width: 600px)")
    (True, False)
    """
    return any(_holds(part.strip(" ")) for part in " ".join(words(lower(query))).split(","))


def _holds(query: str) -> bool:
    return not query or all(_holds_part(part.strip(" ")) for part in query.split(" and "))


def _holds_part(part: str) -> bool:
    if part in _MEDIA:
        return True
    width = _LEAST_WIDTH.fullmatch(part)
    if not width:
        return False
    return float(width[1]) * (1.0 if width[2] in (None, "px") else _EM) <= SCREEN
