"""`scrapy dedup serve`: a real server on 127.0.0.1, asked by friends and by others."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from benchmarks.accuracy.sets import find_sets, labels_of
from dedup_middleware.commands import Command
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.overrides import restored_in
from dedup_middleware.lab import Answer, LabelFolder, Pair
from dedup_middleware.settings import Settings as DedupSettings
from dedup_middleware.viewer.evidence_cache import Evidences
from dedup_middleware.viewer.http import MOST_BYTES, Asked, Guard, Refused
from dedup_middleware.viewer.live import Followed, Live, head_of
from tests.support.commands import scrapy, texts
from tests.support.crawling import environment, python
from tests.support.texts import article, html

EVIL = "<script>alert(1)</script>"
FORGOTTEN = "https://a.example/forgotten"


def feed(numbers: range) -> str:
    """Write articles; of each an edited version, a shortened one and a copy."""
    lines = []
    for number in numbers:
        parts = article(number * 3, 160)
        edited = [part.replace("the", "one", 2) for part in parts]
        for name, variant in {
            "": parts,
            "/edited": [*edited, f"One more {EVIL}."],
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
    """`scrapy dedup serve` in a process of its own."""

    def __init__(self, place: Path, *arguments: str | Path) -> None:
        self._errors = (place / "errors.txt").open("w+b")
        self.process = subprocess.Popen(
            python("-m", "scrapy", "dedup", "serve", "--json", *map(str, arguments)),
            cwd=place,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        line = self.process.stdout.readline()
        assert line, self.errors
        self.told = json.loads(line)
        self.port = int(self.told["url"].rstrip("/").rpartition(":")[2])
        self.token = ""

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def ask(
        self,
        target: str,
        method: str = "GET",
        body: bytes | None = None,
        **headers: str | None,
    ) -> Reply:
        """Send a request; headers are named with underscores, None leaves one out."""
        given = {"host": f"127.0.0.1:{self.port}"} | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
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

    def post(self, what: str, data: Any, **headers: str | None) -> Reply:
        if not self.token:
            island = re.search(rb'id="data">(.*?)</script>', self.ask("/").body)[1]
            self.token = json.loads(island)["token"]
        usual = {
            "content_type": "application/json",
            "x_dedup_token": self.token,
            "origin": f"http://127.0.0.1:{self.port}",
            "sec_fetch_site": "same-origin",
        }
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return self.ask(f"/api/{what}", "POST", body, **(usual | headers))

    def rows(self, after: dict[str, int] | None = None) -> dict[str, Any]:
        asked = ",".join(f"{quote(name, safe='')}:{at}" for name, at in (after or {}).items())
        reply = self.ask(f"/api/rows?after={asked}" if asked else "/api/rows")
        assert reply.status == 200, reply.body
        return reply.json

    def end(self, number: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(30)
        self.process.stdout.close()
        assert "Traceback" not in self.errors
        self._errors.close()
        return code


def row_of(rows: dict[str, Any], url: str) -> tuple[str, int]:
    """Find the run and number of a decision."""
    columns = rows["columns"]
    row = columns["url"].index(url)
    return rows["runs"][columns["run"][row]], columns["seq"][row]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with a store that was scanned into."""
    place = tmp_path_factory.mktemp("served")
    (place / "feed.jsonl").write_text(feed(range(3)))
    done = scrapy("scan", "feed.jsonl", "--store", "store", cwd=place)
    assert done.returncode == 0, texts(done)
    (journal,) = (place / "store" / "journal").glob("*.jsonl")
    last = json.loads(journal.read_bytes().splitlines()[-1])
    forgotten = {**last, "seq": last["seq"] + 1, "url": FORGOTTEN, "verdict": "near"}
    with journal.open("a") as file:
        file.write(json.dumps(forgotten, separators=(",", ":")) + "\n")
    return place


@pytest.fixture(scope="module")
def server(place):
    server = Server(place, "--store", "store", "--judge", "ann")
    try:
        yield server
        assert server.errors == ""
    finally:
        assert server.end() == 0


