"""The embedded store: one folder with an LMDB environment, live-run locks and journals."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.store.runs import LiveRun, is_alive, new_run_id

from .checkpoint import NAME as CHECKPOINT
from .environment import acquire, release, translated
from .view import View
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Self

    from dedup_middleware.store.damage import Damages
    from dedup_middleware.store.protocol import Arrived, Change, Committed, Seen, Step

FORMAT = 2
HEADER = f"{SCHEME} format-{FORMAT}"
MAP_SIZE = 1 << 40


class _Folder:
    """An open environment in a folder. Threads may share it; a forked child may not."""

    _number = 0

    def __init__(self, path: Path, map_size: int) -> None:
        self.path = path
        with translated(str(path)):
            self._environment = acquire(path, map_size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        with translated(str(self.path)), self._environment.begin() as txn:
            yield View(self._environment, txn, self._number, self.is_alive)

    @contextmanager
    def _write(self) -> Iterator[Writer]:
        """Change the store; all others who want to write wait, so be short."""
        with translated(str(self.path)), self._environment.begin(write=True) as txn:
            yield Writer(self._environment, txn, self._number, self.is_alive)

    def is_alive(self, run: str) -> bool:
        return is_alive(self.path / "runs", run)

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
    ) -> None:
        folder = Path(path)
        _check_place(folder)
        with translated(str(path)):
            folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder, map_size)
        self.run = run or new_run_id()
        self.spider = spider
        self._alive: LiveRun | None = None
        try:
            with translated(str(path)):
                self._alive = LiveRun(self.path / "runs", self.run)
            with self._write() as txn:
                txn.check_header(HEADER)
                self._number = txn.begin_run(self.run, self.spider)
                txn.withdraw_dead()
            self._environment.site_counts.is_sole = is_sole and self._environment.users == 1
        except BaseException:
            self.close()
            raise

    @property
    def run_number(self) -> int:
        return self._number

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        with self._write() as txn:
            return txn.what_arrived(change, seen) or txn.make(change)

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

    def check_method(self, label: str) -> None:
        with self._write() as txn:
            txn.check_method(label)

    def dead_runs(self) -> list[str]:
        with self.snapshot() as view:
            open_runs = [run["run"] for run in view.runs() if "finished" not in run]
        return [run for run in open_runs if run != self.run and not self.is_alive(run)]

    def finish_run(self, run: str) -> None:
        with self._write() as txn:
            txn.finish_run(run)

    def close(self) -> None:
        if self._number:
            # what is not noted here is repaired by the next run
            with suppress(StoreError), self._write() as txn:
                txn.write_counts()
                txn.finish_run(self.run)
        if self._alive:
            self._alive.close()
        super().close()


class LmdbReader(_Folder):
    """A store that others may be using; no run is entered."""

    def __init__(self, path: str | Path, *, map_size: int = MAP_SIZE) -> None:
        folder = Path(path)
        if not (folder / "data.mdb").is_file():
            raise NotAStore(f"There is no dedup store in {path}")
        super().__init__(folder, map_size)
        try:
            self._check_header()
        except BaseException:
            self.close()
            raise

    def _check_header(self) -> None:
        with self.snapshot() as view:
            scheme = view.scheme
        if scheme != HEADER:
            raise SchemeMismatch(
                f"The store {self.path} was made by the scheme {scheme!r}, this version reads "
                f"{HEADER!r}; use the version that made it"
            )

    def live_runs(self) -> list[str]:
        names = [path.stem for path in (self.path / "runs").glob("*.lock")]
        return sorted(name for name in names if self.is_alive(name))

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


def _check_place(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise NotAStore(f"{path} is a file; a store is a folder")
    names = {file.name for file in path.iterdir()} if path.exists() else set()
    # another process may be making it: these files come before the one with the data
    foreign = {name for name in names if name != "lock.mdb" and not name.startswith(CHECKPOINT)}
    if foreign and "data.mdb" not in names:
        raise NotAStore(f"{path} is not empty and holds no dedup store; name another folder")
