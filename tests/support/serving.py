"""`scrapy dedup serve` in a process of its own, and a client for it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.crawling import environment, python
from tests.support.texts import article, html

from .patience import PATIENCE

SCRIPT = "<script>alert()</script>"  # three words: a page with more that is new is kept
REMOVED = "https://a.example/removed"


def feed(numbers: range) -> str:
    """Return articles as JSON lines; of each an edited version, a shortened one and a copy."""
    lines = []
    for number in numbers:
        parts = article(number * 3, 160)
        edited = [part.replace("the", "one", 2) for part in parts]
        for name, variant in {
            "": parts,
            "/edited": [*edited, SCRIPT],
            "/short": parts[: 1 + len(parts) // 3],
            "/copy": parts,
        }.items():
            page = html(variant, f"Title of {number} &lt;b&gt;")
            lines.append(json.dumps({"url": f"https://a.example/{number}{name}", "html": page}))
    return "\n".join(lines) + "\n"


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)


class Server:
    """A running server."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        self._errors = (folder / "errors.txt").open("w+b")
        self.process = subprocess.Popen(
            python("-m", "scrapy", "dedup", "serve", "--json", *map(str, arguments)),
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        line = self.process.stdout.readline()
        assert line, self.errors
        self.info = json.loads(line)
        self.base, _, self.token = self.info["url"].partition("?token=")
        self.port = int(self.base.rstrip("/").rpartition(":")[2])

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def request(
        self,
        target: str,
        method: str = "GET",
        body: bytes | None = None,
        **headers: str | None,
    ) -> Reply:
        """Send a request; headers are written with underscores, None leaves one out."""
        own = {"host": f"127.0.0.1:{self.port}", "x_dedup_token": self.token}
        all_headers = own | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in all_headers.items():
            if value is not None:
                connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        reply = Reply(response.status, response.headers, response.read())
        connection.close()
        assert b"Traceback" not in reply.body
        assert not any(name.lower().startswith("access-control") for name in reply.headers)
        for name, value in {
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-store",
        }.items():
            assert reply.headers[name] == value
        assert reply.headers["content-security-policy"].endswith("frame-ancestors 'none'")
        return reply

    def post(self, what: str, content: Any, **headers: str | None) -> Reply:
        usual = {
            "content_type": "application/json",
            "origin": f"http://127.0.0.1:{self.port}",
            "sec_fetch_site": "same-origin",
        }
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.request(f"/api/{what}", "POST", body, **(usual | headers))

    def rows(self, after: int | None = None) -> dict[str, Any]:
        reply = self.request("/api/rows" if after is None else f"/api/rows?after={after}")
        assert reply.status == 200, reply.body
        return reply.json

    def stop(self, number: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        assert "Traceback" not in self.errors
        self._errors.close()
        return code


def row_of(rows: dict[str, Any], url: str) -> tuple[str, int]:
    """Return the run and number of the decision about a URL."""
    columns = rows["columns"]
    row = columns["url"].index(url)
    return rows["runs"][columns["run"][row]], columns["seq"][row]
