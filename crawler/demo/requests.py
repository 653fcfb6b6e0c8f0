"""Score of the requests of a crawl: what was redundant, and what new pages were missed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .web import Manifest

_EMPTY = {"calendar", "soft 404", "login wall"}


@dataclass(frozen=True, slots=True)
class RequestScore:
    """What became of the URLs that a crawl finds if it fetches everything."""

    pages: int
    """Different pages with something to read."""
    missed: tuple[str, ...]
    """Those of them that no URL was fetched of."""
    redundant: int
    """URLs that show a page that has been fetched from another one."""
    saved: int
    """Those of them that were not fetched."""
    empty: int
    """URLs that show nothing new: days of a calendar, walls."""
    entered: int
    """Those of them that were fetched."""


def pages_shown(manifest: Manifest) -> dict[str, str]:
    """Return the URL of the page that each URL shows; an empty one if there is nothing to read."""
    return {
        page.url: "" if page.what in _EMPTY else page.shows or page.url for page in manifest.pages
    }


def score_requests(shown: Mapping[str, str], fetched: Iterable[str]) -> RequestScore:
    """Compare the URLs that were fetched with the pages that all URLs show.

    One URL of each page is needed, whichever that is.

    >>> shown = {"/a": "/a", "/a?sid=1": "/a", "/a?sid=2": "/a", "/b": "/b", "/wall": ""}
    >>> score_requests(shown, ["/a?sid=1", "/wall"])
    RequestScore(pages=2, missed=('/b',), redundant=2, saved=2, empty=1, entered=1)
    """
    urls = Counter(page for page in shown.values() if page)
    sent = Counter(shown.get(url, "") for url in set(fetched) & shown.keys())
    return RequestScore(
        pages=len(urls),
        missed=tuple(page for page in urls if not sent[page]),
        redundant=sum(urls.values()) - len(urls),
        saved=sum(number - max(1, sent[page]) for page, number in urls.items()),
        empty=len(shown) - sum(urls.values()),
        entered=sent[""],
    )
