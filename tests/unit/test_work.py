"""Work on a page is linear in its size, whatever it contains."""

from __future__ import annotations

import time
from io import BytesIO

import pytest

from benchmarks.floods import FLOODS, edited
from dedup_middleware import Deduplicator, Page
from dedup_middleware.files import bounded_lines
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read
from dedup_middleware.replacement import flaws
from dedup_middleware.similarity.changes import changes
from tests.support.work import lines_run

URL = "https://example.org/"
ONCE, TWICE = 400, 800

HOSTILE = {
    "combining marks": lambda n: "<p>a" + "\u0301\u0316" * n,
    "comments": lambda n: "<p>x" + "<!--" * n,
    "instructions": lambda n: "<p>x" + "<?" * n,
    "sections": lambda n: "<section><h2>a" * n,
    "headers": lambda n: "<title>a</title>" + "<header><h1>a</h1></header>" * n,
    "open headers": lambda n: "<header><h1>a" * n,
    "deep lists": lambda n: "<ul><li>a" * n,
    "attributes full of tags": lambda n: f"<p title='{'<' * n}' {'<' * n}>x",
    "many attributes": lambda n: f"<p {' '.join(f'a{i}=1' for i in range(n))}>x",
    "paragraphs": lambda n: "<p>a" * n,
    "links": lambda n: "".join(f"<li><a href=/{i}>Page {i}</a>" for i in range(n)),
    "class names": lambda n: f"<div class='{'menu ' * n}'>x</div>" * 3,
    "long class names": lambda n: f"<div class='{'m' * n}'>x</div>" * 3,
    "hidden elements": lambda n: "<div hidden>" * n + "x",
    "rules": lambda n: (
        f"<style>{''.join(f'.c{i} p {{display:none}}' for i in range(n))}</style>"
        + "".join(f"<div class=c{i}>x</div>" for i in range(n))
    ),
    "nested rules": lambda n: "<style>" + "@media screen {" * n + "p{}</style><p>x",
    "negations": lambda n: "<style>p" + ":not(" * n + "a{display:none}</style><p>x",
    "comment sections": lambda n: "<div class=comments>a</div>" * n,
    "menus": lambda n: "<div class=menu>a</div><p>b</p>" * n,
    "unclosed scripts": lambda n: "<script>" * n + "x",
    "links around blocks": lambda n: "<a href=/><div>a" * n,
    "same paragraphs": lambda n: "<p>the same words in each of the paragraphs of a page</p>" * n,
}


def seconds(html: str) -> float:
    """Return the CPU time that it takes to read and fingerprint a page, the least of three."""
    page = Page(url=URL, html=html.encode())
    times = []
    for _ in range(3):
        begin = time.process_time()
        fingerprint(page, read(page))
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize("page", HOSTILE.values(), ids=HOSTILE)
def test_reading_is_linear(page):
    once, twice = (seconds(page(times)) for times in (10_000, 20_000))
    assert twice <= 3 * once + 0.05


def compared(first: str, second: str, folder: str) -> int:
    with Deduplicator(folder) as dedup:
        dedup.process(Page(url=f"{URL}1", html=first))
        return lines_run(lambda: dedup.process(Page(url=f"{URL}2", html=second)))


NEAR_COPIES = {
    "paragraphs": lambda n: "<p>a" * n,
    "links": HOSTILE["links"],
    "same paragraphs": HOSTILE["same paragraphs"],
    "one long sentence": lambda n: "<p>" + " ".join(f"word{i}" for i in range(n)),
    "sentences": lambda n: "<p>" + " ".join(f"This is sentence {i} of it." for i in range(n)),
}


@pytest.mark.parametrize("page", NEAR_COPIES.values(), ids=NEAR_COPIES)
def test_comparing_near_copies_is_linear(page, tmp_path):
    once, twice = (
        compared(page(times), f"{page(times)}<p>and a few words more", str(tmp_path / str(times)))
        for times in (ONCE, TWICE)
    )
    assert twice <= 2.3 * once + 2_000


def judged(page, folder: str, size: int = 4_000) -> int:
    """Count the work on the last of some pages that a site floods a crawl with."""
    with Deduplicator(folder) as dedup:
        for number in range(3):
            dedup.process(Page(url=f"{URL}{number}", html=page(number, size)))
        return lines_run(lambda: dedup.process(Page(url=f"{URL}last", html=page(9, size))))


@pytest.mark.parametrize("name", ["one sentence", "hot shingles", "equal SimHash", "blank lines"])
def test_a_flood_costs_no_more_than_normal_pages(name, tmp_path):
    normal = judged(edited, str(tmp_path / "normal"))
    assert judged(FLOODS[name], str(tmp_path / "flood")) <= 5 * normal


def test_urls_and_changes_cost_no_more_than_their_size():
    def url(n: int) -> int:
        return lines_run(lambda: flaws(URL + "?" + "&".join(f"a{i}=1" for i in range(n))))

    def update(n: int) -> int:
        before, after = (
            read(Page(url=URL, html="".join(f"<p>{word} {i} of it. It is so." for i in range(n))))
            for word in ("Part", "Piece")
        )
        return lines_run(lambda: changes(before, after))

    assert url(100_000) <= 2 * url(1_000)
    assert update(800) <= 2.2 * update(400)


def test_blank_lines_of_a_feed_are_read_one_at_a_time():
    class Blank(BytesIO):
        """A file of blank lines that is never in memory."""

        left = 200_000

        def readline(self, most: int = -1, /) -> bytes:
            assert 0 < most <= 1 << 20
            self.left -= 1
            return b"\n" if self.left >= 0 else b""

    assert sum(line == b"\n" for _, line in bounded_lines(Blank(), 1 << 10)) == 200_000
