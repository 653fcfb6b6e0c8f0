"""The ledger: one line a run, which says what was run, from which seed, and what came of it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One run of a kind, from one seed."""

    kind: str
    seed: int
    commit: str
    """The last that changed the package or the core; it ends in `+` if files differed from it."""
    passed: bool
    cpu: int
    """Seconds of user and system time of everything that was started."""
    figures: dict[str, int] = field(default_factory=dict)
    """What was done; they add up, but for those whose name begins with `most_`."""


def read(path: Path) -> list[Entry]:
    """Return the entries of a ledger, in order."""
    if not path.exists():
        return []
    return [Entry(**json.loads(line)) for line in path.read_text().splitlines()]


def append(path: Path, entry: Entry) -> None:
    """Add a line."""
    with path.open("a") as file:
        file.write(f"{json.dumps(asdict(entry))}\n")


def next_seed(entries: list[Entry], kind: str) -> int:
    """Return the first seed above all that runs of a kind have used.

    >>> next_seed([Entry("kills", 4, "c0ffee", True, 9)], "kills"), next_seed([], "kills")
    (5, 1)
    """
    return 1 + max((entry.seed for entry in entries if entry.kind == kind), default=0)


def totals(entries: list[Entry]) -> str:
    """Return a table with a line for each kind: runs, failures, CPU time, sums of the figures.

    >>> print(totals([Entry("kills", 1, "c0ffee", True, 9, {"kills": 3, "lost": 0})] * 2))
    | kind | runs | failed | CPU s | figures |
    |---|---|---|---|---|
    | kills | 2 | 0 | 18 | kills 6, lost 0 |
    """
    by_kind: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_kind[entry.kind].append(entry)
    lines = ["| kind | runs | failed | CPU s | figures |", "|---|---|---|---|---|"]
    for kind, runs in sorted(by_kind.items()):
        sums: Counter[str] = Counter()
        for entry in runs:
            sums.update(entry.figures)
        for name in sums:
            if name.startswith("most_"):
                sums[name] = max(entry.figures.get(name, 0) for entry in runs)
        figures = ", ".join(f"{name.replace('_', ' ')} {sums[name]:,}" for name in sums)
        failed = sum(not entry.passed for entry in runs)
        cpu = sum(entry.cpu for entry in runs)
        lines.append(f"| {kind} | {len(runs)} | {failed} | {cpu:,} | {figures} |")
    return "\n".join(lines)
