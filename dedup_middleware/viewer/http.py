"""HTTP requests and responses as plain values, and the checks on who sends them."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 1 << 14
"""The most bytes that the body of a request may have."""
CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
TOKEN_HEADER = "x-dedup-token"  # noqa: S105  # the name of a header
HTTP_PORT = 80
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]/@]+)(?::(?P<port>\d{1,5}))?")
_OWN_SITE = frozenset({"same-origin", "none"})
"""Values of Sec-Fetch-Site for requests from a page of ours, or typed by the user."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    target: str
    """Path and query, as the client sent them."""
    headers: Mapping[str, tuple[str, ...]]
    """All values of each header, by its name in lower case."""
    body: bytes | None = b""
    """The body; None if it was too large."""

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the path, each decoded: an encoded slash separates nothing.

        >>> Request("GET", "/api/evidence/..%2Fetc/7?x", {}).path
        ('api', 'evidence', '../etc', '7')
        """
        slash, *parts = self.target.partition("?")[0].split("/")
        return () if slash else tuple(map(unquote, parts))

    @property
    def query(self) -> dict[str, str]:
        """The parameters after the question mark, not decoded yet."""
        pairs = self.target.partition("?")[2].split("&")
        return dict(pair.partition("=")[::2] for pair in pairs if pair)

    def header(self, name: str) -> str | None:
        """Return the only value of a header; None if there is none, or more than one."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class Response:
    body: bytes
    content_type: str = "application/json"
    status: int = 200
    policy: str = CLOSED_POLICY
    """The content security policy."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_json(cls, data: Any, status: int = 200, **headers: str) -> Response:
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        return cls(text.encode("ascii"), status=status, headers=headers)


class HTTPError(Exception):
    """A request that gets an error as its response."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status = status
        self.headers = headers

    @property
    def response(self) -> Response:
        return Response.of_json({"error": str(self)}, self.status, **self.headers)


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks requests to one address.

    >>> guard = Guard("127.0.0.1", 8000, "secret")
    >>> guard.check(Request("GET", "/?token=secret", {"host": ("localhost:8000",)}))
    >>> guard.check(Request("GET", "/?token=secret", {"host": ("evil.example:8000",)}))
    Traceback (most recent call last):
    dedup_middleware.viewer.http.HTTPError: This server is not evil.example:8000
    """

    host: str
    """The address that the server listens on."""
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def check(self, request: Request) -> None:
        """Raise HTTPError for a request without the token, or from a page of another site."""
        host = request.header("host")
        if host is None or not self._is_own(host):
            # a foreign name that resolves to us (DNS rebinding): its pages would pass for ours
            raise HTTPError(HTTPStatus.MISDIRECTED_REQUEST, f"This server is not {host or 'named'}")
        sites = request.headers.get("sec-fetch-site", ())
        # other sites may link to the page itself
        if request.path != ("",) and not _OWN_SITE.issuperset(sites):
            raise HTTPError(HTTPStatus.FORBIDDEN, "Only pages of this server may send requests")
        # in the URL that a person opens; the page sends it in a header, which needs no cookie
        token = request.header(TOKEN_HEADER) or request.query.get("token", "")
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            raise HTTPError(
                HTTPStatus.FORBIDDEN,
                "The token is not that of this server; open the URL that `scrapy dedup serve` has "
                "printed",
            )

    def check_change(self, request: Request) -> None:
        """Raise HTTPError for a change that comes from another site, or is not in JSON."""
        own = f"http://{request.header('host')}".lower()
        if any(origin.lower() != own for origin in request.headers.get("origin", ())):
            raise HTTPError(HTTPStatus.FORBIDDEN, "Only pages of this server may change anything")
        content_type = (request.header("content-type") or "").partition(";")[0].strip().lower()
        if content_type != "application/json":
            raise HTTPError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "Send JSON, with the content type application/json",
            )
        if request.body is None:
            raise HTTPError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body has more than {MOST_BYTES:,} bytes"
            )

    def _is_own(self, host: str) -> bool:
        """Return True if a Host header names this server.

        A name may resolve to any address, so only known names are accepted.
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
    """Return True if only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