def test_the_page(server):
    reply = server.ask("/")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    page = reply.body.decode()
    assert page.startswith("<!doctype html>")
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    island = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert (island["live"], island["store"], island["problems"]) == (True, "store", [])
    assert len(island["token"]) >= 40
    head = server.ask("/", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(reply.body)
    assert server.ask("/?x=1").status == 200


def test_rows(server):
    rows = server.rows()
    kinds = [rows["kinds"][number] for number in rows["columns"]["kind"]]
    assert kinds[:4] == ["unique", "near", "contained", "exact"]
    assert {"near", "contained"} <= rows["thresholds"].keys()
    assert (rows["more"], rows["problems"]) == (False, [])
    assert server.rows(rows["last"])["columns"] == server.rows(rows["last"])["columns"]
    assert server.rows(rows["last"])["columns"].get("url", []) == []
    run, seq = row_of(rows, "https://a.example/2")
    later = server.rows({run: seq})["columns"]["seq"]
    assert later == [one for one in rows["columns"]["seq"] if one > seq]


def test_another_process_writes_meanwhile(server, place):
    before = server.rows()
    (place / "more.jsonl").write_text(feed(range(7, 8)))
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", "more.jsonl", "--store", "store"]
    found: list[str] = []
    last = before["last"]
    with subprocess.Popen(
        command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as scan:
        ended = False
        while not ended:
            ended = scan.poll() is not None
            rows = server.rows(last)
            found += rows["columns"].get("url", [])
            if rows["columns"].get("url"):
                assert set(rows["runs"]).isdisjoint(before["runs"])
            last |= rows["last"]
            time.sleep(0.1)
    names = ("", "/edited", "/short", "/copy")
    assert found == [f"https://a.example/7{name}" for name in names]
    assert server.rows()["columns"]["url"] == [*before["columns"]["url"], *found]


def test_a_line_is_shown_when_it_is_whole(server, place):
    rows = server.rows()
    run, _ = row_of(rows, "https://a.example/0")
    journal = place / "store" / "journal" / f"{run}.jsonl"
    entry = {"v": 1, "seq": 900, "time": "", "run": run, "url": "https://a.example/late"}
    line = json.dumps(entry | {"verdict": "unique", "action": "pass"}, separators=(",", ":"))
    with journal.open("ab", buffering=0) as file:
        file.write(line[:60].encode())
        assert server.rows(rows["last"])["columns"].get("url", []) == []
        file.write(f"{line[60:]}\nno decision\n".encode())
    new = server.rows(rows["last"])
    assert new["columns"]["url"] == ["https://a.example/late"]
    assert new["problems"] == [
        f"store/journal/{run}.jsonl: a line is torn or not a decision; skipped"
    ]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://a.example/0/edited", "reworded"),
        ("https://a.example/0/short", "Both texts"),
        ("https://a.example/0/copy", "What it says"),
        ("https://a.example/0", "No known page came close enough"),
        (FORGOTTEN, "a page since forgotten"),
    ],
)
def test_evidence(server, url, said):
    run, seq = row_of(server.rows(), url)
    reply = server.ask(f"/api/evidence/{run}/{seq}")
    assert reply.status == 200
    found = reply.json["html"]
    assert said in found
    assert EVIL not in found
    assert "<script" not in found
    if "edited" in url:
        assert EVIL.replace("<", "&lt;").replace(">", "&gt;") in found
    assert server.ask(f"/api/evidence/{run}/{seq}").json["html"] == found


