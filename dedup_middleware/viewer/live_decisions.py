"""Decisions of a store that are read on while crawls make them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.store import open_reader

if TYPE_CHECKING:
    from pathlib import Path

MOST_ROWS = 25_000
"""Decisions that are returned at once: more would keep others waiting."""


class NewDecisions(NamedTuple):
    """Decisions after a sequence number."""

    decisions: list[Decision]
    last: int
    """The sequence number after which the next ones follow."""
    more: bool
    """Whether the store has more of them by now."""
    overruled: list[tuple[str, int]]
    """Run and number of the decisions that they overrule, which may have been given before."""


class LiveDecisions:
    """All decisions of a store, which is opened at each call; threads may share it."""

    def __init__(self, store: str | Path) -> None:
        self.runs: dict[str, None] = {}
        """The runs that have decisions, as far as they were read."""
        self.problems: list[str] = []
        """What could not be read at the last call of `after`."""
        self._store = store

    def after(self, number: int) -> NewDecisions:
        """Return the decisions above a sequence number, at most `MOST_ROWS` of them."""
        try:
            with open_reader(self._store) as reader, reader.snapshot() as view:
                lines = [*islice(filter(None, view.decisions(after=number)), MOST_ROWS + 1)]
                last = view.last_sequence()
        except StoreError as error:  # what was shown stays, and the store may come back
            self.problems = [str(error)]
            return NewDecisions([], number, False, [])
        is_new = last < number
        self.problems = ["The store was replaced by a new one; reload the page"] if is_new else []
        more = len(lines) > MOST_ROWS
        if more:
            _, last = key_of(lines[MOST_ROWS - 1]) or ("", last)
        found = [one for line in lines[:MOST_ROWS] if (one := Decision.parse(line))]
        self.runs |= dict.fromkeys(one.run for one in found)
        overruled = {(one.run, one.overrules): None for one in found if one.overrules}
        holding = [one for one in found if (one.run, one.sequence) not in overruled]
        return NewDecisions(holding, max(last, number), more, list(overruled))

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is none."""
        with open_reader(self._store) as reader, reader.snapshot() as view:
            is_there = 0 < sequence <= view.last_sequence()
            line = next(view.decisions(after=sequence - 1), b"") if is_there else b""
        return Decision.parse(line) if key_of(line) == (run, sequence) else None
