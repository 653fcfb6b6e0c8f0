"""The web that is crawled: pages of real sites, links between them, and corners around them.

Every URL that is linked has an entry: what kind of URL it is, and which page it shows. A page of
the sites is shown under its own URL and under many others; the entry of each names the own one.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape, unescape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from lab.rows import existing, page_problem, read_rows

from . import corners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_HREF = re.compile(r"""(<a\b[^>]*?\bhref\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_BASE = re.compile(r"<base\b[^>]*>", re.IGNORECASE)
_REFRESH = re.compile(r"<meta\b[^>]*http-equiv[^>]*refresh[^>]*>", re.IGNORECASE)
_END = re.compile(r"</body\s*>", re.IGNORECASE)
_CHILDREN = 3

PAGE = "page"


class Entry(NamedTuple):
    """What a URL shows."""

    kind: str
    """`page`, or the corner that the URL belongs to."""
    page: str
    """The own URL of the page that it shows; empty if it shows nothing to read."""
    body: Callable[[], bytes]


@dataclass
class Site:
    """The pages of one host, in their order, and what is linked from each of them."""

    origin: str
    urls: list[str]
    links: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def host(self) -> str:
        return urlsplit(self.origin).netloc


class Web:
    """Sites with or without corners; another crawl number gives other session ids."""

    def __init__(
        self, pages: dict[str, str], *, added: bool, seed: int = 1, crawl: int = 1, trap: int = 0
    ) -> None:
        self._pages = _linked_among_themselves(pages)
        self._site_of: dict[str, Site] = {}
        self.entries: dict[str, Entry] = {}
        self.mirrors: dict[str, str] = {}
        """The hosts that mirror another one, which is the value."""
        self.sites = list(_sites(self._pages))
        for site in self.sites:
            self._link_pages(site)
        for number, site in enumerate(self.sites if added else ()):
            corners.add(self, site, number, random.Random(f"{seed} {site.host}"), crawl)
        if added and trap:
            corners.add_trap(self, self.sites[len(self.sites) // 2], trap)

    @property
    def starts(self) -> list[str]:
        return [site.urls[0] for site in self.sites]

    @property
    def hosts(self) -> list[str]:
        return sorted({urlsplit(url).hostname or "" for url in self.entries})

    def add(self, url: str, kind: str, page: str, body: Callable[[], bytes] | None = None) -> str:
        """Add a URL, unless it is there; by default it shows the page as it is."""
        self.entries.setdefault(url, Entry(kind, page, body or (lambda: self.html(page, url))))
        return url

    def html(self, page: str, url: str, *, origin: str = "", links: Iterable[str] = ()) -> bytes:
        """Return a page as it is shown under a URL: the bytes differ, the text does not."""
        site = self._site_of[page]
        html = self._pages[page]
        if origin:
            html = html.replace(f'href="{site.origin}/', f'href="{origin}/')
        block = _block(links or site.links[page])
        mark = f"{block}\n<!-- request {random.Random(url).getrandbits(64):016x} -->\n"
        end = _END.search(html)
        at = end.start() if end else len(html)
        return f"{html[:at]}{mark}{html[at:]}".encode("utf-8", "replace")

    def text(self, page: str) -> str:
        """Return a page's HTML, with links to known pages only."""
        return self._pages[page]

    def _link_pages(self, site: Site) -> None:
        """Link each page to a few others, so that all are reached from the first."""
        for number, url in enumerate(site.urls):
            first = _CHILDREN * number + 1
            site.links[url] += site.urls[first : first + _CHILDREN]
            self._site_of[url] = site
            self.add(url, PAGE, url)


def read_pages(folders: Iterable[Path], most: int, problems: list[str]) -> dict[str, str]:
    """Return the HTML of pages by URL, so many of each host at most."""
    pages: dict[str, str] = {}
    for folder in folders:
        number: dict[str, int] = defaultdict(int)
        path = existing(folder, "pages")
        if path is None:
            problems.append(f"{folder}/pages.jsonl.gz: no such file")
            continue
        for row in read_rows(path, page_problem, problems):
            if row is None:
                continue
            host = urlsplit(row["url"]).netloc
            number[host] += 1
            if number[host] <= most:
                pages[safe_url_string(row["url"])] = row["html"]
    return pages


def _sites(pages: Iterable[str]) -> Iterator[Site]:
    urls: dict[str, list[str]] = defaultdict(list)
    for url in pages:
        parts = urlsplit(url)
        urls[f"{parts.scheme}://{parts.netloc}"].append(url)
    for origin, own in urls.items():
        yield Site(origin, own)


def _linked_among_themselves(pages: dict[str, str]) -> dict[str, str]:
    """Make links to known pages absolute, and lead all others nowhere."""
    known = {url.rstrip("/"): url for url in pages}

    def rewritten(url: str, html: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            try:
                target = urljoin(url, unescape(match[2].strip("\"'")).strip())
            except ValueError:
                target = ""
            target = target.partition("#")[0]
            return f'{match[1]}"{escape(known.get(target.rstrip("/"), "#"))}"'

        return _HREF.sub(replaced, _REFRESH.sub("", _BASE.sub("", html)))

    return {url: rewritten(url, html) for url, html in pages.items()}


def _block(links: Iterable[str]) -> str:
    """Return links at the end of a page; their labels are the same on all pages."""
    items = "".join(f'<li><a href="{escape(url)}">More</a></li>' for url in links)
    return f'<nav class="more"><ul>{items}</ul></nav>'
