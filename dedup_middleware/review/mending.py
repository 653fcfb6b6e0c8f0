"""Putting a damaged store right, as far as that goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.store import Editor

from .decisions import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.store import Writer

    from .findings import Findings


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
