"""Which runs are alive: each holds a lease, which a thread renews and which else runs out."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError

from .layout import NUMBER

if TYPE_CHECKING:
    from .connection import Server

logger = logging.getLogger(__name__)

SECONDS = 30.0
"""How long a run counts as alive that is not heard of any more."""


def milliseconds() -> int:
    return int(SECONDS * 1000)


class Lease:
    """Show others that this run is alive, until closed or until the process ends."""

    def __init__(self, server: Server, store: bytes, run: int) -> None:
        self._server = server
        self._store = store
        self._run = run
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="dedup-lease", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Renew it no more."""
        self._stop.set()
        self._thread.join()

    def _renew(self) -> None:
        while not self._stop.wait(SECONDS / 3):
            try:
                self._server.script("renew", self._store, NUMBER.pack(self._run), milliseconds())
            except StoreError as error:  # the next commit will fail too, and somebody hears of it
                logger.debug("The lease of a run was not renewed: %s", error)
