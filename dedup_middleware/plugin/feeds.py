"""The feeds of a crawl: whether what was delivered is safe in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.extensions.feedexport import FeedExporter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_FAILED = "feedexport/failed_count/"


def flush(crawler: Crawler) -> bool:
    """Hand items that wait in buffers of feeds to the system; False if it does not take them.

    Nothing helps feeds that are compressed, or uploaded at the end.
    """
    try:
        for exporter in crawler.extensions.middlewares if crawler.extensions else ():
            if isinstance(exporter, FeedExporter):
                for slot in exporter.slots:
                    if slot.file and not slot.file.closed:
                        slot.file.flush()
    except OSError:
        return False
    return True


def are_stored(crawler: Crawler) -> bool:
    """Return False if a feed could not be stored when it was closed."""
    stats = crawler.stats.get_stats() if crawler.stats else {}
    return not any(name.startswith(_FAILED) for name in stats)
