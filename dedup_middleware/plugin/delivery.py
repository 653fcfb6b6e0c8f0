"""The book of delivery: which page an item belongs to, and what became of the page."""

from __future__ import annotations

import hashlib
from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.utils.datatypes import LocalCache

from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action

from .queue import Event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Response

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.page import Page
    from dedup_middleware.sites import Fetched
    from dedup_middleware.verdict import Kind, Verdict

    from .report import Counts
    from .skipping import Skipping

MOST_UNSETTLED = 32  # deliveries that a crash of the process may forget: those pages pass again
MOST_SHARED = 2_000  # judgements that items share; those of one URL come close together
MOST_SETTLED = 20_000  # more than the store has not been told of

_judged_alone: ContextVar[Delivery | None] = ContextVar("dedup_delivery", default=None)
"""The page of the item that is in the pipelines, if no response of it was judged."""


@dataclass(slots=True, eq=False)
class Delivery:
    """A page of this crawl, its verdict, and its items on their way; skipped without a verdict.

    A registered page is pending until its callback has ended and all items that it has yielded have
    left the pipelines: delivered if one of them got through, else withdrawn.
    """

    key: bytes
    """Of the URL."""
    page: Page | None = None
    """Kept as long as it may have to be judged, for the first time or again."""
    response: Response | None = None
    requested: Mapping[Kind, Action] = field(default_factory=dict)
    """The actions that the request asks for."""
    content: bytes = b""
    """The key by which items with the same content find the page."""
    is_running: bool = False
    """Whether the callback may yield more items."""
    items: int = 0
    """Items on their way through the pipelines."""
    ids: set[int] = field(default_factory=set)
    """By identity, those that no pipeline has replaced."""
    had_items: bool = False
    """Whether the callback has yielded any."""
    got_through: bool = False
    """Whether an item has left all pipelines."""
    receipt: Receipt | None = None
    verdict: Verdict | None = None
    fetched: Fetched | None = None
    """What is learned from it about its site, when it has ended."""
    links: set[str] = field(default_factory=set)
    """Where the requests lead that the callback has yielded."""
    digest: bytes = b""
    """Of what it shows; empty if that is too short."""
    cluster: str = ""
    """What it looks like, if it is one of many unrelated URLs that show one short text."""
    is_judging: bool = False
    """Whether a verdict is on its way for which items of the page have to wait."""
    waiting: Event | None = None
    """Set when there is a verdict, or when the page is delivered or withdrawn."""

    @property
    def is_dropped(self) -> bool:
        """Whether items are dropped because the page repeats another one."""
        verdict = self.verdict
        return verdict is not None and verdict.action is Action.DROP and verdict.redundant

    @property
    def is_lost(self) -> bool:
        """Whether all its items were lost, though the page repeats no other one."""
        return self.had_items and not (self.got_through or self.is_dropped)

    @property
    def tag(self) -> dict[str, Any] | None:
        """The verdict in the form in which items and meta carry it."""
        if self.verdict is None:
            return None
        cluster = {"cluster": self.cluster} if self.cluster else {}
        return {**tag_of(self.verdict), **cluster}

    async def wait(self, seconds: float) -> None:
        """Return when the page is judged or settled, or after so many seconds."""
        self.waiting = self.waiting or Event()
        await self.waiting.wait(seconds)

    def wake(self) -> None:
        """Let those go on who wait for the page; some event loops do so at once."""
        event, self.waiting = self.waiting, None
        if event:
            event.set()


