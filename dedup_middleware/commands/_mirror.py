"""A folder that stands for a store on a server, so that commands read both in the same way."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.address import MARKER, is_url
from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder, open_private

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

WRITERS = frozenset({("scan", ""), ("store", "import")})
"""Commands that use a store themselves, and may make one."""
_SECONDS = 1.0
_AT_ONCE = 1 << 20  # bytes of lines that are written together
_mirrors: dict[Path, Mirror] = {}


@contextmanager
def mirrored(opts: Namespace) -> Iterator[None]:
    """Put a folder in the place of a server that a command names, while it runs."""
    store = getattr(opts, "store", None)
    is_writer = (opts.subcommand, getattr(opts, "action", "")) in WRITERS
    if is_writer or not isinstance(store, str) or not is_url(store):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="dedup-") as folder:
        opts.store = Path(folder)
        _mirrors[opts.store] = Mirror(store, opts.store)
        try:
            yield
        finally:
            del _mirrors[opts.store]


def refresh(store: Path) -> None:
    """Bring the journals of a folder up to date that stands for a server."""
    if store in _mirrors:
        _mirrors[store].refresh_soon()


class Mirror:
    """Journals of all runs on a server, made from the decisions there."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self._last = 0
        self._refreshed = 0.0
        with open_private(folder / MARKER, "xb") as marker:
            marker.write(url.encode())
        make_private_folder(folder / "journal")
        self.refresh()

    def refresh(self) -> None:
        """Add the decisions that have come since."""
        from dedup_middleware.store import open_reader  # imports numpy

        lines: dict[str, list[bytes]] = {}
        size = 0
        with open_reader(self._url) as reader, reader.snapshot() as view:
            for line in view.decisions(after=self._last):
                lines.setdefault(json.loads(line)["run"], []).append(line)
                size += len(line)
                if size > _AT_ONCE:
                    self._write(lines)
                    size = 0
            self._write(lines)
            self._last = view.last_sequence()
        self._refreshed = time.monotonic()

    def refresh_soon(self) -> None:
        """Refresh, but not too often, and not if the server can't be reached now."""
        if time.monotonic() > self._refreshed + _SECONDS:
            with suppress(StoreError):
                self.refresh()

    def _write(self, lines: dict[str, list[bytes]]) -> None:
        from dedup_middleware.journal import journal_path  # imports numpy

        for run, some in lines.items():
            with open_private(journal_path(self._folder, run), "ab") as file:
                file.write(b"".join(line + b"\n" for line in some))
        lines.clear()
