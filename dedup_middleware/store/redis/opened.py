"""A store on a server that is open: what a run and a reader of it have in common."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError

from .change import encoded
from .connection import Server
from .layout import HEADER, NUMBER, packed_numbers, parts, unpacked_numbers
from .remembered import Remembered
from .view import RedisView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.store.protocol import Wanted


class Opened:
    """A store on a server. Threads may share it; a forked child may not."""

    path = None
    _number = 0
    _store = b""
    """Names the store, so that another one in its place is noticed."""

    def __init__(self, url: str) -> None:
        self._server = Server(url)
        self._remembered = Remembered(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The URL of the store, without the password."""
        return self._server.name

    @contextmanager
    def snapshot(self, wanted: Wanted | None = None) -> Iterator[RedisView]:
        yield self._view(wanted)

    def _view(self, wanted: Wanted | None) -> RedisView:
        return RedisView(self._server, self._store, self._number, self._remembered, wanted)

    def live_numbers(self) -> set[int]:
        """Return the numbers of the runs that are alive."""
        return set(unpacked_numbers(self._server.script("live")))

    def live_runs(self) -> list[str]:
        live, runs = self.live_numbers(), self._remembered.fetch_runs().known
        return sorted({run["run"] for number, run in runs.items() if number in live})

    def close(self) -> None:
        self._server.close()

    def _change_run(self, number: int, **values: float | str) -> None:
        """Change what is known of a run, however often others do so at the same time."""
        field, made = NUMBER.pack(number), 0
        while not made:
            known = self._server.call("HGET", self._server.tables["runs"], field)
            before = known or b"{}"
            after = json.dumps({**json.loads(before), **values})
            # the script says so if the run is not there because the whole store is not
            made = self._server.script("put_run", self._store, field, before, after)
            if not made and known is None:
                raise StoreError(f"{self.name} has lost this run: was an older copy put back?")

    def _discard(self, number: int) -> None:
        """Withdraw all pages of a run."""
        run = self._remembered.fetch_runs().known.get(number)
        with self.snapshot() as view:
            numbers = list(view.numbers(run.get("last_page", 0) if run else 0))
            for some in parts(numbers):
                self._withdraw(one.number for one in view.records(some) if one.run == number)
        self._change_run(number, discarded=time.time())

    def _check_header(self, header: str) -> None:
        """Refuse what this version can't use."""
        if not header:
            raise NotAStore(f"There is no dedup store in {self.name}")
        if header != HEADER:
            raise SchemeMismatch(
                f"The store {self.name} was made for {header}, this version uses {HEADER}. Start a "
                "new store under another prefix, as in redis://HOST:PORT/0?prefix=NAME, or use the "
                "version that made it"
            )

    def _withdraw(self, numbers: Iterable[int]) -> None:
        for some in parts(list(numbers)):
            self.settle(withdrawn=some)

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        met: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        pages = (packed_numbers(numbers) for numbers in (delivered, withdrawn, met, superseded))
        self._server.script("settle", self._store, encoded(time.time()), *pages)
