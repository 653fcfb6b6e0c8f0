"""Leases: each process of a run holds one, which a thread renews and which else expires."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError

if TYPE_CHECKING:
    from .connection import Server

logger = logging.getLogger(__name__)

SECONDS = 30.0
"""How long a process counts as alive that is not heard of any more."""


def milliseconds() -> int:
    return int(SECONDS * 1000)


class Lease:
    """Show others that this process is alive, until closed or until it ends."""

    def __init__(self, server: Server, key: str) -> None:
        self.key = key
        self._server = server
        self._stop = threading.Event()
        self._renew()
        self._thread = threading.Thread(target=self._renew_often, name="dedup-lease", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Renew it no more."""
        self._stop.set()
        self._thread.join()

    def _renew(self) -> None:
        self._server.call("SET", self.key, b"1", "PX", milliseconds())

    def _renew_often(self) -> None:
        while not self._stop.wait(SECONDS / 3):
            try:
                self._renew()
            except StoreError as error:  # the next commit will fail too, and somebody hears of it
                logger.debug("The lease of a run was not renewed: %s", error)
