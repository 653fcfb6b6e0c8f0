"""Waiting in coroutines, with whichever event loop there is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later, is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable


class Event:
    """Something that happens once, and that coroutines may wait for."""

    def __init__(self) -> None:
        self.is_set = False
        self._waiting: list[Deferred[None]] = []

    def set(self) -> None:
        self.is_set = True
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            _wake(one)

    async def wait(self, seconds: float) -> bool:
        """Return when it has happened, or False after so many seconds."""
        if not self.is_set:
            deferred: Deferred[None] = Deferred()
            self._waiting.append(deferred)
            timer = call_later(seconds, _wake, deferred)
            try:
                await maybe_deferred_to_future(deferred)
            finally:
                timer.cancel()
        return self.is_set


def _wake(waiting: Deferred[None]) -> None:
    if not waiting.called:
        waiting.callback(None)


def caller_from_thread() -> Callable[[Callable[[], object]], object]:
    """Return what has the running event loop call a function; any thread may use it."""
    if is_asyncio_available():
        return asyncio.get_running_loop().call_soon_threadsafe
    from twisted.internet import reactor

    call: Callable[[Callable[[], object]], object] = reactor.callFromThread
    return call
