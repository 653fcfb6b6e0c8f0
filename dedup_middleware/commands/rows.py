"""Decisions as rows."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from .screen import VERDICT_STYLES
from .terminal import CUT, fit, pad, safe

if TYPE_CHECKING:
    from dedup_middleware.review.decisions import Decision

    from .screen import Screen

_VERDICT, _SCORE, _GAP = 9, 5, 2
_INDENT = _VERDICT + _SCORE + 2 * _GAP
_REASON_LINES = 2


class Table:
    """Decisions, row by row: cut to the width of a terminal, elsewhere whole between tabs."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._begun = False

    def add(self, decision: Decision) -> None:
        known = decision.score
        score = "" if known is None else f"{known:.2f}"
        verdict, url = safe(decision.verdict), safe(decision.url)
        original = safe(decision.original or "")
        if not self._screen.terminal:
            reason = safe(decision.reason)
            self._screen.write(f"{verdict}\t{score}\t{url}\t{original}\t{reason}\n")
            return
        lines = []
        if not self._begun:
            lines = [self._row(("VERDICT", "SCORE", "URL", "ORIGINAL"), ("bold",) * 4)]
            self._begun = True
        styles = (VERDICT_STYLES.get(decision.verdict, ""), "", "", "")
        lines.append(self._row((verdict, score, url, original), styles))
        reason = decision.reason
        if decision.original and "://" in decision.original:  # it stands above already
            reason = reason.replace(decision.original, "the original")
        room = self._screen.columns - _INDENT
        wrapped = textwrap.wrap(safe(reason), room, max_lines=_REASON_LINES, placeholder=CUT)
        lines += [" " * _INDENT + self._screen.paint(line, "dim") for line in wrapped]
        self._screen.write("".join(f"{line}\n" for line in lines))

    def _row(self, cells: tuple[str, str, str, str], styles: tuple[str, ...]) -> str:
        verdict, score, url, original = cells
        room = self._screen.columns - _INDENT - _GAP
        fitted = (
            pad(verdict, _VERDICT),
            f"{score:>{_SCORE}}",
            pad(url, room // 2),
            fit(original, room - room // 2),
        )
        painted = (
            self._screen.paint(text, style) for text, style in zip(fitted, styles, strict=True)
        )
        return (" " * _GAP).join(painted).rstrip()
