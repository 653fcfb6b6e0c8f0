"""URLs: hosts, the sites they belong to, keys by which they are stored; and those of servers."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from w3lib.url import canonicalize_url

from .errors import StoreError

if TYPE_CHECKING:
    from tldextract import TLDExtract

_PLAIN = re.compile(r"https?://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[0-9]*)?(?=[/?#]|$)")
_LABEL = "[a-z0-9]{1,30}(?:-[a-z0-9]{1,30})?"
_NAME = "[A-Za-z0-9_-][A-Za-z0-9_.-]*"
_CANONICAL = re.compile(
    rf"https?://(?:{_LABEL}\.)*[a-z][a-z0-9]{{0,30}}(?::[1-9][0-9]{{0,3}})?"
    rf"/(?:{_NAME}/)*(?:{_NAME})?(?:\?[A-Za-z0-9_-]+=[A-Za-z0-9_.-]*)?"
)
"""URLs that are canonical already, as nearly all are."""
SCHEMES = {"redis": "redis", "rediss": "rediss", "unix": "unix"} | {
    "valkey": "redis",
    "valkeys": "rediss",
}
"""How the URL of a server may begin, and as what the client library knows that."""
PREFIX = "dedup"
_URL = re.compile(rf"(?:{'|'.join(SCHEMES)})://", re.IGNORECASE)
_PREFIX = re.compile(r"[\w.-]{1,100}", re.ASCII)


@lru_cache(maxsize=1024)  # those of a page and its candidates are asked for again and again
def host_of(url: str) -> str:
    """Return the host of a URL in ASCII; empty if it has none.

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
    """Return a host in ASCII and lower case."""
    host = host.lower().strip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def named_host(text: str) -> str:
    """Return the host that a user names, by itself or by a URL.

    >>> named_host("Example.org"), named_host("https://example.org/tides"), named_host("a.org:80")
    ('example.org', 'example.org', 'a.org')
    """
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        return plain_host(parts.hostname or text)
    except ValueError:
        return plain_host(text)


def is_within(host: str, domain: str) -> bool:
    """Return True if a host is a domain or one of its sub-domains.

    >>> is_within("www.example.org", "example.org"), is_within("ample.org", "example.org")
    (True, False)
    """
    return host == domain or host.endswith(f".{domain}")


@lru_cache(maxsize=4096)
def site_of(host: str) -> str:
    """Return the registrable domain of a host; an address or a bare name is its own.

    Domains under which anybody can have a name, such as `github.io`, count as public suffixes; so
    does a top-level domain that the list does not know.

    >>> site_of("www.bbc.co.uk"), site_of("one.github.io"), site_of("www.a.example")
    ('bbc.co.uk', 'one.github.io', 'a.example')
    >>> site_of("127.0.0.1"), site_of("localhost")
    ('127.0.0.1', 'localhost')
    """
    found = _suffix_list().extract_str(host)
    if found.suffix:
        return f"{found.domain}.{found.suffix}" if found.domain else host
    parent = found.subdomain.rpartition(".")[2]
    return f"{parent}.{found.domain}" if parent and found.domain else host


def same_site(url: str, other: str) -> bool:
    """Return True if two URLs belong to one registrable domain."""
    one, another = host_of(url), host_of(other)
    return one == another or site_of(one) == site_of(another)


@lru_cache(maxsize=1)
def _suffix_list() -> TLDExtract:
    """Load the list that comes with its package: nothing is fetched, nothing is written."""
    from tldextract import TLDExtract  # only needed where pages of two hosts meet

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


@lru_cache(maxsize=1024)
def host_key(url: str) -> bytes:
    """Return a hash of the host of a URL, of 16 bytes."""
    return hashlib.blake2b(host_of(url).encode(), digest_size=16).digest()


def canonical_url(url: str) -> str:
    """Return a URL as Scrapy's request fingerprinter canonicalises it; as it is, if it is none.

    >>> canonical_url("https://A.example/%7ea?b=2&a=1#top")
    'https://a.example/~a?a=1&b=2'
    """
    if not _CANONICAL.fullmatch(url):
        with suppress(ValueError):
            return canonicalize_url(url)
    return url


@lru_cache(maxsize=256)  # a page's key is asked for more than once, and URLs can be long
def url_key(url: str) -> bytes:
    """Return the 16-byte key of a URL."""
    canonical = url if _CANONICAL.fullmatch(url) else canonical_url(url)  # as most are
    return hashlib.blake2b(canonical.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def is_url(place: object) -> bool:
    """Return True for the URL of a server; raise StoreError for that of something else.

    >>> is_url("valkey://localhost"), is_url("some/folder")
    (True, False)
    """
    if not isinstance(place, str) or "://" not in place:
        return False
    if not _URL.match(place):
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        scheme = place.partition("://")[0]  # the rest may hold a password
        raise StoreError(
            f"A store on a server has a URL that begins with {known}; not with {scheme!r}"
        )
    return True


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is: a server, one of its databases, and what its keys begin with."""

    url: str
    """As the client library wants it."""
    prefix: str
    name: str
    """For people: without the password."""

    @property
    def folder(self) -> str:
        """Where a project keeps journals of runs that use the store."""
        return f"servers/{re.sub(r'[^A-Za-z0-9_.-]+', '_', self.name)}"

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a URL.

        >>> Address.parse("valkey://:secret@cache:6380/2?prefix=news").name
        'redis://cache:6380/2?prefix=news'
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:  # what it says may show a part of the password
            raise StoreError(
                "The URL of the store can't be read; write it as redis://USER:PASSWORD@HOST:PORT/0 "
                "and other characters than letters and digits as %XX"
            ) from None
        scheme = SCHEMES[parts.scheme.lower()]
        query = dict(parse_qsl(parts.query))
        prefix = query.pop("prefix", PREFIX)
        if not _PREFIX.fullmatch(prefix):
            raise StoreError(
                f"The prefix {prefix!r} of the store's URL must be of letters, digits, dots and "
                "hyphens"
            )
        if scheme != "unix" and not re.fullmatch(r"/?\d*", parts.path):
            raise StoreError(
                "The store's URL must end in the number of a database; write it as "
                "redis://HOST:PORT/0?prefix=NAME"
            )
        where = "" if scheme == "unix" else f"{parts.hostname or 'localhost'}:{port or 6379}"
        database = parts.path if scheme == "unix" else parts.path.rstrip("/") or "/0"
        shown = {"db": query["db"]} if "db" in query else {}
        if prefix != PREFIX:
            shown["prefix"] = prefix
        return cls(
            url=f"{scheme}://{parts.netloc}{parts.path}{_query(query)}",
            prefix=prefix,
            name=f"{scheme}://{where}{database}{_query(shown)}",
        )


def _query(values: dict[str, str]) -> str:
    return f"?{urlencode(values)}" if values else ""
