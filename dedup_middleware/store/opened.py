"""A store that is open, and what both a run and a person may do to it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self, TypeVar

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError

from .change import withdraw
from .engine import HEADER, NUMBER, Applied, Batch, Conflict
from .hosts import Hosts
from .runs import Runs, is_waiting, put_run
from .view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dedup_middleware.fingerprint.site import SiteMemory

    from .engine import Engine
    from .protocol import Run, Wanted

_AT_ONCE = 500  # entries that are changed before others may write
_T = TypeVar("_T")


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

    def _write(self, build: Callable[[View], Batch | None]) -> Applied | None:
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
            run.update(values)  # type: ignore[typeddict-item]
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
        return is_waiting(run) and not run.get("well") and not view.is_alive(number, run)


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


def portions(things: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield some at a time: others may want to write."""
    for at in range(0, len(things), _AT_ONCE):
        yield things[at : at + _AT_ONCE]
