"""Checks of a store; decisions that it has lost, and journal files still have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.store.verify import Damage

from .decisions import SKIPPED, Decision, key_of
from .journals import JournalFile

if TYPE_CHECKING:
    from dedup_middleware.store import Reader
    from dedup_middleware.store.engine import Step
    from dedup_middleware.store.verify import Damages


def verify(store: Reader, step: Step) -> Damages:
    """Check all of a store; `step` gets how many more entries were looked at."""
    damages = store.verify(step)
    if not (store.path and damages.found.keys() & {Damage.DECISION, Damage.GAP}):
        return damages
    with store.snapshot() as view:
        lost = {*range(view.first_sequence(), view.last_sequence() + 1)}
        lost.difference_update(key[1] for line in view.decisions() if (key := key_of(line)))
    for path in sorted(store.path.glob("journal/*.jsonl")):
        for block in JournalFile(path).blocks():
            for line in (block or b"").splitlines():
                _, sequence = key_of(line) or ("", 0)
                if sequence in lost and (SKIPPED in line or Decision.parse(line)):
                    damages.decisions[sequence] = line
    return damages
