"""Jobs done one at a time, in the order in which they come: in the event loop, or in a thread.

A coroutine whose job is done at once does not suspend. That matters in a spider middleware: Scrapy
starts a hundred workers for each response, and all of them would have to be parked and woken. So
short jobs wait behind a long one in the thread, but don't follow it there: under load the thread
would never be idle again.

The thread does jobs together that come one behind another, where they are cases of one function. It
takes some cases, and returns the outcome of each, which may be an exception.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .event import Event, caller_from_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
C = TypeVar("C")

DEADLINE = 30.0  # seconds for what the thread does in one go
BURST = 0.01  # seconds of waiting jobs that the event loop does in one go
MOST_TOGETHER = 16


class OverdueError(Exception):
    """The job that the thread is at takes too long; none is waited for until it is done."""


class _Job(Generic[T]):
    """A job that was not done at once."""

    result: T

    def __init__(
        self, function: Callable[[list[Any]], list[T | Exception]], case: Any, *, at_once: bool
    ) -> None:
        self.function = function
        self.case = case
        self.at_once = at_once
        self.done = Event()
        self.error: BaseException | None = None
        self.is_abandoned = False
        self.late: Callable[[T], object] | None = None
        """What gets the result of a job that nobody waits for any more."""
        self.call: Callable[[Callable[[], object]], object]
        """Has the event loop call a function, from the thread."""


def _do(jobs: Sequence[_Job[Any]]) -> None:
    """Do jobs of one function, but for those that nobody waits for any more."""
    wanted = [job for job in jobs if not job.is_abandoned]
    try:
        outcomes = wanted[0].function([job.case for job in wanted]) if wanted else []
    except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must know
        for job in wanted:
            job.error = error
    else:
        for job, outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, Exception):
                job.error = outcome
            else:
                job.result = outcome


def _alone(function: Callable[[], T], _: list[None]) -> list[T | Exception]:
    return [function()]


class JobQueue:
    """Jobs of one crawl; the thread is started when it is first needed."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._jobs: deque[_Job[Any]] = deque()
        """Jobs that nobody is at."""
        self._for_thread: deque[_Job[Any] | None] = deque()
        self._handed_over = threading.Semaphore(0)
        """Counts what is there for the thread."""
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
        return await self.run_case(partial(_alone, function), None, at_once=at_once, late=late)

    async def run_case(
        self,
        function: Callable[[list[C]], list[T | Exception]],
        case: C,
        *,
        at_once: bool = False,
        late: Callable[[T], object] | None = None,
    ) -> T:
        """Return the outcome of a case, which may be done together with others of the function."""
        if at_once and self.is_idle:
            (outcome,) = function([case])
            if isinstance(outcome, Exception):
                raise outcome
            return outcome
        if self._left() <= 0:
            raise OverdueError
        job = self._add(_Job(function, case, at_once=at_once))
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

    def submit(self, function: Callable[[], object], *, at_once: bool = False) -> None:
        """Have a job done when it is its turn, without waiting for it."""
        self._add(_Job(partial(_alone, function), None, at_once=at_once))

    def stop(self) -> None:
        """Let the thread end when its jobs are done."""
        self._hand_over(None)

    def _add(self, job: _Job[T]) -> _Job[T]:
        self._jobs.append(job)
        self._schedule()
        return job

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
                _do([job])
                job.done.set()
            else:
                self._give(self._jobs.popleft())

    def _give(self, job: _Job[Any]) -> None:
        if self._thread is None:
            # a daemon: a job that never ends must not keep the process from ending
            self._thread = threading.Thread(target=self._work, name="dedup", daemon=True)
            self._thread.start()
        self._in_thread += 1
        job.call = caller_from_thread()
        self._hand_over(job)

    def _hand_over(self, job: _Job[Any] | None) -> None:
        self._for_thread.append(job)
        self._handed_over.release()

    def _thread_did(self, jobs: Sequence[_Job[Any]]) -> None:
        self._in_thread -= len(jobs)
        for job in jobs:
            if job.late and hasattr(job, "result"):
                self.submit(partial(job.late, job.result))
            job.done.set()
        self._advance()

    def _left(self) -> float:
        """Return the seconds that the job in the thread may still take."""
        started = self._started
        return self._deadline - (0.0 if started is None else time.monotonic() - started)

    def _work(self) -> None:
        while jobs := self._next_jobs():
            self._started = time.monotonic()
            _do(jobs)
            self._started = None
            with suppress(RuntimeError):  # the event loop has ended
                jobs[0].call(partial(self._thread_did, jobs))
            del jobs  # or their pages would be kept until the next one comes

    def _next_jobs(self) -> list[_Job[Any]]:
        """Wait for the next job; return it with those behind it that go together with it."""
        self._handed_over.acquire()
        waiting, first = self._for_thread, self._for_thread.popleft()
        if first is None:
            return []
        jobs = [first]
        while len(jobs) < MOST_TOGETHER and waiting:
            following = waiting[0]
            if following is None or following.function != first.function:
                break
            self._handed_over.acquire()
            waiting.popleft()
            jobs.append(following)
        return jobs
