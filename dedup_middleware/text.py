"""Text for people: amounts, terminal-safe text, widths on a terminal, names of commands and paths.

There is one function for each place where text of unknown origin ends up: `escape` for terminals,
`printable` for URLs in logs and reasons, `spreadsheet_cell` for CSV. This module is imported at
the start of every crawl, so rich is imported only where widths of other scripts are needed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import textwrap
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections import Counter

CUT = "…"
_STEP = 1024
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_MINUTE, _HOUR = 60, 3600
_TIME_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?([smhdw])", re.ASCII)
_FEW = 10
# spreadsheets read the full-width signs as the plain ones
_FORMULA_SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def size(count: float) -> str:
    """Format a number of bytes.

    >>> size(0), size(999), size(1536), size(5 * 1024**3)
    ('0 B', '999 B', '1.5 KiB', '5.0 GiB')
    """
    unit = 0
    while count >= _STEP and unit + 1 < len(_UNITS):
        count, unit = count / _STEP, unit + 1
    return f"{count:.1f} {_UNITS[unit]}" if unit else f"{count:.0f} B"


def duration(seconds: float) -> str:
    """Format a length of time.

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


def parse_duration(text: str) -> timedelta | None:
    """Parse a length of time in seconds, minutes, hours, days or weeks; None if it is none.

    >>> [str(parse_duration(text)) for text in ("90s", "1.5 h", "2w", "soon")]
    ['0:01:30', '1:30:00', '14 days, 0:00:00', 'None']
    """
    match = _DURATION.fullmatch(text.strip().lower())
    try:
        return timedelta(**{_TIME_UNITS[match[2]]: float(match[1])}) if match else None
    except OverflowError:
        return None


def count_list(words: Counter[str], most: int = _FEW) -> str:
    """List words with their counts, the most frequent first.

    >>> from collections import Counter
    >>> count_list(Counter(near=2, exact=3)), count_list(Counter(a=3, b=2, c=1, d=1), 2)
    ('exact 3, near 2', 'a 3, b 2 and 2 more')
    """
    shown = ", ".join(f"{word or 'none'} {number:,}" for word, number in words.most_common(most))
    more = len(words) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def escape(text: str) -> str:
    r"""Escape what could control a terminal or reorder a line: control, escape, bidi characters.

    >>> print(escape("a\x1b[2Jb\u202ec\n"))
    a\x1b[2Jb\u202ec\n
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def printable(url: str) -> str:
    r"""Percent-encode the unprintable characters of a URL: it stays the same URL, in one line.

    >>> printable("https://example.org/é\x1b\u202e")
    'https://example.org/é%1B%E2%80%AE'
    """
    if url.isprintable():
        return url
    return "".join(
        character if character.isprintable() else quote(character, errors="surrogatepass")
        for character in url
    )


def spreadsheet_cell(value: object) -> object:
    r"""Return a CSV value that no spreadsheet evaluates as a formula, and that is safe to print.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("\t@SUM(A1)"), spreadsheet_cell(-0.5)
    ("'=1+1", "'\\t@SUM(A1)", -0.5)
    """
    if value is None:
        return ""
    if isinstance(value, int | float):
        return value
    text = str(value)
    mark = "'" if text.strip().startswith(_FORMULA_SIGNS) else ""
    return mark + escape(text)


def warn(*lines: str) -> None:
    """Print a message on stderr; on a terminal wrapped, but for URLs, which people copy."""
    columns = shutil.get_terminal_size().columns if sys.stderr.isatty() else 0
    for line in map(escape, lines):
        rows = [line]
        if len(line) > columns > 0:
            rows = textwrap.wrap(line, columns, break_long_words=False, break_on_hyphens=False)
        sys.stderr.write("".join(f"{row}\n" for row in rows))


def width(text: str) -> int:
    """Return the number of terminal cells that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def head(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into so many cells."""
    if width(text) <= columns:
        return text
    if text.isascii():
        return text[:columns]
    from rich.cells import set_cell_size

    cut = set_cell_size(text, columns)
    return cut if text.startswith(cut) else cut[:-1]  # a space stands for half a wide character


def truncate(text: str, columns: int) -> str:
    """Cut the middle out of a text that is too wide: both ends of a URL say what it is.

    >>> truncate("https://example.org/a/long/way/page.html", 20)
    'https://ex…page.html'
    """
    if width(text) <= columns:
        return text
    room = columns - 1
    tail = head(text[::-1], room // 2)[::-1]
    return f"{head(text, room - width(tail))}{CUT}{tail}"


def beginning(text: str, most: int) -> str:
    """Return a text, cut after so many characters.

    >>> beginning("a long sentence", 6), beginning("short", 6)
    ('a long…', 'short')
    """
    return text if len(text) <= most else f"{text[:most]}{CUT}"


def same_beginning(one: str, other: str) -> int:
    """Return how many characters two texts have in common before they differ.

    >>> same_beginning("/git-log.html", "/git-ls-files.html"), same_beginning("a", "a")
    (6, 1)
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def truncate_around(text: str, columns: int, place: int) -> str:
    """Cut a text that is too wide so that what stands at a place can be seen.

    >>> truncate_around("/manual/version-15/tutorial/transactions.html", 30, 16)
    '/man…rsion-15/tutorial/transa…'
    """
    room = columns - 1
    if width(text) <= columns or not room - room // 2 <= place < len(text) - room // 2:
        return truncate(text, columns)
    begin = head(text, columns // 7)
    rest = text[max(len(begin), place - columns // 5) :]
    left = columns - width(begin) - 1
    return f"{begin}{CUT}{rest if width(rest) <= left else head(rest, left - 1) + CUT}"


def scrapy_command() -> str:
    """Return the name of the running command, with its path unless that one is on PATH."""
    own = Path(sys.executable).with_name("scrapy")
    found = shutil.which("scrapy")
    if not own.exists() or (found and Path(found).resolve() == own.resolve()):
        return "scrapy"
    return shlex.quote(short_path(own))


def short_path(path: str | Path) -> str:
    """Return a path relative to the current folder, if it is below it; a URL stays as it is.

    >>> short_path("/nowhere/near"), short_path(Path.cwd() / "jobs" / "1")
    ('/nowhere/near', 'jobs/1')
    """
    if isinstance(path, str) and "://" in path:
        return path
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


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
