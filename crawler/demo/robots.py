"""What is there for robots: robots.txt and site maps."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from .model import Sheet, Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def maps(sheets: Sequence[Sheet], main: str) -> Iterator[Sheet]:
    """Make robots.txt and an index of two site maps, one of them compressed."""
    robots = f"User-agent: *\nDisallow: /private/\n\nSitemap: {main}/sitemap.xml\n"
    texts = [sheet.url for sheet in sheets if sheet.what in {"article", "orphan"}]
    lists = [sheet.url for sheet in sheets if sheet.what == "list"]
    packed = gzip.compress(_urls("urlset", "url", texts), mtime=0)
    parts = (f"{main}/sitemap-texts.xml.gz", f"{main}/sitemap-lists.xml")
    yield _file(f"{main}/robots.txt", robots.encode(), "text/plain")
    yield _file(f"{main}/sitemap.xml", _urls("sitemapindex", "sitemap", parts), "application/xml")
    yield _file(parts[0], packed, "application/gzip")
    yield _file(parts[1], _urls("urlset", "url", lists), "application/xml")


def _urls(root: str, tag: str, urls: Sequence[str]) -> bytes:
    lines = [f"<{tag}><loc>{url}</loc></{tag}>" for url in urls]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SCHEMA}">'
    return "\n".join([head, *lines, f"</{root}>\n"]).encode()


def _file(url: str, body: bytes, content_type: str) -> Sheet:
    return Sheet(url, "for robots", (Version(body),), content_type=content_type, judged=False)
