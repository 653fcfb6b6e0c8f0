"""Crawls that share a store on a server."""

from __future__ import annotations

import secrets
import threading

from dedup_middleware.store import open_reader
from tests.support import much
from tests.support.crawling import Job, crawl
from tests.support.much import check_finished, in_steps
from tests.support.patience import PATIENCE, wait_until
from tests.support.servers import ServerProcess, any_program, shared_server
from tests.support.texts import article, html

PAGES = 20


def test_crawls_at_once_deliver_each_page_once(much_web, tmp_path):
    place = f"{shared_server().url}?prefix=w{secrets.token_hex(4)}"
    urls = [much_web.put(f"/same/{n}", html(article(n))) for n in range(PAGES)]
    settings = {
        "DEDUP_SCOPE": place,
        "DEDUP_PATIENCE": PATIENCE,
        "ITEM_PIPELINES": {"pipelines.SlowFate": 300},
    }
    jobs = [Job("components:Pages", {"steps": [urls]}, settings) for _ in range(2)]
    results = crawl(tmp_path, *jobs, together=True)
    delivered = [path for result in results for path in result.paths]
    assert sorted(delivered) == sorted(f"/same/{n}" for n in range(PAGES))
    lines = []
    for result in results:
        assert result.troubles == []
        assert result.dedup["store"] == place
        assert "/servers/" in result.dedup["journal"]
        lines += result.journal
    with open_reader(place) as reader, reader.snapshot() as view:
        assert len(list(view.decisions())) == len(lines) >= 2 * PAGES
        assert len(list(view.numbers())) == PAGES
        assert all(record.delivered for record in view.records(view.numbers()))


def check_all_pages_came(result, reason):
    check_finished(result)
    assert result.dedup["store_errors"] == 1
    assert result.dedup["unjudged"] >= 1
    trouble, *_ = result.troubles  # at the end, what the store could not be told may follow
    assert reason in trouble
    assert "goes on" in trouble


def test_a_server_that_is_full_costs_no_page(much_web, tmp_path):
    server = ServerProcess(any_program(), "--maxmemory", "2mb")
    try:
        job = Job("components:Pages", in_steps(much_web), {"DEDUP_SCOPE": server.url})
        (result,) = crawl(tmp_path, job)
    finally:
        server.close()
    check_all_pages_came(result, "maxmemory")


def test_a_server_that_dies_costs_no_page(much_web, tmp_path):
    server = ServerProcess(any_program())

    last = {f"/{number}" for number in range(much.PAGES - much.STEP, much.PAGES)}
    much_web.locked |= last

    def kill() -> None:
        wait_until(
            lambda: int.from_bytes(server.call("HGET", "{dedup}:meta", "page") or b"", "big") >= 15
        )
        server.stop(kill=True)
        much_web.locked -= last

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        job = Job("components:Pages", in_steps(much_web), {"DEDUP_SCOPE": server.url})
        (result,) = crawl(tmp_path, job)
    finally:
        killer.join()
        server.close()
    check_all_pages_came(result, "Can't reach the server")


def test_what_was_not_seen_for_long_is_forgotten(much_web, tmp_path):
    place = f"{shared_server().url}?prefix=f{secrets.token_hex(4)}"
    both, one = ([[much_web.url(path)] for path in paths] for paths in (("/0", "/1"), ("/1",)))
    settings = {"DEDUP_SCOPE": place, "DEDUP_FORGET": {"runs": 1}}
    jobs = [Job("components:Pages", {"steps": steps}, settings) for steps in (both, one, both)]
    first, second, third = crawl(tmp_path, *jobs)
    assert (first.paths, second.paths, third.paths) == (["/0", "/1"], [], ["/0"])
    assert second.troubles == []
    assert any("Forgotten" in text and "1 page" in text for _, text in second.log)
