"""Overrides: pages that a person has restored, in files that only grow and outlive a store."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.files import append, bounded_lines
from dedup_middleware.fingerprint.subject import NO_OVERRIDES, PageOverrides
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


logger = logging.getLogger(__name__)

NAME = "restored.jsonl"
VERSION = 1
LOOK_SECONDS = 1.0  # how soon a running crawl sees a new override
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Restoration:
    """A drop that a person calls wrong: this page is not a copy of that one."""

    url: str
    original: str
    by: str = ""
    note: str = ""
    time: str = ""

    @property
    def pair(self) -> tuple[bytes, bytes]:
        return url_key(self.url), url_key(self.original)

    def as_json(self, *, undo: bool = False) -> dict[str, Any]:
        entry = {"v": VERSION, "time": self.time, **asdict(self)}
        return {**entry, "undo": True} if undo else entry


class Overrides:
    """The overrides of all pages.

    >>> overrides = Overrides([Restoration("https://a.example/", "https://b.example/")])
    >>> [overrides.of(url_key(f"https://{host}.example")).restored for host in "abc"]
    [True, False, False]
    >>> [len(overrides.of(url_key(f"https://{host}.example")).excluded) for host in "abc"]
    [1, 1, 0]
    """

    def __init__(self, restorations: Iterable[Restoration] = ()) -> None:
        self.all = tuple({one.pair: one for one in restorations}.values())
        self.damaged: list[str] = []
        """Descriptions of the lines that can't be read."""
        excluded: dict[bytes, set[bytes]] = defaultdict(set)
        for one in self.all:
            page, original = one.pair
            excluded[page].add(original)
            excluded[original].add(page)
        restored = {one.pair[0] for one in self.all}
        self._pages = {
            key: PageOverrides(frozenset(keys), key in restored) for key, keys in excluded.items()
        }

    @classmethod
    def read(cls, *paths: Path) -> Overrides:
        """Read files; missing ones and torn lines are skipped."""
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
        overrides = cls(found)
        overrides.damaged = damaged
        return overrides

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each page and the one that it was dropped for, by their URLs."""
        return [(one.url, one.original) for one in self.all]

    def of(self, key: bytes) -> PageOverrides:
        return self._pages.get(key, NO_OVERRIDES)


class OverrideFiles:
    """The overrides in some files, read again when one has changed."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._state = self._stat()
        self._failed = self._state
        self._overrides = Overrides.read(*paths)
        for text in self._overrides.damaged:
            logger.warning("%s", text)
        self._looked = time.monotonic()

    def now(self) -> Overrides:
        """Return what the files say, at most a second ago: this is called for each page."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._look()
        return self._overrides

    def _look(self) -> None:
        state = self._stat()
        if state != self._state:
            try:
                self._overrides = Overrides.read(*self._paths)
                self._state = state
            except DedupError as error:  # no reason to end a crawl; the next look may succeed
                if state != self._failed:
                    logger.warning("%s; its last content still holds", error)
                self._failed = state
        self._looked = time.monotonic()

    def _stat(self) -> list[tuple[int, int, int] | None]:
        return [_state(path) for path in self._paths]


def append_restoration(path: Path, restoration: Restoration, *, undo: bool = False) -> Restoration:
    """Append a restoration to a file; it is on the disk when this returns."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    dated = replace(restoration, time=now)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        append(path, json.dumps(dated.as_json(undo=undo)).encode())
    except OSError as error:
        raise DedupError(
            f"Can't keep in {path} that {dated.url} was restored: {error.strerror}"
        ) from error
    return dated


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
