"""Journals: where they are, and the decisions in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.utils.project import data_path

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.verdict import Kind

from .lines import bounded_lines
from .terminal import complain

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator, Sequence

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


def add_arguments(parser: ArgumentParser) -> None:
    """Let the user say which store or journal is meant."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--store", metavar="DIR", help="folder of the store, instead of the one used last"
    )
    where.add_argument("--journal", metavar="FILE", help="read this journal file instead")


def find(opts: Namespace) -> list[Path]:
    """Find the journals that are meant, oldest run first; say which store was chosen."""
    if opts.journal:
        if not Path(opts.journal).is_file():
            raise NotAStore(f"There is no journal {opts.journal}")
        return [Path(opts.journal)]
    store = Path(opts.store) if opts.store else newest_store()
    journals = _journals(store)
    if not journals:
        raise NotAStore(
            f"There is no journal in {store}; a store keeps them in {store / 'journal'}. "
            "Name the store's folder with --store, or a journal file with --journal"
        )
    return journals


def escaped(text: str) -> bytes:
    """Write a text as it stands in the line of a journal, without quotes."""
    return json.dumps(text)[1:-1].encode()


class Journals:
    """Some journals to be read, more than once if need be."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = paths
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
        complain(f"{path}:{damaged[0]}: torn or not a decision; skipped{more}")


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


def newest_store() -> Path:
    """Find the store under the project's data whose journal was written last."""
    root = Path(data_path("dedup"))
    journals = [
        path
        for path in root.rglob("*.jsonl")
        # `scrapy shell` and its like leave empty ones
        if path.parent.name == "journal" and path.stat().st_size
    ]
    if not journals:
        raise NotAStore(
            f"There is no store under {root} yet. Run a crawl with the add-on enabled or "
            "`scrapy dedup scan PATH…`, or name a store with --store DIR"
        )
    store = max(journals, key=lambda path: (path.stat().st_mtime_ns, path.name)).parent.parent
    complain(f"Store: {store}")
    return store


def _journals(store: Path) -> list[Path]:
    return sorted((store / "journal").glob("*.jsonl"))  # names of runs sort by time
