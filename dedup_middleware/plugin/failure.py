"""Failures at the start of a crawl, told in one clear line."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from dedup_middleware.errors import DedupError

logger = logging.getLogger(__name__)

# who logs what a crawl raises before it has begun: Scrapy leaves it to the event loop
_REPORTERS = ("asyncio", "twisted")


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
