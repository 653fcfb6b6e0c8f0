"""Whether the decisions of a store follow each other, and its journals say the same."""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.lines import blocks, lines_of
from dedup_middleware.store.view import SEQUENCE_KEY

from .decisions import LONGEST_LINE, Decision
from .findings import Findings, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dedup_middleware.store import Reader, View

_SEQUENCE = re.compile(rb'\{"v":\d+,"seq":(\d+),')
_MASK = (1 << 64) - 1
_STEP = 10_000
_LOST, _SEEN = 0, 1  # no hashes
_BEYOND = 1 << 24  # what a key that is not damaged may be ahead of the counter


def check_decisions(
    store: Reader, view: View, findings: Findings, step: Callable[[int], object]
) -> None:
    """Check the decisions of a store, and its journals against them."""
    hashes = _hashes(view, findings, step)
    unsettled = _unsettled(store, view, findings)
    for path in sorted(store.path.glob("journal/*.jsonl")):
        wrong = _compare(path, hashes, findings)
        if wrong and path.stem not in unsettled:
            findings.add(Trouble.JOURNAL, f"{path}: {wrong:,} lines that the store has not", wrong)
            findings.journals.add(path.stem)
    _check_missing(store, view, hashes, findings, unsettled)


def _hashes(view: View, findings: Findings, step: Callable[[int], object]) -> array[int]:
    """Hash each decision, by its number."""
    hashes, most = array("Q", [_LOST]), view.counter("sequence") + _BEYOND
    for count, (key, value) in enumerate(view.entries("decisions"), 1):
        (sequence,) = SEQUENCE_KEY.unpack(key)
        decision = Decision.parse(value)
        readable = decision is not None and decision.sequence == sequence
        if not readable or sequence > most:
            findings.add(Trouble.DECISION, f"decision {sequence}")
        if sequence > most:
            continue
        missing = sequence - len(hashes)
        if missing:
            findings.add(Trouble.GAP, f"before decision {sequence}", missing)
            hashes.extend([_LOST] * missing)
        hashes.append(_hash(value) if readable else _LOST)
        if count % _STEP == 0:
            step(_STEP)
    if view.counter("sequence") < len(hashes) - 1:
        findings.add(Trouble.COUNTER, "that of decisions")
        findings.counters["sequence"] = len(hashes) - 1
    return hashes


def _unsettled(store: Reader, view: View, findings: Findings) -> set[str]:
    """Name the runs whose journals need not be complete yet."""
    unsettled = set()
    for _, value in view.entries("runs"):
        try:
            run = json.loads(value)
            name, ended = run["run"], "finished" in run
        except (ValueError, TypeError, KeyError):
            continue  # told elsewhere
        if not ended:
            unsettled.add(name)
            if not store.is_alive(name):
                findings.notes.append(
                    f"The run {name} died; its journal is completed when the store is next used"
                )
    return unsettled


def _compare(path: Path, hashes: array[int], findings: Findings) -> int:
    """Strike out the decisions that a journal has; count the lines that are no decisions."""
    wrong = 0
    with path.open("rb") as file:
        for block in blocks(file, LONGEST_LINE):
            if block is None:
                wrong += 1
                continue
            for start, end in lines_of(block):
                line = block[start:end].rstrip(b"\n")
                sequence = _sequence(line)
                known = hashes[sequence] if 0 < sequence < len(hashes) else _SEEN
                if known == _hash(line):
                    hashes[sequence] = _SEEN
                elif known == _LOST and Decision.parse(line):
                    findings.decisions[sequence] = line
                else:
                    wrong += 1
    return wrong


def _check_missing(
    store: Reader, view: View, hashes: array[int], findings: Findings, unsettled: set[str]
) -> None:
    """Tell which runs' journals lack decisions."""
    missing: Counter[str] = Counter()
    for key, value in view.entries("decisions"):
        (sequence,) = SEQUENCE_KEY.unpack(key)
        if sequence < len(hashes) and hashes[sequence] > _SEEN:
            decision = Decision.parse(value)
            missing[decision.run if decision else ""] += 1
    for run, count in missing.items():
        path = store.path / "journal" / f"{run}.jsonl"
        if run in unsettled:
            continue
        if path.is_file():
            findings.add(Trouble.JOURNAL, f"{path} lacks {count:,}", count)
            findings.journals.add(run)
        else:
            findings.notes.append(
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
