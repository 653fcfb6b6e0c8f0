"""Figures as people read them."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import unicodedata
from pathlib import Path
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


CUT = "…"


def safe(text: str) -> str:
    r"""Replace what could steer a terminal or reorder a line: controls, escapes, bidi marks.

    >>> print(safe("a\x1b[2Jb\u202ec\n"))
    a\x1b[2Jb\u202ec\n
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def complain(text: str) -> None:
    """Say something on stderr, in one line."""
    sys.stderr.write(f"{safe(text)}\n")


def fit(text: str, columns: int) -> str:
    """Cut the middle out of a text that is too wide: a URL is told by both its ends.

    >>> fit("https://example.org/a/long/way/page.html", 20)
    'https://ex…page.html'
    """
    if width(text) <= columns:
        return text
    room = columns - 1
    tail = head(text[::-1], room // 2)[::-1]
    return f"{head(text, room - width(tail))}{CUT}{tail}"


def pad(text: str, columns: int) -> str:
    """Cut or fill a text to a width."""
    text = fit(text, columns)
    return text + " " * (columns - width(text))


def width(text: str) -> int:
    """Count the cells of a terminal that a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def head(text: str, columns: int) -> str:
    """Cut a text at its end, without a mark."""
    for index, character in enumerate(text):
        columns -= _cells(character)
        if columns < 0:
            return text[:index]
    return text


def scrapy_command() -> str:
    """Name the command that started this, by its path if it is not the one on the search path."""
    own = Path(sys.executable).with_name("scrapy")
    found = shutil.which("scrapy")
    if not own.exists() or (found and Path(found).resolve() == own.resolve()):
        return "scrapy"
    return shlex.quote(short_path(own))


def short_path(path: str | Path) -> str:
    """Name a place as seen from here, if it is below.

    >>> short_path("/nowhere/near"), short_path(Path.cwd() / "jobs" / "1")
    ('/nowhere/near', 'jobs/1')
    """
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def printable(url: str) -> str:
    """Show a stranger's URL without what could disturb a terminal or a log."""
    return "".join(
        character if character.isprintable() else f"%{ord(character):02X}" for character in url
    )


# what XML forbids, what no encoding can carry, and what reverses the text around it
_UNFIT = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)


def clean(text: str) -> str:
    r"""Remove what pages and pictures can't show; white space of any kind becomes one space.

    >>> clean("a\x00b\n\u202e c")
    'ab c'
    """
    return " ".join(_UNFIT.sub("", text).split())


def percent(share: float) -> str:
    """Round a share, but never up to all or down to nothing.

    >>> percent(1 / 3), percent(0.999), percent(0.001), percent(1)
    ('33 %', '99 %', '1 %', '100 %')
    """
    whole = round(100 * share)
    if 0 < share < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole} %"


def quantity(count: int, noun: str, plural: str = "") -> str:
    """Put a number before a noun.

    >>> quantity(1, "sentence"), quantity(12345, "sentence")
    ('1 sentence', '12,345 sentences')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
