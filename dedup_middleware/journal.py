"""The journal: every decision as a line of JSON, and what the decisions add up to."""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .errors import StoreError, translated_os_errors
from .files import make_private_folder, open_private
from .fingerprint import SCHEME
from .settings import CROSS_HOST
from .urls import same_site
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .settings import Settings
    from .store import Store
    from .verdict import Verdict

VERSION = 1
OTHER_SITES = "kept though they repeat pages of other sites (DEDUP_CROSS_HOST)"
_TAIL = 1 << 16


def decision(
    verdict: Verdict,
    *,
    url: str,
    run: str,
    spider: str,
    milliseconds: float,
    settings: Settings,
    size: int | None = None,
    overrules: int | None = None,
    first: bool = False,
    final: bool = True,
) -> dict[str, Any] | None:
    """Put a verdict into the form of the journal; None if the settings leave it out.

    The first line of a run also tells what its verdicts depend on. While a page may still be lost,
    its line is not `final`: it names no page that may be deleted for it.
    """
    if verdict.kind is Kind.UNIQUE and not settings.journal_unique and overrules is None:
        return None
    evidence = verdict.evidence
    scores: dict[str, object] = {}
    if verdict.original is not None or settings.journal_near_misses:
        scores = evidence.scores.measured()
    elif evidence.changes:
        scores = {"changed": evidence.scores.changed}
    entry: dict[str, Any] = {
        "v": VERSION,
        "seq": None,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "run": run,
        "spider": spider,
        "url": url,
        "verdict": str(verdict.kind),
        "action": str(verdict.action),
        "original": verdict.original,
        "swallowed": list(evidence.swallowed),
        "stage": evidence.stage,
        "model": evidence.model,
        "scores": scores,
        "reason": verdict.reason,
        "ms": round(milliseconds, 2),
        "bytes": size,
    }
    if overrules is not None:
        entry["overrules"] = overrules
    if evidence.supersedes and final:
        entry["supersedes"] = evidence.supersedes
    if evidence.changes:
        added, removed = evidence.changes.added, evidence.changes.removed
        entry["changes"] = {"added": list(added), "removed": list(removed)}
    if evidence.closest and settings.journal_near_misses:
        entry["closest"] = evidence.closest
    if evidence.suspect:
        entry["suspect"] = evidence.suspect
    if evidence.level and (verdict.original or scores):
        entry["level"] = evidence.level
    if evidence.generation:
        entry["generation"] = evidence.generation
    if evidence.notes:
        entry["notes"] = list(evidence.notes)
    if first:
        entry["thresholds"] = {"near": settings.near, "contained": settings.contained}
        entry["versions"] = {"scrapy-dedup": version("scrapy-dedup"), "scheme": SCHEME}
    return entry


@dataclass(slots=True)
class Tally:
    """What decisions add up to: the one count behind stats, summary and commands.

    A decision that overrules an earlier one takes its place: remove that.
    """

    pages: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """By verdict."""
    stages: Counter[str] = field(default_factory=Counter)
    """By the last stage that was needed, and so paid for."""
    milliseconds: float = 0.0
    size: int = 0
    """Bytes of all pages."""
    saved: int = 0
    """Bytes of those that were dropped."""
    other_sites: int = 0
    """Pages that repeat pages of other sites and were kept."""

    @property
    def drops(self) -> int:
        return self.dropped.total()

    @property
    def drop_rate(self) -> float:
        return self.drops / self.pages if self.pages else 0.0

    def add(
        self,
        verdict: str,
        action: str,
        stage: str,
        *,
        url: str = "",
        original: str | None = None,
        size: int = 0,
        milliseconds: float = 0.0,
        times: int = 1,
    ) -> None:
        """Count a decision; `times` -1 removes one that was counted before."""
        self.pages += times
        self.verdicts[verdict] += times
        self.actions[action] += times
        self.stages[stage] += times
        self.milliseconds += times * milliseconds
        self.size += times * size
        if action == Action.DROP:
            self.dropped[verdict] += times
            self.saved += times * size
        elif original and verdict in CROSS_HOST and not same_site(url, original):
            self.other_sites += times

    def __iadd__(self, other: Tally) -> Self:
        self.pages += other.pages
        for name in ("verdicts", "actions", "dropped", "stages"):
            getattr(self, name).update(getattr(other, name))
        self.milliseconds += other.milliseconds
        self.size += other.size
        self.saved += other.saved
        self.other_sites += other.other_sites
        return self

    def stats(self, verdict: str, action: str, stage: str) -> dict[str, int]:
        """Return the counts that such a decision changes, by their names in Scrapy's stats.

        >>> tally = Tally()
        >>> tally.add("near", "drop", "sentences", size=10)
        >>> tally.stats("near", "drop", "sentences")["verdict/near"]
        1
        """
        return {
            "pages": self.pages,
            f"verdict/{verdict}": self.verdicts[verdict],
            f"action/{action}": self.actions[action],
            f"stage/{stage}": self.stages[stage],
            "bytes/judged": self.size,
            "bytes/dropped": self.saved,
            "other_sites": self.other_sites,
        }


