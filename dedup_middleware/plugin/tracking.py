"""Tracking of items: which page they belong to, and what became of them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.http import Response

from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action

from .waiting import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.page import Page
    from dedup_middleware.verdict import Kind, Verdict

RECENT_PAGES = 2_000  # with their verdicts; items of one URL come close together
MOST_GONE = 100_000
MOST_DELIVERED = 10_000  # more than the store has not been told of


_current: ContextVar[list[Judged] | None] = ContextVar("dedup_page", default=None)


class Judged:
    """A page of this crawl: its verdict, and the state of its items; skipped without a verdict."""

    def __init__(
        self,
        page: Page | None = None,
        receipt: Receipt | None = None,
        wishes: Mapping[Kind, Action] | None = None,
    ) -> None:
        self.wishes = wishes or {}
        """The actions that the request asks for."""
        self.page = page
        """Kept as long as items of it are on their way."""
        self.key = url_key(page.url) if page else b""
        self.receipt = receipt
        self.items = 0
        """Items on their way through the pipelines, and one while the callback may yield more."""
        self.claims: set[int] = set()
        self.settled = Signal()
        """Set when the page was delivered or withdrawn; what is not registered needs neither."""
        self.renewal: Signal | None = None
        """Set while the page is being judged again."""
        if self.number is None:
            self.settled.set()

    @property
    def verdict(self) -> Verdict | None:
        return self.receipt.verdict if self.receipt else None

    @property
    def number(self) -> int | None:
        return self.receipt.number if self.receipt else None

    @property
    def action(self) -> Action:
        return self.verdict.action if self.verdict else Action.PASS

    @property
    def redundant(self) -> bool:
        return self.verdict is not None and self.verdict.redundant

    @property
    def tag(self) -> dict[str, Any] | None:
        """The verdict in the form in which items and meta carry it."""
        if self.verdict is None:
            return None
        return {
            "kind": str(self.verdict.kind),
            "original": self.verdict.original,
            "score": self.verdict.score,
            "reason": self.verdict.reason,
            "action": str(self.verdict.action),
        }


class Tracker:
    """Follow items from the callback through the pipelines to their end.

    Scrapy hands a pipeline the item alone, and a pipeline may replace it by another object. So
    items are known by identity first, then by the context in which Scrapy sends one item through
    the pipelines and tells of its end, then by their response or their URL.
    """

    def __init__(self, url_field: str) -> None:
        self._url_field = url_field
        self._items: dict[int, tuple[Any, Judged]] = {}
        self._by_response: WeakKeyDictionary[Response, Judged] = WeakKeyDictionary()
        self._recent: OrderedDict[bytes, tuple[bytes, Judged]] = OrderedDict()
        self._unsettled: dict[int, Judged] = {}
        self._gone: dict[int, None] = {}
        self._delivered: dict[int, None] = {}
        self.delivered: list[int] = []
        self.withdrawn: list[int] = []

    def add(self, judged: Judged, response: Response | None = None) -> None:
        """Follow a page from now on; one with a response gets more items until `end`."""
        if response is not None:
            self._by_response[response] = judged
            judged.items += 1
            if not judged.redundant:
                judged.page = None  # only what may be judged again is needed again
        if judged.number is not None:
            self._unsettled[judged.number] = judged
        if judged.key:
            # a response speaks for all items of its URL, an item for those with the same content
            content = content_key(judged.page) if judged.page and response is None else b""
            self._recent[judged.key] = (content, judged)
            while len(self._recent) > RECENT_PAGES:
                self._recent.popitem(last=False)

    def expect(self, item: object, judged: Judged) -> None:
        """Note that an item of a page goes into the pipelines."""
        known, before = self._items.get(id(item), (None, None))
        if known is item and before and before is not judged:  # one object for two pages
            self._one_less(before)
        judged.items += 1
        judged.claims.add(id(item))
        self._items[id(item)] = (item, judged)

    def of_item(self, item: object) -> Judged | None:
        """Return the page of an item in the pipelines, if its response was judged."""
        known, judged = self._items.get(id(item), (None, None))
        if known is item:
            return judged
        content, judged = self._recent.get(self._key(item), (None, None))
        # another object of the same URL: one that a pipeline has made of an item still expected
        return judged if content == b"" and judged and judged.claims else None

    def enter(self, judged: Judged) -> None:
        """Note that the item that is now in the pipelines is one of this page."""
        _current.set([judged])

    def of_content(self, page: Page) -> Judged | None:
        """Return the judgement of an item with the same URL and content."""
        content, judged = self._recent.get(url_key(page.url), (None, None))
        return judged if content == content_key(page) else None

    def unsettled(self, number: int | None) -> Judged | None:
        """Return a page of this crawl that is neither delivered nor withdrawn yet."""
        return self._unsettled.get(number or 0)

    def is_gone(self, number: int | None) -> bool:
        """Return True if a page of this crawl was withdrawn."""
        return number in self._gone

    def is_delivered(self, number: int | None) -> bool:
        """Return True if a page of this crawl was delivered lately."""
        return number in self._delivered

    def renew(self, judged: Judged, receipt: Receipt) -> None:
        """Give a page another verdict, because the original of the first is gone."""
        judged.receipt = receipt
        if judged.number is not None:
            judged.settled = Signal()
            self._unsettled[judged.number] = judged

    def end(self, judged: Judged) -> None:
        """Note that a callback yields no more."""
        self._one_less(judged)

    def scraped(self, item: object, response: object) -> None:
        """Note that an item has left all pipelines."""
        judged = self._ended(item, response)
        if judged:
            if judged.number is not None and not judged.settled.is_set:
                self.delivered.append(judged.number)
                _remember(self._delivered, judged.number, MOST_DELIVERED)
                self._settle(judged)
            self._one_less(judged)

    def lost(self, item: object, response: object) -> None:
        """Note that an item was dropped, or broke a pipeline."""
        judged = self._ended(item, response)
        if judged:
            self._one_less(judged)

    def _ended(self, item: object, response: object) -> Judged | None:
        cell = _current.get()
        in_context = cell.pop() if cell else None  # once: the task goes on with other items
        known, judged = self._items.get(id(item), (None, None))
        if known is item and judged:
            return judged
        if in_context:
            return in_context
        if isinstance(response, Response) and response in self._by_response:
            return self._by_response[response]
        _, judged = self._recent.get(self._key(item), (None, None))
        return judged if judged and judged.claims else None

    def _one_less(self, judged: Judged) -> None:
        judged.items -= 1
        if judged.items > 0:
            return
        for claim in judged.claims:
            self._items.pop(claim, None)
        judged.claims.clear()
        judged.page = None
        if judged.number is not None and not judged.settled.is_set:
            self.withdrawn.append(judged.number)
            _remember(self._gone, judged.number, MOST_GONE)
            self._settle(judged)
            self._forget(judged)  # the next item of this page is judged anew
        elif self._recent.get(judged.key, (None,))[0] == b"":
            self._forget(judged)  # a response: no more items of it are expected

    def _forget(self, judged: Judged) -> None:
        if self._recent.get(judged.key, (None, None))[1] is judged:
            del self._recent[judged.key]

    def _settle(self, judged: Judged) -> None:
        judged.settled.set()
        self._unsettled.pop(judged.number or 0, None)

    def _key(self, item: object) -> bytes:
        url = ItemAdapter(item).get(self._url_field) if ItemAdapter.is_item(item) else None
        return url_key(url) if isinstance(url, str) else b""


def _remember(numbers: dict[int, None], number: int, most: int) -> None:
    """Add a number, and forget the oldest where there are too many."""
    numbers[number] = None
    if len(numbers) > most:
        del numbers[next(iter(numbers))]


def content_key(page: Page) -> bytes:
    """Return a hash of the content of a page, of 16 bytes."""
    return hashlib.blake2b(page.body, digest_size=16).digest()
