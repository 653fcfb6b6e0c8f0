"""The decisions in journals that may still grow."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.review.decisions import LONGEST_LINE, Decision

from .following import Followed
from .places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from .places import Place

MOST_ROWS = 25_000
"""Decisions that are given at once: more would keep others waiting."""


class Fresh(NamedTuple):
    """Decisions that somebody does not have yet."""

    decisions: Iterator[Decision]
    last: dict[str, int]
    """What to ask for next, by a name."""
    more: bool
    """Whether there are others."""


class Unknown(Exception):
    """Somebody asks for what comes after something that is not known here."""


class Live:
    """All decisions of some journals, read on whenever somebody asks; threads may share it."""

    def __init__(self, paths: Callable[[], Iterable[Path]]) -> None:
        self.name = f"since-{secrets.token_hex(4)}"
        """Names the order in which this one has read the decisions."""
        self._paths = paths
        self._files: list[Followed] = []
        self._places = Places()
        self._lock = threading.Lock()

    def fresh(self, after: Mapping[str, int]) -> Fresh:
        """Give what comes after the rows that are known: by number here, or by runs."""
        with self._lock:
            self._read_on()
            count = len(self._places)
            start = min(after.get(self.name, 0), count)
            others = [name for name in after if name != self.name]
            for name in others:
                if name not in self._places.runs:
                    raise Unknown(name)
            stop = min(start + MOST_ROWS, count)
            places = [self._places[number] for number in range(start, stop)]
        if others:
            places = [one for one in places if one.sequence > after.get(one.run, 0)]
        return Fresh(self._decisions(places), {self.name: stop}, stop < count)

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Look a decision up; None if there is none."""
        with self._lock:
            place = self._places.find(run, sequence)
            if place is None:
                self._read_on()
                place = self._places.find(run, sequence)
        return next(self._decisions([place]), None) if place else None

    @property
    def problems(self) -> list[str]:
        """What can't be read."""
        with self._lock:
            return [problem for file in self._files for problem in file.problems]

    def _read_on(self) -> None:
        known = {file.path for file in self._files}
        self._files += [Followed(path) for path in self._paths() if path not in known]
        for number, file in enumerate(self._files):
            for offset, line in file.lines():
                if line.strip() and not self._places.add(number, offset, line):
                    file.damaged += 1

    def _decisions(self, places: Iterable[Place]) -> Iterator[Decision]:
        """Read lines again; what has changed meanwhile is left out."""
        number, file, at = -1, None, 0
        try:
            for place in places:
                if place.file != number:
                    if file:
                        file.close()
                    number, file, at = place.file, self._open(place.file), 0
                if file is None:
                    continue
                if place.offset != at:
                    file.seek(place.offset)
                line = file.readline(LONGEST_LINE)
                at = place.offset + len(line)
                decision = Decision.parse(line)
                if decision and _is_at(decision, place):
                    yield decision
        finally:
            if file:
                file.close()

    def _open(self, number: int) -> BinaryIO | None:
        try:
            return self._files[number].path.open("rb")
        except OSError:  # it was there before; the next look says what is wrong
            return None


def _is_at(decision: Decision, place: Place) -> bool:
    return decision.run == place.run and decision.entry.get("seq") == place.sequence
