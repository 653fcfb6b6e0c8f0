"""Known pages in the form that comparison needs, for as long as memory allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .prepared import Prepared

MAX_WORDS = 1_000_000


class PreparedCache:
    """The most recently used prepared pages, up to a number of words."""

    def __init__(self, max_words: int = MAX_WORDS) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[int, tuple[Prepared, int]] = OrderedDict()
        self._words = 0
        self._max_words = max_words

    def get(self, number: int, words: int, make: Callable[[], Prepared]) -> Prepared:
        """Give a page that has so many words, made now if it is not at hand."""
        with self._lock:
            if number in self._pages:
                self._pages.move_to_end(number)
                return self._pages[number][0]
        prepared = make()
        with self._lock:
            if number not in self._pages:
                self._pages[number] = (prepared, words)
                self._words += words
            while self._words > self._max_words and len(self._pages) > 1:
                self._words -= self._pages.popitem(last=False)[1][1]
        return prepared