@pytest.mark.parametrize(
    "target",
    [
        "/api/evidence/../../etc/passwd",
        "/api/evidence/..%2f..%2fetc/passwd",
        "/api/evidence/%2e%2e/%2e%2e",
        "/api/evidence/..%5c..%5cetc/1",
        "/api/evidence//etc/passwd",
        "/api/evidence/store%2Fjournal/1",
        "/api/evidence/%00/1",
        "/api/evidence/%ff%fe/1",
        "/../../etc/passwd",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/store/data.mdb",
        "/api",
        "/api/",
        "/api/rows/",
        "/favicon.ico",
        "http://127.0.0.1/api/rows",
        "Xapi/rows",
        "*",
    ],
)
def test_no_path_leads_to_a_file(server, target):
    reply = server.ask(target)
    assert reply.status == 404
    assert [*reply.json] == ["error"]
    assert b"root:" not in reply.body


@pytest.mark.parametrize("number", ["0", "-1", "1e3", "٣", "9" * 40, "99999", "1%20", ""])
def test_no_such_decision(server, number):
    run, _ = row_of(server.rows(), "https://a.example/0")
    assert server.ask(f"/api/evidence/{run}/{quote(number, safe='%')}").status == 404


def test_unknown_places_in_the_journal(server):
    assert server.ask("/api/rows?after=since-then:5").status == 409
    for text in ("5", "a:b", "a:-1", ":", "a:1;b"):
        assert server.ask(f"/api/rows?after={text}").status == 400


def test_restore(server, place, monkeypatch):
    monkeypatch.chdir(place)
    url, original = "https://a.example/1/edited", "https://a.example/1"
    run, seq = row_of(server.rows(), url)
    which = {"run": run, "seq": seq}
    for headers in (
        {"x_dedup_token": None},
        {"x_dedup_token": ""},
        {"x_dedup_token": "wrong"},
        {"x_dedup_token": "ünknown".encode().decode("latin-1")},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{server.port}"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": f"evil.example:{server.port}"},
    ):
        reply = server.post("restore", which, **headers)
        assert reply.status == (421 if "host" in headers else 403), headers
        assert reply.json["error"]
    assert restored_in(Path("store")).all == ()
    reply = server.post("restore", which)
    assert reply.status == 200
    assert reply.json == {"said": f"{url} passes from now on, told apart from {original}"}
    (one,) = restored_in(Path("store")).all
    assert (one.url, one.original, one.by) == (url, original, "ann")
    assert server.rows()["restored"] == [[url, original]]
    # people's own tools send neither Origin nor Sec-Fetch-Site
    again = server.post("restore", which, origin=None, sec_fetch_site=None)
    assert again.json == {"said": f"{url} was restored before"}
    unique = dict(zip(("run", "seq"), row_of(server.rows(), original), strict=True))
    refused = server.post("restore", unique)
    assert refused.status == 409
    assert "was not dropped" in refused.json["error"]


def test_answers_are_kept_for_judging(server, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    url, original = "https://a.example/2/edited", "https://a.example/2"
    run, seq = row_of(server.rows(), url)
    for answer in ("different", "first-in-second", "same"):
        reply = server.post("answer", {"run": run, "seq": seq, "answer": answer})
        assert reply.status == 200
        assert reply.json["said"].startswith("Kept: ")
    short = row_of(server.rows(), "https://a.example/2/short")
    server.post("answer", {"run": short[0], "seq": short[1], "answer": "second-in-first"})
    said = server.rows()["answers"]
    assert [url, original, "same"] in said
    assert ["https://a.example/2/short", original, "second-in-first"] in said
    for answer, status in ((None, 400), ("maybe", 400), (["same"], 400)):
        which = {"run": run, "seq": seq, "answer": answer}
        assert server.post("answer", which).status == status
    alone = row_of(server.rows(), original)
    which = {"run": alone[0], "seq": alone[1], "answer": "same"}
    assert server.post("answer", which).status == 409

    folder = place / "store" / "answers"
    assert [path.name for path in folder.iterdir()] == ["answers.jsonl"]
    assert server.told["answers"] == "store/answers"
    assert LabelFolder(folder).answers.of(Pair(original, url)) == {"ann": Answer.SAME}
    out, _ = dedup(
        capsys,
        *("judge", "--store", "store", "--output", folder, "--methods", "shingles,simhash"),
        *("--pool-only", "--json"),
    )
    assert json.loads(out)["gold"]["positive"] == 2
    (found,) = find_sets([folder], [])
    assert [label.gold for label in labels_of(found, [])].count("positive") == 2


def dedup(capsys, *arguments: str | Path) -> tuple[str, str]:
    """Call a command in this process."""
    command = Command()
    command.settings = Settings({"LOG_ENABLED": False})
    parser = ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    command.run([], parser.parse_args([*map(str, arguments)]))
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 9000, 400),
        (b"[]", 400),
        (b"null", 400),
        (b"\xff\xfe", 400),
        (b'{"run": "r"}', 400),
        (b'{"run": "r", "seq": true}', 400),
        (b'{"run": ["r"], "seq": 1}', 400),
        (b'{"run": "r", "seq": 1.5}', 400),
        (b'{"run": "r", "seq": 1}', 404),
        (b'{"run": "../r", "seq": 1}', 404),
        (b'{"run": "r", "seq": 1%s}' % (b"0" * 100), 404),
        (b'{"run": "%s", "seq": 1}' % (b"r" * MOST_BYTES), 413),
        (b" " * 5_000_000, 413),
    ],
)
def test_bodies_that_say_nothing(server, body, status):
    for what in ("restore", "answer"):
        reply = server.post(what, body)
        assert reply.status == status
        assert [*reply.json] == ["error"]


