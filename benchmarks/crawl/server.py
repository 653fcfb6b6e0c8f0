"""Serve real pages on 127.0.0.1, each as often as needed with other words in the same markup."""

from __future__ import annotations

import gzip
import json
import random
import re
import string
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_TEXT = re.compile(r">([^<]+)<")


def pages(path: Path, count: int) -> list[bytes]:
    """Give so many distinct pages: copies have their letters exchanged, outside of tags."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
    real = [json.loads(line)["html"] for line in lines]
    made = []
    for number in range(count):
        html = real[number % len(real)]
        if number >= len(real):
            letters = list(string.ascii_lowercase)
            random.Random(number // len(real)).shuffle(letters)
            table = str.maketrans(string.ascii_lowercase, "".join(letters))
            html = _exchange(html, table)
        made.append(html.encode("utf-8", "replace"))
    return made


def _exchange(html: str, table: dict[int, int]) -> str:
    return _TEXT.sub(lambda found: found[0].translate(table), html)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies: list[bytes]

    def do_GET(self) -> None:
        body = self.bodies[int(self.path.strip("/"))]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in http.server
        """Stay silent."""


if __name__ == "__main__":
    Handler.bodies = pages(Path(sys.argv[1]), int(sys.argv[2]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
