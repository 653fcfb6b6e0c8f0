"""What is wrong with a store, and what can be done about it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.store import Editor, Reader

from .decisions import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.store import Writer


class Trouble(Enum):
    """Kinds of damage: what is wrong, and what mending does about it (empty: nothing can be)."""

    PAGE = "records of pages can't be read", "forgets the pages, which then pass again"
    TEXT = "texts of pages are missing or can't be unpacked", PAGE[1]
    DIGEST = "texts of pages are not those that their digests were made of", PAGE[1]
    ADDRESS = "pages don't stand under their own URL", PAGE[1]
    UNFOUND = "pages can't be found by any look-up key", PAGE[1]
    ORPHAN = "texts belong to no page", "deletes them"
    POSTING = "look-up keys lead to pages that are not there", "deletes them"
    URL = "records of URLs can't be read, or lead to pages that never were", "deletes them"
    PENDING = "pages are marked as pending, or not, against their records", "sets the marks right"
    KEPT = "texts kept of dropped pages can't be unpacked", "deletes them"
    RUN = "records of runs can't be read or lack a number", ""
    COUNTER = "counters are lower than the numbers in use", "sets them right"
    DECISION = (
        "decisions can't be read, or are numbered otherwise than they stand",
        "puts back those that journals have",
    )
    GAP = "decisions are missing between others", DECISION[1]
    JOURNAL = "journals lack decisions of the store, or have others", "writes them anew"

    @property
    def what(self) -> str:
        return self.value[0]

    @property
    def mending(self) -> str:
        return self.value[1]


class Delete(NamedTuple):
    """What mending takes out of a table; of several values of a key, one."""

    table: str
    key: bytes
    value: bytes = b""


@dataclass(slots=True)
class Finding:
    """All cases of one kind."""

    trouble: Trouble
    example: str
    count: int = 0


@dataclass(slots=True)
class Findings:
    """What a check has found so far."""

    found: dict[Trouble, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What is out of the ordinary, but no damage."""
    forget: set[int] = field(default_factory=set)
    """Numbers of pages that mending forgets."""
    delete: list[Delete] = field(default_factory=list)
    pending: dict[int, bool] = field(default_factory=dict)
    """How pages must be marked."""
    counters: dict[str, int] = field(default_factory=dict)
    journals: set[str] = field(default_factory=set)
    """Runs whose journals are to be written anew."""
    decisions: dict[int, bytes] = field(default_factory=dict)
    """What the store has lost, but journals have."""

    def add(self, trouble: Trouble, example: str, count: int = 1) -> None:
        self.found.setdefault(trouble, Finding(trouble, example)).count += count

    @property
    def damaged(self) -> bool:
        return bool(self.found)

    @property
    def can_be_mended(self) -> bool:
        lost = {Trouble.DECISION, Trouble.GAP}
        return bool(self.decisions) or any(one.mending for one in {*self.found} - lost)


def walk(path: str) -> None:
    """Go through every entry; end the process with 1 and the reason if there is an error."""
    try:
        with Reader(path) as store, store.snapshot() as view:
            for name in view.sizes():
                for _ in view.entries(name):
                    pass
    except DedupError as error:
        sys.exit(str(error))


def mend(path: Path, findings: Findings, map_size: int) -> None:
    """Take out of a store what can't be right; write journals anew from its decisions.

    What a journal was before is kept beside it, as `.damaged`.
    """
    with Editor(path, map_size=map_size) as store:
        alive = store.live_runs()
        if alive:
            raise StoreError(f"The store {path} is in use by {', '.join(alive)}; wait for its end")
        with store.write() as txn:
            _mend_tables(txn, findings)
        for run in findings.journals:
            _write_journal(store, run)


def _mend_tables(txn: Writer, findings: Findings) -> None:
    for number in findings.forget:
        txn.forget(number)
    for table, key, value in findings.delete:
        txn.take_out(table, key, value)
    for number, pending in findings.pending.items():
        txn.mark_pending(number, pending)
    for number, line in findings.decisions.items():
        txn.put_back(number, line)
    for name, number in findings.counters.items():
        txn.raise_counter(name, number)


def _write_journal(store: Editor, run: str) -> None:
    journal = store.path / "journal" / f"{run}.jsonl"
    new = journal.with_suffix(".new")
    with store.snapshot() as view, new.open("wb") as file:
        for line in view.decisions():
            decision = Decision.parse(line)
            if decision and decision.run == run:
                file.write(line + b"\n")
    if journal.exists():
        journal.replace(journal.with_suffix(".damaged"))
    new.replace(journal)
