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
        """Start the journal of a run; write those of runs that died anew, which may lack lines."""
        if store.path:
            project(store, store.path)
            path = path or journal_path(store.path, store.run)
        return cls(Path(path) if path else None)

    def write(self, lines: Iterable[bytes]) -> None:
        if self._file is None:
            return
        with self._lock, translated_os_errors(str(self.path)):
            self._rest += b"".join(line + b"\n" for line in lines)
            while self._rest:  # a nearly full disk takes a part
                count = self._file.write(self._rest)
                self._rest = self._rest[count:]

    def close(self) -> None:
        if self._file:
            with suppress(StoreError):  # told when it was to be written
                self.write(())
            self._file.close()


def journal_path(store: Path, run: str) -> Path:
    return store / "journal" / f"{run}.jsonl"


def lines_of_run(view: View, run: str) -> Iterator[bytes]:
    """Yield the decisions of a run, in order."""
    before = [one.get("last_sequence", 0) for one in view.runs() if one["run"] == run]
    mark = f'"run":{json.dumps(run)},'.encode()  # quotes within texts are escaped
    return (line for line in view.decisions(after=min(before, default=0)) if mark in line)


def project(store: Store, folder: Path) -> None:
    """Write the journals of runs that died anew from the store.

    Those of runs that died and judged nothing are not made; a copy of a store, which comes without
    journals, gets none.
    """
    for run in store.dead_runs():
        path = journal_path(folder, run)
        try:
            with store.snapshot() as view:
                if path.exists() or any(lines_of_run(view, run)):
                    make_private_folder(path.parent)
                    lines = (line + b"\n" for line in lines_of_run(view, run))
                    write_atomically(path, lines, private=True)
        except OSError as error:  # no reason not to crawl: the store has all decisions
            logger.warning("Can't write the journal %s: %s", path, error)
        else:
            store.finish_run(run)
