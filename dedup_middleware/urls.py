"""Hosts, as URLs and people write them."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url

_PLAIN = re.compile(r"https?://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[0-9]*)?(?=[/?#]|$)")
_ANY_LETTER = b"\\u"  # how a line of a journal begins to write what is not ASCII
_ENCODED = "xn--"


def host_of(url: str) -> str:
    """Name the host of a URL, in ASCII; empty if it has none.

    >>> host_of("https://WWW.Example.org:8080/a"), host_of("https://bücher.example"), host_of("a")
    ('www.example.org', 'xn--bcher-kva.example', '')
    """
    plain = _PLAIN.match(url)
    if plain:  # as nearly all are
        return plain[1]
    try:
        return plain_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def plain_host(host: str) -> str:
    """Write a host in ASCII and lower case."""
    host = host.lower().strip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def named_host(text: str) -> str:
    """Read a host as people write it, and a URL for the host that it names.

    >>> named_host("Example.org"), named_host("https://example.org/tides"), named_host("a.org:80")
    ('example.org', 'example.org', 'a.org')
    """
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        return plain_host(parts.hostname or text)
    except ValueError:
        return plain_host(text)


def is_within(host: str, domain: str) -> bool:
    """Tell whether a host is a domain or a part of it.

    >>> is_within("www.example.org", "example.org"), is_within("ample.org", "example.org")
    (True, False)
    """
    return host == domain or host.endswith(f".{domain}")


def host_needles(domain: str) -> tuple[bytes, ...]:
    """Say what must stand in the line of a journal if its URL is of a domain, in lower case."""
    ascii_name = domain.encode("ascii", "ignore")
    if domain.isascii() and _ENCODED not in domain:
        return (ascii_name,)
    return (ascii_name, _ANY_LETTER)  # there may be other letters that come to the same


def host_key(url: str) -> bytes:
    """Return a hash of the host of a URL, of 16 bytes."""
    return hashlib.blake2b(host_of(url).encode(), digest_size=16).digest()


def url_key(url: str) -> bytes:
    """Name a URL as Scrapy's request fingerprinter sees it, in 16 bytes."""
    with suppress(ValueError):  # not a URL that can be taken apart still names the page
        url = canonicalize_url(url)
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).digest()
