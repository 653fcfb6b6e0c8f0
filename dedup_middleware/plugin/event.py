"""Waiting in coroutines, with whichever event loop there is."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import is_asyncio_available

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.defer import Deferred


class Event:
    """Something that happens once, and that coroutines may wait for."""

    def __init__(self) -> None:
        self.is_set = False
        self._waiting: list[Callable[[], object]] = []

    def set(self) -> None:
        self.is_set = True
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()

    async def wait(self, seconds: float) -> bool:
        """Return when it has happened, or False after so many seconds."""
        if self.is_set:
            return True
        if is_asyncio_available():
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(lambda: None if future.done() else future.set_result(None))
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(future, seconds)
        else:
            from twisted.internet import defer, reactor

            deferred: Deferred[None] = defer.Deferred()
            self._waiting.append(lambda: None if deferred.called else deferred.callback(None))
            with suppress(defer.TimeoutError):
                await deferred.addTimeout(seconds, reactor)
        return self.is_set


def caller_from_thread() -> Callable[[Callable[[], object]], object]:
    """Return what has the running event loop call a function; any thread may use it."""
    if is_asyncio_available():
        return asyncio.get_running_loop().call_soon_threadsafe
    from twisted.internet import reactor

    call: Callable[[Callable[[], object]], object] = reactor.callFromThread
    return call
