"""The output of a crawl: what pipelines and feeds did with its items, whether it is safe."""

from __future__ import annotations

from traceback import walk_tb
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import urlsplit, urlunsplit

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter
from scrapy.settings import Settings as ScrapySettings
from scrapy.utils.conf import feed_process_params_from_cli
from scrapy.utils.python import global_object_name

from dedup_middleware.settings import Settings
from dedup_middleware.text import printable

from .delivery import tag_of
from .exceptions import DroppedPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot
    from scrapy.http import Response

_ENDS = (signals.item_scraped, signals.item_dropped, signals.item_error)
_NOT_CLOSED = "the pipelines were not closed"
_FAILED = "feedexport/failed_count/"
_MOST_NAMED = 2
_LONGEST_ERROR = 200


class Output:
    """Follow the items of a crawl to their end, and see whether pipelines and feeds are closed.

    Scrapy closes pipelines side by side, ours among them; what one raises it logs, and tells no
    component. So two calls of Scrapy's own objects are wrapped: that by which the engine has all
    pipelines closed, which fails if any of them does, and that which sends signals, as pipelines
    may close themselves at `spider_closed`. This holds whatever class `ITEM_PROCESSOR` names and on
    every reactor, and no object of the user is changed. A run that was never seen to close has not
    succeeded: a Scrapy that closes pipelines in another way would make pages pass again, and lose
    none.

    The end of an item is noted when its signal was sent: all feeds have had their turn with it
    then, and no task is started for a handler. Feeds are followed by what Scrapy's exporter counts
    and tells; a slot is a feed, or a batch of one.
    """

    def __init__(
        self,
        crawler: Crawler,
        item_ended: Callable[[object, object, bool], None],
        all_ended: Callable[[], None],
    ) -> None:
        self._crawler = crawler
        self._item_ended = item_ended
        self._all_ended = all_ended
        self._not_closed = [_NOT_CLOSED]
        self._pipelines: Sequence[object] = ()
        self._exporters: list[FeedExporter] = []
        self._open: set[FeedSlot] = set()
        self._closed: dict[str, list[str]] = {}
        """URIs of slots that were closed, stored or not, by the class of their storage."""
        crawler.signals.connect(self._slot_closed, signal=signals.feed_slot_closed)

    def start(self) -> None:
        """Follow items from now on; the engine must be there, and feeds must have been opened."""
        extensions = self._crawler.extensions.middlewares if self._crawler.extensions else ()
        self._exporters = [one for one in extensions if isinstance(one, FeedExporter)]
        self._open.update(self._slots())
        if self._crawler.engine is None:
            return
        scraper, manager = self._crawler.engine.scraper, self._crawler.signals
        self._pipelines = getattr(scraper.itemproc, "middlewares", ())
        close, send = scraper.close_spider_async, manager.send_catch_log_async

        async def close_spider_async() -> None:
            try:
                await close()
            except Exception as error:
                self._not_closed = [_failure(self._raised_by(error), error)]
                raise
            else:
                self._not_closed = []
            finally:
                self._all_ended()

        async def send_catch_log_async(signal: Any, **named: Any) -> list[tuple[Any, Any]]:
            results = await send(signal, **named)
            if signal in _ENDS:
                got_through = signal is signals.item_scraped and self._is_written(results)
                self._item_ended(named["item"], named["response"], got_through)
            elif signal is signals.spider_closed:
                self._note_handlers(results)
            return results

        scraper.close_spider_async = close_spider_async  # type: ignore[method-assign]  # see above
        manager.send_catch_log_async = send_catch_log_async  # type: ignore[method-assign]  # same

    def flush(self) -> bool:
        """Hand items that wait in buffers of feeds to the system; False if it does not take them.

        Nothing helps feeds that are compressed, or uploaded at the end.
        """
        try:
            for slot in self._slots():
                if slot.file and not slot.file.closed:
                    slot.file.flush()
        except OSError:
            return False
        return True

    def failures(self) -> Iterator[str]:
        """Yield which pipelines and feeds are not closed and stored, when all of them should be."""
        yield from self._not_closed
        for slot in self._open:
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

    def _is_written(self, results: Sequence[tuple[Any, Any]]) -> bool:
        """Return False if a feed could not write an item, by what handlers have raised.

        Scrapy only logs it, for instance when a file can't be opened, or a field can't be written
        as JSON.
        """
        if not self._exporters:
            return True
        self._open.update(self._slots())  # a new batch may have begun
        failed = [receiver for receiver, result in results if isinstance(result, Exception)]
        return not any(getattr(one, "__self__", None) in self._exporters for one in failed)

    def _slots(self) -> Iterator[FeedSlot]:
        for exporter in self._exporters:
            yield from exporter.slots

    def _slot_closed(self, slot: FeedSlot) -> None:
        self._open.discard(slot)
        self._closed.setdefault(type(slot.storage).__name__, []).append(slot.uri)

    def _raised_by(self, error: Exception) -> object | None:
        """Return the pipeline that raised an error; Twisted's deferreds forget which it was."""
        owners = (frame.f_locals.get("self") for frame, _ in walk_tb(error.__traceback__))
        return next(filter(self._is_pipeline, owners), None)

    def _note_handlers(self, results: Sequence[tuple[Any, Any]]) -> None:
        for receiver, result in results:
            owner = getattr(receiver, "__self__", None)
            if isinstance(result, Exception) and self._is_pipeline(owner):
                self._not_closed.append(_failure(owner, result))

    def _is_pipeline(self, one: object) -> bool:
        return any(one is pipeline for pipeline in self._pipelines)


class DroppedFeed(FeedExporter):
    """Export each item that was dropped as a duplicate, with its verdict.

    `DEDUP_DROPPED_FEED` names the feed as a key of `FEEDS` does: a file or a URI, whose ending is
    its format. The verdict, with the URL of the page, stands in the field `DEDUP_TAG_FIELD`.
    """

    _tag_field = "dedup"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        own = Settings.from_scrapy(crawler.settings)
        if not own.dropped_feed:
            raise NotConfigured
        settings = ScrapySettings(crawler.settings.copy_to_dict())
        settings.setdict({"FEEDS": {}, "FEED_URI": None}, "cmdline")  # those are exported already
        feeds = feed_process_params_from_cli(settings, [own.dropped_feed])
        settings.set("FEEDS", feeds, "cmdline")
        # the exporter reads all feeds of its crawler: here it has this one
        exporter = cls(cast("Crawler", SimpleNamespace(settings=settings)))
        exporter.crawler = crawler
        exporter._tag_field = own.tag_field
        crawler.signals.connect(exporter.open_spider, signals.spider_opened)
        crawler.signals.connect(exporter.close_spider, signals.spider_closed)
        crawler.signals.connect(exporter.item_dropped, signals.item_dropped)
        return exporter

    def item_dropped(
        self, item: Any, response: Response | None, exception: BaseException, spider: Spider
    ) -> None:
        if not isinstance(exception, DroppedPage):
            return
        fields = ItemAdapter(item).asdict()
        url = response.url if response is not None else fields.get("url")
        fields[self._tag_field] = {"url": url, **tag_of(exception.verdict)}
        self.item_scraped(fields, spider)


def _shown(uri: str) -> str:
    """Return a URI without user and password."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return printable(urlunsplit(parts._replace(netloc=host)) if parts.netloc else uri)


def _failure(pipeline: object | None, error: Exception) -> str:
    """Return one line that says which pipeline could not be closed, and why."""
    name = f"the pipeline {global_object_name(type(pipeline))}" if pipeline else "a pipeline"
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{name} failed to close: {printable(text)[:_LONGEST_ERROR]}"
