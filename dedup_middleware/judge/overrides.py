"""Pages that a person has told apart, in files that only grow and that outlive a store."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.jsonl import append, bounded_lines
from dedup_middleware.text import printable
from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dedup_middleware.verdict import Verdict

logger = logging.getLogger(__name__)

NAME = "restored.jsonl"
VERSION = 1
LOOK_SECONDS = 1.0  # how long a crawl may go on before it hears of what was restored meanwhile
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Restoration:
    """What a person said: this page was wrongly dropped in favour of that one."""

    url: str
    original: str
    by: str = ""
    note: str = ""
    time: str = ""

    @property
    def pair(self) -> tuple[bytes, bytes]:
        return url_key(self.url), url_key(self.original)

    def as_json(self, *, undo: bool = False) -> dict[str, Any]:
        said = {"v": VERSION, "time": self.time, **asdict(self)}
        return {**said, "undo": True} if undo else said


class Told(NamedTuple):
    """What people said about one page."""

    apart: frozenset[bytes] = frozenset()
    """The keys of the URLs that it never matches."""
    restored: bool = False
    """Whether it was dropped once, wrongly, and is not to be dropped again."""


NOTHING = Told()


class Restored:
    """What people said about all pages.

    >>> told = Restored([Restoration("https://a.example/", "https://b.example/")])
    >>> [told.of(url_key(f"https://{host}.example")).restored for host in "abc"]
    [True, False, False]
    >>> [len(told.of(url_key(f"https://{host}.example")).apart) for host in "abc"]
    [1, 1, 0]
    """

    def __init__(self, restorations: Iterable[Restoration] = ()) -> None:
        self.all = tuple({one.pair: one for one in restorations}.values())
        self.damaged: list[str] = []
        """What could not be read, in words."""
        apart: dict[bytes, set[bytes]] = defaultdict(set)
        for one in self.all:
            page, original = one.pair
            apart[page].add(original)
            apart[original].add(page)
        restored = {one.pair[0] for one in self.all}
        self._told = {key: Told(frozenset(keys), key in restored) for key, keys in apart.items()}

    @classmethod
    def read(cls, *paths: Path) -> Restored:
        """Read files; one that is not there says nothing, nor does a line that is torn."""
        found: list[Restoration] = []
        damaged: list[str] = []
        for path in paths:
            try:
                found += _read(path, damaged)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise DedupError(
                    f"Can't read {path}, where restored pages are listed: {error.strerror}"
                ) from error
        restored = cls(found)
        restored.damaged = damaged
        return restored

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each page and the one that it was dropped for, by their URLs."""
        return [(one.url, one.original) for one in self.all]

    def of(self, key: bytes) -> Told:
        return self._told.get(key, NOTHING)


class RestoredFiles:
    """What people said in some files, read again when one has changed."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._state = self._stat()
        self._failed = self._state
        self._restored = Restored.read(*paths)
        for text in self._restored.damaged:
            logger.warning("%s", text)
        self._looked = time.monotonic()

    def now(self) -> Restored:
        """Give what is said now, or was a moment ago: this is asked for each page."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._look()
        return self._restored

    def _look(self) -> None:
        state = self._stat()
        if state != self._state:
            try:
                self._restored = Restored.read(*self._paths)
                self._state = state
            except DedupError as error:  # a crawl need not end for it; the next look may do better
                if state != self._failed:
                    logger.warning("%s; what it said before still holds", error)
                self._failed = state
        self._looked = time.monotonic()

    def _stat(self) -> list[tuple[int, int, int] | None]:
        return [_state(path) for path in self._paths]


def spared(verdict: Verdict, told: Told, key: bytes) -> Verdict:
    """Let a page that was restored pass, whatever other page it is like.

    That it shows what it showed itself before is another matter, unless a person said so of that.
    """
    if not told.restored or verdict.action is not Action.DROP or verdict.original is None:
        return verdict
    if verdict.kind is Kind.UNCHANGED and key not in told.apart:
        return verdict
    note = f"passes, restored by a person, although it is like {printable(verdict.original)}"
    return replace(noted(verdict, (note,)), action=Action.PASS)


def noted(verdict: Verdict, notes: tuple[str, ...]) -> Verdict:
    if not notes:
        return verdict
    evidence = replace(verdict.evidence, notes=verdict.evidence.notes + notes)
    return replace(verdict, evidence=evidence)


def tell(path: Path, restoration: Restoration, *, undo: bool = False) -> Restoration:
    """Write down what a person says; it is on the disk when this returns."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    told = replace(restoration, time=now)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        append(path, json.dumps(told.as_json(undo=undo)).encode())
    except OSError as error:
        raise DedupError(
            f"Can't keep in {path} that {told.url} was restored: {error.strerror}"
        ) from error
    return told


def _read(path: Path, damaged: list[str]) -> list[Restoration]:
    """Read the restorations of a file that were not undone."""
    found: dict[tuple[bytes, bytes], Restoration] = {}
    with path.open("rb") as file:
        for number, line in bounded_lines(file, _LONGEST_LINE):
            if line is not None and not line.strip():
                continue
            entry = _parsed(line or b"")
            if entry is None:
                damaged.append(f"{path}:{number}: torn or not a restored page; skipped")
                continue
            restoration, undo = entry
            found.pop(restoration.pair, None)
            if not undo:
                found[restoration.pair] = restoration
    return list(found.values())


def _parsed(line: bytes) -> tuple[Restoration, bool] | None:
    try:
        entry = json.loads(line)
        texts = [entry.get(name, "") for name in Restoration.__slots__]
    except (ValueError, AttributeError, RecursionError):
        return None
    if not (all(isinstance(text, str) for text in texts) and all(texts[:2])):
        return None
    return Restoration(*texts), entry.get("undo") is True


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
