"""The web server: requests and responses as plain values, and the checks on who sends them."""

from __future__ import annotations

import hmac
import io
import json
import logging
import re
import secrets
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from dedup_middleware.errors import DedupError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .api import Api

logger = logging.getLogger(__name__)

MOST_CONNECTIONS = 64
"""Connections at a time; others wait for one of them to end."""
REQUEST_SECONDS = 5
"""The time in which a client must have sent its whole request: it is on this machine, or near."""
RESPONSE_SECONDS = 30
"""The time in which a client must have received the response."""
HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

MOST_BYTES = 1 << 14
"""The most bytes that the body of a request may have."""
CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
_POLICY = re.compile('http-equiv="Content-Security-Policy" content="([^"]*)"')
Content = str | dict[str, Any]
"""What is sent: a page, or data."""
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
        """The parameters after the question mark."""
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    def header(self, name: str) -> str | None:
        """Return the only value of a header; None if there is none, or more than one."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


class HTTPError(Exception):
    """A request that gets an error as its response."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status = status
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks requests to one address.

    >>> guard = Guard("127.0.0.1", 8000, "secret")
    >>> guard.check(Request("GET", "/?token=secret", {"host": ("localhost:8000",)}))
    >>> guard.check(Request("GET", "/?token=secret", {"host": ("evil.example:8000",)}))
    Traceback (most recent call last):
    dedup_middleware.viewer.server.HTTPError: This server is not evil.example:8000
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


class _Timed(io.RawIOBase):
    """What a client sends, as long as it has time.

    The timeout of a socket alone bounds the wait for each piece: who sends a byte at a time would
    keep a thread for hours.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._end = time.monotonic() + REQUEST_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class Exchange(BaseHTTPRequestHandler):
    """A request with a bounded body, in bounded time, and its response.

    Each has a connection and a thread.
    """

    server: Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_Timed(self.connection))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any method: the routes say which they take
            return self._respond
        raise AttributeError(name)

    def _respond(self) -> None:
        api, guard, headers = self.server.api, self.server.guard, self.headers
        body = self._body()
        values = {name.lower(): tuple(headers.get_all(name, ())) for name in headers}
        request = Request(self.command, self.path, values, body)
        content: Content
        status, more = int(HTTPStatus.INTERNAL_SERVER_ERROR), {}
        try:
            guard.check(request)
            respond = api.route(request)
            if request.method == "POST":
                guard.check_change(request)
            content, status = respond(request), int(HTTPStatus.OK)
        except HTTPError as error:
            content, status, more = {"error": str(error)}, error.status, error.headers
        except DedupError as error:
            content = {"error": str(error)}
        except Exception as error:  # details go to the log only
            logger.exception("A request failed")
            name = type(error).__name__
            self.server.warn(f"A request failed: {name}: {error}")
            content = {"error": f"That failed ({name}); `scrapy dedup serve` says more"}
        self._reply(content, status, more)
        if body is None:
            self._discard()

    def _body(self) -> bytes | None:
        """Return the body; None if it is too large, or its length is not known."""
        length = self.headers.get("Content-Length", "0")
        is_known = "Transfer-Encoding" not in self.headers and length.isdecimal()
        if not is_known or len(length) > len(str(MOST_BYTES)) or int(length) > MOST_BYTES:
            return None
        return self.rfile.read(int(length))

    def _discard(self) -> None:
        """Receive the rest of a body: a client that still sends would not see the response."""
        self.connection.shutdown(socket.SHUT_WR)
        while self.rfile.read1(1 << 16):
            pass

    def _reply(self, content: Content, status: int, more: Mapping[str, str]) -> None:
        """Send a page, whose own policy applies, or data as JSON."""
        self.close_connection = True
        self.connection.settimeout(RESPONSE_SECONDS)
        if isinstance(content, str):
            kind, body = "text/html; charset=utf-8", content.encode("utf-8", "replace")
            found = _POLICY.search(content)
            policy = found[1] if found else CLOSED_POLICY
        else:
            text = json.dumps(content, separators=(",", ":"), allow_nan=False)
            kind, body, policy = "application/json", text.encode("ascii"), CLOSED_POLICY
        self.send_response(status)
        for name, value in {
            **HEADERS,
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **more,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send what is wrong with a request that can't be parsed."""
        self._reply({"error": message or explain or "This is no request"}, code, {})

    def version_string(self) -> str:
        return "dedup"

    def log_message(self, *_: object) -> None:
        """Keep no log of requests."""


class Server(ThreadingMixIn, TCPServer):
    """Listens on a port, any free one for 0; responds to requests after `serve` was called."""

    daemon_threads = True  # a comparison need not end before the process does
    request_queue_size = 128
    allow_reuse_address = True
    api: Api
    guard: Guard
    warn: Callable[[str], object]

    def __init__(self, host: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        try:
            super().__init__((host, port), Exchange)
        except OSError as error:
            raise DedupError(
                f"Can't listen on {host}, port {port}: {error.strerror}. Choose another with "
                "--port, 0 for any that is free, or another --host"
            ) from error

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        self._free.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  # Python's
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # else the client has gone
            logger.error("A connection failed", exc_info=error)

    def serve(self, api: Api, guard: Guard, warn: Callable[[str], object]) -> None:
        """Respond to requests until a signal stops the process."""
        self.api, self.guard, self.warn = api, guard, warn
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.serve_forever()
        except KeyboardInterrupt:
            self.server_close()
