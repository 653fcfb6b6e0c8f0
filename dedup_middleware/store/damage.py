"""What can be wrong with a store, and what repair does about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Damage(Enum):
    """Kinds of damage: what is wrong, and what repair does about it (empty: nothing)."""

    PAGE = "records of pages can't be read", "removes the pages, which then pass again"
    TEXT = "texts of pages are missing or can't be unpacked", PAGE[1]
    DIGEST = "texts of pages don't match their digests", PAGE[1]
    ADDRESS = "pages are not listed under their own URL", PAGE[1]
    UNFOUND = "pages can't be found by any look-up key", PAGE[1]
    ORPHAN = "texts belong to no page", "deletes them"
    POSTING = "look-up keys lead to missing pages", "takes them off the index"
    INDEX = "parts of the index can't be read", ""
    URL = "records of URLs can't be read, or lead to pages that never were", "deletes them"
    KEY = "keys of tables are of another kind", "deletes the entries"
    PENDING = "marks of pending pages contradict the records", "corrects the marks"
    SITE = "what was learned of hosts can't be read", "deletes it, to be learned again"
    KEPT = "texts kept of dropped pages can't be unpacked", "deletes them"
    RUN = "records of runs can't be read or lack a number", ""
    COUNTER = "counters are lower than the numbers in use", "corrects them"
    DECISION = (
        "decisions can't be read, or are stored under another number",
        "restores those that journals have",
    )
    GAP = "decisions are missing between others", DECISION[1]

    @property
    def description(self) -> str:
        return self.value[0]

    @property
    def repair(self) -> str:
        return self.value[1]


class Entry(NamedTuple):
    """An entry of a table."""

    table: str
    key: bytes


@dataclass(slots=True)
class Finding:
    """All cases of one kind of damage."""

    damage: Damage
    example: str
    count: int = 0


@dataclass(slots=True)
class Damages:
    """What a check has found, and what repair has to do."""

    found: dict[Damage, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What is unusual, but no damage."""
    pages: set[int] = field(default_factory=set)
    """Pages to remove."""
    missing: set[int] = field(default_factory=set)
    """Pages that only postings know of."""
    entries: list[Entry] = field(default_factory=list)
    """Entries to delete."""
    pending: dict[int, bool] = field(default_factory=dict)
    """How pages must be marked."""
    counters: dict[str, int] = field(default_factory=dict)
    decisions: dict[int, bytes] = field(default_factory=dict)
    """Lines that the store has lost and journals have."""

    def add(self, damage: Damage, example: str, count: int = 1) -> None:
        self.found.setdefault(damage, Finding(damage, example)).count += count

    @property
    def repairable(self) -> bool:
        lost = {Damage.DECISION, Damage.GAP}
        return bool(self.decisions) or any(one.repair for one in {*self.found} - lost)
