"""Server on 127.0.0.1 of all hosts of a web, and how a crawl fetches any URL from it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from .web import Web

URL_HEADER = "X-Url"
"""Names the URL that is fetched: scheme, host and port of the request are those of the server."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Listener

    def do_GET(self) -> None:
        url = self.headers.get(URL_HEADER, "")
        self.server.fetched.append(url)
        entry = self.server.web.entries.get(url)
        body = entry.body() if entry else b"<h1>Not found</h1>"
        self.send_response(200 if entry else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, web: Web) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.web = web
        self.fetched: list[str] = []


class Server:
    """A web that is served as long as the context lasts."""

    def __init__(self, web: Web) -> None:
        self._listener = _Listener(web)
        self.port: int = self._listener.server_port

    @property
    def fetched(self) -> list[str]:
        """The URLs that were fetched, in their order."""
        return self._listener.fetched

    def __enter__(self) -> Self:
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()
