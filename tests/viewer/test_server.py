"""`scrapy dedup serve`: the page, rows and evidence, from a real server on 127.0.0.1."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from scrapy.settings import Settings

from dedup_middleware.commands import Command
from tests.support import forking
from tests.support.serving import REMOVED, SCRIPT, Server, feed, row_of


def test_the_page(server):
    reply = server.request("/")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    page = reply.body.decode()
    assert page.startswith("<!doctype html>")
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert (data["live"], data["store"], data["problems"]) == (True, "store", [])
    assert len(data["token"]) >= 40
    head = server.request("/", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(reply.body)
    assert server.request("/?x=1").status == 200


def test_rows(server):
    rows = server.rows()
    kinds = [rows["kinds"][number] for number in rows["columns"]["kind"]]
    assert kinds[:4] == ["unique", "near", "contained", "exact"]
    assert {"near", "contained"} <= rows["thresholds"].keys()
    assert (rows["more"], rows["problems"], rows["overruled"]) == (False, [], [])
    assert rows["ends"] == {run: ["ended", 0] for run in rows["runs"]}
    assert server.rows(rows["last"])["columns"] == server.rows(rows["last"])["columns"]
    assert server.rows(rows["last"])["columns"].get("url", []) == []
    _, seq = row_of(rows, "https://a.example/2")
    later = server.rows(seq)["columns"]["seq"]
    assert later == [one for one in rows["columns"]["seq"] if one > seq]


def test_rows_that_another_process_writes(server, folder):
    before = server.rows()
    (folder / "more.jsonl").write_text(feed(range(7, 8)))
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", "more.jsonl", "--store", "store"]
    found: list[str] = []
    last = before["last"]
    with forking.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as scan:
        ended = False
        while not ended:
            ended = scan.poll() is not None
            rows = server.rows(last)
            found += rows["columns"].get("url", [])
            if rows["columns"].get("url"):
                assert set(rows["runs"]).isdisjoint(before["runs"])
            last = rows["last"]
            time.sleep(0.1)
    names = ("", "/edited", "/short", "/copy")
    assert found == [f"https://a.example/7{name}" for name in names]
    assert server.rows()["columns"]["url"] == [*before["columns"]["url"], *found]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/0/edited", "reworded"),
        ("https://a.example/0/short", "Both texts"),
        ("https://a.example/0/copy", "Which text of this page counted"),
        ("https://a.example/0", "No known page was similar enough"),
        (REMOVED, "it was removed since"),
    ],
)
def test_evidence(server, url, expected):
    run, seq = row_of(server.rows(), url)
    reply = server.request(f"/api/evidence/{run}/{seq}")
    assert reply.status == 200
    found = reply.json["html"]
    assert expected in found
    assert SCRIPT not in found
    assert "<script" not in found
    if "edited" in url:
        assert SCRIPT.replace("<", "&lt;").replace(">", "&gt;") in found
    assert server.request(f"/api/evidence/{run}/{seq}").json["html"] == found


@pytest.mark.parametrize("number", ["0", "-1", "1e3", "٣", "9" * 40, "99999", "1%20", ""])
def test_unknown_decisions(server, number):
    run, _ = row_of(server.rows(), "https://a.example/0")
    assert server.request(f"/api/evidence/{run}/{quote(number, safe='%')}").status == 404


def test_positions_are_numbers(server):
    for text in ("", "a", "-1", "1e3", "run:1", "9" * 40):
        assert server.request(f"/api/rows?after={text}").status == 400


def test_concurrent_requests(server):
    rows = server.rows()
    urls = [f"https://a.example/{n}{name}" for n in range(3) for name in ("/edited", "/short")]
    places = [row_of(rows, url) for url in urls] * 4
    targets = [f"/api/evidence/{run}/{seq}" for run, seq in places]
    with ThreadPoolExecutor(24) as pool:
        texts = [pool.submit(server.request, target) for target in targets]
        others = [pool.submit(server.request, target) for target in ("/", "/api/rows") * 10]
        replies = [one.result() for one in texts]
        assert {one.result().status for one in others} == {200}
    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == len(urls)


def test_all_addresses(folder, tmp_path):
    store = folder / "store"
    server = Server(tmp_path, "--store", store, "--host", "0.0.0.0")
    try:
        assert "nothing is encrypted" in server.errors
        assert server.info == {
            "url": f"http://127.0.0.1:{server.port}/?token={server.token}",
            "store": str(store),
        }
        assert server.request("/", host=f"10.1.2.3:{server.port}").status == 200
        assert server.request("/", host=f"evil.example:{server.port}").status == 421
    finally:
        assert server.stop(signal.SIGTERM) == 0


def dedup(capsys, *arguments: str | Path) -> tuple[str, str]:
    """Run a sub-command in this process; return what it prints."""
    command = Command()
    command.settings = Settings({"LOG_ENABLED": False})
    parser = ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    command.run([], parser.parse_args([*map(str, arguments)]))
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_errors_at_the_start(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert "There is no dedup store in nowhere" in dedup(capsys, "serve", "--store", "nowhere")[1]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        _, err = dedup(capsys, "serve", "--store", "store", "--port", str(port))
        assert f"Can't listen on 127.0.0.1, port {port}: Address already in use" in err
    _, err = dedup(capsys, "serve", "--store", "store", "--host", "256.0.0.1")
    assert "Can't listen on 256.0.0.1" in err
    for arguments in (("--port", "70000"), ("--port", "-1")):
        with pytest.raises(SystemExit):
            dedup(capsys, "serve", "--store", "store", *arguments)