class Journal:
    """The journal file of a run: a projection of the decisions in the store."""

    def __init__(self, path: Path | None) -> None:
        """Open a file to append to; without a path nothing is written."""
        self.path = path
        self._lock = threading.Lock()
        self._rest = b""
        """What could not be written yet."""
        self._file = None
        if path:
            try:
                make_private_folder(path.parent)
                self._file = open_private(path, "ab", buffering=0)
            except OSError as error:
                raise StoreError(f"Can't write the journal {path}: {error}") from error

    @classmethod
    def open(cls, store: Store, path: str | Path | None = None) -> Journal:
        """Start the journal of a run; complete those of runs that died."""
        if store.path:
            for run in store.dead_runs():
                repair(store, store.path, run)
            return cls(Path(path) if path else journal_path(store.path, store.run))
        return cls(Path(path) if path else None)

    def write(self, lines: Iterable[bytes]) -> None:
        if self._file is None:
            return
        with self._lock, translated_os_errors(str(self.path)):
            self._rest += b"".join(line + b"\n" for line in lines)
            while self._rest:  # a nearly full disk takes a part
                self._rest = self._rest[self._file.write(self._rest) :]

    def close(self) -> None:
        if self._file:
            with suppress(StoreError):  # told when it was to be written
                self.write(())
            self._file.close()


def journal_path(store: Path, run: str) -> Path:
    return store / "journal" / f"{run}.jsonl"


def repair(store: Store, folder: Path, run: str) -> None:
    """Make a dead run's journal agree with the store: cut what is too much, add what it lacks."""
    path = journal_path(folder, run)
    with store.snapshot() as view:
        last = _cut(path, view.last_sequence()) if path.exists() else 0
        missing = [line for line in view.decisions(after=last) if json.loads(line)["run"] == run]
    if missing:
        journal = Journal(path)
        journal.write(missing)
        journal.close()
    store.finish_run(run)


def _cut(path: Path, last: int) -> int:
    """Cut what follows the last decision that the store has; return its sequence number."""
    with path.open("r+b") as file:
        at = size = file.seek(0, 2)
        while at:
            at = max(0, at - _TAIL)
            file.seek(at)
            lines = file.read(size - at).splitlines(keepends=True)
            end = size
            for line in reversed(lines if at == 0 else lines[1:]):  # the first may be a part
                sequence = _sequence(line)
                if sequence is not None and sequence <= last:
                    file.truncate(end)
                    return sequence
                end -= len(line)
        file.truncate(0)
    return 0


def _sequence(line: bytes) -> int | None:
    """Return the sequence number of a decision; None if the line is torn or something else."""
    try:
        sequence = json.loads(line)["seq"] if line.endswith(b"\n") else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return sequence if isinstance(sequence, int) else None
