"""Known pages in the form that comparison needs, for as long as memory allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .comparison import Prepared

MAX_WORDS = 1_000_000


class PreparedCache:
    """The most recently used prepared pages, up to a number of words."""

    def __init__(self, max_words: int = MAX_WORDS) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[int, Prepared] = OrderedDict()
        self._words = 0
        self._max_words = max_words

    def get(self, number: int, make: Callable[[], Prepared]) -> Prepared:
        with self._lock:
            if number in self._pages:
                self._pages.move_to_end(number)
                return self._pages[number]
        prepared = make()
        with self._lock:
            if number not in self._pages:
                self._pages[number] = prepared
                self._words += len(prepared.words)
            while self._words > self._max_words and len(self._pages) > 1:
                self._words -= len(self._pages.popitem(last=False)[1].words)
        return prepared
