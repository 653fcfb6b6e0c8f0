"""The embedded store: one folder with an LMDB environment, live-run locks and journals."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.store.runs import LiveRun, is_alive, new_run_id

from .environment import acquire, release, translated
from .view import View
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self


FORMAT = 1
HEADER = f"{SCHEME} format-{FORMAT}"


class Store:
    """An open store and the run that uses it. Threads may share it; a forked child may not."""

    def __init__(
        self,
        path: str | Path,
        *,
        map_size: int = 1 << 40,
        run: str | None = None,
        spider: str = "",
        create: bool = True,
    ) -> None:
        self.path = Path(path)
        self.run = run or new_run_id()
        self.spider = spider
        _check_place(self.path, create=create)
        with translated(str(path)):
            self.path.mkdir(parents=True, exist_ok=True)
            self._environment = acquire(self.path, map_size)
        self._number = 0
        self._alive: LiveRun | None = None
        try:
            with translated(str(path)):
                self._alive = LiveRun(self._runs_folder, self.run)
            self._number = self._begin_run()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def run_number(self) -> int:
        """The number by which records name this run."""
        return self._number

    @property
    def _runs_folder(self) -> Path:
        return self.path / "runs"

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        """Look at the store as it is now; it may go on changing meanwhile."""
        with translated(str(self.path)), self._environment.begin() as txn:
            yield View(self._environment, txn, self._number, self._is_alive)

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """Change the store; all others who want to write wait, so be short."""
        with translated(str(self.path)), self._environment.begin(write=True) as txn:
            yield Writer(self._environment, txn, self._number, self._is_alive)

    def dead_runs(self) -> list[str]:
        """Name the runs that ended without closing; their journals may lack lines."""
        with self.snapshot() as view:
            open_runs = [run["run"] for run in view.runs() if "finished" not in run]
        return [run for run in open_runs if run != self.run and not self._is_alive(run)]

    def close(self) -> None:
        if self._number:
            with suppress(StoreError), self.write() as txn:  # what is not noted here is repaired
                txn.finish_run(self.run)
        if self._alive:
            self._alive.close()
        release(self._environment)

    def _begin_run(self) -> int:
        with self.write() as txn:
            txn.check_header(HEADER)
            number = txn.begin_run(self.run, self.spider)
            txn.withdraw_dead()
        return number

    def _is_alive(self, run: str) -> bool:
        return is_alive(self._runs_folder, run)


def _check_place(path: Path, *, create: bool) -> None:
    if path.exists() and not path.is_dir():
        raise NotAStore(f"{path} is a file; a store is a folder")
    if (path / "data.mdb").exists():
        return
    if not create:
        raise NotAStore(f"There is no dedup store in {path}")
    if path.exists() and any(path.iterdir()):
        raise NotAStore(f"{path} is not empty and holds no dedup store; name another folder")


class Reader:
    """A store that others may be using. Threads may share it; a forked child may not."""

    def __init__(self, path: str | Path, *, map_size: int = 1 << 40) -> None:
        self.path = Path(path)
        if not (self.path / "data.mdb").is_file():
            raise NotAStore(f"There is no dedup store in {path}")
        with translated(str(path)):
            self._environment = acquire(self.path, map_size)
        try:
            self._check_header()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        """Look at the store as it is now; it may go on changing meanwhile."""
        with translated(str(self.path)), self._environment.begin() as txn:
            yield View(self._environment, txn, 0, self.is_alive)

    def _check_header(self) -> None:
        with self.snapshot() as view:
            header = view.header
        if header != HEADER:
            raise SchemeMismatch(
                f"The store {self.path} was made by the scheme {header!r}, this version reads "
                f"{HEADER!r}; use the version that made it"
            )

    def is_alive(self, run: str) -> bool:
        """Tell whether some process is still in a run."""
        return is_alive(self.path / "runs", run)

    def live_runs(self) -> list[str]:
        """Name the runs that are still at it."""
        names = [path.stem for path in (self.path / "runs").glob("*.lock")]
        return sorted(name for name in names if self.is_alive(name))

    def close(self) -> None:
        release(self._environment)


class Editor(Reader):
    """A store to be changed from outside, by hand: no run is entered either."""

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """Change the store; all others who want to write wait, so be short."""
        with translated(str(self.path)), self._environment.begin(write=True) as txn:
            yield Writer(self._environment, txn, 0, self.is_alive)
