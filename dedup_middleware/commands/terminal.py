"""What goes to the terminal: strangers' words made harmless, rows that fit."""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.review.decisions import Decision

_VERDICT, _SCORE, _GAP = 9, 5, 2
_INDENT = _VERDICT + _SCORE + 2 * _GAP
_NARROWEST = 60
_REASON_LINES = 2
_CUT = "…"


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
    return f"{head(text, room - width(tail))}{_CUT}{tail}"


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


class Table:
    """Decisions, row by row: cut to the width of a terminal, elsewhere whole between tabs."""

    def __init__(self, stream: TextIO, write: Callable[[str], object] | None = None) -> None:
        self._write = write or stream.write
        self._columns = (
            max(shutil.get_terminal_size().columns, _NARROWEST) if stream.isatty() else 0
        )
        self._begun = False

    def add(self, decision: Decision) -> None:
        score = "" if decision.score is None else f"{decision.score:.2f}"
        verdict, url, original = map(
            safe, (decision.verdict, decision.url, decision.original or "")
        )
        if not self._columns:
            cells = (verdict, score, url, original, safe(decision.reason))
            self._write("\t".join(cells) + "\n")
            return
        lines = [] if self._begun else [self._row("VERDICT", "SCORE", "URL", "ORIGINAL")]
        self._begun = True
        lines.append(self._row(verdict, score, url, original))
        reason = decision.reason
        if decision.original and "://" in decision.original:  # it stands above already
            reason = reason.replace(decision.original, "the original")
        room = self._columns - _INDENT
        wrapped = textwrap.wrap(safe(reason), room, max_lines=_REASON_LINES, placeholder=_CUT)
        lines += [" " * _INDENT + line for line in wrapped]
        self._write("".join(f"{line}\n" for line in lines))

    def _row(self, verdict: str, score: str, url: str, original: str) -> str:
        room = self._columns - _INDENT - _GAP
        row = (pad(verdict, _VERDICT), f"{score:>{_SCORE}}", pad(url, room // 2))
        return (" " * _GAP).join((*row, fit(original, room - room // 2))).rstrip()
