"""Jobs done one at a time, in the order in which they were given: at once, or in a thread.

A coroutine whose job is done at once does not suspend. That matters in a spider middleware: Scrapy
starts a hundred workers for each response, and all of them would have to be parked and woken.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from .waiting import Signal, caller_from_thread

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

DEADLINE = 30.0  # seconds for one job in the thread


class OverdueError(Exception):
    """The job that the thread is at takes too long; none is waited for until it is done."""


class JobQueue:
    """Jobs of one crawl; the thread is started when it is first needed."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._given = 0  # counted by the event loop
        self._done = 0  # counted by the thread
        self._waiting = 0
        self._started: float | None = None
        """When the job began that the thread is at."""

    @property
    def is_idle(self) -> bool:
        """Whether all jobs of the thread are done, and those who wait for them know it."""
        return not self._waiting and self._given == self._done

    async def run(
        self,
        job: Callable[[], T],
        *,
        at_once: bool = False,
        late: Callable[[T], object] | None = None,
    ) -> T:
        """Return the result of a job; `at_once` here and now, unless the thread is busy.

        Raise OverdueError if that takes too long. What a job returns that nobody waits for any more
        goes to `late`, in the thread.
        """
        if at_once and self.is_idle:
            return job()
        future = self.submit(job)
        done, call = Signal(), caller_from_thread()

        def wake(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the event loop has ended
                call(done.set)

        future.add_done_callback(wake)
        self._waiting += 1
        try:
            while not done.is_set:
                left = self._deadline - self._running_for()
                if left <= 0 and not future.done():
                    if not future.cancel() and late:
                        future.add_done_callback(lambda future: _hand_over(future, late))
                    raise OverdueError
                await done.wait(max(left, 0.01))
        finally:
            self._waiting -= 1
        return future.result()

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Have a job done in the thread, without waiting for it."""
        if self._thread is None:
            # a daemon: a job that never ends must not keep the process from ending
            self._thread = threading.Thread(target=self._work, name="dedup", daemon=True)
            self._thread.start()
        future: Future[T] = Future()
        self._given += 1
        self._jobs.put((future, job))
        return future

    def stop(self) -> None:
        """Let the thread end when its jobs are done."""
        self._jobs.put(None)

    def _running_for(self) -> float:
        started = self._started
        return 0.0 if started is None else time.monotonic() - started

    def _work(self) -> None:
        while (task := self._jobs.get()) is not None:
            self._do(*task)
            del task  # or its page would be kept until the next one comes

    def _do(self, future: Future[T], job: Callable[[], T]) -> None:
        if not future.set_running_or_notify_cancel():
            self._done += 1
            return
        self._started = time.monotonic()
        try:
            result = job()
        except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must know
            self._end_job()
            future.set_exception(error)
        else:
            self._end_job()
            future.set_result(result)

    def _end_job(self) -> None:
        self._started = None
        self._done += 1


def _hand_over(future: Future[T], late: Callable[[T], object]) -> None:
    if not future.cancelled() and future.exception() is None:
        late(future.result())
