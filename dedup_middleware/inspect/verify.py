"""Checks of a store, also against its journals, and repair."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.journal import journal_path
from dedup_middleware.jsonl import blocks, lines_of
from dedup_middleware.store import open_reader
from dedup_middleware.store.damage import Damage

from .decisions import LONGEST_LINE, Decision

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.store import Reader, View
    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.protocol import Step

_SEQUENCE = re.compile(rb'\{"v":\d+,"seq":(\d+),')
_MASK = (1 << 64) - 1
_LOST, _SEEN = 0, 1  # no hashes
_BEYOND = 1 << 24  # how far an undamaged number may be ahead of the counter


def verify(store: Reader, step: Step) -> Damages:
    """Check all of a store and its journals; `step` gets how many more entries were looked at."""
    damages = store.verify(step)
    if store.path:
        with store.snapshot() as view:
            _check_journals(store, store.path, view, damages)
    return damages


def repair(path: Path, damages: Damages, map_size: int) -> None:
    """Repair a store; write damaged journals again from its decisions.

    The damaged journal is kept, as `.damaged`.
    """
    with open_reader(path, map_size=map_size) as store:
        store.repair(damages)
        for run in damages.journals:
            _write_journal(store, path, run)


def _check_journals(store: Reader, folder: Path, view: View, damages: Damages) -> None:
    hashes = _hashes(view)
    unfinished = _unfinished(store, view, damages)
    for path in sorted(folder.glob("journal/*.jsonl")):
        wrong = _compare(path, hashes, damages, view.first_sequence())
        if wrong and path.stem not in unfinished:
            damages.add(Damage.JOURNAL, f"{path}: {wrong:,} lines that the store lacks", wrong)
            damages.journals.add(path.stem)
    _check_missing(folder, view, hashes, damages, unfinished)


def _hashes(view: View) -> array[int]:
    """Return a hash of each decision, by its number."""
    hashes, most = array("Q", [_LOST]), view.last_sequence() + _BEYOND
    for line in view.decisions():
        sequence = _sequence(line)
        if 0 < sequence <= most and Decision.parse(line):
            hashes.extend([_LOST] * (sequence + 1 - len(hashes)))
            hashes[sequence] = _hash(line)
    return hashes


def _unfinished(store: Reader, view: View, damages: Damages) -> set[str]:
    """Return the runs whose journals need not be complete yet."""
    unfinished = {run["run"] for run in view.runs() if "finished" not in run}
    alive = store.live_runs()
    damages.notes += (
        f"The run {name} died; its journal is completed when the store is next used"
        for name in sorted(unfinished)
        if name not in alive
    )
    return unfinished


def _compare(path: Path, hashes: array[int], damages: Damages, first: int) -> int:
    """Mark the decisions that a journal has; count the lines that the store lacks.

    Those before the first that the store has kept are forgotten.
    """
    wrong = 0
    with path.open("rb") as file:
        for block in blocks(file, LONGEST_LINE):
            if block is None:
                wrong += 1
                continue
            for start, end in lines_of(block):
                line = block[start:end].rstrip(b"\n")
                sequence = _sequence(line)
                if 0 < sequence < first:
                    continue
                known = hashes[sequence] if 0 < sequence < len(hashes) else _SEEN
                if known == _hash(line):
                    hashes[sequence] = _SEEN
                elif known == _LOST and Decision.parse(line):
                    damages.decisions[sequence] = line
                else:
                    wrong += 1
    return wrong


def _check_missing(
    folder: Path, view: View, hashes: array[int], damages: Damages, unfinished: set[str]
) -> None:
    """Find the runs whose journals lack decisions."""
    missing: Counter[str] = Counter()
    for line in view.decisions():
        sequence = _sequence(line)
        if 0 < sequence < len(hashes) and hashes[sequence] > _SEEN:
            decision = Decision.parse(line)
            missing[decision.run if decision else ""] += 1
    for run, count in missing.items():
        path = journal_path(folder, run)
        if run in unfinished:
            continue
        if path.is_file():
            damages.add(Damage.JOURNAL, f"{path} lacks {count:,}", count)
            damages.journals.add(run)
        else:
            damages.notes.append(
                f"The journal of the run {run} was written elsewhere, or is gone; its {count:,} "
                "decisions are in the store"
            )


def _sequence(line: bytes) -> int:
    match = _SEQUENCE.match(line)
    if match:
        return int(match[1])
    decision = Decision.parse(line)
    return decision.sequence if decision else 0


def _hash(line: bytes) -> int:
    return max(hash(line) & _MASK, _SEEN + 1)


def _write_journal(store: Reader, folder: Path, run: str) -> None:
    journal = journal_path(folder, run)
    new = journal.with_suffix(".new")
    with store.snapshot() as view, new.open("wb") as file:
        for line in view.decisions():
            decision = Decision.parse(line)
            if decision and decision.run == run:
                file.write(line + b"\n")
    if journal.exists():
        journal.replace(journal.with_suffix(".damaged"))
    new.replace(journal)