def test_a_body_without_a_length(server):
    server.post("restore", {})  # so that the token is known
    with socket.create_connection(("127.0.0.1", server.port), 30) as line:
        head = (
            f"POST /api/restore HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n"
            f"X-Dedup-Token: {server.token}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        line.sendall(head.encode() + b"1000\r\n" + b"a" * 0x1000 + b"\r\n")
        for _ in range(9):
            line.sendall(b"1000\r\n" + b"a" * 0x1000 + b"\r\n")
        line.sendall(b"0\r\n\r\n")
        assert line.makefile("rb").readline() == b"HTTP/1.1 413 Request Entity Too Large\r\n"


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_forms_change_nothing(server, kind):
    run, seq = row_of(server.rows(), "https://a.example/0/edited")
    reply = server.post("restore", {"run": run, "seq": seq}, content_type=kind)
    assert reply.status == 415
    assert "https://a.example/0/edited" not in str(server.rows()["restored"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO"])
@pytest.mark.parametrize("target", ["/", "/api/rows", "/api/evidence/r/1"])
def test_methods_to_read_by(server, method, target):
    reply = server.ask(target, method, b"")
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
@pytest.mark.parametrize("target", ["/api/restore", "/api/answer?run=r&seq=1"])
def test_methods_to_change_by(server, method, target):
    reply = server.ask(target, method)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", None])
def test_other_hosts(server, host):
    for target in ("/", "/api/rows"):
        reply = server.ask(target, host=host and f"{host}:{server.port}")
        assert reply.status == (421 if host is not None or reply.status == 421 else 400)
        assert b"token" not in reply.body


def test_other_sites_may_lead_here_but_not_ask(server):
    assert server.ask("/", sec_fetch_site="cross-site").status == 200
    for site in ("cross-site", "same-site"):
        assert server.ask("/api/rows", sec_fetch_site=site).status == 403
    assert server.ask("/api/rows", sec_fetch_site="none").status == 200


def test_many_ask_at_once(server):
    rows = server.rows()
    urls = [f"https://a.example/{n}{name}" for n in range(3) for name in ("/edited", "/short")]
    places = [row_of(rows, url) for url in urls] * 4
    targets = [f"/api/evidence/{run}/{seq}" for run, seq in places]
    with ThreadPoolExecutor(24) as pool:
        texts = [pool.submit(server.ask, target) for target in targets]
        others = [pool.submit(server.ask, target) for target in ("/", "/api/rows") * 10]
        replies = [one.result() for one in texts]
        assert {one.result().status for one in others} == {200}
    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == len(urls)


def test_a_journal_alone_for_others_too(place, tmp_path):
    (journal, *_) = sorted((place / "store" / "journal").glob("*.jsonl"))
    shutil.copy(journal, tmp_path / "one.jsonl")
    shutil.copy(journal, tmp_path / "again.jsonl")
    with (tmp_path / "again.jsonl").open("ab") as file:
        file.write(b'{"v":1,"seq":901,"ti')
    os.utime(tmp_path / "again.jsonl")
    files = [word for name in ("one", "again", "none") for word in ("--journal", f"{name}.jsonl")]
    server = Server(tmp_path, *files, "--host", "0.0.0.0", "--answers", "said")
    try:
        warned = server.errors
        assert "There is no journal none.jsonl" in warned
        assert "there is no password" in warned
        assert "texts are not shown" in warned
        assert server.told == {
            "url": f"http://127.0.0.1:{server.port}/",
            "store": None,
            "answers": "said",
        }
        assert server.ask("/", host=f"10.1.2.3:{server.port}").status == 200
        assert server.ask("/", host=f"evil.example:{server.port}").status == 421
        rows = server.rows()
        assert len(rows["columns"]["url"]) == len(set(rows["columns"]["seq"]))  # each once
        run, seq = row_of(rows, "https://a.example/0/edited")
        assert "Without the store" in server.ask(f"/api/evidence/{run}/{seq}").json["html"]
        reply = server.post("answer", {"run": run, "seq": seq, "answer": "open"})
        assert reply.json == {"said": "Kept: can't tell"}
        assert (tmp_path / "said" / "answers.jsonl").is_file()
    finally:
        assert server.end(signal.SIGTERM) == 0


def test_what_cannot_be_served(place, capsys, monkeypatch):
    monkeypatch.chdir(place)
    assert "There is no dedup store in nowhere" in dedup(capsys, "serve", "--store", "nowhere")[1]
    assert "There is no journal x" in dedup(capsys, "serve", "--journal", "x")[1]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        _, err = dedup(capsys, "serve", "--store", "store", "--port", str(port))
        assert f"Can't listen on 127.0.0.1, port {port}: Address already in use" in err
    _, err = dedup(capsys, "serve", "--store", "store", "--host", "256.0.0.1")
    assert "Can't listen on 256.0.0.1" in err
    for arguments in (("--port", "70000"), ("--port", "-1"), ("--judge", " ")):
        with pytest.raises(SystemExit):
            dedup(capsys, "serve", "--store", "store", *arguments)


# The parts


def line_of(run: str, seq: Any, url: str = "https://a.example/") -> bytes:
    entry = {"v": 1, "seq": seq, "time": "2026-11-16T08:30:00+00:00", "run": run, "url": url}
    entry |= {"verdict": "unique", "action": "pass"}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


@given(st.lists(st.binary(max_size=12)), st.lists(st.integers(0, 40), max_size=12))
def test_a_file_that_grows_by_pieces_has_the_lines_of_the_whole(tmp_path_factory, lines, cuts):
    whole = b"\n".join(line.replace(b"\n", b"") for line in lines)
    path = tmp_path_factory.mktemp("grown") / "journal.jsonl"
    followed = Followed(path)
    found = []
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    with path.open("wb", buffering=0) as file:
        for start, end in pairwise(places):
            file.write(whole[start:end])
            found += followed.lines()
    assert b"".join(line for _, line in found) == whole[: whole.rfind(b"\n") + 1]
    assert all(whole[at : at + len(line)] == line for at, line in found)


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(1, 2**53 - 1))
def test_heads_are_read_as_the_whole_is(run, seq):
    line = line_of(run, seq)
    decision = Decision.parse(line)
    assert head_of(line) == (decision.run, decision.sequence) == (run, seq)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"[" * 100_000,
        line_of("r", 0),
        line_of("r", -1),
        line_of("r", True),
        line_of("r", None),
        line_of("r", 10**400),
        line_of("r", 1.5),
        line_of("r", 1)[:-9],
        line_of("r", 1).replace(b'"url"', b'"uri"'),
    ],
)
def test_lines_that_are_no_decisions(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line + b"\n" + line_of("r", 3))
    live = Live(lambda: [path])
    assert [one.sequence for one in live.fresh({}).decisions] == [3]


