"""What goes to the terminal: strangers' words made harmless, cut to what fits."""

from __future__ import annotations

import sys
import unicodedata

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
