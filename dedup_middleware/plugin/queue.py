"""Jobs done one at a time, in the order in which they come: in the event loop, or in a thread.

A coroutine whose job is done at once does not suspend. That matters in a spider middleware: Scrapy
starts a hundred workers for each response, and all of them would have to be parked and woken. So
short jobs wait behind a long one in the thread, but don't follow it there: under load the thread
would never be idle again.

The thread does cases of one function together, which takes some of them, and returns the outcome of
each; that may be an exception. Cases of different functions have no order among each other, so that
questions about sites keep no pages from being judged together. All other jobs keep their place.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scrapy.utils.asyncio import call_later, is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
C = TypeVar("C")

DEADLINE = 30.0  # seconds for what the thread does in one go
BURST = 0.01  # seconds of waiting jobs that the event loop does in one go
MOST_TOGETHER = 16


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


class OverdueError(Exception):
    """The job that the thread is at takes too long; none is waited for until it is done."""

    def __init__(self, deadline: float) -> None:
        super().__init__(f"The store takes longer than {deadline:g} seconds")


@dataclass(eq=False, repr=False)
class _Job(Generic[T]):
    """A job that was not done at once."""

    function: Callable[[list[Any]], list[T | Exception]]
    case: Any
    at_once: bool
    done: Event = field(default_factory=Event)
    outcome: T | BaseException = field(init=False)
    then: Callable[[T | BaseException], object] | None = None
    """What gets the outcome, in the event loop."""
    late: Callable[[T], object] | None = None
    """What gets the result of a job that nobody waits for any more, in the thread."""

    @property
    def is_case(self) -> bool:
        """Whether it may be done together with other cases of its function."""
        return self.case is not None

    def end(self) -> None:
        """Hand over the outcome."""
        self.done.set()
        if self.then:
            self.then(self.outcome)


def _do(jobs: Sequence[_Job[Any]]) -> None:
    """Do jobs of one function."""
    outcomes: Sequence[Any]
    try:
        outcomes = jobs[0].function([job.case for job in jobs])
    except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must know
        outcomes = [error] * len(jobs)
    for job, outcome in zip(jobs, outcomes, strict=True):
        job.outcome = outcome


def _alone(function: Callable[[], T], _: list[None]) -> list[T | Exception]:
    return [function()]


class JobQueue:
    """Jobs of one crawl; the thread is started when it is first needed."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._jobs: deque[_Job[Any]] = deque()
        """Jobs that no thread works on yet."""
        self._for_thread: SimpleQueue[list[_Job[Any]]] = SimpleQueue()
        """The jobs that the thread is to do together; it ends when there are none."""
        self._in_thread = False
        """Whether the thread has jobs."""
        self._started: float | None = None
        """When the thread has begun with them."""
        self._waiting = 0
        self._is_scheduled = False
        self._thread: threading.Thread | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all jobs are done, and those who wait for them know it."""
        return not (self._jobs or self._in_thread or self._waiting)

    @property
    def left(self) -> float:
        """The seconds that the thread may still take for the jobs that it is at."""
        started = self._started
        return self._deadline - (0.0 if started is None else time.monotonic() - started)

    async def run(self, function: Callable[[], T], *, at_once: bool = False) -> T:
        """Return the result of a job."""
        return await self.run_case(partial(_alone, function), None, at_once=at_once)

    async def run_case(
        self,
        function: Callable[[list[C]], list[T | Exception]],
        case: C,
        *,
        at_once: bool = False,
        late: Callable[[T], object] | None = None,
    ) -> T:
        """Return the outcome of a case, which may be done together with others of the function.

        `at_once` in the event loop, without suspending if the queue is idle. Raise OverdueError if
        it takes too long; a result that nobody waits for any more goes to `late`, in the thread.
        """
        outcome: T | BaseException
        if at_once and self.is_idle:
            (outcome,) = function([case])
        else:
            outcome = await self._outcome(_Job(function, case, at_once=at_once), late)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def submit(self, function: Callable[[], object], *, at_once: bool = False) -> None:
        """Have a job done when it is its turn, without waiting for it; now if the queue is idle."""
        if at_once and self.is_idle:
            function()
        else:
            self._add(_Job(partial(_alone, function), None, at_once=at_once))

    def submit_case(
        self,
        function: Callable[[list[C]], list[T | Exception]],
        case: C,
        *,
        at_once: bool,
        then: Callable[[T | BaseException], object],
    ) -> None:
        """Have a case done in the same way; `then` gets its outcome, in the event loop."""
        if at_once and self.is_idle:
            then(*function([case]))
        else:
            self._add(_Job(function, case, at_once=at_once, then=then))

    def stop(self) -> None:
        """Let the thread end when its jobs are done."""
        if self._thread:
            self.submit(partial(self._for_thread.put, []))

    def _add(self, job: _Job[Any]) -> None:
        self._jobs.append(job)
        self._schedule()

    async def _outcome(self, job: _Job[T], late: Callable[[T], object] | None) -> T | BaseException:
        if self.left <= 0:
            raise OverdueError(self._deadline)
        self._add(job)
        self._waiting += 1
        try:
            while not await job.done.wait(max(self.left, BURST)):
                if self.left <= 0:
                    job.late = late
                    with suppress(ValueError):
                        self._jobs.remove(job)
                    raise OverdueError(self._deadline)
        finally:
            self._waiting -= 1
        return job.outcome

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            _caller_from_thread()(self._advance)

    def _advance(self) -> None:
        """Do the next jobs, or give them to the thread."""
        self._is_scheduled = False
        began = time.monotonic()
        while self._jobs and not self._in_thread:
            job = self._jobs[0]
            if not job.at_once:
                self._give()
            elif time.monotonic() - began > BURST:
                self._schedule()
                return
            else:
                _do([self._jobs.popleft()])
                job.end()

    def _give(self) -> None:
        """Hand the thread the next job, with those behind it that it does together with it."""
        if self._thread is None:
            # a daemon: a job that never ends must not keep the process from ending
            self._thread = threading.Thread(
                target=self._work, args=[_caller_from_thread()], name="dedup", daemon=True
            )
            self._thread.start()
        first = self._jobs.popleft()
        together, passed = [first], list[_Job[Any]]()
        while first.is_case and self._jobs and len(together) < MOST_TOGETHER:
            following = self._jobs[0]
            if following.at_once or not following.is_case:
                break
            some = together if following.function == first.function else passed
            some.append(self._jobs.popleft())
        self._jobs.extendleft(reversed(passed))
        self._in_thread = True
        self._for_thread.put(together)

    def _work(self, call: Callable[[Callable[[], object]], object]) -> None:
        while jobs := self._for_thread.get():
            self._started = time.monotonic()
            _do(jobs)
            self._started = None
            try:
                call(partial(self._thread_did, jobs))
            except RuntimeError:  # the event loop has ended
                return
            del jobs  # or their pages would be kept until the next one comes

    def _thread_did(self, jobs: Sequence[_Job[Any]]) -> None:
        self._in_thread = False
        for job in jobs:
            if job.late and not isinstance(job.outcome, BaseException):
                self.submit(partial(job.late, job.outcome))
            job.end()
        self._advance()


def _caller_from_thread() -> Callable[[Callable[[], object]], object]:
    """Return what has the running event loop call a function; any thread may use it."""
    if is_asyncio_available():
        return asyncio.get_running_loop().call_soon_threadsafe
    from twisted.internet import reactor

    call: Callable[[Callable[[], object]], object] = reactor.callFromThread
    return call
