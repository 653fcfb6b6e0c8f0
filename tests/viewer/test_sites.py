"""The section of the report on whole sites, and what the server says of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dedup_middleware.sites import SiteTally
from dedup_middleware.viewer.report_page import MOST_FOUND, sites_section
from tests.support.crawling import scrapy
from tests.support.serving import Server
from tests.support.shop import HOST, RUN, visit_shop
from tests.support.two_runs import NEWS, fill_with_two_runs


@pytest.fixture(scope="module")
def visited(tmp_path_factory) -> tuple[Path, SiteTally]:
    folder = tmp_path_factory.mktemp("shop")
    return folder, visit_shop(folder / "store")


def test_the_section_has_what_was_saved_and_what_is_known(visited):
    folder, tally = visited
    section = json.loads(json.dumps(sites_section(folder / "store", [RUN])))
    assert section["lines"] == [list(line) for line in tally.lines()]
    assert section["lines"][0][0] == "could skip"
    assert {one["what"] for one in section["found"]} == {"rule", "mirror", "wall"}
    assert len(section["found"]) <= MOST_FOUND
    trap, *others = section["shapes"]
    assert (trap["name"], trap["left"]) == (f"{HOST}/calendar/<date>", True)
    redundant = [one["redundant"] for one in others]
    assert redundant == sorted(redundant, reverse=True)
    assert all(redundant)
    assert sites_section(folder / "store", ["another run"])["lines"] == []


def test_there_is_no_section_where_nothing_was_found(tmp_path):
    fill_with_two_runs(tmp_path / "store")
    nothing = {"lines": [], "shapes": [], "found": [], "more": [0, 0]}
    assert sites_section(tmp_path / "store", [NEWS]) == nothing
    assert sites_section(tmp_path / "none", [NEWS]) == nothing
    assert sites_section(None, [NEWS]) == nothing


def test_report_and_server_show_the_same(visited):
    folder, _ = visited
    done = scrapy(folder, "dedup", "report", "--store", "store", "--output", "report.html")
    assert done.code == 0, done.log
    page = (folder / "report.html").read_text()
    told = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])["sites"]
    assert any(one["name"] == f"{HOST} parameter sid" for one in told["found"])
    server = Server(folder, "--store", "store")
    try:
        server.rows()
        assert server.request("/api/sites").json == told
        assert server.request("/api/sites", "POST").status == 405
    finally:
        assert server.stop() == 0
