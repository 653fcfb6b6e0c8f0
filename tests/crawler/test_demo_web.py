"""The demo web: the same for a seed, whole, and served as it is written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html as lxml_html

from crawler.demo import PAGES, Server, Version, Web, build, manifest_of
from crawler.demo.damage import broken
from crawler.demo.manifest import Ambiguous
from crawler.demo.model import Sheet
from crawler.demo.plan import FEWEST
from crawler.demo.texts import NoTexts, cut

ROOT = Path(__file__).parents[2]
HOSTS = ("http://127.0.0.1:8000", "http://127.0.0.1:8001")
KINDS = set(
    "article|index.html|trailing slash|session id|tracking|mirror|other design|print view|edited|"
    "excerpt|collection|quotation|broken HTML|boilerplate|list|index|short|short copy|script shell|"
    "soft 404|empty|changing|unchanged|turning|orphan|redirect|redirect in the page|error|file|"
    "forbidden|for robots".split("|")
)
ENCODINGS = {
    "latin-1 declared as utf-8",
    "latin-1 not declared",
    "utf-8 not declared",
    "utf-16 with a mark",
    "windows-1252",
    "windows-1252 declared as latin-1",
}


@pytest.fixture(scope="module", params=[4711, 90210])
def web(request):
    return build(request.param, PAGES, *HOSTS)


def fingerprint(web: Web) -> str:
    whole = "".join(f"{sheet.url} {sheet.versions[0].body!r}" for sheet in web.sheets)
    return hashlib.sha256(whole.encode()).hexdigest()


def test_a_seed_makes_the_same_web_in_any_process(web):
    script = (
        "import logging, sys; logging.captureWarnings(True)\n"  # as Scrapy does
        "from tests.crawler.test_demo_web import HOSTS, PAGES, build, fingerprint\n"
        f"print(fingerprint(build({web.seed}, PAGES, *HOSTS)))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "5"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert other.stdout.strip() == fingerprint(web)


def test_another_seed_makes_another_web(web):
    other = build(web.seed + 1, PAGES, *HOSTS)
    mine, theirs = (
        {one.versions[0].body for one in two.sheets if one.what == "article"}
        for two in (web, other)
    )
    assert not mine & theirs
    titles = ({one.label for one in two.sheets if one.what == "article"} for two in (web, other))
    assert len(set.intersection(*titles)) < len(mine) / 10


@pytest.mark.parametrize("pages", [FEWEST, PAGES, 400])
def test_every_kind_of_page_exists(pages):
    web = build(31337, pages, *HOSTS)
    kinds = {sheet.what for sheet in web.sheets}
    special = {"index.html", "trailing slash", "session id", "tracking"} | ENCODINGS
    missing = (KINDS | ENCODINGS) - kinds
    assert not missing if pages >= PAGES else missing <= special
    assert 0.85 * pages < sum(sheet.judged for sheet in web.sheets) < 1.15 * pages
    assert len({sheet.url for sheet in web.sheets}) == len(web.sheets)


def test_too_few_and_too_many_pages_are_refused():
    with pytest.raises(ValueError, match="at least 100 pages, not 99"):
        build(1, 99, *HOSTS)
    with pytest.raises(NoTexts, match="too short for 9000 pages"):
        build(1, 9000, *HOSTS)


def test_texts_share_no_text(web):
    owners = defaultdict(set)
    sizes = Counter()
    for number, text in enumerate(cut(Random(web.seed), 150, 450)):
        for section in text.sections:
            for paragraph in section.paragraphs:
                words = re.findall(r"\w+", paragraph.text.lower())
                for run in zip(*(words[offset:] for offset in range(4)), strict=False):
                    owners[run].add(number)
                    sizes[number] += 1
    shared = Counter(owner for some in owners.values() if len(some) > 1 for owner in some)
    assert sizes
    assert max(shared[number] / size for number, size in sizes.items()) < 0.2


def test_links_lead_everywhere_and_nowhere_else(web):
    pages = {sheet.url: sheet for sheet in web.sheets}
    seen, queue = set(), [f"{HOSTS[0]}/"]
    while queue:
        url = queue.pop()
        if url in seen:
            continue
        seen.add(url)
        sheet = pages[url]  # a dead link would not be found
        if sheet.what in {"empty", "file", "error", "redirect", "forbidden"}:
            continue
        tree = lxml_html.fromstring(sheet.versions[-1].body)
        base = (tree.xpath("//base/@href") or [url])[0]
        queue += [
            urljoin(base, link)
            for link in tree.xpath("//a/@href")
            if not link.startswith(("#", "//"))
        ]
    hidden = {sheet.url for sheet in web.sheets if sheet.what in {"orphan", "for robots"}}
    assert seen == pages.keys() - hidden


def test_the_manifest_is_complete_and_relations_go_both_ways(web):
    manifest = manifest_of(web)
    sheets = {sheet.url: sheet for sheet in web.sheets}
    expected = [(s.url, n) for s in web.sheets if s.judged for n in range(len(s.versions))]
    assert [(page.url, page.version) for page in manifest.pages] == expected
    assert {url for url, _ in manifest.others} == {s.url for s in web.sheets if not s.judged}
    kinds = {
        ((page.url, page.version), (one.original, one.version)): one.kinds
        for page in manifest.pages
        for one in page.relations
    }
    opposite = {("contained",): ("contains",), ("contains",): ("contained",)}
    for (page, other), found in kinds.items():
        assert kinds[other, page] == opposite.get(found, found)
        same = sheets[page[0]].versions[page[1]].body == sheets[other[0]].versions[other[1]].body
        assert "exact" in found or not same
    related = {page for page, _ in kinds}
    for page in manifest.pages:
        if page.what in {"boilerplate", "list", "index", "script shell", "empty", "changing"}:
            assert (page.url, page.version) not in related
        if page.what in {"mirror", "edited", "excerpt", "soft 404", "print view", "short copy"}:
            assert (page.url, page.version) in related
    assert json.loads(manifest.to_json())["seed"] == web.seed


def test_overlaps_that_nobody_can_judge_are_refused():
    sheets = [
        Sheet(f"http://a/{number}", "article", (Version(b"", frozenset(holds)),))
        for number, holds in enumerate(("ab", "bc"))
    ]
    with pytest.raises(Ambiguous, match="overlap"):
        manifest_of(Web(1, "http://a", "http://b", tuple(sheets)))


def test_broken_markup_keeps_the_words(web):
    for sheet in web.sheets:
        if sheet.what != "article":
            continue
        page = sheet.versions[0].body.decode()
        damaged = broken(page, Random(sheet.url))
        assert damaged != page
        whole, rest = (words(lxml_html.fromstring(one.encode())) for one in (page, damaged))
        assert not whole - rest


def words(tree) -> Counter[str]:
    for element in tree.xpath("//script | //style"):
        element.drop_tree()
    return Counter(re.findall(r"\w+", tree.xpath("string(//body)")))


@pytest.fixture(scope="module")
def server():
    with Server(seed=271828) as server:
        yield server


def get(url: str, method: str = "GET"):
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=10)
    try:
        connection.request(method, url.removeprefix(f"http://{parts.netloc}"))
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_sheets_are_served_as_they_are(server):
    for sheet in server.web.sheets:
        for version in sheet.versions:
            status, headers, body = get(sheet.url)
            assert (status, headers["Content-Type"]) == (sheet.status, sheet.content_type)
            assert (body, headers.get("Location", "")) == (version.body, sheet.location)
        assert server.visits[sheet.url] == len(sheet.versions)


def test_a_page_stays_as_it_is_after_its_last_version(server):
    changing = next(one for one in server.web.sheets if one.what == "changing")
    bodies = [get(changing.url)[2] for _ in range(3)]
    assert bodies[-2] == bodies[-1] == changing.versions[-1].body != changing.versions[0].body


def test_encodings_are_what_they_are_called(server):
    for sheet in server.web.sheets:
        body = sheet.versions[0].body
        if sheet.what == "utf-16 with a mark":
            assert body[:2] in {b"\xff\xfe", b"\xfe\xff"}
        elif sheet.what.startswith(("latin-1", "windows-1252")):
            assert "Müller" in body.decode("cp1252")
            with pytest.raises(UnicodeDecodeError):
                body.decode("utf-8")
        elif sheet.what == "utf-8 not declared":
            assert "Müller" in body.decode()
            assert not re.search(rb"<meta[^>]*charset", body, re.IGNORECASE)
        if sheet.what.endswith("not declared"):
            assert "charset" not in sheet.content_type


def test_what_is_not_there_is_not_found(server):
    assert get(f"{server.url}no/such/page")[0] == 404
    assert get(server.url, "HEAD")[2] == b""


def test_it_can_be_served_from_the_command_line(tmp_path):
    manifest = tmp_path / "manifest.json"
    command = [sys.executable, "-m", "crawler.demo", "--seed", "5", "--pages", "100"]
    process = subprocess.Popen(
        [*command, "--manifest", manifest], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()
        assert get(url)[0] == 200
        assert json.loads(manifest.read_text())["start"] == url
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        process.stdout.close()


def test_the_command_line_refuses_what_can_not_be(tmp_path):
    command = [sys.executable, "-m", "crawler.demo", "--pages", "3"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "at least 100 pages, not 3" in result.stderr
    assert "Traceback" not in result.stderr
