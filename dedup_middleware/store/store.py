"""Stores: what a run does to the tables of an engine."""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError

from .change import batch_of, settle
from .engine import HEADER, NUMBER, Batch, Conflict, number_of, portions
from .reader import Opened, check_header
from .runs import Ending, checked_name, is_waiting, new_run_id, put_run
from .tables import check_method

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .change import Change, Seen
    from .engine import Committed, Engine, Listener
    from .runs import Run
    from .view import View


class Store(Opened):
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
        try:
            own: Run = {
                "run": checked_name(self.run),
                "spider": spider,
                "started": time.time(),
                "process": secrets.token_hex(3),  # several may be in one run
                "commit": commit,
            }
            self._write(self._label)
            engine.take_lease(own)
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

    def listen(self, listener: Listener) -> None:
        """Call a function with the lines of this run's journal, once a crash can't undo them."""
        self._listener = listener

    def commit(self, change: Change, seen: Seen) -> Committed | Conflict:
        """Make a change, unless something came since that was not seen."""
        return self.commit_all([(change, seen, None)])[0]

    def commit_all(
        self, changes: Sequence[tuple[Change, Seen, View | None]]
    ) -> list[Committed | Conflict]:
        """Make changes in their order, each judged on a view.

        End with `Conflict` where something came that was not seen; end early before a change whose
        view does not show what an earlier one has withdrawn or published.
        """
        done: list[Committed | Conflict] = []
        left = list(changes)
        with self._committing:
            while True:
                batches, arrived = self._batches(left)
                for batch, result in zip(batches, self.engine.apply(batches), strict=False):
                    if isinstance(result, Conflict):
                        break
                    change = left.pop(0)[0]
                    if change.site:
                        self._hosts.note(batch, change.site[1], result.arrival)
                    if change.decision is not None:
                        change.decision["seq"] = result.sequence
                    published = batch.published[0] if batch.published else b""
                    withdrew = bool(batch.withdrawn)
                    done.append(replace(result, published=published, withdrew=withdrew))
                else:
                    return [*done, arrived] if arrived else done
                # whether it matters what else has changed is cheaper to see by judging again, where
                # each question is a round trip
                if result.pages or (left[0][2] and self.engine.is_remote):
                    return [*done, result]

    def _batches(
        self, changes: Sequence[tuple[Change, Seen, View | None]]
    ) -> tuple[list[Batch], Conflict | None]:
        """Return the batches of changes, up to one whose view does not show those before."""
        batches: list[Batch] = []
        published: set[bytes] = set()
        for change, seen, judged_on in changes:
            if not published.isdisjoint(seen.asked):
                break
            # what was fetched from a server to judge a page need not be fetched again
            with judged_on if judged_on and self.engine.is_remote else self.snapshot() as view:
                batch = batch_of(view, change, seen, self._number, self._hosts)
            if isinstance(batch, Conflict):
                return batches, batch
            batch.listener = self._listener
            batches.append(batch)
            if batch.withdrawn:
                break
            if batch.published:
                published.add(batch.published[0])
        return batches, None

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        seen_again: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        """Write down what became of pages.

        Delivered: an item of the page has left all pipelines; it may be an original in this run,
        and in others when `Run.commit` says. Withdrawn: its items were lost; it matches no more,
        and its URL passes again. Seen again: at its own URL, or as a copy. Superseded: its text is
        part of a later page.
        """
        good, lost, again, inside = map(list, (delivered, withdrawn, seen_again, superseded))
        if lost or again or inside:
            self._write(lambda view: settle(view, good, lost, again, inside, time.time()))
        elif good:
            self.engine.apply(
                [Batch(deletes=[("pending", NUMBER.pack(number)) for number in good])]
            )

    def flush(self) -> None:
        """Write the changes that are buffered; then the journal has all decisions."""
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

    def close(self, ending: Ending = Ending()) -> None:  # noqa: B008  # it is frozen
        """End this process of the run."""
        # the next run repairs what can't be written here, unless it would let pages count
        is_told = self._commit == "finish" or ending.revoke
        try:
            if self._number:
                with suppress(StoreError):  # which comes again below
                    self.engine.flush()  # first: a run that has ended has a complete journal
                with nullcontext() if is_told else suppress(StoreError):
                    self._change_run(self._number, lambda *_: ending.as_values(time.time()))
                    self._commit_runs()
            self.engine.flush()
        finally:
            try:
                self.engine.release_lease()
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
        """Withdraw the pages of processes that died; commit those of runs that succeeded."""
        with self.snapshot() as view:
            pending = [NUMBER.unpack(key)[0] for key, _ in view.snapshot.scan("pending")]
            runs = view.numbered_runs()
            records = [one for some in portions(pending) for one in view.records(some)]
            of_pending = {record.run for record in records}
            dead = {one for one in of_pending if not self._is_live(one, runs.get(one))}
            lost = [record.number for record in records if record.run in dead]
            waiting = {
                number: run
                for number, run in runs.items()
                if is_waiting(run) and not self._is_live(number, run)
            }
        self._withdraw(lost)
        self._commit_runs()
        for number, run in waiting.items():
            if not run.get("succeeded"):
                self._discard(number, dead=True)

    def _is_live(self, number: int, run: Run | None) -> bool:
        return run is not None and self._is_alive(number, run)

    def _is_alive(self, number: int, run: Run) -> bool:
        if number == self._number:
            return True
        alive = super()._is_alive(number, run)
        if not alive and self.engine.is_remote and not {"finished", "died"} & run.keys():
            self._change_run(
                number, lambda _, known: {} if "finished" in known else {"died": time.time()}
            )
        return alive

    def _commit_runs(self) -> None:
        """Commit the pages of processes that succeeded, in runs of which no process is alive."""

        def build(view: View) -> Batch | None:
            runs = {n: run for n, run in view.numbered_runs().items() if is_waiting(run)}
            alive = {
                run["run"]
                for number, run in runs.items()
                if "finished" not in run and self._is_alive(number, run)
            }
            batch = Batch()
            for number, run in runs.items():
                if run["run"] not in alive:
                    key = NUMBER.pack(number)
                    batch.expect.append(("runs", key, view.snapshot.get("runs", (key,))[0]))
                    if run.get("succeeded"):
                        put_run(batch, number, {**run, "committed": time.time()})
            return batch if batch.puts else None

        self._write(build)
