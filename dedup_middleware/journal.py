"""The journal: every decision as a line of JSON, and what the decisions add up to."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .errors import StoreError, translated_os_errors
from .files import make_private_folder, open_private, write_atomically
from .fingerprint import SCHEME
from .settings import CROSS_HOST
from .text import quantity
from .urls import same_site
from .verdict import REDUNDANT, Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .settings import Settings
    from .store import Store, View
    from .verdict import Lost, Verdict

logger = logging.getLogger(__name__)

VERSION = 1
SKIP = "skip"
"""What stands for the action where there is no page: its request was not sent."""
OTHER_SITES = "kept though they repeat pages of other sites (DEDUP_CROSS_HOST)"
_STATES = "journals.json"
"""The file that has the sizes and times of all journals as they were left."""


def decision(
    verdict: Verdict,
    *,
    url: str,
    run: str,
    spider: str,
    settings: Settings,
    milliseconds: float = 0.0,
    size: int | None = None,
    overrules: int | None = None,
    first: bool = False,
    final: bool = True,
) -> dict[str, Any] | None:
    """Put a verdict into the form of the journal; None if the settings leave it out.

    The first line of a run also tells what its verdicts depend on. While a page may still be lost,
    its line is not `final`: it names no page that may be deleted for it.
    """
    if verdict.kind is Kind.UNIQUE and settings.journal_detail == "matches" and overrules is None:
        return None
    evidence = verdict.evidence
    scores: dict[str, object] = {}
    has_closest = settings.journal_detail != "brief"
    if verdict.original is not None or has_closest:
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
        **({"lost": verdict.lost.as_json()} if verdict.lost else {}),
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
        found = evidence.changes
        names = ("classes", "added", "removed")
        entry["changes"] = {name: list(getattr(found, name)) for name in names}
    if evidence.closest and has_closest:
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
        entry["thresholds"] = settings.level._asdict()
        entry["versions"] = {"scrapy-dedup": version("scrapy-dedup"), "scheme": SCHEME}
        entry |= {"dry_run": True} if settings.dry_run else {}
    return entry


def skipped(
    url: str, original: str, rule: str, reason: str, *, run: str, spider: str, more: int = 0
) -> dict[str, Any]:
    """Put a request that was not sent into the form of the journal.

    `original` is the URL that was fetched instead; `more` counts requests that the rule has
    skipped, too, and that have no lines of their own.
    """
    return {
        "v": VERSION,
        "seq": None,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "run": run,
        "spider": spider,
        "url": url,
        "verdict": None,
        "action": SKIP,
        "original": original or None,
        "rule": rule,
        "reason": reason,
        **({"more": more} if more else {}),
    }


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
    words: int = 0
    """Words of those that were dropped."""
    lost: int = 0
    """Words of these that the pages kept don't have."""
    other_sites: int = 0
    """Pages that repeat pages of other sites and were kept."""

    @property
    def drops(self) -> int:
        return self.dropped.total()

    @property
    def new(self) -> int:
        """How many pages are not redundant."""
        return self.pages - sum(self.verdicts[kind] for kind in REDUNDANT)

    @property
    def drop_rate(self) -> float:
        return self.drops / self.pages if self.pages else 0.0

    def loss(self, *, dry_run: bool = False) -> str:
        """Say what the drops lose.

        >>> Tally(dropped=Counter(near=103), words=48310, lost=212).loss()
        '103 pages dropped; 212 of their 48,310 words are not in the pages kept'
        """
        one = self.drops == 1
        dropped = f"{quantity(self.drops, 'page')} {'would be ' * dry_run}dropped"
        words = f"{self.lost:,} of {'its' if one else 'their'} {self.words:,} words"
        missing = f"{'is' if self.lost == 1 else 'are'} not in the page{'s' * (not one)} kept"
        return f"{dropped}; {words} {missing}"

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
        lost: Lost | None = None,
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
            if lost:
                self.words += times * lost.of
                self.lost += times * lost.words
        elif original and verdict in CROSS_HOST and not same_site(url, original):
            self.other_sites += times

    def count(self, verdict: Verdict, url: str, size: int = 0, times: int = 1) -> None:
        """Count the verdict on a page."""
        kind, action, stage = str(verdict.kind), str(verdict.action), verdict.evidence.stage
        original, lost = verdict.original, verdict.lost
        self.add(kind, action, stage, url=url, original=original, size=size, lost=lost, times=times)

    def __iadd__(self, other: Tally) -> Self:
        self.pages += other.pages
        for name in ("verdicts", "actions", "dropped", "stages"):
            getattr(self, name).update(getattr(other, name))
        for name in ("milliseconds", "size", "saved", "words", "lost", "other_sites"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def stats(self) -> dict[str, int]:
        """Return all counts by their names in Scrapy's stats; none before the first page.

        >>> tally = Tally()
        >>> tally.add("near", "drop", "sentences", size=10)
        >>> tally.stats()["verdict/near"]
        1
        """
        if not self.stages:
            return {}
        return {
            "pages": self.pages,
            **{f"verdict/{verdict}": number for verdict, number in self.verdicts.items()},
            **{f"action/{action}": number for action, number in self.actions.items()},
            **{f"stage/{stage}": number for stage, number in self.stages.items()},
            "bytes/judged": self.size,
            "bytes/dropped": self.saved,
            "dropped/words": self.words,
            "lost/words": self.lost,
            "other_sites": self.other_sites,
        }


class Journal:
    """The journal file of a run: a projection of the decisions in the store, for people."""

    def __init__(self, path: Path | None, folder: Path | None = None) -> None:
        """Open a file to append to; without a path nothing is written.

        `folder` is that of the store, if the file is kept there.
        """
        self.path = path
        self._folder = folder
        self._lock = threading.Lock()
        self._rest = b""
        """What could not be written yet."""
        self._written = 0
        self._file = None
        if path:
            try:
                make_private_folder(path.parent)
                self._file = open_private(path, "ab", buffering=0)
                self._is_new = not self._file.tell()
            except OSError as error:
                raise StoreError(f"Can't write the journal {path}: {error}") from error

    @classmethod
    def open(cls, store: Store, path: str | Path | None = None) -> Journal:
        """Start the journal of a run; write those of ended runs anew that disagree with the store.

        A run that died may have left a journal without its last lines, and people may change one.
        """
        if store.path:
            project(store, store.path)
        if path or not store.path:
            return cls(Path(path) if path else None)
        return cls(journal_path(store.path, store.run), store.path)

    def write(self, lines: Iterable[bytes]) -> None:
        if self._file is None:
            return
        with self._lock, translated_os_errors(str(self.path)):
            self._rest += b"".join(line + b"\n" for line in lines)
            while self._rest:  # a nearly full disk takes a part
                count = self._file.write(self._rest)
                self._rest = self._rest[count:]
                self._written += count

    def close(self) -> None:
        if self._file is None or self.path is None:
            return
        with suppress(StoreError):  # told when it was to be written
            self.write(())
        self._file.close()
        if self._folder:
            state = _state(self._folder, self.path.stem)
            is_whole = self._is_new and not self._rest and state and state[0] == self._written
            _note_states(self._folder, [self.path.stem] if is_whole else [])  # else: written anew


def journal_path(store: Path, run: str) -> Path:
    return store / "journal" / f"{run}.jsonl"


def lines_of_run(view: View, run: str) -> Iterator[bytes]:
    """Yield the decisions of a run, in order."""
    before = [one.get("last_sequence", 0) for one in view.runs() if one["run"] == run]
    mark = f'"run":{json.dumps(run)},'.encode()  # quotes within texts are escaped
    return (line for line in view.decisions(after=min(before, default=0)) if mark in line)


def project(store: Store, folder: Path) -> None:
    """Write the journals anew that may disagree with the store.

    Those are of runs that died, and files that are gone, or are not as they were left, by size and
    time. What was forgotten stays so; a copy of a store, which comes without journals, gets none.
    """
    dead = store.dead_runs()
    with store.snapshot() as view:
        done = [run for run in (*dead, *_changed(folder, view)) if _rewritten(folder, view, run)]
    if done:
        _note_states(folder, done)
    for run in dead:
        if run in done:
            store.finish_run(run)


def _rewritten(folder: Path, view: View, run: str) -> bool:
    """Write the journal of a run anew; return False if that is not possible."""
    path = journal_path(folder, run)
    try:
        if path.exists() or any(lines_of_run(view, run)):  # not of a run that judged nothing
            make_private_folder(path.parent)
            lines = (line + b"\n" for line in lines_of_run(view, run))
            write_atomically(path, lines, private=True)
    except OSError as error:  # no reason not to crawl: the store has all decisions
        logger.warning("Can't write the journal %s: %s", path, error)
        return False
    return True


def _changed(folder: Path, view: View) -> list[str]:
    """Return the ended runs whose journals are gone, or not as they were left."""
    left = _states(folder)
    if left is None:
        return []
    runs, first = view.runs(), view.first_sequence()
    alive = {run["run"] for run in runs if "finished" not in run}
    changed = []
    for run in runs:
        name, state = run["run"], _state(folder, run["run"])
        is_forgotten = state is None and run.get("last_sequence", 0) + 1 < first
        if not (name in alive or is_forgotten or state == left.get(name, [])):
            changed.append(name)
    return list(dict.fromkeys(changed))


def _state(folder: Path, run: str) -> list[int] | None:
    """Return the size and the time of a journal; None if there is none."""
    try:
        found = journal_path(folder, run).stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def _states(folder: Path) -> dict[str, list[int]] | None:
    """Return the states of journals as they were left; None if none are kept."""
    try:
        found = json.loads((folder / _STATES).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _note_states(folder: Path, runs: Iterable[str]) -> None:
    noted = {**(_states(folder) or {}), **{run: _state(folder, run) for run in runs}}
    with suppress(OSError), open_private(folder / _STATES, "wb") as file:
        file.write(json.dumps(noted).encode())  # else they are written again
