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
from concurrent.futures import Future
from contextlib import suppress
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


class _Entry(Generic[T]):
    """A job that was not done at once."""

    def __init__(self, job: Callable[[], T], *, at_once: bool) -> None:
        self.job = job
        self.at_once = at_once
        self.future: Future[T] = Future()
        self.done = Event()

    def do(self, ended: Callable[[], object] = lambda: None) -> None:
        """Do the job; `ended` is called before anybody can know its result."""
        if not self.future.set_running_or_notify_cancel():
            ended()
            return
        try:
            result = self.job()
        except BaseException as error:  # noqa: BLE001 - whatever it is, who waits must know
            ended()
            self.future.set_exception(error)
        else:
            ended()
            self.future.set_result(result)


class JobQueue:
    """Jobs of one crawl; the thread is started when it is first needed."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self._deadline = deadline
        self._entries: deque[_Entry[Any]] = deque()
        """Jobs that nobody is at."""
        self._for_thread: SimpleQueue[tuple[_Entry[Any], Callable[[], object]] | None]
        self._for_thread = SimpleQueue()
        self._in_thread = 0
        self._waiting = 0
        self._is_scheduled = False
        self._thread: threading.Thread | None = None
        self._started: float | None = None
        """When the job began that the thread is at."""

    @property
    def is_idle(self) -> bool:
        """Whether all jobs are done, and those who wait for them know it."""
        return not (self._entries or self._in_thread or self._waiting)

    async def run(
        self,
        job: Callable[[], T],
        *,
        at_once: bool = False,
        late: Callable[[T], object] | None = None,
    ) -> T:
        """Return the result of a job; `at_once` in the event loop, without suspending if idle.

        Raise OverdueError if that takes too long. What a job returns that nobody waits for any more
        goes to `late`, in the thread.
        """
        if at_once and self.is_idle:
            return job()
        if self._left() <= 0:
            raise OverdueError
        entry = self.submit(job, at_once=at_once)
        self._waiting += 1
        try:
            while not await entry.done.wait(max(self._left(), BURST)):
                if self._left() <= 0 and not entry.future.done():
                    self._abandon(entry, late)
                    raise OverdueError
        finally:
            self._waiting -= 1
        return entry.future.result()

    def submit(self, job: Callable[[], T], *, at_once: bool = False) -> _Entry[T]:
        """Have a job done when it is its turn, without waiting for it."""
        entry = _Entry(job, at_once=at_once)
        self._entries.append(entry)
        self._schedule()
        return entry

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
        while self._entries:
            if self._entries[0].at_once:
                if self._in_thread:
                    return
                if time.monotonic() - began > BURST:
                    self._schedule()
                    return
                entry = self._entries.popleft()
                entry.do()
                entry.done.set()
            else:
                self._give(self._entries.popleft())

    def _give(self, entry: _Entry[Any]) -> None:
        if self._thread is None:
            # a daemon: a job that never ends must not keep the process from ending
            self._thread = threading.Thread(target=self._work, name="dedup", daemon=True)
            self._thread.start()
        self._in_thread += 1
        call = caller_from_thread()

        def tell() -> None:
            with suppress(RuntimeError):  # the event loop has ended
                call(lambda: self._thread_did(entry))

        self._for_thread.put((entry, tell))

    def _thread_did(self, entry: _Entry[Any]) -> None:
        self._in_thread -= 1
        entry.done.set()
        self._advance()

    def _abandon(self, entry: _Entry[T], late: Callable[[T], object] | None) -> None:
        with suppress(ValueError):
            self._entries.remove(entry)
        if not entry.future.cancel() and late:
            entry.future.add_done_callback(lambda future: _hand_over(future, late))

    def _left(self) -> float:
        """Return the seconds that the job in the thread may still take."""
        started = self._started
        return self._deadline - (0.0 if started is None else time.monotonic() - started)

    def _job_ended(self) -> None:
        self._started = None

    def _work(self) -> None:
        while (task := self._for_thread.get()) is not None:
            entry, tell = task
            self._started = time.monotonic()
            entry.do(self._job_ended)
            tell()
            del task, entry, tell  # or its page would be kept until the next one comes


def _hand_over(future: Future[T], late: Callable[[T], object]) -> None:
    if not future.cancelled() and future.exception() is None:
        late(future.result())
