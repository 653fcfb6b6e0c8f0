"""Decisions, as they stand in journals."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.lines import bounded_lines
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

LONGEST_LINE = 64 << 20
_SAME = frozenset({Kind.EXACT, Kind.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Decision:
    """A line of a journal."""

    line: bytes = field(repr=False)
    entry: dict[str, Any] = field(repr=False)
    url: str
    verdict: str
    action: str
    original: str | None
    reason: str

    @classmethod
    def parse(cls, line: bytes) -> Decision | None:
        """Read a line; None if it is not a decision."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return cls.of(entry, line)

    @classmethod
    def of(cls, entry: object, line: bytes = b"") -> Decision | None:
        if not isinstance(entry, dict):
            return None
        url, verdict, action = (entry.get(key) for key in ("url", "verdict", "action"))
        if not (isinstance(url, str) and isinstance(verdict, str) and isinstance(action, str)):
            return None
        original, reason = entry.get("original"), entry.get("reason")
        return cls(
            line,
            entry,
            url,
            verdict,
            action,
            original if isinstance(original, str) else None,
            reason if isinstance(reason, str) else "",
        )

    @property
    def scores(self) -> dict[str, Any]:
        scores = self.entry.get("scores")
        return scores if isinstance(scores, dict) else {}

    @property
    def score(self) -> float | None:
        """How much of the page is known from its original; None if it has none."""
        if self.verdict in _SAME:
            return 1.0
        known = self.scores.get("known")
        share = known[0] if isinstance(known, list) and known else self.scores.get("containment")
        if self.original is None or not isinstance(share, int | float):
            return None
        return float(share)

    @property
    def json(self) -> str:
        """The line as it stands in the journal; escaped anew if others' bytes are in it."""
        if self.line.isascii() and b"\x7f" not in self.line:
            return self.line.decode("ascii").strip()
        return json.dumps(self.entry, separators=(",", ":"))


def escaped(text: str) -> bytes:
    """Write a text as it stands in the line of a journal, without quotes."""
    return json.dumps(text)[1:-1].encode()


class Journals:
    """Some journals to be read, more than once if need be.

    What can't be read is told to `complain` once, and kept in `problems`.
    """

    def __init__(
        self, paths: Sequence[Path], complain: Callable[[str], object] | None = None
    ) -> None:
        self.paths = paths
        self.problems: list[str] = []
        self._tell = complain
        self._complained: set[Path] = set()

    def decisions(self, *needles: Iterable[bytes]) -> Iterator[Decision]:
        """Go through the lines that hold one of each group of needles.

        This spares most lines of a big journal the JSON parser; a needle may also stand where it
        means something else, so look at what comes.
        """
        groups = [tuple(group) for group in needles]
        for path in self.paths:
            damaged: list[int] = []
            try:
                with path.open("rb") as file:
                    for number, line in bounded_lines(file, LONGEST_LINE):
                        if line is None or not _looks_whole(line):
                            damaged.append(number)
                        elif _holds(line, groups):
                            decision = Decision.parse(line)
                            if decision:
                                yield decision
                            else:
                                damaged.append(number)
            except OSError as error:
                raise StoreError(f"Can't read the journal {path}: {error.strerror}") from error
            self._complain(path, damaged)

    def _complain(self, path: Path, damaged: list[int]) -> None:
        if not damaged or path in self._complained:
            return
        self._complained.add(path)
        more = f", and {len(damaged) - 1:,} more lines" if len(damaged) > 1 else ""
        problem = f"{path}:{damaged[0]}: torn or not a decision; skipped{more}"
        self.problems.append(problem)
        if self._tell:
            self._tell(problem)


def _looks_whole(line: bytes) -> bool:
    return line[:1] == b"{" and (line[-2:] == b"}\n" or line.rstrip()[-1:] == b"}")


def _holds(line: bytes, groups: Sequence[Sequence[bytes]]) -> bool:
    for group in groups:
        for needle in group:  # no generators: this runs for each line of a big journal
            if needle in line:
                break
        else:
            return False
    return True
