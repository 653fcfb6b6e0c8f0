"""One thread beside the event loop, whichever loop that is."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from scrapy.utils.asyncio import is_asyncio_available

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.defer import Deferred

P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """Do jobs one after another, in the order in which they were given."""

    def __init__(self, first: Callable[[], object]) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="dedup")
        self._first = self._executor.submit(first)
        self._waiting = 0

    @property
    def idle(self) -> bool:
        """Whether the first job is done and all that was asked for has been answered."""
        return self._first.done() and not self._waiting

    async def ask(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have a job done and wait for its result; the event loop goes on meanwhile."""
        future = self._executor.submit(job, *args, **kwargs)
        self._waiting += 1
        try:
            if is_asyncio_available():
                return await asyncio.wrap_future(future)
            return await _deferred(future)
        finally:
            self._waiting -= 1

    def tell(self, job: Callable[[], object]) -> None:
        """Have a job done some time; if it fails, so will a later one that is waited for."""
        self._executor.submit(job)

    def finish(self) -> None:
        """End the thread; all jobs must have been awaited."""
        self._executor.shutdown()


class Signal:
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


def _deferred(future: Future[T]) -> Deferred[T]:
    """Hand a result over to a Twisted reactor that knows nothing of asyncio."""
    from twisted.internet import defer, reactor

    waiting: Deferred[T] = defer.Deferred()

    def done(future: Future[T]) -> None:
        error = future.exception()
        if error is None:
            reactor.callFromThread(waiting.callback, future.result())
        else:
            reactor.callFromThread(waiting.errback, error)

    future.add_done_callback(done)
    return waiting
