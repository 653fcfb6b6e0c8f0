"""Jobs done one at a time, in the order in which they come: in the event loop, or in a thread.

A coroutine whose job is done at once does not suspend. That matters in a spider middleware: Scrapy
starts a hundred workers for each response, and all of them would have to be parked and woken. So
short jobs wait behind a long one in the thread, but don't follow it there: under load the thread
would never be idle again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .event import Event, caller_from_thread

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

DEADLINE = 30.0  # seconds for one job in the thread
BURST = 0.01  # seconds of waiting jobs that the event loop does in one go


class OverdueError(Exception):
    """The job that the thread is at takes too long; none is waited for until it is done."""


class _Job(Generic[T]):
    """A job that was not done at once."""

    result: T

    def __init__(self, function: Callable[[], T], *, at_once: bool) -> None:
        self._function = function
        self.at_once = at_once
        self.done = Event()
        self.error: BaseException | None = None
        self.is_abandoned = False
        self.late: Callable[[T], object] | None = None
        """What gets the result of a job that nobody waits for any more."""

    def do(self) -> None:
        if self.is_abandoned:
            self.late = None
            return
        try:
            self.result = self._function()
        except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must know
            self.error = error


class JobQueue:
    """Jobs of one crawl; the thread is started when it is first needed."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._jobs: deque[_Job[Any]] = deque()
        """Jobs that nobody is at."""
        self._for_thread: SimpleQueue[tuple[_Job[Any], Callable[[], object]] | None] = SimpleQueue()
        self._in_thread = 0
        self._waiting = 0
        self._is_scheduled = False
        self._thread: threading.Thread | None = None
        self._started: float | None = None
        """When the job began that the thread is at."""

    @property
    def is_idle(self) -> bool:
        """Whether all jobs are done, and those who wait for them know it."""
        return not (self._jobs or self._in_thread or self._waiting)

    async def run(
        self,
        function: Callable[[], T],
        *,
        at_once: bool = False,
        late: Callable[[T], object] | None = None,
    ) -> T:
        """Return the result of a job; `at_once` in the event loop, without suspending if idle.

        Raise OverdueError if that takes too long. What a job returns that nobody waits for any more
        goes to `late`, in the thread.
        """
        if at_once and self.is_idle:
            return function()
        if self._left() <= 0:
            raise OverdueError
        job = self.submit(function, at_once=at_once)
        self._waiting += 1
        try:
            while not await job.done.wait(max(self._left(), BURST)):
                if self._left() <= 0:
                    job.is_abandoned, job.late = True, late
                    with suppress(ValueError):
                        self._jobs.remove(job)
                    raise OverdueError
        finally:
            self._waiting -= 1
        if job.error:
            raise job.error
        return job.result

    def submit(self, function: Callable[[], T], *, at_once: bool = False) -> _Job[T]:
        """Have a job done when it is its turn, without waiting for it."""
        job = _Job(function, at_once=at_once)
        self._jobs.append(job)
        self._schedule()
        return job

    def stop(self) -> None:
        """Let the thread end when its jobs are done."""
        self._for_thread.put(None)

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            caller_from_thread()(self._advance)

    def _advance(self) -> None:
        """Do the next jobs, or give them to the thread."""
        self._is_scheduled = False
        began = time.monotonic()
        while self._jobs:
            if self._jobs[0].at_once:
                if self._in_thread:
                    return
                if time.monotonic() - began > BURST:
                    self._schedule()
                    return
                job = self._jobs.popleft()
                job.do()
                job.done.set()
            else:
                self._give(self._jobs.popleft())

    def _give(self, job: _Job[Any]) -> None:
        if self._thread is None:
            # a daemon: a job that never ends must not keep the process from ending
            self._thread = threading.Thread(target=self._work, name="dedup", daemon=True)
            self._thread.start()
        self._in_thread += 1
        self._for_thread.put((job, partial(caller_from_thread(), partial(self._thread_did, job))))

    def _thread_did(self, job: _Job[Any]) -> None:
        self._in_thread -= 1
        if job.late and not job.error:
            self.submit(partial(job.late, job.result))
        job.done.set()
        self._advance()

    def _left(self) -> float:
        """Return the seconds that the job in the thread may still take."""
        started = self._started
        return self._deadline - (0.0 if started is None else time.monotonic() - started)

    def _work(self) -> None:
        while (task := self._for_thread.get()) is not None:
            job, tell = task
            self._started = time.monotonic()
            job.do()
            self._started = None
            with suppress(RuntimeError):  # the event loop has ended
                tell()
            del task, job, tell  # or its page would be kept until the next one comes
