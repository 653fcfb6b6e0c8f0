"""Stores: what a run does to the tables of an engine, and what is done to them by hand."""

from __future__ import annotations

import secrets
import struct
import threading
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Self, TypeVar

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError

from .change import batch_of, remove_page, settle, withdraw
from .engine import HEADER, NUMBER, Applied, Batch, Conflict, number_of
from .forgetting import Forgotten, pages_and_copies
from .hosts import Hosts
from .packing import pack_line
from .protocol import Arrived, Committed
from .records import UrlRecord
from .runs import Runs, checked_name, ended_run, is_waiting, new_run, new_run_id, put_run
from .tables import check_method
from .view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from .damage import Damages
    from .engine import Engine, Listener
    from .forgetting import Selection
    from .protocol import Change, Run, Seen, Step, Wanted

_AT_ONCE = 500  # entries that are changed before others may write
_T = TypeVar("_T")


class _Open:
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

    def snapshot(self, wanted: Wanted | None = None) -> View:
        """Look at the store as it is now; it may go on changing meanwhile."""
        snapshot = self.engine.snapshot(wanted)
        return View(snapshot, self._hosts, self._runs, self._number, self._is_alive)

    def live_runs(self) -> list[str]:
        """List the runs of which some process is alive."""
        with self.snapshot() as view:
            runs = view.numbered_runs()
        return sorted({run["run"] for number, run in runs.items() if self._is_alive(number, run)})

    def close(self) -> None:
        self.engine.close()

    def _is_alive(self, number: int, run: Run) -> bool:  # noqa: ARG002  # a run marks it as dead
        return "finished" not in run and "died" not in run and self.engine.alive(run)

    def _write(self, build: Callable[[View], Batch | None]) -> Applied | None:
        """Apply what is built from a view, however often others change that at the same time."""
        while True:
            with self.snapshot() as view:
                batch = build(view)
            if batch is None:
                return None
            result = self.engine.apply(batch)
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
            run.update(values)  # type: ignore[typeddict-item]
            put_run(batch, number, run)
            return batch

        self._write(build)

    def _withdraw(self, numbers: Sequence[int]) -> None:
        for some in _portions(numbers):

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
                for some in _portions(numbers)
                for record in view.records(some)
                if record.run == number
            ]
        self._withdraw(own)
        self._change_run(number, lambda *_: {"discarded": time.time()})

    def _failed(self, view: View, number: int, run: Run) -> bool:
        """Return True for a process that is dead and did not say that its pages are safe."""
        return is_waiting(run) and not run.get("well") and not view.is_alive(number, run)


