"""The feeds of a crawl: whether what was delivered is safe in them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter, ItemFilter

from dedup_middleware.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

_FAILED = "feedexport/failed_count/"
_MOST_NAMED = 2


class Feeds:
    """Follow the feeds of a crawl, by what Scrapy's exporter counts and tells.

    A slot is a feed, or a batch of one.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._written: dict[FeedSlot, int] = {}
        """Items of each slot that is not closed."""
        self._closed: dict[str, list[str]] = {}
        """URIs of slots that were closed, stored or not, by the class of their storage."""
        crawler.signals.connect(self._slot_closed, signal=signals.feed_slot_closed)

    def start(self) -> None:
        """Note which feeds there are; they must have been opened."""
        for exporter in self._exporters():
            self._written.update({slot: slot.itemcount for slot in exporter.slots})

    def flush(self) -> bool:
        """Hand items that wait in buffers of feeds to the system; False if it does not take them.

        Nothing helps feeds that are compressed, or uploaded at the end.
        """
        try:
            for exporter in self._exporters():
                for slot in exporter.slots:
                    if slot.file and not slot.file.closed:
                        slot.file.flush()
        except OSError:
            return False
        return True

    def took(self, item: object) -> bool:
        """Return False if a feed could not write an item; to be asked of each, in order.

        Scrapy only logs what `FeedExporter.item_scraped` raises, for instance when a file can't be
        opened, or a field can't be written as JSON. But a slot counts what it has written.
        """
        took = True
        for exporter in self._exporters():
            if type(exporter).item_scraped is not FeedExporter.item_scraped:
                continue  # nobody knows what it counts, and when
            for slot in exporter.slots:
                before = self._written.get(slot)
                self._written[slot] = slot.itemcount
                # without a count it is a new batch: the item was the last one of that before
                if slot.itemcount == before and _wants(slot, item):
                    took = False
        return took

    def failures(self) -> Iterator[str]:
        """Yield which feeds are not stored, when all of them should be."""
        for slot in self._written:
            # an error in closing it that Scrapy has not even counted
            if slot.itemcount or (slot.store_empty and slot.batch_id == 1):
                yield f"the feed {_shown(slot.uri)} was not stored"
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        for key, number in stats.items():
            if key.startswith(_FAILED):
                storage = key.removeprefix(_FAILED)
                uris = self._closed.get(storage, [])
                if number == len(uris) <= _MOST_NAMED:
                    yield from (f"the feed {_shown(uri)} was not stored" for uri in uris)
                else:  # Scrapy does not count by feed
                    yield f"{number} of {len(uris)} feeds in {storage} were not stored"

    def _slot_closed(self, slot: FeedSlot) -> None:
        self._written.pop(slot, None)
        self._closed.setdefault(type(slot.storage).__name__, []).append(slot.uri)

    def _exporters(self) -> Iterator[FeedExporter]:
        for extension in self._crawler.extensions.middlewares if self._crawler.extensions else ():
            if isinstance(extension, FeedExporter):
                yield extension


def _wants(slot: FeedSlot, item: object) -> bool:
    """Return True if an item belongs into a feed, as far as that can be told."""
    # a filter of the user may count how often it is asked
    return type(slot.filter) is ItemFilter and slot.filter.accepts(item)


def _shown(uri: str) -> str:
    """Return a URI without user and password."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return printable(urlunsplit(parts._replace(netloc=host)) if parts.netloc else uri)
