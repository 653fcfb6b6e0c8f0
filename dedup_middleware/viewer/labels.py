"""Foreign text made fit for pictures and pages: cleaned, measured, shortened."""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
# What XML forbids, what no encoding can carry, and what turns the text around it the other way.
_UNFIT = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)
_MOST_LETTERS = 4  # an em; there is no end to accents, and they have no width
_NARROW, _PLAIN, _CAPITAL, _BROAD, _SQUARE = 0.36, 0.6, 0.7, 0.95, 1.05
_WIDTHS = {
    **dict.fromkeys(" iljtfrI.,:;'|!()[]{}’‘·-/", _NARROW),
    **dict.fromkeys("mwMW@%—…", _BROAD),
}


def clean(text: str) -> str:
    r"""Leave out what can't be shown; white space of any kind becomes one space.

    >>> clean("a\x00b\n\u202e c")
    'ab c'
    """
    return " ".join(_UNFIT.sub("", text).split())


def width_of(text: str, size: float) -> float:
    """Estimate how wide a text is in a common sans serif; rather too wide than too narrow."""
    return size * sum(map(_width, text))


def fit(text: str, width: float, size: float) -> str:
    """Shorten a text at its end to a width.

    >>> fit("A long sentence about nothing", 100, 12)
    'A long senten…'
    """
    most = int(_MOST_LETTERS * width / size)
    text = clean(text[: 2 * most + 1])
    room = width - size * _width(ELLIPSIS)
    used = 0.0
    end = 0
    for at, letter in enumerate(text):
        used += size * _width(letter)
        if used <= room:
            end = at + 1
        if used > width or at >= most:
            return text[:end].rstrip() + ELLIPSIS
    return text


def fit_name(name: str, width: float, size: float) -> str:
    """Shorten a URL or file name in its middle: both ends tell pages of a site apart."""
    name = clean(name)
    if width_of(name, size) <= width:
        return name
    head = fit(name, width / 2, size)
    tail = fit(name[: -len(head) - 1 : -1], width / 2, size)
    return head + tail[-2::-1]


def percent(share: float) -> str:
    """Round a share, but never up to all or down to nothing.

    >>> percent(1 / 3), percent(0.999), percent(0.001), percent(1)
    ('33 %', '99 %', '1 %', '100 %')
    """
    whole = round(100 * share)
    if 0 < share < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole} %"


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Put a number before a noun.

    >>> counted(1, "sentence"), counted(12345, "sentence")
    ('1 sentence', '12,345 sentences')
    """
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def _width(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if letter.isascii():
        return _CAPITAL if letter.isupper() else _PLAIN
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return _SQUARE
    return _CAPITAL
