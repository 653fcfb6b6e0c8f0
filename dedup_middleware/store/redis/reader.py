"""A store on a server for those who look, repair and forget: no run is entered."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.store.forgetting import Forgotten, pages_and_copies

from .layout import AT_ONCE, parts
from .opened import Opened

if TYPE_CHECKING:
    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.forgetting import Selection
    from dedup_middleware.store.protocol import Step


class RedisReader(Opened):
    """A store that others may be using; no run is entered."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        try:
            header, self._store = self._server.call(
                "HMGET", self._server.tables["meta"], "header", "id"
            )
            self._check_header((header or b"").decode("utf-8", "replace"))
        except BaseException:
            self.close()
            raise

    def verify(self, step: Step) -> Damages:
        from .verify import verify

        with self.snapshot() as view:
            return verify(self._server, view, step)

    def repair(self, damages: Damages) -> None:
        from .verify import repair

        alive = self.live_runs()
        if alive:
            names = ", ".join(alive)
            raise StoreError(f"The store {self.name} is in use by {names}; wait for its end")
        self._withdraw(damages.pages)
        repair(self._server, damages)

    def commit_run(self, run: str) -> None:
        self._numbers_of(run)
        waiting = self._remembered.runs.waiting(run)
        if not waiting:
            raise StoreError(f"The pages of {run} count already, or were withdrawn")
        for number in waiting:
            self._change_run(number, committed=time.time())

    def discard_run(self, run: str) -> None:
        for number in self._numbers_of(run):
            self._discard(number)

    def forget(self, chosen: Selection, *, dry_run: bool = False) -> Forgotten:
        with self.snapshot() as view:
            pages, copies = pages_and_copies(view, chosen)
            first = view.first_sequence()
        if not dry_run:
            self._withdraw(pages)
            for keys in parts(copies):
                self._server.script("forget", self._store, b"".join(keys), 1, 0)
            for at in range(first, chosen.decisions + 1, AT_ONCE):
                last = min(at + AT_ONCE - 1, chosen.decisions)
                self._server.script("forget", self._store, b"", at, last)
        return Forgotten(len(pages), len(copies), max(0, chosen.decisions + 1 - first))

    def _numbers_of(self, name: str) -> list[int]:
        """Return the numbers of the processes of a run that has ended."""
        if name in self.live_runs():
            raise StoreError(f"The run {name} is alive; wait for its end")
        known = self._remembered.fetch_runs().known
        numbers = [number for number, run in known.items() if run["run"] == name]
        if not numbers:
            raise StoreError(f"There is no run {name} in {self.name}; see `scrapy dedup runs`")
        return numbers
