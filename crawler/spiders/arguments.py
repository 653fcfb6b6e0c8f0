"""Checked arguments of the `site` spider."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

_YES, _NO = frozenset({"yes", "true", "1"}), frozenset({"no", "false", "0", ""})


class BadArgument(ValueError):
    """An invalid argument; the message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Start, scope and limits of a crawl."""

    urls: tuple[str, ...]
    sitemap: bool
    """Whether to look for the site maps that sites announce."""
    sitemaps: tuple[str, ...]
    domains: tuple[str, ...]
    max_pages: int | None
    max_depth: int | None


def parse(
    url: str = "",
    sitemap: str = "no",
    allowed: str = "",
    max_pages: str = "",
    max_depth: str = "",
    **unknown: str,
) -> Arguments:
    """Return the checked arguments.

    >>> parse("https://www.example.org/", max_pages="9").domains
    ('example.org',)
    >>> parse("example.org")
    Traceback (most recent call last):
    ...
    crawler.spiders.arguments.BadArgument: url: 'example.org' is not a URL that starts with \
http:// or https://; did you mean https://example.org?
    """
    for name in unknown:
        known = "url, sitemap, allowed, max_pages, max_depth"
        raise BadArgument(f"{name}: no such argument; there are {known}")
    urls = tuple(_checked_url("url", one) for one in _split(url))
    if not urls:
        raise BadArgument("url: none is given; say where to start with -a url=https://example.org/")
    word = sitemap.strip().lower()
    sitemaps = (
        () if word in _YES | _NO else tuple(_checked_url("sitemap", one) for one in _split(sitemap))
    )
    domains = tuple(map(_checked_domain, _split(allowed))) or tuple(
        dict.fromkeys((urlsplit(one).hostname or "").removeprefix("www.") for one in urls)
    )
    return Arguments(
        urls,
        word in _YES,
        sitemaps,
        domains,
        checked_number("max_pages", max_pages) if max_pages else None,
        checked_number("max_depth", max_depth) if max_depth else None,
    )


def _split(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _checked_url(name: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError as error:
        raise BadArgument(f"{name}: {url!r} is not a URL: {error}") from None
    if not good:
        hint = "" if "//" in url or not parts.path else f"; did you mean https://{url}?"
        raise BadArgument(
            f"{name}: {url!r} is not a URL that starts with http:// or https://{hint}"
        )
    return url


def _checked_domain(domain: str) -> str:
    if "/" in domain or ":" in domain:
        raise BadArgument(f"allowed: {domain!r} is not a domain; give names such as example.org")
    return domain.lower()


def checked_number(name: str, text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdecimal()):
        raise BadArgument(f"{name}: {text!r} is not a whole number")
    return int(text)
