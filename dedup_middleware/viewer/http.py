"""A request and what is answered, as plain values: what is done with them needs no network."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Mapping


MOST_BYTES = 1 << 14
"""Of the body of a request."""
NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
TOO_LARGE = 413


@dataclass(frozen=True, slots=True)
class Asked:
    """A request."""

    method: str
    target: str
    """Path and query, as they came."""
    headers: Mapping[str, tuple[str, ...]]
    """By names in lower case."""
    body: bytes | None = b""
    """None if there was too much of it."""

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the path, each decoded: what is a slash in one of them separates nothing.

        >>> Asked("GET", "/api/evidence/..%2Fetc/7?x", {}).path
        ('api', 'evidence', '../etc', '7')
        """
        slash, *parts = self.target.partition("?")[0].split("/")
        return () if slash else tuple(map(unquote, parts))

    @property
    def query(self) -> dict[str, str]:
        """What follows the question mark, not decoded yet."""
        pairs = self.target.partition("?")[2].split("&")
        return dict(pair.partition("=")[::2] for pair in pairs if pair)

    def header(self, name: str) -> str | None:
        """Give the only value of a header; None if there is none, or more than one."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class Answered:
    """A response."""

    body: bytes
    kind: str = "application/json"
    status: int = 200
    policy: str = NOTHING_ELSE
    """What a browser may do with it."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any, status: int = 200, **headers: str) -> Answered:
        """Answer with data."""
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        return cls(text.encode("ascii"), status=status, headers=headers)


class Refused(Exception):
    """A request is not granted."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status = status
        self.headers = headers

    @property
    def answered(self) -> Answered:
        return Answered.of({"error": str(self)}, self.status, **self.headers)


TOKEN = "x-dedup-token"  # noqa: S105  # the name of a header
HTTP_PORT = 80
FORBIDDEN, WRONG_KIND, WRONG_PLACE = 403, 415, 421
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]/@]+)(?::(?P<port>\d{1,5}))?")
_OWN = frozenset({"same-origin", "none"})
"""Where a request may come from, as browsers say: from a page of ours, or by hand."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks requests to one address.

    >>> from dedup_middleware.viewer.http import Asked
    >>> Guard("127.0.0.1", 8000).check(Asked("GET", "/", {"host": ("localhost:8000",)}))
    >>> Guard("127.0.0.1", 8000).check(Asked("GET", "/", {"host": ("evil.example:8000",)}))
    Traceback (most recent call last):
    dedup_middleware.viewer.http.Refused: This server is not evil.example:8000
    """

    host: str
    """What the server listens on."""
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def check(self, asked: Asked) -> None:
        """Refuse what comes from a page of somebody else."""
        host = asked.header("host")
        if host is None or not self._is_own(host):
            # a name of somebody else that leads here: their pages would be taken for ours
            raise Refused(WRONG_PLACE, f"This server is not {host or 'named'}")
        sites = asked.headers.get("sec-fetch-site", ())
        if asked.path != ("",) and not _OWN.issuperset(sites):  # to the page itself links may lead
            raise Refused(FORBIDDEN, "Only pages of this server may ask")

    def check_change(self, asked: Asked) -> None:
        """Refuse to change anything unless a page of ours says so, or somebody with its token."""
        own = f"http://{asked.header('host')}".lower()
        if any(origin.lower() != own for origin in asked.headers.get("origin", ())):
            raise Refused(FORBIDDEN, "Only pages of this server may change anything")
        given = asked.header(TOKEN) or ""
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise Refused(
                FORBIDDEN,
                "The token is not that of this server; if it was started anew, reload the page",
            )
        kind = (asked.header("content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(WRONG_KIND, "Say it in JSON, with the content type application/json")
        if asked.body is None:
            raise Refused(TOO_LARGE, f"That is more than {MOST_BYTES:,} bytes")

    def _is_own(self, host: str) -> bool:
        """Tell whether a Host header names this server.

        Names lead anywhere, addresses only where they say: so of names only those are taken that
        are known.
        """
        found = _HOST.fullmatch(host)
        if not found or int(found["port"] or HTTP_PORT) != self.port:
            return False
        name = found["name"].lower().rstrip(".")
        if name in {"localhost", self.host.lower().rstrip(".")}:
            return True
        try:
            address = ip_address(name.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or not is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