class Store(_Open):
    """An open store and the run that uses it."""

    def __init__(
        self, engine: Engine, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> None:
        super().__init__(engine)
        self.run = new_run_id() if run is None else run
        self.spider = spider
        self._commit = commit
        self._listener: Listener | None = None
        self._committing = threading.Lock()
        self._judging = threading.local()
        try:
            own = new_run(checked_name(self.run), spider, commit)
            self._write(self._label)
            engine.hold(own)
            self._number = self._begin(own)
            self._end_dead_runs()
            engine.flush()
        except BaseException:
            self.close()
            raise

    @property
    def run_number(self) -> int:
        """The number by which records name this run."""
        return self._number

    def snapshot(self, wanted: Wanted | None = None) -> View:
        view = super().snapshot(wanted)
        if self.engine.is_remote:
            self._judging.view = view if wanted else None
        return view

    def listen(self, listener: Listener) -> None:
        """Let somebody hear each line of this run's journal, once a crash can't undo it."""
        self._listener = listener

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        """Make a change, unless something came since that was not seen."""
        with self._committing:
            # what was fetched from far away to judge a page need not be fetched again
            view, self._judging.view = getattr(self._judging, "view", None), None
            while True:
                if view is None or view.last_page != seen.last_page:
                    view = _Open.snapshot(self)
                with view:
                    batch = batch_of(view, change, seen, self._number, self._hosts)
                if isinstance(batch, Arrived):
                    return batch
                batch.listener = self._listener
                result = self.engine.apply(batch)
                if isinstance(result, Applied):
                    break
                if result.pages:
                    return Arrived(result.pages)
                view = None
            if change.site:
                self._hosts.note(batch, change.site[1], result.arrival)
        if change.decision is not None:
            change.decision["seq"] = result.sequence
        return Committed(result.page, result.line, result.sequence)

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        met: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        """Write down what became of pages.

        Delivered: an item of the page has left all pipelines; it may be an original in this run,
        and in others when `Run.commit` says.
        Withdrawn: its items were lost; it matches no more, and its URL passes again. Met: seen
        again, at its own URL or as a copy. Superseded: its text is part of a later page.
        """
        good, lost, again, inside = map(list, (delivered, withdrawn, met, superseded))
        if lost or again or inside:
            self._write(lambda view: settle(view, good, lost, again, inside, time.time()))
        elif good:
            self.engine.apply(Batch(deletes=[("pending", NUMBER.pack(number)) for number in good]))

    def flush(self) -> None:
        """Write what waits to be written together; the journal has all decisions then."""
        self.engine.flush()

    def check_method(self, label: str) -> None:
        """Raise SchemeMismatch if another method has indexed the pages; label a new store."""

        def build(view: View) -> Batch | None:
            known = view.snapshot.get("meta", (b"method",))[0]
            if known or view.last_page:
                check_method(view.method, label)
                return None
            return Batch(
                expect=[("meta", b"method", None)],
                last_page=0,
                puts=[("meta", b"method", label.encode())],
            )

        self._write(build)

    def dead_runs(self) -> list[str]:
        """Return the runs that ended without closing; their journals may lack lines."""
        with self.snapshot() as view:
            runs = view.numbered_runs()
        unfinished = {number: run for number, run in runs.items() if "finished" not in run}
        names = dict.fromkeys(run["run"] for run in unfinished.values() if run["run"] != self.run)
        if names:
            for number, run in unfinished.items():
                if run["run"] in names and self._is_alive(number, run):
                    del names[run["run"]]
        return list(names)

    def finish_run(self, run: str) -> None:
        """Note that a run that died has ended and its journal is complete."""
        with self.snapshot() as view:
            runs = view.numbered_runs()
        for number, known in runs.items():
            if known["run"] == run and "finished" not in known:
                self._change_run(number, lambda *_: {"finished": time.time()})

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        """End this process of the run; `well` if what it delivered is safe.

        `revoke` if that is known to be lost: pages that counted at once count no more.
        """
        # what is not noted here the next run repairs; that pages don't count has to be told
        is_told = self._commit == "finish" or revoke
        try:
            if self._number:
                with nullcontext() if is_told else suppress(StoreError):
                    end = ended_run(well, requests_saved, revoke=revoke)
                    self._change_run(self._number, lambda *_: {**end})
                    self._commit_run(self.run)
            self.engine.flush()
        finally:
            try:
                self.engine.let_go()
            finally:
                super().close()

    def _label(self, view: View) -> Batch | None:
        """Name the scheme and format of a new store, and the store itself."""
        if check_header(view, self.name):
            return None
        return Batch(
            expect=[("meta", b"header", None)],
            puts=[("meta", b"header", HEADER.encode()), ("meta", b"id", secrets.token_bytes(8))],
        )

    def _begin(self, run: Run) -> int:
        """Enter this process of a run in the list; return its number."""
        number = 0

        def build(view: View) -> Batch:
            nonlocal number
            before = view.snapshot.get("meta", (b"run",))[0]
            run["last_page"], run["last_sequence"] = view.last_page, view.last_sequence()
            number = number_of(before) + 1
            batch = Batch(expect=[("meta", b"run", before)])
            batch.puts.append(("meta", b"run", NUMBER.pack(number)))
            put_run(batch, number, run)
            return batch

        self._write(build)
        return number

    def _end_dead_runs(self) -> None:
        """Withdraw what died; commit what succeeded, if nobody else has done so."""
        with self.snapshot() as view:
            pending = [NUMBER.unpack(key)[0] for key, _ in view.snapshot.scan("pending")]
            runs = view.numbered_runs()
            records = [one for some in _portions(pending) for one in view.records(some)]
            of_pending = {record.run for record in records}
            dead = {one for one in of_pending if not self._is_live(one, runs.get(one))}
            lost = [record.number for record in records if record.run in dead]
            waiting = {
                number: run
                for number, run in runs.items()
                if is_waiting(run) and not self._is_live(number, run)
            }
        self._withdraw(lost)
        for name in {run["run"] for run in waiting.values()}:
            self._commit_run(name)
        for number, run in waiting.items():
            if not run.get("well"):
                self._discard(number, dead=True)

    def _is_live(self, number: int, run: Run | None) -> bool:
        return run is not None and self._is_alive(number, run)

    def _is_alive(self, number: int, run: Run) -> bool:
        if number == self._number:
            return True
        alive = super()._is_alive(number, run)
        if not alive and self.engine.leases and not {"finished", "died"} & run.keys():
            self._change_run(
                number, lambda _, known: {} if "finished" in known else {"died": time.time()}
            )
        return alive

    def _commit_run(self, name: str) -> None:
        """Let pages of a run count that are safe, if no other process of it is alive."""

        def build(view: View) -> Batch | None:
            runs = {
                number: run
                for number, run in view.numbered_runs().items()
                if run["run"] == name and is_waiting(run)
            }
            batch = Batch()
            for number, run in runs.items():
                if "finished" not in run and self._is_alive(number, run):
                    return None
                key = NUMBER.pack(number)
                batch.expect.append(("runs", key, view.snapshot.get("runs", (key,))[0]))
                if run.get("well"):
                    put_run(batch, number, {**run, "committed": time.time()})
            return batch if batch.puts else None

        self._write(build)


class Reader(_Open):
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
        self.engine.apply(batch)

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
            for keys in _portions(copies):
                self._forget_copies(keys)
            for sequences in _portions(range(first, first + decisions)):
                batch = Batch(deletes=[("decisions", NUMBER.pack(one)) for one in sequences])
                batch.puts.append(("meta", b"forgotten", NUMBER.pack(sequences[-1])))
                self.engine.apply(batch)
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
        "new store; to keep what the old one knows, write it with `scrapy dedup store export` of "
        "the version that made it, and read it with `scrapy dedup store import` of this one"
    )


def _portions(things: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield some at a time: others may want to write."""
    for at in range(0, len(things), _AT_ONCE):
        yield things[at : at + _AT_ONCE]
