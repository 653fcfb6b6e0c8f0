"""Failures at the start of a crawl, told in one clear line, and of its store in mid-crawl."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dedup_middleware.errors import DedupError

logger = logging.getLogger(__name__)

# who logs what a crawl raises before it has begun: Scrapy leaves it to the event loop
_REPORTERS = ("asyncio", "twisted")
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 64.0  # seconds until a store that failed is tried again


def fail(error: DedupError) -> NoReturn:
    """Log an error in one line and raise it; its traceback says nothing to the user."""
    logger.error("%s", error)
    silence = _Silence(error)
    for name in _REPORTERS:
        logging.getLogger(name).addFilter(silence)
    raise error


class _Silence(logging.Filter):
    """Leaves out the reports of an error that was logged already."""

    def __init__(self, error: DedupError) -> None:
        super().__init__()
        self._error = error
        self._text = "Unhandled error in Deferred"

    def filter(self, record: logging.LogRecord) -> bool:
        raised = record.exc_info[1] if record.exc_info else None
        return raised is not self._error and not record.getMessage().startswith(self._text)


class Outage:
    """A store that fails; it is tried again after pauses that grow."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._pause = SHORTEST_PAUSE
        self._until = self._began + self._pause

    @property
    def is_over(self) -> bool:
        """Whether the store may be tried again."""
        return time.monotonic() >= self._until

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def go_on(self) -> None:
        """Note that the store has failed again."""
        if self.is_over:  # else it was asked before
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._until = time.monotonic() + self._pause
