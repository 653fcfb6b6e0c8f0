"""The embedded store: one folder with an LMDB environment, live-run locks and journals."""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self, TypeVar

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.files import make_private_folder
from dedup_middleware.store.forgetting import Forgotten, pages_and_copies
from dedup_middleware.store.protocol import Registration, Run
from dedup_middleware.store.runs import (
    LiveRun,
    ended_run,
    is_alive,
    live_runs,
    new_run,
    new_run_id,
)

from . import checkpoint, locks
from .buffer import Buffer
from .layout import HEADER
from .registry import acquire, release
from .translate import translated
from .view import View
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import lmdb

    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.forgetting import Selection
    from dedup_middleware.store.protocol import Arrived, Change, Committed, Seen, Step, Wanted

    from .buffer import Listener
    from .recent import Recent

MAP_SIZE = 1 << 40
_AT_ONCE = 500  # pages that are withdrawn before others may write
_V = TypeVar("_V", bound=View)
_T = TypeVar("_T")


class _Folder:
    """An open environment in a folder. Threads may share it; a forked child may not."""

    _number = 0
    _is_strict = True
    """Whether damage of what counts pages is an error."""

    def __init__(
        self, path: Path, map_size: int, *, write: bool = False, sole: bool = False
    ) -> None:
        self.path = path
        self.name = str(path)
        with translated(str(path)):
            self._environment = acquire(path, map_size, write=write, sole=sole)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self, wanted: Wanted | None = None) -> Iterator[View]:  # noqa: ARG002  # all is at hand
        environment = self._environment
        with translated(str(self.path)):
            with environment.commits.lock:  # not between a buffer and its being written
                txn, buffer = environment.begin(), environment.commits.buffer
                recent = environment.commits.recent if environment.is_sole else None
                environment.views += 1
            try:
                with txn:
                    yield self._view(View, txn, buffer, recent)
            finally:
                environment.views -= 1

    @contextmanager
    def _write(self, *, directly: bool = False) -> Iterator[Writer]:
        """Change the store; all others who want to write wait, so be short."""
        environment = self._environment
        recent = environment.commits.recent if environment.is_sole else None
        try:
            with translated(str(self.path)):
                if environment.is_sole and not directly:
                    with environment.commits.lock, environment.begin() as txn:
                        changes = Buffer(environment.commits.buffer)
                        yield self._view(Writer, txn, changes, recent)
                        environment.commits.accept(changes)
                    return
                with environment.commits.lock if environment.is_sole else nullcontext():
                    environment.commits.flush()
                    changes = Buffer()
                    with environment.begin(write=True) as txn:
                        yield self._view(Writer, txn, changes, recent)
                        upto = environment.commits.write(changes, txn)
                    if environment.is_sole:
                        environment.commits.accept_written(changes, upto)
                changes.tell()
        except BaseException:
            environment.site_counts.clear()
            raise

    def _view(
        self, kind: type[_V], txn: lmdb.Transaction, buffer: Buffer, recent: Recent | None
    ) -> _V:
        environment, strict = self._environment, self._is_strict
        return kind(environment, txn, buffer, self._number, self._is_alive, recent, strict=strict)

    def _is_alive(self, run: Run) -> bool:
        return is_alive(self.path / "runs", run)

    def live_runs(self) -> list[str]:
        return live_runs(self.path / "runs")

    def _discard(self, number: int) -> None:
        """Withdraw all pages of a run, some at a time: others may want to write."""
        with self.snapshot() as view:
            run = view.run(number)
        after: int | None = run.get("last_page", 0) if run else 0
        while after is not None:
            with self._write() as txn:
                after = txn.discard(number, after, _AT_ONCE)

    def close(self) -> None:
        release(self._environment)


class LmdbStore(_Folder):
    """A store and the run that uses it."""

    def __init__(
        self,
        path: str | Path,
        *,
        map_size: int = MAP_SIZE,
        run: str | None = None,
        spider: str = "",
        is_sole: bool = False,
        commit: str = "page",
    ) -> None:
        folder = Path(path)
        _check_place(folder)
        with translated(str(path)):
            make_private_folder(folder)
        super().__init__(folder, map_size, write=True, sole=is_sole)
        self.run = run or new_run_id()
        self.spider = spider
        self._commit = commit
        self._listener: Listener = _nobody
        self._alive: LiveRun | None = None
        own = new_run(self.run, spider, commit)
        try:
            with translated(str(path)):
                self._alive = LiveRun(self.path / "runs", self.run, own["process"])
            with self._write() as txn:
                txn.label(HEADER)
                self._number = txn.begin_run(own)
                txn.withdraw_dead()
                dead = txn.end_dead_runs()
            for number in dead:
                self._discard(number)
            self._environment.commits.flush()
        except BaseException:
            self.close()
            raise

    @property
    def run_number(self) -> int:
        return self._number

    def listen(self, listener: Listener) -> None:
        self._listener = listener

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        # what a method keeps in tables of its own is never in a buffer
        directly = isinstance(change.page, Registration) and change.page.index is not None
        with self._write(directly=directly) as txn:
            return txn.what_arrived(change, seen) or txn.make(change, self._listener)

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        met: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        with self._write() as txn:
            txn.mark(superseded, superseded=True)
            txn.mark(met, met=time.time())
            txn.mark(delivered, delivered=True)
            txn.withdraw(withdrawn)

    def flush(self) -> None:
        self._environment.commits.flush()

    def check_method(self, label: str) -> None:
        with self._write() as txn:
            txn.check_method(label)

    def dead_runs(self) -> list[str]:
        with self.snapshot() as view:
            open_runs = dict.fromkeys(run["run"] for run in view.runs() if "finished" not in run)
        alive = {self.run, *(self.live_runs() if len(open_runs) > 1 else ())}
        return [run for run in open_runs if run not in alive]

    def finish_run(self, run: str) -> None:
        with self._write() as txn:
            txn.finish_run(run)

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        # what is not noted here the next run repairs; that pages don't count has to be told
        is_told = self._commit == "finish" or revoke
        silence = nullcontext() if is_told else suppress(StoreError)
        try:
            if self._number:
                with silence, self._write() as txn:
                    txn.end_run(self._number, ended_run(well, requests_saved, revoke=revoke))
            self._environment.commits.flush()
        finally:
            if self._alive:
                self._alive.close()
            super().close()


