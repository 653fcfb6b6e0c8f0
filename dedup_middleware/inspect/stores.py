"""Whole stores: what one holds, and checks of it; lost decisions are found in journal files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.store.verify import Damage

from .decisions import SKIPPED, Decision, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.store import Reader
    from dedup_middleware.store.engine import Step, TableSize
    from dedup_middleware.store.verify import Damages


@dataclass(frozen=True, slots=True)
class Contents:
    """A store in figures."""

    scheme: str
    method: str
    runs: int
    alive: int
    """Runs that have not ended."""
    pages: int
    urls: int
    aliases: int
    """URLs that show what another page shows."""
    pending: int
    """Pages whose items have not left all pipelines yet."""
    decisions: int
    tables: dict[str, TableSize]
    file_size: int
    """On disk; of a store on a server, in memory there."""
    journal_size: int | None
    """None if journals are kept elsewhere, as those of a store on a server."""


def contents(store: Reader) -> Contents:
    """Sum up what a store holds."""
    with store.snapshot() as view:
        tables, aliases = view.sizes(), view.copies()
        scheme, method = view.scheme, view.method
    folder = store.path
    return Contents(
        scheme=scheme,
        method=method,
        runs=tables["runs"].entries,
        alive=len(store.live_runs()),
        pages=tables["pages"].entries,
        urls=tables["urls"].entries,
        aliases=aliases,
        pending=tables["pending"].entries,
        decisions=tables["decisions"].entries,
        tables=tables,
        file_size=_size(folder, "data.mdb") if folder else sum(one.size for one in tables.values()),
        journal_size=_size(folder, "journal/*.jsonl") if folder else None,
    )


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))


def verify(store: Reader, step: Step) -> Damages:
    """Check all of a store; `step` gets how many more entries were looked at."""
    damages = store.verify(step)
    if not (store.path and damages.found.keys() & {Damage.DECISION, Damage.GAP}):
        return damages
    with store.snapshot() as view:
        lost = {*range(view.first_sequence(), view.last_sequence() + 1)}
        lost.difference_update(key[1] for line in view.decisions() if (key := key_of(line)))
    for path in sorted(store.path.glob("journal/*.jsonl")):
        with path.open("rb") as lines:
            for line in lines:
                _, sequence = key_of(line) or ("", 0)
                if sequence in lost and (SKIPPED in line or Decision.parse(line)):
                    damages.decisions[sequence] = line.rstrip()
    return damages
