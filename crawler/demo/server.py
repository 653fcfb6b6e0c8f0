"""HTTP server of a demo web: two hosts on the loopback interface."""

from __future__ import annotations

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

from .builder import PAGES, build
from .web import manifest_of

if TYPE_CHECKING:
    from .web import Manifest, Resource, Version, Web

ADDRESS = "127.0.0.1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "demo"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 10
    server: _Host

    def do_GET(self) -> None:
        self._respond(counted=True)

    def do_HEAD(self) -> None:
        self._respond(counted=False)

    def _respond(self, *, counted: bool) -> None:
        resource, version = self.server.fetch(self.path, counted=counted)
        body = version.body if version else b"<h1>Not found</h1>"
        self.send_response(resource.status if resource else 404)
        self.send_header("Content-Type", resource.content_type if resource else "text/html")
        self.send_header("Content-Length", str(len(body)))
        if resource and resource.location:
            self.send_header("Location", resource.location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the crawl has its own log."""


class _Host(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.url = f"http://{ADDRESS}:{self.server_port}"
        self._resources: dict[str, Resource] = {}
        self.visits: Counter[str] = Counter()
        self._lock = threading.Lock()

    def serve(self, web: Web) -> None:
        self._resources = {
            resource.url.removeprefix(self.url): resource
            for resource in web.resources
            if resource.url.startswith(f"{self.url}/")
        }

    def fetch(self, path: str, *, counted: bool) -> tuple[Resource | None, Version | None]:
        """Return the resource under a path, in the version of this visit."""
        with self._lock:
            visit = self.visits[path]
            self.visits[path] += counted
        resource = self._resources.get(path)
        if resource is None:
            return None, None
        return resource, resource.versions[min(visit, len(resource.versions) - 1)]

    def handle_error(self, *_: object) -> None:
        """Ignore clients that disconnect in the middle of a response."""


class Server:
    """A demo web that is served as long as the context lasts.

    >>> from urllib.request import urlopen
    >>> with Server(seed=1, pages=100) as server, urlopen(server.url) as response:
    ...     print(response.status)
    200
    """

    def __init__(
        self, seed: int, pages: int = PAGES, port: int = 0, *, corners: bool = False
    ) -> None:
        self._hosts: list[_Host] = []
        try:
            self._hosts = [_Host(port)]
            self._hosts.append(_Host(port + 1 if port else 0))
            main, mirror = self._hosts
            self.web = build(seed, pages, main.url, mirror.url, corners=corners)
        except BaseException:
            self._close()
            raise
        self.url = f"{main.url}/"

    @property
    def manifest(self) -> Manifest:
        return manifest_of(self.web)

    @property
    def visits(self) -> dict[str, int]:
        """How often each URL was fetched, missing ones included."""
        return {
            host.url + path: number
            for host in self._hosts
            for path, number in host.visits.copy().items()
        }

    def start(self) -> Self:
        for host in self._hosts:
            host.serve(self.web)
            threading.Thread(target=host.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self) -> None:
        for host in self._hosts:
            host.shutdown()
        self._close()

    def _close(self) -> None:
        for host in self._hosts:
            host.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
