"""The `site` spider: a polite crawl of real sites."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin

import scrapy
from lxml import etree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from crawler.items import PageItem

from .arguments import Arguments, BadArgument, parse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

_LARGEST_MAP = 64 << 20
_links = LinkExtractor()


class SiteSpider(scrapy.Spider):
    """Fetch the pages of a site.

    `-a url=` one or more URLs, separated by commas; `sitemap=` yes, no or URLs; `allowed=` domains;
    `max_pages=`, `max_depth=`: 0 means no limit.
    """

    name = "site"
    arguments: Arguments
    allowed_domains: list[str]

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        if not settings.getdict("FEEDS"):
            settings.set("FEEDS", settings.getdict("DEFAULT_FEEDS"), priority="spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        try:
            arguments = parse(**kwargs)
        except BadArgument as error:
            # the only way to end Scrapy before a crawl with a message and no traceback
            raise SystemExit(f"{cls.name}: {error}") from None
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.arguments = arguments
        spider.allowed_domains = list(arguments.domains)
        for setting, value in (
            ("CLOSESPIDER_PAGECOUNT", arguments.max_pages),
            ("DEPTH_LIMIT", arguments.max_depth),
        ):
            if value is not None:
                crawler.settings.set(setting, value, priority="cmdline")
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for url in self.arguments.urls:
            yield scrapy.Request(url, self.parse)
            if self.arguments.sitemap:
                # without a robots.txt, site maps are looked for at their usual place
                meta = {"handle_httpstatus_all": True}
                yield scrapy.Request(urljoin(url, "/robots.txt"), self.parse_robots, meta=meta)
        for url in self.arguments.sitemaps:
            yield scrapy.Request(url, self.parse_sitemap)

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page and requests for its links."""
        if not isinstance(response, HtmlResponse):
            return
        yield self.page(response)
        for link in _links.extract_links(response):
            if not link.nofollow:
                # not response.follow: it encodes the headers like the page, and no server
                # understands headers in UTF-16
                yield scrapy.Request(link.url, self.parse)

    def page(self, response: HtmlResponse) -> PageItem:
        language = response.xpath("/html/@lang").get() or ""
        header = response.headers.get("Content-Language") or b""
        return PageItem(
            url=response.url,
            html=response.text,
            title=" ".join(response.xpath("string(//title)").get(default="").split()),
            language=language.strip() or header.decode("latin-1"),
            fetched=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def parse_robots(self, response: Response) -> Iterator[Request]:
        """Yield requests for the announced site maps, else for the usual one."""
        lines = response.body.decode("utf-8", "replace").splitlines() if _is_found(response) else []
        maps = [
            urljoin(response.url, line.partition(":")[2].strip())
            for line in lines
            if line.strip().lower().startswith("sitemap:")
        ] or [urljoin(response.url, "/sitemap.xml")]
        for url in maps:
            if url.lower().startswith(("http://", "https://")):
                yield _at_depth_0(response, scrapy.Request(url, self.parse_sitemap))

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """Yield requests for the pages of a site map, or the site maps of an index."""
        for kind, url in _locations(response.body):
            if url.lower().startswith(("http://", "https://")):
                callback = self.parse_sitemap if kind == "sitemap" else self.parse
                yield _at_depth_0(response, scrapy.Request(url, callback))


def _is_found(response: Response) -> bool:
    return response.status == 200  # noqa: PLR2004 - OK


def _at_depth_0(response: Response, request: Request) -> Request:
    """Give a request from a site map the depth of a start request."""
    response.meta["depth"] = -1
    return request


def _locations(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield each URL of a site map, with the name of its parent element."""
    if body[:2] == b"\x1f\x8b":
        try:
            body = zlib.decompressobj(31).decompress(body, _LARGEST_MAP)
        except zlib.error:
            return
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return
    for element in root.iter("{*}loc") if root is not None else ():
        parent = element.getparent()
        if parent is not None and element.text:
            yield etree.QName(parent).localname, element.text.strip()