class LmdbReader(_Folder):
    """A store that others may be using; no run is entered."""

    _is_strict = False

    def __init__(self, path: str | Path, *, map_size: int = MAP_SIZE, write: bool = False) -> None:
        folder = Path(path)
        if not (folder / "data.mdb").is_file():
            raise NotAStore(f"There is no dedup store in {path}")
        super().__init__(folder, map_size, write=write)
        try:
            with self.snapshot() as view:
                scheme = view.scheme
            if scheme != HEADER:  # empty: others are refused when they are opened
                _refuse(folder)
        except BaseException:
            self.close()
            raise

    def copy(self, folder: Path) -> None:
        """Copy the store as it is now, without gaps, into an empty folder."""
        with translated(str(self.path)):
            self._environment.commits.flush()
            self._environment.env.copy(str(folder), compact=True)
            (folder / "data.mdb").chmod(0o600)

    def verify(self, step: Step) -> Damages:
        from .verify import check_file, verify

        check_file(self.path)
        with self.snapshot() as view:
            return verify(view, step)

    def repair(self, damages: Damages) -> None:
        alive = self.live_runs()
        if alive:
            names = ", ".join(alive)
            raise StoreError(f"The store {self.path} is in use by {names}; wait for its end")
        with self._write() as txn:
            txn.repair(damages)

    def commit_run(self, run: str) -> None:
        self._numbers_of(run)
        with self._write() as txn:
            if not txn.commit_run(run):
                raise StoreError(f"The pages of {run} count already, or were withdrawn")

    def discard_run(self, run: str) -> None:
        for number in self._numbers_of(run):
            self._discard(number)

    def forget(self, chosen: Selection, *, dry_run: bool = False) -> Forgotten:
        with self.snapshot() as view:
            pages, copies = pages_and_copies(view, chosen)
            decisions = max(0, chosen.decisions + 1 - view.first_sequence())
        names = [self.path / "journal" / f"{name}.jsonl" for name in chosen.journals]
        journals = [path for path in names if path.exists()]
        if not dry_run:
            for numbers in _portions(pages):
                with self._write() as txn:
                    txn.withdraw(numbers)
            for keys in _portions(copies):
                with self._write() as txn:
                    txn.forget_urls(keys)
            for _ in range(0, decisions, _AT_ONCE):
                with self._write() as txn:
                    txn.forget_decisions(chosen.decisions, _AT_ONCE)
            for path in journals:  # last: nobody misses them then
                path.unlink(missing_ok=True)
        return Forgotten(len(pages), len(copies), decisions, len(journals))

    def _numbers_of(self, name: str) -> list[int]:
        """Return the numbers of the processes of a run that has ended."""
        if name in self.live_runs():
            raise StoreError(f"The run {name} is alive; wait for its end")
        with self.snapshot() as view:
            numbers = [number for number, run in view.numbered_runs().items() if run["run"] == name]
        if not numbers:
            raise StoreError(f"There is no run {name} in {self.path}; see `scrapy dedup runs`")
        return numbers


def _portions(things: list[_T]) -> Iterator[list[_T]]:
    """Yield some at a time: others may want to write."""
    for at in range(0, len(things), _AT_ONCE):
        yield things[at : at + _AT_ONCE]


def _refuse(folder: Path) -> NoReturn:
    raise NotAStore(f"{folder} holds an LMDB environment, but no dedup store")


def _nobody(lines: list[bytes]) -> None:
    """Hear nothing: no journal is kept."""


def _check_place(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise NotAStore(f"{path} is a file; a store is a folder")
    names = {file.name for file in path.iterdir()} if path.exists() else set()
    if (path / "data.mdb").is_symlink():
        raise NotAStore(f"{path / 'data.mdb'} is a symbolic link; name the folder that holds it")
    # another process may be making it: these files come before the one with the data
    own = {"lock.mdb", locks.NAME, checkpoint.NAME}
    if names - own and "data.mdb" not in names:
        raise NotAStore(f"{path} is not empty and holds no dedup store; name another folder")
