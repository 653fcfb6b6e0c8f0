"""Figures of a crawl: requests that were not sent, pages that were missed, findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.demo import score_requests

from .corners import REDUNDANT, TRAP, WALLS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crawler.demo import RequestScore

    from .web import Web


@dataclass(frozen=True, slots=True)
class Finding:
    """A mirror that was found: a host, the host that it copies, and after how many of its pages."""

    host: str
    of: str
    after: int


@dataclass(frozen=True, slots=True)
class Crawled:
    """What one crawl fetched, took and found."""

    name: str
    fetched: list[str] = field(repr=False)
    cpu: float
    mirrors: tuple[Finding, ...] = ()
    walls: tuple[tuple[tuple[str, ...], int], ...] = ()
    """Examples of URLs that were said to show a wall or a soft 404, and how many there are."""
    sites_ms: float = 0.0
    """Milliseconds of CPU for each page that were spent on learning about sites."""

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of CPU for each request."""
        return 1000 * self.cpu / max(1, len(self.fetched))


def requests(web: Web, crawled: Crawled) -> RequestScore:
    return score_requests({url: entry.page for url, entry in web.entries.items()}, crawled.fetched)


def not_sent_by_kind(web: Web, crawled: Crawled) -> dict[str, float]:
    """Return for each kind of redundant URL the share that was not fetched."""
    sent = Counter(web.entries[url].kind for url in set(crawled.fetched) & web.entries.keys())
    known = Counter(entry.kind for entry in web.entries.values())
    return {kind: 1 - sent[kind] / known[kind] for kind in REDUNDANT if known[kind]}


def in_trap(web: Web, crawled: Crawled) -> int:
    """Return how often the trap was fetched from."""
    kinds = (web.entries[url].kind for url in crawled.fetched if url in web.entries)
    return sum(kind == TRAP for kind in kinds)


def wall_rates(web: Web, crawled: Crawled) -> tuple[float, float]:
    """Return precision and recall of the URLs that were said to show a wall.

    A site has one wall. If its examples are right, all its URLs are found. Days of the trap may be
    said to be walls or not: they have a short text, but not one text.
    """
    true = Counter(
        urlsplit(url).netloc
        for url in set(crawled.fetched) & web.entries.keys()
        if web.entries[url].kind in WALLS
    )
    right = [one for one in crawled.walls if _kinds(web, one[0]) <= {*WALLS}]
    found = {urlsplit(url).netloc for urls, _ in right for url in urls}
    pages = sum(number for _, number in right)
    said = pages + sum(number for _, number in false_walls(web, crawled))
    recalled = sum(number for host, number in true.items() if host in found)
    return pages / said if said else 1.0, recalled / true.total() if true else 1.0


def false_walls(web: Web, crawled: Crawled) -> list[tuple[tuple[str, ...], int]]:
    """Return the walls that are none, and no days of the trap."""
    return [
        one
        for one in crawled.walls
        if not (kinds := _kinds(web, one[0])) <= {*WALLS} and kinds != {TRAP}
    ]


def false_mirrors(web: Web, crawled: Crawled, copies: Collection[frozenset[str]]) -> list[Finding]:
    """Return the mirrors that are none, by construction or by the labels of the pages."""
    known = {frozenset((_bare(one), _bare(of))) for one, of in web.mirrors.items()}
    known |= {frozenset(map(_bare, pair)) for pair in copies}
    return [
        one for one in crawled.mirrors if frozenset((_bare(one.host), _bare(one.of))) not in known
    ]


def copied_hosts(positives: Iterable[tuple[str, Iterable[str]]]) -> set[frozenset[str]]:
    """Return pairs of hosts of which labels say that one has copies of pages of the other."""
    return {
        frozenset((urlsplit(url).netloc, urlsplit(other).netloc))
        for url, originals in positives
        for other in originals
        if urlsplit(url).netloc != urlsplit(other).netloc
    }


def _kinds(web: Web, urls: Iterable[str]) -> set[str]:
    return {web.entries[url].kind if url in web.entries else "" for url in urls}


def _bare(host: str) -> str:
    return host.lower().removeprefix("www.").partition(":")[0]
