"""The order in which pages are committed, where several are judged at the same time."""

from __future__ import annotations

import threading


class TicketOrder:
    """Arrival order: pages are compared at the same time, but committed one after another.

    >>> order = TicketOrder()
    >>> first, second = order.take(), order.take()
    >>> order.finish(first)
    >>> order.wait(second)
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = 0
        self._next = 1
        self._finished: set[int] = set()

    def take(self) -> int:
        with self._changed:
            self._taken += 1
            return self._taken

    def wait(self, ticket: int) -> None:
        """Return when all lower tickets are finished."""
        with self._changed:
            while self._next < ticket:
                self._changed.wait()

    def finish(self, ticket: int) -> None:
        """Pass the turn on, whether the ticket used it or not."""
        with self._changed:
            self._finished.add(ticket)
            while self._next in self._finished:
                self._finished.remove(self._next)
                self._next += 1
            self._changed.notify_all()
