"""URLs that name a store on a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from .errors import StoreError

SCHEMES = {"redis": "redis", "rediss": "rediss", "unix": "unix"} | {
    "valkey": "redis",
    "valkeys": "rediss",
}
"""How a URL may begin, and as what the client library knows that."""
PREFIX = "dedup"
_URL = re.compile(rf"(?:{'|'.join(SCHEMES)})://", re.IGNORECASE)
_PREFIX = re.compile(r"[\w.-]{1,100}", re.ASCII)


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
