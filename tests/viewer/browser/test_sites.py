"""What the report and the server show of whole sites, in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from dedup_middleware.settings import Settings
from dedup_middleware.viewer.report_page import About, RunThresholds, report_page, rows_of
from tests.support.decisions import near
from tests.support.serving import Server
from tests.support.shop import HOST, visit_shop

from .accessibility import check_accessibility
from .pages import write_report
from .payloads import ADDRESSES, PAYLOADS

CONTRASTS, ODDITIES = (
    (Path(__file__).parent / f"{name}.js").read_text() for name in ("contrasts", "oddities")
)
SESSIONS = f"{HOST} parameter sid"


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    visit_shop(folder / "store")
    write_report(folder)
    return folder


@pytest.fixture
def report(chromium, shop):
    chromium.open((shop / "report.html").as_uri())
    return chromium


def test_the_section_says_what_need_not_be_fetched_and_why(report):
    assert report.texts("#sites-lines dt")[:2] == ["could skip", "checked"]
    assert SESSIONS in report.texts("#sites-found .site-name")
    assert {*report.texts("#sites-found li b")} == {"rule", "mirror", "wall"}
    assert any("/calendar/" in name for name in report.texts("#sites-shapes .site-name"))
    assert report.text("#sites-command code").endswith("dedup sites --store store")
    shares = report.run("""
        return [...document.querySelectorAll("#sites-shapes .bar")].map((bar) =>
          [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0)
          / bar.getBoundingClientRect().width);
    """)
    assert all(0.95 < one <= 1.01 for one in shares)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_everybody_can_read_it(chromium, shop, width, scheme):
    chromium.size(width)
    chromium.scheme(scheme)
    chromium.open((shop / "report.html").as_uri())
    check_accessibility(chromium)
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
    seen, poor = chromium.run(CONTRASTS, "#sites")
    assert seen > 20
    assert poor == []


def test_hostile_names_are_shown_and_never_run(chromium, tmp_path):
    counts = {"fetched": 3, "new": 1, "redundant": 2, "left": False}
    shown = [
        dict.fromkeys(("what", "name", "about", "sign"), text) | {"examples": [text, text]}
        for text in (*PAYLOADS, *ADDRESSES)
    ]
    sites = {
        "lines": [[text] * 3 for text in PAYLOADS],
        "shapes": [one | counts for one in shown],
        "found": shown,
        "more": [1, 1],
    }
    rows = rows_of([near("https://a.example/", (0.9, 0.9))], RunThresholds(Settings().level))
    page = tmp_path / "report.html"
    page.write_text(report_page(rows, {}, About("x", sites=sites)), "utf-8", "replace")
    chromium.open(page.as_uri())
    assert chromium.count("#sites-found li") == len(shown)
    assert chromium.run(f"{ODDITIES} return oddities()") == []


def test_a_crawl_without_findings_has_no_section(page):
    assert page.run("return document.getElementById('sites').hidden")


def test_the_server_shows_it_too(chromium, shop):
    server = Server(shop, "--store", "store")
    try:
        chromium.open(server.info["url"])
        chromium.wait("return !document.getElementById('sites').hidden")
        assert SESSIONS in chromium.texts("#sites-found .site-name")
        chromium.driver.get("about:blank")  # it would keep polling
    finally:
        server.stop()
