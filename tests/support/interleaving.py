"""Runs whose steps are taken in an order that the test chooses."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dedup_middleware import Deduplicator, Page
from dedup_middleware.deduplicator import Receipt
from dedup_middleware.group import Case
from dedup_middleware.store import Change, Committed, Conflict, Seen, Store, View


class Killed(BaseException):
    """Ends the thread of a run that has been killed."""


class SteppedRun:
    """A run that judges pages in a thread of its own, and stops before each commit.

    One step is a judgement, or a commit and the judgement that follows it. Between steps nothing
    moves, so that the same steps give the same result each time.
    """

    def __init__(
        self, store: Store, pages: list[Page], on_commit: Callable[[int], object], group: int = 1
    ) -> None:
        """Prepare a run; `on_commit` gets the index of each page as it is entered.

        So many pages as `group` says are judged together.
        """
        self.dedup = Deduplicator(store)
        self.receipts: list[Receipt] = []
        self.is_finished = False
        self._pages = pages
        self._group = group
        self._committed = 0
        self._on_commit = on_commit
        self._commit_now = store.commit_all
        store.commit_all = self._commit_later
        self._killed = False
        self._error: Exception | None = None
        self._go, self._stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._judge_all, daemon=True)
        self._thread.start()

    def step(self) -> None:
        """Go on until the next commit, or to the end."""
        if not self.is_finished:
            self._go.release()
            self._stopped.acquire()
        if self._error:
            raise self._error

    def end(self, *, kill: Callable[[Store], object] | None = None) -> None:
        """Close the run, or kill it, whatever it is doing."""
        self._killed = True
        self.step()
        self._thread.join()
        if kill:
            kill(self.dedup.store)
            self.dedup.journal.close()
        else:
            self.dedup.close()

    def _judge_all(self) -> None:
        try:
            self._wait()
            for first in range(0, len(self._pages), self._group):
                some = self._pages[first : first + self._group]
                outcomes = self.dedup.judge_all(list(map(Case, some)))
                self.receipts += [one for one in outcomes if isinstance(one, Receipt)]
                self._error = next((one for one in outcomes if isinstance(one, Exception)), None)
        except Killed:
            pass
        except Exception as error:  # noqa: BLE001 - shown by the test
            self._error = error
        self.is_finished = True
        self._stopped.release()

    def _commit_later(
        self, changes: list[tuple[Change, Seen, View | None]]
    ) -> list[Committed | Conflict]:
        self._stopped.release()
        self._wait()
        results = self._commit_now(changes)
        for result in results:
            if isinstance(result, Committed):
                self._on_commit(self._committed)
                self._committed += 1
        return results

    def _wait(self) -> None:
        self._go.acquire()
        if self._killed:
            raise Killed
