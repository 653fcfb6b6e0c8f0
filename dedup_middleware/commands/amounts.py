"""Figures as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter

_STEP = 1024
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_MINUTE, _HOUR = 60, 3600
_FEW = 10


def size(count: float) -> str:
    """Write a number of bytes.

    >>> size(0), size(999), size(1536), size(5 * 1024**3)
    ('0 B', '999 B', '1.5 KiB', '5.0 GiB')
    """
    unit = 0
    while count >= _STEP and unit + 1 < len(_UNITS):
        count, unit = count / _STEP, unit + 1
    return f"{count:.1f} {_UNITS[unit]}" if unit else f"{count:.0f} B"


def duration(seconds: float) -> str:
    """Write a time that something took.

    >>> duration(0.0123), duration(1.5), duration(75), duration(4000)
    ('12 ms', '1.5 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"


def counted(words: Counter[str], most: int = _FEW) -> str:
    """List words with their numbers, the most frequent first.

    >>> from collections import Counter
    >>> counted(Counter(near=2, exact=3)), counted(Counter(a=3, b=2, c=1, d=1), 2)
    ('exact 3, near 2', 'a 3, b 2 and 2 more')
    """
    shown = ", ".join(f"{word or 'none'} {number:,}" for word, number in words.most_common(most))
    more = len(words) - most
    return f"{shown} and {more:,} more" if more > 0 else shown
