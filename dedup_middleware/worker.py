"""A process beside the crawl, and waiting for it with whichever event loop there is.

Judging a page takes a few milliseconds of pure computing. In the crawl's own process they would be
taken from the event loop, in a thread too; another process has its own interpreter.
"""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import is_asyncio_available

from .errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from twisted.internet.defer import Deferred

# not multiprocessing: that would run the user's script once more
_START = "import sys; sys.path[:] = sys.argv[1:]; from dedup_middleware.child import main; main()"


class Worker:
    """Have jobs of `child.Service` done, in the order in which they were given."""

    def __init__(self, **keywords: Any) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-c", _START, *map(str, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._jobs: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting: deque[Future[Any]] = deque()
        self._lock = threading.Lock()
        self._ended = False
        # a pipe that is full, or empty, makes a thread wait, not the event loop
        self._threads = [
            threading.Thread(target=target, name="dedup", daemon=True)
            for target in (self._write, self._read)
        ]
        for thread in self._threads:
            thread.start()
        try:
            self.store, self.journal = self.tell("open", keywords).result()
        except BaseException:
            self.finish()
            raise

    async def ask(self, name: str, *args: object) -> Any:
        """Have a job done and wait for its result; the event loop goes on meanwhile."""
        future = self.tell(name, *args)
        if is_asyncio_available():
            return await asyncio.wrap_future(future)
        return await _deferred(future)

    def tell(self, name: str, *args: object) -> Future[Any]:
        """Have a job done; what fails here fails again in a job that is asked for."""
        future: Future[Any] = Future()
        job = pickle.dumps((name, args), pickle.HIGHEST_PROTOCOL)
        with self._lock:
            if self._ended:
                future.set_exception(_gone())
            else:
                self._waiting.append(future)
                self._jobs.put(job)
        return future

    def finish(self) -> None:
        """End the process; all jobs must have been awaited."""
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._process.wait()

    def _write(self) -> None:
        stream = self._pipe(self._process.stdin)
        with suppress(OSError):  # it has died; the other thread tells
            while (job := self._jobs.get()) is not None:
                stream.write(job)
                stream.flush()
        with suppress(OSError):
            stream.close()

    def _read(self) -> None:
        with self._pipe(self._process.stdout) as stream, suppress(EOFError, OSError):
            while True:
                good, answer = pickle.load(stream)  # noqa: S301 - from our own child
                future = self._waiting.popleft()
                if not future.set_running_or_notify_cancel():
                    continue
                if good:
                    future.set_result(answer)
                else:
                    future.set_exception(answer)
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, deque()
        for future in left:
            if future.set_running_or_notify_cancel():
                future.set_exception(_gone())

    @staticmethod
    def _pipe(stream: Any) -> BinaryIO:
        pipe: BinaryIO = stream
        return pipe


def _gone() -> StoreError:
    return StoreError("The process that judges pages has ended; was it killed, or out of memory?")


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


def _deferred(future: Future[Any]) -> Deferred[Any]:
    """Hand a result over to a Twisted reactor that knows nothing of asyncio."""
    from twisted.internet import defer, reactor

    waiting: Deferred[Any] = defer.Deferred()

    def done(future: Future[Any]) -> None:
        error = future.exception()
        if error is None:
            reactor.callFromThread(waiting.callback, future.result())
        else:
            reactor.callFromThread(waiting.errback, error)

    future.add_done_callback(done)
    return waiting
