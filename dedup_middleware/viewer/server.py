"""The web server, on Twisted; work is done in threads."""

# much of twisted.web has no types:
# mypy: allow-untyped-calls

from __future__ import annotations

import logging
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import DeferredSemaphore, maybeDeferred
from twisted.internet.threads import deferToThread
from twisted.web import http, server
from twisted.web.resource import Resource

from dedup_middleware.errors import DedupError

from .http import MOST_BYTES, HTTPError, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from twisted.python.failure import Failure

    from .api import Api, Route
    from .http import Guard, Response

logger = logging.getLogger(__name__)

THREADS, MOST_SLOW = 6, 2
"""Slow work uses some of the threads only, so that quick work need not wait for it."""
MOST_WAITING = 64
"""Requests that are not answered yet; more of them are refused."""
MOST_DISCARDED = 64 << 20
"""Bytes of a body that are received but not kept, so that the sender gets a response."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "dedup",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Exchange(server.Request):
    """A request whose body is bounded, and its response."""

    channel: Any
    is_closed = False
    """Whether the client has closed the connection."""
    _received = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  # Twisted's
        self._received += len(data)
        if self._received <= MOST_BYTES:
            super().handleContentChunk(data)
        elif self._received > MOST_DISCARDED:
            self.channel.loseConnection()

    def requestReceived(  # noqa: N802  # Twisted's
        self, command: bytes, path: bytes, version: bytes
    ) -> None:
        """Take a request without parsing forms, which are not used here."""
        self.method, self.uri, self.clientproto = command, path, version
        if self.content:
            self.content.seek(0)
        self.process()

    def process(self) -> None:
        """Respond by our own routes; Twisted's look-up of resources is not used."""
        self.notifyFinish().addErrback(self._closed)
        site: Site = self.channel.site
        try:
            request = self._request()
            site.guard.check(request)
            route = site.api.route(request)
            if route.method != "GET":
                site.guard.check_change(request)
            site.check_load()
        except HTTPError as error:
            self.reply(error.response)
            return
        site.waiting += 1
        run = site.slow.run if route.slow else maybeDeferred
        done = run(deferToThread, self._respond, route, request)
        done.addBoth(self._done)
        done.addCallbacks(self.reply, self.fail)

    def _respond(self, route: Route, request: Request) -> Response | None:
        """Make the response, unless nobody waits for it any more; runs in a thread."""
        is_wanted = not (self.is_closed or self.channel.site.is_stopping)
        return route.respond(request) if is_wanted else None

    def _done(self, result: Any) -> Any:
        self.channel.site.waiting -= 1
        return result

    def reply(self, response: Response | None) -> None:
        if self.is_closed or response is None:
            return
        self.setResponseCode(response.status)
        self.setHeader("Date", http.datetimeToString())
        for name, value in {
            **HEADERS,
            "Content-Security-Policy": f"{response.policy}; frame-ancestors 'none'",
            "Content-Type": response.content_type,
            "Content-Length": str(len(response.body)),
            **response.headers,
        }.items():
            self.setHeader(name, value)
        self.write(response.body)
        self.finish()

    def fail(self, failure: Failure) -> None:
        """Send an error; details of unexpected ones go to the log only."""
        error = failure.value
        if isinstance(error, HTTPError):
            self.reply(error.response)
        elif isinstance(error, DedupError):
            self._reply_error(str(error))
        else:
            logger.error("A request failed", exc_info=error)
            self.channel.site.warn(f"A request failed: {type(error).__name__}: {error}")
            self._reply_error(
                f"That failed ({type(error).__name__}); `scrapy dedup serve` says more"
            )

    def _reply_error(self, text: str) -> None:
        self.reply(HTTPError(HTTPStatus.INTERNAL_SERVER_ERROR, text).response)

    def _request(self) -> Request:
        headers = {
            name.decode("latin-1").lower(): tuple(value.decode("latin-1") for value in values)
            for name, values in self.requestHeaders.getAllRawHeaders()
        }
        return Request(
            self.method.decode("latin-1"),
            self.uri.decode("latin-1"),
            headers,
            self.content.read() if self.content and self._received <= MOST_BYTES else None,
        )

    def _closed(self, _: Failure) -> None:
        self.is_closed = True


class Site(server.Site):
    """The server; it keeps no access log."""

    noisy = False

    def __init__(self, api: Api, guard: Guard, warn: Callable[[str], object]) -> None:
        super().__init__(Resource(), Exchange)
        self.api = api
        self.guard = guard
        self.warn = warn
        self.slow = DeferredSemaphore(MOST_SLOW)
        self.waiting = 0
        self.is_stopping = False

    def check_load(self) -> None:
        """Raise HTTPError if too many requests are waiting."""
        if self.waiting >= MOST_WAITING:
            raise HTTPError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests; try again")

    def stop(self) -> None:
        """Begin no more work; the reactor waits for what has begun."""
        self.is_stopping = True

    def log(self, request: http.Request) -> None:
        pass


def listen(host: str, port: int) -> socket.socket:
    """Listen on a port, any free one for 0."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise DedupError(
            f"Can't listen on {host}, port {port}: {error.strerror}. Choose another with --port, "
            "0 for any that is free, or another --host"
        ) from error
    listener.setblocking(False)
    return listener


def serve(
    api: Api,
    guard: Guard,
    listener: socket.socket,
    *,
    warn: Callable[[str], object],
    ready: Iterable[Callable[[], object]] = (),
) -> None:
    """Respond to requests until a signal stops the process; call `ready` when that begins."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    reactor.suggestThreadPoolSize(THREADS)
    site = Site(api, guard, warn)
    with listener:
        reactor.adoptStreamPort(listener.fileno(), listener.family, site)
    for work in ready:
        reactor.callWhenRunning(reactor.callInThread, work)
    reactor.addSystemEventTrigger("before", "shutdown", site.stop)
    reactor.run()
