"""A store that is looked at, or changed by hand."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError

from .change import remove_page
from .engine import NUMBER, Batch
from .forgetting import Forgotten, pages_and_copies
from .opened import Opened, check_header, portions
from .packing import pack_line
from .records import UrlRecord
from .runs import is_waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .damage import Damages
    from .engine import Engine
    from .forgetting import Selection
    from .protocol import Run, Step
    from .view import View


class Reader(Opened):
    """A store that is looked at, or changed by hand, without taking part: no run is entered."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        try:
            with self.snapshot() as view:
                check_header(view, self.name, needed=True)
        except BaseException:
            self.close()
            raise

    def verify(self, step: Step) -> Damages:
        """Check all entries against each other; `step` gets how many more were looked at."""
        from .verify import verify

        self.engine.check()
        with self.snapshot() as view:
            return verify(view, step)

    def repair(self, damages: Damages) -> None:
        """Remove what can't be right; raise StoreError while a run is alive."""
        alive = self.live_runs()
        if alive:
            names = ", ".join(alive)
            raise StoreError(f"The store {self.name} is in use by {names}; wait for its end")
        for number in damages.pages:
            with suppress(struct.error, ValueError):  # its record can't be read
                self._withdraw([number])
        batch = Batch(deletes=[(table, key) for table, key in damages.entries])
        for number in damages.pages:  # also those whose records can't be read
            remove_page(batch, number)
        batch.withdrawn += damages.missing
        for number, is_pending in damages.pending.items():
            if is_pending:
                batch.puts.append(("pending", NUMBER.pack(number), b""))
            else:
                batch.deletes.append(("pending", NUMBER.pack(number)))
        for sequence, line in damages.decisions.items():
            batch.puts.append(("decisions", NUMBER.pack(sequence), pack_line(line)))
        for name, number in damages.counters.items():
            batch.puts.append(("meta", name.encode(), NUMBER.pack(number)))
        self.engine.apply([batch])

    def commit_run(self, run: str) -> None:
        """Let the pages of a run count for others, however it ended."""
        waiting = [number for number, one in self._ended(run).items() if is_waiting(one)]
        if not waiting:
            raise StoreError(f"The pages of {run} count already, or were withdrawn")
        for number in waiting:
            self._change_run(number, lambda *_: {"committed": time.time()})

    def discard_run(self, run: str) -> None:
        """Withdraw the pages of a run: they pass again."""
        for number in self._ended(run):
            self._discard(number)

    def forget(self, chosen: Selection, *, dry_run: bool = False) -> Forgotten:
        """Remove pages, the URLs that were copies of them, and old decisions; or only count."""
        with self.snapshot() as view:
            pages, copies = pages_and_copies(view, chosen)
            first = view.first_sequence()
        decisions = max(0, chosen.decisions + 1 - first)
        folder = self.path
        names = [folder / "journal" / f"{name}.jsonl" for name in chosen.journals] if folder else []
        journals = [path for path in names if path.exists()]
        if not dry_run:
            self._withdraw(pages)
            for keys in portions(copies):
                self._forget_copies(keys)
            for sequences in portions(range(first, first + decisions)):
                batch = Batch(deletes=[("decisions", NUMBER.pack(one)) for one in sequences])
                batch.puts.append(("meta", b"forgotten", NUMBER.pack(sequences[-1])))
                self.engine.apply([batch])
            for path in journals:  # last: nobody misses them then
                path.unlink(missing_ok=True)
        return Forgotten(len(pages), len(copies), decisions, len(journals))

    def _forget_copies(self, keys: Sequence[bytes]) -> None:
        def build(view: View) -> Batch:
            batch = Batch()
            for key, data in zip(keys, view.snapshot.get("urls", keys), strict=True):
                if (
                    data and UrlRecord.unpack(data).alias
                ):  # else it has become a page of its own since
                    batch.expect.append(("urls", key, data))
                    batch.deletes += (("urls", key), ("redundant", key))
            return batch

        self._write(build)

    def _ended(self, name: str) -> dict[int, Run]:
        """Return the processes of a run that has ended, by number."""
        if name in self.live_runs():
            raise StoreError(f"The run {name} is alive; wait for its end")
        with self.snapshot() as view:
            runs = view.numbered_runs()
        found = {number: run for number, run in runs.items() if run["run"] == name}
        if not found:
            raise StoreError(f"There is no run {name} in {self.name}; see `scrapy dedup runs`")
        return found
