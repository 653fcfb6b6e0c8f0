"""Server on 127.0.0.1, of real pages and copies in other words, or of made pages."""

from __future__ import annotations

import random
import re
import string
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lab.rows import page_problem, read_rows

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
            html = _TEXT.sub(partial(_translated, table), html)
        made.append(html.encode("utf-8", "replace"))
    return made


def _translated(table: dict[int, int], found: re.Match[str]) -> str:
    return found[0].translate(table)


def made_pages(kilobytes: int, count: int) -> list[bytes]:
    """Make so many pages of a size, each with words of its own between menu and footer."""
    chance = random.Random(1)
    known = ["".join(chance.choices(string.ascii_lowercase, k=6)) for _ in range(20_000)]
    menu = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(40))
    blocks = max(1, (1000 * kilobytes - len(menu)) // 300)
    made = []
    for number in range(count):
        text = "".join(f"<p>{' '.join(chance.choices(known, k=42))}.</p>" for _ in range(blocks))
        made.append(
            f"<html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>"
            f"<main><h1>Page {number}</h1>{text}</main><footer>Imprint</footer></body>".encode()
        )
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
    source, number = sys.argv[1], int(sys.argv[2])
    if source.isdecimal():
        Handler.bodies = made_pages(int(source), number)
    else:
        Handler.bodies = pages(Path(source), number)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