class Deliveries:
    """Follow items from the callback through the pipelines to their end.

    Scrapy hands a pipeline the item alone, and a pipeline may replace it by another object. So
    items are known by identity first, then by the context in which Scrapy sends one item through
    the pipelines and tells of its end, then by their response or, in the pipelines, their URL.
    """

    def __init__(self, url_field: str, counts: Counts, skipping: Skipping | None) -> None:
        self._url_field = url_field
        self._counts = counts
        self._skipping = skipping
        self._items: dict[int, tuple[object, Delivery, int]] = {}
        """Items on their way by identity, with their page, and how often they are on their way."""
        self._by_response: dict[int, Delivery] = {}
        self._by_url: dict[bytes, Delivery] = {}
        """Pages with a response whose items are on their way."""
        self._by_content: LocalCache[bytes, Delivery] = LocalCache(MOST_SHARED)
        self._pending: dict[int, Delivery] = {}
        self._settled: LocalCache[int, str] = LocalCache(MOST_SETTLED)
        """What became of the last pages, as `Deduplicator.status` says it."""
        self.delivered: deque[int] = deque()
        """Pages of which the store is to be told; it may be the thread that has to put one back."""
        self.withdrawn: deque[int] = deque()

    def enter(self, item: object, page: Page) -> tuple[Delivery, bool]:
        """Follow an item that is in the pipelines and has no response; return its page.

        Items with the same URL and content share one. Return True if it is new, too.
        """
        key = url_key(page.url)
        content = hashlib.blake2b(page.body, digest_size=16, key=key).digest()
        delivery = self._by_content.get(content)
        is_new = delivery is None
        if delivery is None:
            delivery = self._by_content[content] = Delivery(key, content=content)
        delivery.page = page
        self.expect(item, delivery)
        _judged_alone.set(delivery)
        return delivery, is_new

    def judged(self, delivery: Delivery, receipt: Receipt) -> None:
        """Note the verdict on a page; another one, if the first does not hold."""
        delivery.receipt, delivery.verdict = receipt, receipt.verdict
        if receipt.number is not None:
            self._pending[receipt.number] = delivery
        if not delivery.is_dropped:
            delivery.page = None

    def expect(self, item: object, delivery: Delivery) -> None:
        """Note that an item of a page goes into the pipelines."""
        key = id(item)
        known = self._items.get(key)
        times = known[2] if known and known[1] is delivery else 0  # one object, yielded again
        self._items[key] = (item, delivery, times + 1)
        delivery.ids.add(key)
        delivery.items += 1
        delivery.had_items = True
        if delivery.response is not None:
            self._by_response[id(delivery.response)] = self._by_url[delivery.key] = delivery

    def of_item(self, item: object) -> Delivery | None:
        """Return the page of an item in the pipelines, if its response was judged or skipped."""
        known = self._items.get(id(item))
        # or another object of the same URL: a pipeline has made it of an item still expected
        return known[1] if known else self._of_url(item)

    def ended(self, item: object, response: object, got_through: bool) -> None:
        """Note that an item has left all pipelines, was dropped, or broke one."""
        alone = _judged_alone.get()
        if alone:
            _judged_alone.set(None)  # the task goes on with other items
        key = id(item)
        known = self._items.get(key)
        # one object may have been yielded for two pages; then the response says which it was
        if known and known[1].response in (None, response):
            delivery: Delivery | None = known[1]
            if known[2] > 1:
                self._items[key] = (item, known[1], known[2] - 1)
            else:
                del self._items[key]
                known[1].ids.discard(key)
        else:
            delivery = alone or self._by_response.get(id(response))
        if delivery and delivery.items:
            delivery.items -= 1
            delivery.got_through |= got_through
            if not (delivery.items or delivery.is_running):
                self._end(delivery)

    def close(self, delivery: Delivery) -> None:
        """Note that a callback yields no more."""
        delivery.is_running = False
        if not delivery.items:
            self._end(delivery)

    def close_all(self) -> None:
        """Note that no item is on its way: one that did not end, a middleware has swallowed."""
        for delivery in list(self._pending.values()):
            if delivery.got_through:
                self._end(delivery)

    def pending(self, number: int | None) -> Delivery | None:
        """Return a page of this crawl that is neither delivered nor withdrawn yet."""
        return self._pending.get(number or 0)

    def status(self, number: int | None) -> str | None:
        """Return what became of a page of this crawl: delivered or gone; None if that is open."""
        return self._settled.get(number or 0)

    def _end(self, delivery: Delivery) -> None:
        """Settle a page of which no item is on its way, and forget what was needed for that."""
        for key in delivery.ids:  # of items that a pipeline has replaced
            if key in self._items and self._items[key][1] is delivery:
                del self._items[key]
        delivery.ids.clear()
        delivery.page = None
        if self._skipping:
            self._skipping.page_ended(delivery)
        if delivery.response is not None:
            self._by_response.pop(id(delivery.response), None)
            if self._by_url.get(delivery.key) is delivery:
                del self._by_url[delivery.key]
            delivery.response = None
        number = delivery.receipt.number if delivery.receipt else None
        if number is None or self._pending.pop(number, None) is None:
            return
        self._counts.count("delivered" if delivery.got_through else "withdrawn")
        if delivery.got_through:
            self.delivered.append(number)
        else:
            self.withdrawn.append(number)
            if self._by_content.get(delivery.content) is delivery:
                del self._by_content[delivery.content]  # the next item is judged anew
        self._settled[number] = "delivered" if delivery.got_through else "gone"
        if delivery.waiting:
            delivery.wake()

    def _of_url(self, item: object) -> Delivery | None:
        """Return the page that has the URL of an item, if items of it are on their way."""
        if not self._by_url or not ItemAdapter.is_item(item):
            return None
        url = ItemAdapter(item).get(self._url_field)
        delivery = self._by_url.get(url_key(url)) if isinstance(url, str) else None
        return delivery if delivery and delivery.items else None


def taken(book: deque[int]) -> list[int]:
    """Take the next numbers out of a book to which the thread may add some."""
    return [book.popleft() for _ in range(min(len(book), MOST_UNSETTLED))]


def tag_of(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict in the form in which items and meta carry it."""
    return {
        "kind": str(verdict.kind),
        "original": verdict.original,
        "score": verdict.score,
        "reason": verdict.reason,
        "action": str(verdict.action),
        "lost": verdict.lost.as_json() if verdict.lost else None,
    }
