"""The example with an HTTP cache in front: what was not modified is asked for, but not sent."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.texts import article, html

from .test_examples import crawl, drops, run

LAST = 10
"""The number of the last page at first."""
EDITED = 6
HEADERS = (
    ("ETag",),
    ("ETag", "Cache-Control: no-cache"),
    ("ETag", "Cache-Control: max-age=86400"),
    ("Last-Modified",),
    ("ETag", "Last-Modified"),
)
"""What servers send, from page to page."""


class Site:
    """Chapters, each with a link to the next, which are sent only to those who lack them."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, int]] = Counter()
        self.fails = False
        self._pages: dict[str, tuple[int, bytes]] = {}
        for number in range(LAST + 1):
            self.put(number)

    def put(self, number: int, *more: str) -> str:
        """Write a chapter, or write it anew with more text; return its path."""
        path = f"/{number or ''}"
        version = self._pages.get(path, (0, b""))[0] + 1
        text = html([*article(3 * number, 150), *more], f"Chapter {number}")
        link = f'<p><a href="/{number + 1}">The next chapter</a></body>'
        self._pages[path] = version, text.replace("</body>", link).encode()
        return path

    def count(self, status: int) -> dict[str, int]:
        """Return how often each path was answered with a status, and forget that."""
        found = {path: times for (path, one), times in self.answers.items() if one == status}
        self.answers -= Counter({(path, status): times for path, times in found.items()})
        return found

    def answer(self, path: str, asked: dict[str, str]) -> tuple[int, list[tuple[str, str]], bytes]:
        if path not in self._pages:
            return 404, [], b""
        if self.fails:
            return 500, [], b""
        version, body = self._pages[path]
        validators = {
            "ETag": f'"{version}"',
            "Last-Modified": formatdate(1_000_000_000 + version, usegmt=True),
        }
        headers, is_known = [("Content-Encoding", "gzip")], False
        for one in HEADERS[int(path[1:] or 0) % len(HEADERS)]:
            name, _, value = one.partition(": ")
            headers.append((name, value or validators[name]))
        for name, value in (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since")):
            told = {key.lower(): text for key, text in headers}.get(name)
            is_known |= told is not None and asked.get(value) == told
        return (304, headers, b"") if is_known else (200, headers, gzip.compress(body))


@pytest.fixture
def site() -> Iterator[tuple[Site, str]]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = site.answer(self.path, dict(self.headers.items()))
            site.answers[self.path, status] += 1
            self.send_response(status)
            for header in (("Content-Type", "text/html; charset=utf-8"), *headers):
                self.send_header(*header)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield site, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_was_not_modified_costs_a_request_without_a_body(
    site: tuple[Site, str], tmp_path: Path
) -> None:
    web, url = site
    first = crawl("recrawl", tmp_path, url)
    sent = web.count(200)
    assert {item["verdict"] for item in first} == {"unique"}
    assert {item["url"] for item in first} == {url + path[1:] for path in sent}
    assert len(sent) == LAST + 1

    edited = [
        web.put(EDITED, "The ferry to the island now leaves at nine in the morning."),
        web.put(LAST, "This is no longer the last chapter of the book about the library."),
    ]
    new = web.put(LAST + 1)
    second = crawl("recrawl", tmp_path, url)
    assert web.count(200) == dict.fromkeys([*edited, new], 1), "bodies of what changed"
    assert web.count(304) == dict.fromkeys(sent.keys() - {*edited}, 1), "all else was asked for"
    verdicts = {item["url"]: item["verdict"] for item in second}
    assert verdicts == {
        **{url + path[1:]: "updated" for path in edited},
        url + new[1:]: "unique",
    }
    assert drops(tmp_path / "recrawl") == {"unchanged": LAST + 1 - len(edited)}


def test_a_server_that_fails_makes_no_page_vanish(site: tuple[Site, str], tmp_path: Path) -> None:
    web, url = site
    crawl("recrawl", tmp_path, url)
    web.fails = True
    assert crawl("recrawl", tmp_path, url) == []
    assert len(web.count(500)) == LAST + 1, "links were followed"
    assert drops(tmp_path / "recrawl") == {"unchanged": LAST + 1}


def test_what_a_crawl_lost_comes_from_the_cache(site: tuple[Site, str], tmp_path: Path) -> None:
    web, url = site
    first = crawl("recrawl", tmp_path, url)
    web.count(200)
    (line,) = run(tmp_path / "recrawl", *"-m scrapy dedup runs --json".split()).splitlines()
    run(tmp_path / "recrawl", *"-m scrapy dedup runs discard".split(), json.loads(line)["run"])
    again = crawl("recrawl", tmp_path, url)
    assert {item["url"] for item in again} == {item["url"] for item in first}
    assert web.count(200) == {}
