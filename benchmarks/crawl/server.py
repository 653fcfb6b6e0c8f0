"""Server of real pages on 127.0.0.1, and of copies with other words in the same markup."""

from __future__ import annotations

import random
import re
import string
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.rows import page_problem, read_rows

_TEXT = re.compile(r">([^<]+)<")


def pages(path: Path, count: int) -> list[bytes]:
    """Return so many distinct pages; copies have their letters exchanged, outside of tags."""
    problems: list[str] = []
    real = [row["html"] for row in read_rows(path, page_problem, problems) if row]
    if problems:
        raise SystemExit("\n".join(problems))
    made = []
    for number in range(count):
        html = real[number % len(real)]
        if number >= len(real):
            letters = list(string.ascii_lowercase)
            random.Random(number // len(real)).shuffle(letters)
            table = str.maketrans(string.ascii_lowercase, "".join(letters))
            html = _TEXT.sub(lambda found: found[0].translate(table), html)  # noqa: B023 - called at once
        made.append(html.encode("utf-8", "replace"))
    return made


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
        """Log nothing."""


if __name__ == "__main__":
    Handler.bodies = pages(Path(sys.argv[1]), int(sys.argv[2]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
