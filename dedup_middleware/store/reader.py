"""A store that is looked at, or changed by hand."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError

from .change import remove_page, withdraw
from .engine import HEADER, NUMBER, Batch, Committed, Conflict, portions
from .forgetting import Forgotten, pages_and_copies
from .hosts import Hosts, bucket_keys
from .packing import UrlRecord, pack_line
from .runs import Runs, is_waiting, put_run
from .view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dedup_middleware.fingerprint.site import SiteMemory

    from .engine import Engine, Step, Wanted
    from .forgetting import Selection
    from .runs import Run
    from .verify import Damages


class Opened:
    """A store that is open. Threads may share it; a forked child may not."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._number = 0
        self._hosts = Hosts()
        self._runs = Runs()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """How people know it: its folder, or its URL without the password."""
        return self.engine.name

    @property
    def path(self) -> Path | None:
        """The folder of the store, if it has one; journals are kept there."""
        return self.engine.path

    def snapshot(self, *wanted: Wanted) -> View:
        """Look at the store as it is now; it may go on changing meanwhile."""
        snapshot = self.engine.snapshot(wanted)
        return View(snapshot, self._hosts, self._runs, self._number, self._is_alive)

    def remembered_host(self, key: bytes) -> SiteMemory:
        """Return what this process last knew of a host, without asking the engine."""
        return self._hosts.remembered(key)

    def live_runs(self) -> list[str]:
        """List the runs of which some process is alive."""
        with self.snapshot() as view:
            runs = view.numbered_runs()
        return sorted({run["run"] for number, run in runs.items() if self._is_alive(number, run)})

    def close(self) -> None:
        self.engine.close()

    def _is_alive(self, number: int, run: Run) -> bool:  # noqa: ARG002  # a run marks it as dead
        return "finished" not in run and "died" not in run and self.engine.alive(run)

    def _write(self, build: Callable[[View], Batch | None]) -> Committed | None:
        """Apply what is built from a view, however often others change that at the same time."""
        while True:
            with self.snapshot() as view:
                batch = build(view)
            if batch is None:
                return None
            (result,) = self.engine.apply([batch])
            if not isinstance(result, Conflict):
                return result

    def _change_run(self, number: int, change: Callable[[View, Run], dict[str, object]]) -> None:
        """Change what is known of a process of a run, unless `change` returns nothing."""

        def build(view: View) -> Batch | None:
            key = NUMBER.pack(number)
            run = view.numbered_runs().get(number)
            if run is None:
                raise StoreError(f"{self.name} has lost a run: was an older copy put back?")
            values = change(view, run)
            if not values:
                return None
            batch = Batch(expect=[("runs", key, view.snapshot.get("runs", (key,))[0])])
            run.update(values)  # type: ignore[typeddict-item]  # a part of the same keys
            put_run(batch, number, run)
            return batch

        self._write(build)

    def _withdraw(self, numbers: Sequence[int]) -> None:
        for some in portions(numbers):

            def build(view: View, some: Sequence[int] = some) -> Batch:
                batch = Batch()
                withdraw(batch, view, some)
                return batch

            self._write(build)

    def _discard(self, number: int, *, dead: bool = False) -> None:
        """Withdraw the pages of a process of a run; if `dead`, only if it is still taken for it."""
        with self.snapshot() as view:
            run = view.numbered_runs().get(number)
            if run is None or (dead and not self._failed(view, number, run)):
                return
            numbers = list(view.numbers(run.get("last_page", 0)))
            own = [
                record.number
                for some in portions(numbers)
                for record in view.records(some)
                if record.run == number
            ]
        self._withdraw(own)
        self._change_run(number, lambda *_: {"discarded": time.time()})

    def _failed(self, view: View, number: int, run: Run) -> bool:
        """Return True for a process that is dead and did not say that its pages are safe."""
        return is_waiting(run) and not run.get("succeeded") and not view.is_alive(number, run)


def check_header(view: View, name: str, *, needed: bool = False) -> bool:
    """Return True for a store of this version, False where there is none; refuse others."""
    known = view.scheme
    if needed and not known:
        raise NotAStore(f"There is no dedup store in {name}")
    if known and known != HEADER:
        raise SchemeMismatch(other_scheme(name, known))
    return bool(known)


def other_scheme(name: str, known: str) -> str:
    """Say what to do with a store that another version has made."""
    return (
        f"The store {name} was made by the scheme {known!r}, this version uses {HEADER!r}. Start a "
        "new store: name another folder, or delete this one"
    )


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
        batch = Batch(deletes=[*damages.entries])
        for number in damages.pages:  # also those whose records can't be read
            remove_page(batch, number)
        for sequence, line in damages.decisions.items():
            batch.puts.append(("decisions", NUMBER.pack(sequence), pack_line(line)))
        for name, number in damages.counters.items():
            batch.puts.append(("meta", name.encode(), NUMBER.pack(number)))
        self.engine.apply([batch])

    def commit_run(self, run: str) -> None:
        """Commit the pages of a run, however it ended: they count for others."""
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
        """Remove pages, the URLs that were copies of them, books, and old decisions; or count."""
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
            for book in chosen.books:
                batch = Batch(deletes=[("site_forms", key) for key in bucket_keys(book)])
                batch.deletes.append(("site_books", book))
                self.engine.apply([batch])
            for sequences in portions(range(first, first + decisions)):
                batch = Batch(deletes=[("decisions", NUMBER.pack(one)) for one in sequences])
                batch.puts.append(("meta", b"forgotten", NUMBER.pack(sequences[-1])))
                self.engine.apply([batch])
            for path in journals:  # last: the store has no decision of theirs then
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
