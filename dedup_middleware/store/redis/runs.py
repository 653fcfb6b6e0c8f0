"""What is known of runs, as a process remembers it until it changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.store.runs import Standing, standing, unpacked_run

from .connection import pairs
from .layout import NUMBER

if TYPE_CHECKING:
    from collections.abc import Container

    from dedup_middleware.store.protocol import Run

    from .connection import Server

_DONE = frozenset({"committed", "discarded"})


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs by number, as of a version of the table."""

    version: bytes = b""
    known: dict[int, Run] = field(default_factory=dict)
    _standings: dict[tuple[int, bool], bytes] = field(default_factory=dict)

    @classmethod
    def fetch(cls, server: Server) -> Runs:
        # the version first: if they change in between, it will differ
        version, entries = server.calls(
            [("HGET", server.tables["meta"], "runs_version"), ("HGETALL", server.tables["runs"])]
        )
        known = {
            NUMBER.unpack(key)[0]: run
            for key, value in sorted(pairs(entries))
            if (run := unpacked_run(value))
        }
        return cls(version or b"", known)

    def waiting(self, name: str | None = None) -> dict[int, Run]:
        """Return the processes whose pages do not count for other runs yet."""
        return {
            number: run
            for number, run in self.known.items()
            if run.get("commit") == "finish"
            and not _DONE & run.keys()
            and name in (None, run["run"])
        }

    def standing(self, number: int, own: int, alive: Container[int]) -> Standing:
        """Return which pages of a process may be originals in that of another number."""
        if number == own:
            return Standing.ALL
        run, name = self.known.get(number), self.known[own]["run"] if own in self.known else ""
        if run is None:
            return Standing.NONE
        return standing(run, name, lambda _: number in alive)

    def standings(self, own: int, *, alive: bool) -> bytes:
        """Return the standing of each process, by number, if all were alive, or none."""
        found = self._standings.get((own, alive))
        if found is None:
            last = max(self.known, default=0)
            lives = range(last + 1) if alive else ()
            found = bytes(self.standing(number, own, lives) for number in range(1, last + 1))
            self._standings[own, alive] = found
        return found
