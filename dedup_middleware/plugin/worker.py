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

from dedup_middleware.errors import StoreError

from .child import read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.defer import Deferred

# not multiprocessing: that would run the user's script once more
# Signals that end a crawl reach its whole group; the crawl closes this process in good order.
_START = """
import signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
sys.path[:] = sys.argv[1:]
from dedup_middleware.plugin.child import main
main()
"""


class Worker:
    """Have jobs of `child.Service` done, in the order in which they were given."""

    def __init__(self, **keywords: Any) -> None:
        self._started: Future[subprocess.Popen[bytes]] = Future()
        self._jobs: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting: deque[Future[Any]] = deque()
        self._lock = threading.Lock()
        self._ended = False
        # a pipe that is full, or empty, makes a thread wait, not the event loop
        self._threads = [
            threading.Thread(target=target, name="dedup", daemon=True)
            for target in (self._run, self._write)
        ]
        for thread in self._threads:
            thread.start()
        try:
            self._process = self._started.result()
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
        self.abandon()
        for thread in self._threads:
            thread.join()

    def abandon(self) -> None:
        """Let the process end when it has done its jobs; don't wait."""
        self._jobs.put(None)

    def _run(self) -> None:
        """Start the process and hear its answers; Linux ends it with the thread that started it."""
        try:
            process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-c", _START, *map(str, sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            self._started.set_exception(StoreError(f"Can't start a process: {error}"))
            self._end()
            return
        self._started.set_result(process)
        with process:
            try:
                self._hear(process.stdout)
            finally:
                self._end()
                self._jobs.put(None)

    def _hear(self, stream: Any) -> None:
        while (frame := read_frame(stream)) is not None:
            future = self._waiting.popleft()
            try:
                good, answer = pickle.loads(frame)  # noqa: S301 - from our own child
            except Exception as error:  # noqa: BLE001 - one answer that can't be read
                good, answer = False, error
            if not future.set_running_or_notify_cancel():
                continue
            if good:
                future.set_result(answer)
            else:
                future.set_exception(answer)

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, deque()
        for future in left:
            if future.set_running_or_notify_cancel():
                future.set_exception(_gone())

    def _write(self) -> None:
        if self._started.exception():
            return
        stream: Any = self._started.result().stdin
        with suppress(OSError, ValueError):  # it has died; the other thread tells
            while (job := self._jobs.get()) is not None:
                write_frame(stream, job)
        with suppress(OSError):
            stream.close()


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
