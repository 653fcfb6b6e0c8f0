"""Listening, until somebody presses Ctrl-C."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .api import Api
    from .guard import Guard


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

    from .site import Site, Threads

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
