"""Looking into a store without taking part: no run is entered, nothing is changed."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import NotAStore, SchemeMismatch

from .environment import acquire, release, translated
from .runs import is_alive
from .store import HEADER
from .view import View
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self


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
