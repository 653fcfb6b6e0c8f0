"""The server on Twisted: requests in, answers out, and the work for them in threads."""

# much of twisted.web has no types:
# mypy: allow-untyped-calls

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING, Any

from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool
from twisted.web import http, server
from twisted.web.resource import Resource

from dedup_middleware.errors import DedupError

from .http import MOST_BYTES, Answered, Asked, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from twisted.python.failure import Failure

    from .api import Api
    from .http import Guard


logger = logging.getLogger(__name__)

QUICK, SLOW = 4, 2
"""Threads for what is soon done, and for what is not: the first need not wait for the others."""
MOST_WAITING = 64
MOST_SWALLOWED = 64 << 20
"""Bytes of a body that are received without being kept, so that the sender gets an answer."""
BUSY, FAILED = 503, 500
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "dedup",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Threads:
    """Where work is done."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._pools = {slow: ThreadPool(1, SLOW if slow else QUICK) for slow in (False, True)}
        self.waiting = 0
        self._stopping = False

    def start(self) -> None:
        for pool in self._pools.values():
            pool.start()

    def stop(self) -> None:
        """Wait for what has begun; what has not is left."""
        self._stopping = True
        for pool in self._pools.values():
            pool.stop()

    def do(self, work: Callable[[], Answered], request: Request, *, slow: bool) -> None:
        """Answer a request with what comes of some work."""
        if self.waiting >= MOST_WAITING:
            request.reply(Refused(BUSY, "Too much is asked at once; try again").answered)
            return

        def answer() -> Answered | None:
            return None if self._stopping or request.is_gone else work()

        self.waiting += 1
        done = deferToThreadPool(self._reactor, self._pools[slow], answer)
        done.addBoth(self._done)
        done.addCallbacks(request.reply, request.fail)

    def _done(self, result: Any) -> Any:
        self.waiting -= 1
        return result


class Request(server.Request):
    """A request whose body is bounded, and that is answered with an `Answered`."""

    channel: Any
    is_gone = False
    """Whether nobody waits for the answer any more."""
    _taken = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802  # Twisted's
        self._taken += len(data)
        if self._taken <= MOST_BYTES:
            super().handleContentChunk(data)
        elif self._taken > MOST_SWALLOWED:
            self.channel.loseConnection()

    def requestReceived(  # noqa: N802  # Twisted's
        self, command: bytes, path: bytes, version: bytes
    ) -> None:
        """Take a request as it is: forms are not for us, and not to be parsed."""
        self.method, self.uri, self.clientproto = command, path, version
        if self.content:
            self.content.seek(0)
        self.process()

    def process(self) -> None:
        """Answer; whatever the path is, it is looked up by nobody else."""
        self.notifyFinish().addErrback(self._leave)
        site: Site = self.channel.site
        try:
            asked = self._asked()
            site.guard.check(asked)
            route = site.api.route(asked)
            if route.method != "GET":
                site.guard.check_change(asked)
        except Refused as refused:
            self.reply(refused.answered)
            return
        site.threads.do(lambda: route.work(asked), self, slow=route.slow)

    def reply(self, answered: Answered | None) -> None:
        if self.is_gone or answered is None:
            return
        self.setResponseCode(answered.status)
        self.setHeader("Date", http.datetimeToString())
        for name, value in {
            **HEADERS,
            "Content-Security-Policy": f"{answered.policy}; frame-ancestors 'none'",
            "Content-Type": answered.kind,
            "Content-Length": str(len(answered.body)),
            **answered.headers,
        }.items():
            self.setHeader(name, value)
        self.write(answered.body)
        self.finish()

    def fail(self, failure: Failure) -> None:
        """Say what went wrong; to the asker only what may be said to anybody."""
        error = failure.value
        if isinstance(error, Refused):
            self.reply(error.answered)
        elif isinstance(error, DedupError):
            self.reply(Refused(FAILED, str(error)).answered)
        else:
            logger.error("A request failed", exc_info=error)
            self.channel.site.complain(f"A request failed: {type(error).__name__}: {error}")
            text = f"That failed ({type(error).__name__}); `scrapy dedup serve` says more"
            self.reply(Refused(FAILED, text).answered)

    def _asked(self) -> Asked:
        headers = {
            name.decode("latin-1").lower(): tuple(value.decode("latin-1") for value in values)
            for name, values in self.requestHeaders.getAllRawHeaders()
        }
        return Asked(
            self.method.decode("latin-1"),
            self.uri.decode("latin-1"),
            headers,
            self.content.read() if self.content and self._taken <= MOST_BYTES else None,
        )

    def _leave(self, _: Failure) -> None:
        self.is_gone = True


class Site(server.Site):
    """The server; it keeps no log of who asked what."""

    noisy = False

    def __init__(
        self, api: Api, guard: Guard, threads: Threads, complain: Callable[[str], object]
    ) -> None:
        super().__init__(Resource(), Request)
        self.api = api
        self.guard = guard
        self.threads = threads
        self.complain = complain

    def log(self, request: http.Request) -> None:
        pass


def free_port(host: str, port: int) -> socket.socket:
    """Take a port, any free one for 0."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise DedupError(
            f"Can't listen on {host}, port {port}: {error.strerror}. Choose another with --port, "
            "0 for any that is free, or another --host"
        ) from error
    listening.setblocking(False)
    return listening


def serve(
    api: Api,
    guard: Guard,
    listening: socket.socket,
    *,
    complain: Callable[[str], object],
    ready: Iterable[Callable[[], object]] = (),
) -> None:
    """Answer requests until a signal says that it is enough; `ready` is called when that begins."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    threads = Threads(reactor)
    with listening:
        reactor.adoptStreamPort(
            listening.fileno(), listening.family, Site(api, guard, threads, complain)
        )
    reactor.callWhenRunning(threads.start)
    for work in ready:
        reactor.callWhenRunning(reactor.callInThread, work)
    reactor.addSystemEventTrigger("during", "shutdown", threads.stop)
    reactor.run()
