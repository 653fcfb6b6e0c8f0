"""Stage *sites*: the memory of each host in all its generations, from what arrived there.

Site memory counts arrivals and never verdicts, so that it is known before anything is judged. What
is volatile is not learned here: what a URL showed before a revisit depends on verdicts.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.rarity import SiteCounts
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, Arrival, SiteMemory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def generations(arrivals: Iterable[tuple[int, bytes, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the memory of a host, packed, each with the arrival after which it holds.

    `arrivals` are pages of the host in order, with the key of their URL and what each tells about
    the host. More of one text or of one URL than the first make no difference, nor do those after
    `LAST_PAGE` texts.
    """
    counts, texts, urls, number = SiteCounts(), set[int](), set[bytes](), 0
    for arrival, url, packed in arrivals:
        page = Arrival.unpack(packed)
        is_known = url in urls
        if page.sample.strip(b"\0"):  # else it has no words, and nothing is kept of it
            urls.add(url)
        if is_known or page.text in texts or not counts.learn(page):
            continue
        texts.add(page.text)
        if counts.is_due:
            number += 1
            yield arrival, counts.generation(number).pack()


class SiteTable:
    """What was known of hosts at any time.

    >>> table = SiteTable()
    >>> table.add(b"host", 7, SiteMemory(generation=1).pack())
    >>> [table.at(b"host", arrival).generation for arrival in (7, 8)]
    [0, 1]
    """

    def __init__(self) -> None:
        self._since: dict[bytes, list[int]] = {}
        self._memories: dict[bytes, list[bytes | SiteMemory]] = {}

    def add(self, host: bytes, since: int, packed: bytes) -> None:
        """Add the next generation of a host: what is known after an arrival."""
        self._since.setdefault(host, []).append(since)
        self._memories.setdefault(host, []).append(packed)

    def at(self, host: bytes, arrival: int) -> SiteMemory:
        """Return what is known of a host when a page arrives."""
        place = bisect_left(self._since.get(host, ()), arrival) - 1
        if place < 0:
            return UNKNOWN_SITE
        memory = self._memories[host][place]
        if isinstance(memory, bytes):
            memory = self._memories[host][place] = SiteMemory.unpack(memory)
        return memory
