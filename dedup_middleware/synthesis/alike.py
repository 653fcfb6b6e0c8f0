"""Which pages say much the same as an earlier one: as sources they would spoil the truth.

Shares are known only for what was copied on purpose. If two sources were versions of one page, what
is taken from one would stand in the other as well, reworded, and nobody would know how much.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from dedup_middleware.read.words import fold

from .terms import split_terms

if TYPE_CHECKING:
    from .source import Source

ALIKE = 0.3
"""Share of either page's shingles; far below the half from which on pages may count as alike,
because a page with an edit in every few words has few of the other's shingles left."""
_WIDTH = 3
_ONE_IN = 4  # shingles is kept: a feed may have many pages
_MOST = 50  # pages that are remembered for a shingle: what more have says nothing about any


class Screen:
    """The pages so far, by a sample of their shingles."""

    def __init__(self) -> None:
        self._urls: list[str] = []
        self._sizes: list[int] = []
        self._holders: dict[int, list[int]] = defaultdict(list)

    def like(self, source: Source) -> str | None:
        """Name an earlier page that has much in common with this one, or remember this one."""
        shingles = _sample(source)
        counts: Counter[int] = Counter()
        for shingle in shingles:
            counts.update(self._holders.get(shingle, ()))
        for number, shared in counts.most_common():
            if shared >= ALIKE * min(len(shingles), self._sizes[number]):
                return self._urls[number]
        number = len(self._urls)
        self._urls.append(source.url)
        self._sizes.append(len(shingles))
        for shingle in shingles:
            holders = self._holders[shingle]
            if len(holders) < _MOST:
                holders.append(number)
        return None


def _sample(source: Source) -> set[int]:
    words = split_terms(fold(source.text))[0]
    runs = zip(*(words[start:] for start in range(_WIDTH)), strict=False)
    hashes = (zlib.crc32(" ".join(run).encode("utf-8", "surrogatepass")) for run in runs)
    return {one for one in hashes if one % _ONE_IN == 0}
