"""The journal: every decision as a line of JSON, in a file that people and tools can read."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import StoreError
from .store.lmdb.environment import translated
from .verdict import Kind, Scores

if TYPE_CHECKING:
    from .settings import Settings
    from .store import Store
    from .verdict import Verdict

VERSION = 1
_TAIL = 1 << 16


def decision(
    verdict: Verdict,
    *,
    url: str,
    run: str,
    spider: str,
    milliseconds: float,
    size: int | None = None,
    settings: Settings,
) -> dict[str, Any] | None:
    """Put a verdict into the form of the journal; None if the settings leave it out."""
    if verdict.kind is Kind.UNIQUE and not settings.journal_unique:
        return None
    evidence = verdict.evidence
    scores = {
        name: value
        for name in Scores.__slots__
        if (value := getattr(evidence.scores, name)) is not None
    }
    missed = verdict.original is None
    if missed and not settings.journal_near_misses:
        scores = {}
    entry: dict[str, Any] = {
        "v": VERSION,
        "seq": None,
        "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
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
    if evidence.closest and scores:
        entry["closest"] = evidence.closest
    if evidence.notes:
        entry["notes"] = list(evidence.notes)
    return entry


class Journal:
    """The journal file of a run: a projection of the decisions in the store."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise StoreError(f"Can't write the journal {path}: {error}") from error
        self.path = path
        self._lock = threading.Lock()

    @classmethod
    def open(cls, store: Store, path: str | Path | None = None) -> Journal:
        """Start the journal of a run; complete those of runs that died."""
        for run in store.dead_runs():
            repair(store, run)
        return cls(Path(path) if path else journal_path(store, store.run))

    def write(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        with self._lock, translated(str(self.path)):
            while rest:  # a nearly full disk takes a part
                rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        self._file.close()


def journal_path(store: Store, run: str) -> Path:
    return store.path / "journal" / f"{run}.jsonl"


def repair(store: Store, run: str) -> None:
    """Cut a torn last line of a dead run's journal and append what it lacks."""
    path = journal_path(store, run)
    last = _cut_torn_line(path) if path.exists() else 0
    with store.snapshot() as view:
        missing = [line for line in view.decisions(after=last) if json.loads(line)["run"] == run]
    if missing:
        journal = Journal(path)
        for line in missing:
            journal.write(line)
        journal.close()
    with store.write() as txn:
        txn.finish_run(run)


def _cut_torn_line(path: Path) -> int:
    """Cut what follows the last whole decision; return its sequence number."""
    with path.open("r+b") as file:
        at = size = file.seek(0, 2)
        while at:
            at = max(0, at - _TAIL)
            file.seek(at)
            lines = file.read(size - at).splitlines(keepends=True)
            end = size
            for line in reversed(lines if at == 0 else lines[1:]):  # the first may be a part
                sequence = _sequence(line)
                if sequence is not None:
                    file.truncate(end)
                    return sequence
                end -= len(line)
        file.truncate(0)
    return 0


def _sequence(line: bytes) -> int | None:
    """Give the sequence number of a decision; None if the line is none, or torn."""
    try:
        sequence = json.loads(line)["seq"] if line.endswith(b"\n") else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return sequence if isinstance(sequence, int) else None
