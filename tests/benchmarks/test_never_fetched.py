"""Never fetched: a small web with corners, its truth, and crawls of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html as lxml_html

from benchmarks.never_fetched import scoring
from benchmarks.never_fetched.__main__ import ALONE, main
from benchmarks.never_fetched.corners import REDUNDANT, STRANGER, TRAP, WALLS
from benchmarks.never_fetched.scoring import Crawled, Finding
from benchmarks.never_fetched.web import PAGE, Web, read_pages
from tests.support.labelled import Author, page, write_set

HOSTS = [f"{name}.example" for name in "abcdef"]
DAYS = 40


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a set of six hosts, with five pages each, two of which link to each other."""
    author = Author(5)
    rows = []
    for host in HOSTS:
        paths = ["", "one/", "two.html", "näh", "one/two"]
        for path in paths:
            links = f'<a href="/one">One</a> <a href="/nowhere">Nowhere</a> {host} {path}'
            rows.append(page(f"https://{host}/{path}", *author.article(12), links))
    folder = tmp_path_factory.mktemp("data")
    write_set(folder / "small", "stream", rows, [])
    return folder


@pytest.fixture(scope="module")
def web(data: Path) -> Web:
    return Web(read_pages([data / "small"], 99, []), added=True, trap=DAYS)


def links(body: bytes) -> list[str]:
    return [one for one in lxml_html.fromstring(body).xpath("//a/@href") if one != "#"]


def test_links_lead_to_all_urls_and_nowhere_else(web: Web) -> None:
    seen, queue = set(), list(web.starts)
    while queue:
        url = queue.pop()
        if url not in seen:
            seen.add(url)
            queue += links(web.entries[url].body())
    assert seen == web.entries.keys()
    kinds = {entry.kind for entry in web.entries.values()}
    assert kinds == {PAGE, "listing", "facet", STRANGER, TRAP, *REDUNDANT, *WALLS}
    assert sum(entry.kind == TRAP for entry in web.entries.values()) == DAYS


def test_redundant_urls_show_the_words_of_their_page(web: Web) -> None:
    def words(url: str) -> list[str]:
        main = lxml_html.fromstring(web.entries[url].body()).xpath("//main")
        return sorted(" ".join(main[0].itertext()).split())

    for url, entry in web.entries.items():
        if entry.kind in REDUNDANT:
            assert url != entry.page
            assert words(url) == words(entry.page)
        elif entry.page:
            assert url == entry.page


def test_pages_without_corners_are_all_there_is(data: Path) -> None:
    web = Web(read_pages([data / "small"], 3, []), added=False)
    assert {entry.kind for entry in web.entries.values()} == {PAGE}
    assert len(web.entries) == 3 * len(HOSTS)


def test_another_crawl_has_other_session_ids_only(data: Path, web: Web) -> None:
    again = Web(read_pages([data / "small"], 99, []), added=True, trap=DAYS, crawl=2)
    for one, other in ((web, again), (again, web)):
        new = one.entries.keys() - other.entries.keys()
        assert {one.entries[url].kind for url in new} == {"session id"}


def test_figures_of_crawls_made_by_hand(web: Web) -> None:
    own = [url for url, entry in web.entries.items() if entry.page == url]
    walls = {url for url, entry in web.entries.items() if entry.kind in WALLS}
    mirrors = tuple(Finding(host, of, 9) for host, of in web.mirrors.items())
    found = tuple(((url,), 1) for url in walls)
    best = Crawled("best", [*own, *walls], 1.0, mirrors, found)
    score = scoring.requests(web, best)
    assert (score.saved, score.missed) == (score.redundant, ())
    assert set(scoring.not_sent_by_kind(web, best).values()) == {1.0}
    assert (scoring.in_trap(web, best), scoring.wall_rates(web, best)) == (0, (1.0, 1.0))
    assert scoring.false_mirrors(web, best, []) == []
    false = Finding(HOSTS[0], HOSTS[1], 3)
    worst = Crawled("worst", list(web.entries)[1:], 1.0, (false,), (((own[0],), 5),))
    assert set(scoring.not_sent_by_kind(web, worst).values()) == {0.0}
    assert (scoring.in_trap(web, worst), scoring.wall_rates(web, worst)) == (DAYS, (0.0, 0.0))
    assert scoring.false_mirrors(web, worst, []) == [false]
    assert scoring.false_mirrors(web, worst, [frozenset(HOSTS[:2])]) == []
    assert scoring.requests(web, Crawled("none", [], 0)).missed == tuple(own)


def test_hosts_with_copies_by_label() -> None:
    rows = [("https://a.example/1", ["https://a.example/2", "https://b.example/1"])]
    assert scoring.copied_hosts(rows) == {frozenset({"a.example", "b.example"})}


def test_scrapy_alone_fetches_everything(
    data: Path, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(data), "--sets", "small", "--trap", str(DAYS), "--run", ALONE]) == 0
    head, row = capsys.readouterr().out.split("\n\n")[0].splitlines()
    pages = {entry.page for entry in web.entries.values()} - {""}
    redundant = sum(bool(entry.page) for entry in web.entries.values()) - len(pages)
    expected = f"{len(web.entries)} {redundant} 0.0% 0 (0.00%) {DAYS}"
    assert " ".join(row.split()).startswith(f"{ALONE} {expected}"), head


def test_a_missing_set_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--sets", "none"]) == 1
    assert f"{tmp_path / 'none'}/pages.jsonl.gz: no such file" in capsys.readouterr().err
