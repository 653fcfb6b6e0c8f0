"""Progress of a crawl, in one line of the terminal."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from dedup_middleware.text import count_list, duration
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

_SECONDS = 0.25
_COLUMNS = 80
_GAP = " · "
_ERASE = "\r\x1b[K"


class Progress:
    """Show how many pages have come and what they were judged, while somebody watches."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._started = time.monotonic()
        self._task = create_looping_call(self._draw)
        self._handler = _Eraser(logging.WARNING)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler.stats is None or not _is_watched(crawler.settings):
            raise NotConfigured
        extension = cls(crawler.stats)
        crawler.signals.connect(extension._begin, signals.spider_opened)
        crawler.signals.connect(extension._end, signals.spider_closed)
        return extension

    def _begin(self) -> None:
        self._started = time.monotonic()
        logging.getLogger().handlers.insert(0, self._handler)
        self._task.start(_SECONDS)

    def _end(self) -> None:
        if self._task.running:
            self._task.stop()
        logging.getLogger().removeHandler(self._handler)
        sys.stderr.write(_ERASE)

    def _draw(self) -> None:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
        # the last column stays free: some terminals go to the next line there
        line = progress_line(self._stats, time.monotonic() - self._started, columns - 1)
        sys.stderr.write(_ERASE + line)
        sys.stderr.flush()


class _Eraser(logging.Handler):
    """Make room for the line that the next handler logs."""

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - as in logging
        sys.stderr.write(_ERASE)


def progress_line(stats: StatsCollector, seconds: float, room: int) -> str:
    """Sum up the stats of a crawl, as far as there is room: pages, drops, verdicts, time."""

    def number(key: str) -> int:
        value: int = stats.get_value(key, 0)
        return value

    pages, drops = number("dedup/pages"), number("dedup/action/drop")
    verdicts = +Counter({str(kind): number(f"dedup/verdict/{kind}") for kind in Kind})
    rate = f"{pages:,} pages ({pages / max(seconds, 1e-3):,.1f}/s)"
    dropped, time_taken = f"{drops:,} dropped", duration(seconds)
    for most in range(len(verdicts), 0, -1):
        line = _GAP.join((rate, dropped, count_list(verdicts, most), time_taken))
        if len(line) <= room:
            return line
    return _GAP.join((rate, dropped, time_taken))[:room]


def _is_watched(settings: BaseSettings) -> bool:
    """Return True if somebody sees stderr, and nothing but warnings is logged there."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return False
    if not settings.getbool("LOG_ENABLED") or settings.get("LOG_FILE"):
        return True
    level = logging.getLevelName(str(settings.get("LOG_LEVEL")).upper())
    return not isinstance(level, int) or level >= logging.WARNING
