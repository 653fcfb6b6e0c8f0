"""Sentences of two pages side by side, as rows of text."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from dedup_middleware.text import escape, head, quantity, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.viewer.comparison import PageComparison
    from dedup_middleware.viewer.side_by_side import Line, Shown

_MARGIN, _NARROWEST, _WIDE = 4, 60, 100
_MOST_TOGETHER = 5
"""Sentences that are shown of a passage that the other page does not have, unless all are."""
_MARKS = {"same": "=", "moved": "^", "reworded": "~", "only": "!"}
_EQUAL = {
    "same": ("sentence is the same in both", "sentences are the same in both"),
    "moved": ("sentence is in both, in another place", "sentences are in both, in another place"),
}


def sentence_rows(comparison: PageComparison, columns: Columns, *, same: bool) -> Iterator[str]:
    """Yield the sentences of both pages; without `same`, equal ones are only counted."""
    from dedup_middleware.viewer.side_by_side import lines_of

    for state, lines in groupby(lines_of(comparison), _state):
        if state in _EQUAL and not same:
            count = sum(max(len(line.first), len(line.second)) for line in lines)
            yield f"{_MARKS[state]} {quantity(count, *_EQUAL[state])}"
        else:
            most = None if same else _MOST_TOGETHER
            yield from (row for line in lines for row in columns.line(line, most))


def _state(line: Line) -> str:
    return "moved" if line.is_moved else line.state.value


class Columns:
    """Two columns as wide as the terminal, or a hundred characters where there is none."""

    def __init__(self, *, colours: bool | None = None) -> None:
        tty = sys.stdout.isatty()
        self.all = max(_NARROWEST, shutil.get_terminal_size().columns if tty else _WIDE)
        self.width = (self.all - 2 * _MARGIN) // 2
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        marked = tty and not plain if colours is None else colours
        self._open, self._close = ("\x1b[7m", "\x1b[0m") if marked else ("[", "]")
        words = "the marked words" if marked else "[the words]"
        legend = (
            f"  =  same   ^  moved   ~  reworded: {words} differ   "
            "!  not in the other page, or elsewhere in it"
        )
        self.legend = textwrap.wrap(legend, self.all, subsequent_indent="  ")
        """What the marks mean, wrapped."""

    @property
    def rule(self) -> str:
        return f"  {'-' * (self.all - _MARGIN)}"

    def line(self, line: Line, most: int | None = None) -> Iterator[str]:
        """Yield the rows of a line; of more sentences than `most` only how many they are."""
        if any(line.left_out):
            yield f"  … {line.left_out[0]} and {line.left_out[1]} sentences are left out"
            return
        mark = _MARKS[_state(line)]
        sides = (self._wrapped(side, most) for side in (line.first, line.second))
        yield from self.rows(f"{mark} ", *sides)

    def rows(self, mark: str, first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
        for at in range(max(len(first), len(second))):
            one, other = (side[at] if at < len(side) else "" for side in (first, second))
            padding = " " * (self.width - self._cells(one))
            yield f"{mark if at == 0 else '  '}{one}{padding}    {other}".rstrip()

    def _wrapped(self, side: Sequence[Shown], most: int | None) -> list[str]:
        rows = [row for shown in side[:most] for row in self._wrap(shown.pieces)]
        more = len(side) - len(side[:most])
        return [*rows, f"… {quantity(more, 'more sentence')}"] if more else rows

    def _wrap(self, pieces: Sequence[str]) -> list[str]:
        """Wrap a sentence; each word of every second piece is marked."""
        words: list[str] = []
        joined = True
        for place, piece in enumerate(pieces):
            for at, word in enumerate(part for whole in piece.split() for part in self._cut(whole)):
                shown = f"{self._open}{word}{self._close}" if place % 2 else word
                joins = at == 0 and joined and words and not piece[:1].isspace()
                if joins and self._cells(words[-1] + shown) <= self.width:
                    words[-1] += shown
                else:
                    words.append(shown)
            joined = not piece[-1:].isspace()
        rows: list[str] = [""]
        for word in words:
            if rows[-1] and self._cells(rows[-1]) + 1 + self._cells(word) > self.width:
                rows.append("")
            rows[-1] += f"{' ' * bool(rows[-1])}{word}"
        return rows

    def _cut(self, word: str) -> Iterator[str]:
        """Cut a word that is wider than a column, as in scripts without spaces."""
        left = escape(word)
        while left:
            part = head(left, self.width - len("[]"))
            yield part
            left = left[len(part) :]

    def _cells(self, text: str) -> int:
        if self._open != "[":  # marks that take no room
            text = text.replace(self._open, "").replace(self._close, "")
        return width(text)