def test_decisions_that_come_out_of_order_or_twice(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b"".join(line_of("r", seq) for seq in (1, 4, 2)) + line_of("s", 2))
    live = Live(lambda: [path for path in (one, two) if path.exists()])
    fresh = live.fresh({})
    assert [(one.run, one.sequence) for one in fresh.decisions] == [
        *(("r", 1), ("r", 4), ("r", 2), ("s", 2))
    ]
    two.write_bytes(b"".join(line_of("r", seq) for seq in (1, 2, 3, 4, 3)))
    fresh = live.fresh(fresh.last)
    assert [(one.run, one.sequence) for one in fresh.decisions] == [("r", 3)]
    assert live.decision("s", 2).run == "s"
    assert live.decision("s", 3) is None


def test_many_rows_come_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("dedup_middleware.viewer.live.MOST_ROWS", 4)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(line_of("r", seq) for seq in range(1, 11)))
    live = Live(lambda: [path])
    last: dict[str, int] = {}
    parts, more = [], True
    while more:
        decisions, last, more = live.fresh(last)
        parts.append([one.sequence for one in decisions])
    assert parts == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]


def test_a_journal_that_was_replaced(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line_of("r", 1) + line_of("r", 2))
    live = Live(lambda: [path])
    assert len([*live.fresh({}).decisions]) == 2
    path.write_bytes(line_of("q", 9))
    live.fresh({})
    assert live.problems == [f"{path}: was cut or replaced; start the server again to read it anew"]
    assert live.decision("r", 1) is None
    path.unlink()
    assert [*live.fresh({}).decisions] == []
    assert live.problems == [f"{path}: can't be read: No such file or directory"]


