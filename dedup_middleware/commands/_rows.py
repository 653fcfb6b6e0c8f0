"""Decisions as rows on the terminal, fitted to its width."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.text import CUT, fit, fit_around, pad, safe, same_beginning, width
from dedup_middleware.urls import rest_of

from ._screen import VERDICT_STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.inspect.decisions import Decision

    from ._screen import Screen

_VERDICT, _ACTION, _NUMBER, _GAP = 9, 6, 5, "  "
_SIDE_BY_SIDE, _IN_ONE_LINE = 110, 180
"""Columns from which a page stands beside its original, and the reason too."""


class _Room(NamedTuple):
    """How wide the parts of a row are; one that is 0 stands in a line of its own."""

    page: int
    original: int = 0
    reason: int = 0


def score_of(decision: Decision) -> str:
    return share_text(decision.score)


def share_text(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


class Table:
    """Rows of decisions: a page, its original, the reason; elsewhere separated by tabs.

    What the URLs have in common is shown once, in the first line.
    """

    def __init__(
        self,
        screen: Screen,
        urls: Iterable[str] = (),
        *,
        folders: Iterable[str] = (),
        actions: bool = False,
        number: tuple[str, Callable[[Decision], str]] = ("score", score_of),
    ) -> None:
        """Take some of the URLs to come, or where they are; with `actions`, rows name these too."""
        self._screen = screen
        self._urls = list(urls)
        self._folders = list(folders)
        self._actions = actions
        self._name, self._number = number
        before = [_VERDICT, _ACTION, _NUMBER] if actions else [_VERDICT, _NUMBER]
        self._margin = " " * (sum(before) + len(_GAP) * len(before))
        self._common = ""
        self._room: _Room | None = None

    def add(self, decision: Decision) -> None:
        if not self._screen.terminal:
            cells = [decision.verdict, *([decision.action] if self._actions else [])]
            cells += [score_of(decision), decision.url, decision.original or ""]
            lines = ["\t".join(map(safe, [*cells, decision.reason]))]
        else:
            lines = []
            if self._room is None:
                self._common = self._screen.common(self._urls or self._folders)
                self._room = self._rooms()
                lines.append(self._header(self._room))
            lines += self._lines(decision, self._room)
        self._screen.write("".join(f"{line.rstrip()}\n" for line in lines))

    def _rooms(self) -> _Room:
        room = self._screen.columns - len(self._margin)
        if self._screen.columns < _SIDE_BY_SIDE or self._screen.wide:
            return _Room(room)
        if self._screen.columns < _IN_ONE_LINE:
            half = (room - len(_GAP)) // 2
            return _Room(half, half)
        shown = [width(safe(rest_of(url, self._common))) for url in self._urls]
        third = min((room - 2 * len(_GAP)) // 3, max(shown, default=room))
        return _Room(third, third, room - 2 * (third + len(_GAP)))

    def _header(self, room: _Room) -> str:
        titles = "PAGE, = ORIGINAL"
        if room.original:
            titles = f"{pad('PAGE', room.page)}{_GAP}{pad('ORIGINAL', room.original)}"
        if room.reason:
            titles += f"{_GAP}REASON"
        bold = self._screen.paint(titles.rstrip(), "bold")
        return self._start("VERDICT", "ACTION", self._name.upper(), "bold") + bold

    def _lines(self, decision: Decision, room: _Room) -> list[str]:
        start = self._start(safe(decision.verdict), safe(decision.action), self._number(decision))
        page, original = (
            safe(rest_of(url or "", self._common)) for url in (decision.url, decision.original)
        )
        if self._screen.wide:
            reason = self._dim(safe(decision.reason))
            return [start + page, *self._below(original), self._margin + reason]
        place, reason = same_beginning(page, original), self._brief(decision)
        row = start + pad(fit_around(page, room.page, place), room.page)
        if not room.original:
            below = self._below(fit_around(original, room.page, place))
            return [row, *below, self._margin + self._dim(_head(reason, room.page))]
        row += _GAP + pad(fit_around(original, room.original, place), room.original)
        if not room.reason:
            whole = self._screen.columns - len(self._margin)
            return [row, self._margin + self._dim(_head(reason, whole))]
        return [row + _GAP + self._dim(_head(reason, room.reason))]

    def _below(self, original: str) -> list[str]:
        return [f"{self._margin[: -len('= ')]}= {original}"] if original else []

    def _brief(self, decision: Decision) -> str:
        """Return the reason without the URL of the original, which stands in the row."""
        reason, original, closest = decision.reason, decision.original, decision.closest
        if original and "://" in original:
            reason = reason.replace(f"in {original}", "there").replace(original, "the original")
        if closest and "://" in closest:
            reason = reason.replace(closest, rest_of(closest, self._common))
        return safe(reason)

    def _start(self, verdict: str, action: str, number: str, style: str = "") -> str:
        painted = self._screen.paint(
            pad(verdict, _VERDICT), style or VERDICT_STYLES.get(verdict, "")
        )
        cells = [painted, *([self._screen.paint(pad(action, _ACTION), style)] * self._actions)]
        cells += [self._screen.paint(f"{number:>{_NUMBER}}", style), ""]
        return _GAP.join(cells)

    def _dim(self, text: str) -> str:
        return self._screen.paint(text, "dim")


def _head(text: str, room: int) -> str:
    """Return as many words of a text as fit into one line."""
    if width(text) <= room:
        return text
    words = textwrap.wrap(text, room, max_lines=1, placeholder=CUT)
    return words[0] if words and width(words[0]) <= room else fit(text, room)
