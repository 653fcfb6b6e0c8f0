"""The demo web: reproducible, complete, and served as built."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from http.client import HTTPConnection
from random import Random
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html as lxml_html

from crawler.demo import (
    PAGES,
    NotEnoughText,
    Resource,
    Server,
    Version,
    Web,
    build,
    manifest_of,
)
from crawler.demo.builder import FEWEST
from crawler.demo.texts import draw_texts
from crawler.demo.transforms import break_markup
from crawler.demo.web import Ambiguous
from tests.support.demo import HOSTS, ROOT, web_digest
from tests.support.patience import PATIENCE

KINDS = set(
    "article|index.html|trailing slash|session id|tracking|mirror|other design|print view|edited|"
    "excerpt|collection|quotation|broken HTML|boilerplate|list|index|short|short copy|script shell|"
    "soft 404|empty|changing|unchanged|turning|orphan|redirect|redirect in the page|error|file|"
    "forbidden|for robots|questions|other answers|table|other rows|list of texts|other order|"
    "sections|moved sections|offer|other price|text|other words|grown".split("|")
)
APART = set(
    "boilerplate|list|index|script shell|empty|changing|questions|other answers|table|"
    "other rows".split("|")
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


def test_a_seed_makes_the_same_web_in_any_process(web):
    script = (
        "import logging, sys; logging.captureWarnings(True)\n"  # as Scrapy does
        "from crawler.demo import PAGES, build\n"
        "from tests.support.demo import HOSTS, web_digest\n"
        f"print(web_digest(build({web.seed}, PAGES, *HOSTS)))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "5"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert other.stdout.strip() == web_digest(web)


def test_another_seed_makes_another_web(web):
    other = build(web.seed + 1, PAGES, *HOSTS)
    mine, theirs = (
        {one.versions[0].body for one in two.resources if one.what == "article"}
        for two in (web, other)
    )
    assert not mine & theirs
    titles = ({one.label for one in two.resources if one.what == "article"} for two in (web, other))
    assert len(set.intersection(*titles)) < len(mine) / 10


@pytest.mark.parametrize("pages", [FEWEST, PAGES, 400])
def test_every_kind_of_page_exists(pages):
    web = build(31337, pages, *HOSTS)
    kinds = {resource.what for resource in web.resources}
    special = {"index.html", "trailing slash", "session id", "tracking"} | ENCODINGS
    missing = (KINDS | ENCODINGS) - kinds
    assert not missing if pages >= PAGES else missing <= special
    assert 0.85 * pages < sum(resource.judged for resource in web.resources) < 1.15 * pages
    assert len({resource.url for resource in web.resources}) == len(web.resources)


def test_too_few_and_too_many_pages_are_refused():
    with pytest.raises(ValueError, match="at least 100 pages, not 99"):
        build(1, 99, *HOSTS)
    with pytest.raises(NotEnoughText, match="too short for 9000 pages"):
        build(1, 9000, *HOSTS)


def test_texts_share_hardly_any_run_of_words(web):
    owners = defaultdict(set)
    sizes = Counter()
    for number, text in enumerate(draw_texts(Random(web.seed), 150, 450)):
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
    pages = {resource.url: resource for resource in web.resources}
    seen, queue = set(), [f"{HOSTS[0]}/"]
    while queue:
        url = queue.pop()
        if url in seen:
            continue
        seen.add(url)
        resource = pages[url]  # a dead link would not be found
        if resource.what in {"empty", "file", "error", "redirect", "forbidden"}:
            continue
        tree = lxml_html.fromstring(resource.versions[-1].body)
        base = (tree.xpath("//base/@href") or [url])[0]
        queue += [
            urljoin(base, link)
            for link in tree.xpath("//a/@href")
            if not link.startswith(("#", "//"))
        ]
    hidden = {
        resource.url for resource in web.resources if resource.what in {"orphan", "for robots"}
    }
    assert seen == pages.keys() - hidden


def test_the_manifest_is_complete_and_relations_go_both_ways(web):
    manifest = manifest_of(web)
    resources = {resource.url: resource for resource in web.resources}
    expected = [(s.url, n) for s in web.resources if s.judged for n in range(len(s.versions))]
    assert [(page.url, page.version) for page in manifest.pages] == expected
    assert {url for url, _ in manifest.others} == {s.url for s in web.resources if not s.judged}
    kinds = {
        ((page.url, page.version), (one.original, one.version)): one.kinds
        for page in manifest.pages
        for one in page.relations
    }
    opposite = {("contained",): ("contains",), ("contains",): ("contained",)}
    for (page, other), found in kinds.items():
        assert kinds[other, page] == opposite.get(found, found)
        same = (
            resources[page[0]].versions[page[1]].body == resources[other[0]].versions[other[1]].body
        )
        assert "exact" in found or not same
    dropped = {"other order": True, "moved sections": True}
    dropped |= {"other price": False, "other words": False}
    found = {
        (page.what, one.dropped)
        for page in manifest.pages
        for one in page.relations
        if page.what in dropped
    }
    assert found == set(dropped.items())
    related = {page for page, _ in kinds}
    for page in manifest.pages:
        if page.what in APART:
            assert (page.url, page.version) not in related
        if page.what in {"mirror", "edited", "excerpt", "soft 404", "print view", "short copy"}:
            assert (page.url, page.version) in related
    assert json.loads(manifest.to_json())["seed"] == web.seed


def test_ambiguous_overlaps_are_refused():
    resources = [
        Resource(f"http://a/{number}", "article", (Version(b"", frozenset(pieces)),))
        for number, pieces in enumerate(("ab", "bc"))
    ]
    with pytest.raises(Ambiguous, match="overlap"):
        manifest_of(Web(1, "http://a", "http://b", tuple(resources)))


def test_broken_markup_keeps_the_words(web):
    for resource in web.resources:
        if resource.what != "article":
            continue
        page = resource.versions[0].body.decode()
        damaged = break_markup(page, Random(resource.url))
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
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE)
    try:
        connection.request(method, url.removeprefix(f"http://{parts.netloc}"))
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_resources_are_served_as_built(server):
    for resource in server.web.resources:
        for version in resource.versions:
            status, headers, body = get(resource.url)
            assert (status, headers["Content-Type"]) == (resource.status, resource.content_type)
            assert (body, headers.get("Location", "")) == (version.body, resource.location)
        assert server.visits[resource.url] == len(resource.versions)


def test_a_page_stays_as_it_is_after_its_last_version(server):
    changing = next(one for one in server.web.resources if one.what == "changing")
    bodies = [get(changing.url)[2] for _ in range(3)]
    assert bodies[-2] == bodies[-1] == changing.versions[-1].body != changing.versions[0].body


def test_encodings_are_as_named(server):
    for resource in server.web.resources:
        body = resource.versions[0].body
        if resource.what == "utf-16 with a mark":
            assert body[:2] in {b"\xff\xfe", b"\xfe\xff"}
        elif resource.what.startswith(("latin-1", "windows-1252")):
            assert "Müller" in body.decode("cp1252")
            with pytest.raises(UnicodeDecodeError):
                body.decode("utf-8")
        elif resource.what == "utf-8 not declared":
            assert "Müller" in body.decode()
            assert not re.search(rb"<meta[^>]*charset", body, re.IGNORECASE)
        if resource.what.endswith("not declared"):
            assert "charset" not in resource.content_type


def test_missing_resources_are_not_found(server):
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
        assert process.wait(PATIENCE) == 0
        process.stdout.close()


def test_the_command_line_refuses_too_few_pages(tmp_path):
    command = [sys.executable, "-m", "crawler.demo", "--pages", "3"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "at least 100 pages, not 3" in result.stderr
    assert "Traceback" not in result.stderr