def test_texts_of_a_store_that_was_made_anew(place, tmp_path):
    shutil.copytree(place / "store", tmp_path / "store")
    journal = next(iter((place / "store" / "journal").glob("*.jsonl")))
    decision = Decision.parse(journal.read_bytes().splitlines()[1])
    evidences = Evidences(tmp_path / "store", DedupSettings())
    first = evidences.of(decision)
    assert "Both texts" in first
    assert evidences.of(decision) is first
    shutil.rmtree(tmp_path / "store")
    assert "Without the store" in evidences.of(decision)
    shutil.copytree(place / "store", tmp_path / "store")
    assert evidences.of(decision) == first
    evidences.close()


@pytest.mark.parametrize(
    ("listening", "port", "host", "is_own"),
    [
        ("127.0.0.1", 80, "127.0.0.1", True),
        ("127.0.0.1", 80, "LOCALHOST", True),
        ("127.0.0.1", 81, "localhost", False),
        ("::1", 81, "[::1]:81", True),
        ("127.0.0.1", 81, "[::1]:81x", False),
        ("127.0.0.1", 81, "user@localhost:81", False),
        ("127.0.0.1", 81, "localhost:81:81", False),
        ("127.0.0.1", 81, "localhost.evil.example:81", False),
        ("127.0.0.1", 81, "192.168.0.7:81", False),
        ("0.0.0.0", 81, "192.168.0.7:81", True),
        ("0.0.0.0", 81, "[fe80::1]:81", True),
        ("0.0.0.0", 81, "machine.example:81", False),
        ("machine.example", 81, "machine.example:81", True),
    ],
)
def test_names_of_the_server(listening, port, host, is_own):
    guard = Guard(listening, port)
    asked = Asked("GET", "/", {"host": (host,)})
    if is_own:
        guard.check(asked)
    else:
        with pytest.raises(Refused):
            guard.check(asked)
    with pytest.raises(Refused):
        guard.check(Asked("GET", "/", {"host": (host, host)}))
    assert guard.token != Guard(listening, port).token
