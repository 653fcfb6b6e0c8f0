"""What real crawls lose when they skip, on sites that were made to mislead them: nothing."""

from __future__ import annotations

import random

import pytest

from tests.support.crawling import Job, Web, crawl
from tests.support.texts import article, html

CURRENCIES = (
    "Australia Brazil Britain Bulgaria Canada China Denmark Euro Hungary Iceland India Indonesia "
    "Israel Japan Korea Malaysia Mexico Norway Poland Romania"
).split()


@pytest.fixture
def web():
    with Web() as pages:
        yield pages


def put(web: Web, path: str, seed: int, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">more</a>' for link in links)
    return web.put(path, html(article(seed)).replace("</body>", anchors + "</body>"))


def run(folder, web, start: str):
    settings = {"DEDUP_SKIP": "on", "CONCURRENT_REQUESTS": 4}
    (result,) = crawl(folder, Job("followers:Links", {"urls": [start]}, settings))
    assert result.troubles == []
    return result


@pytest.mark.parametrize("photo", ["/photo/{}", "/photo?id={}"])
def test_pages_of_one_text_that_lead_elsewhere(web, tmp_path, photo):
    """The pages of a gallery show the same text, and each links to pictures of its own."""
    seed = 100
    for gallery in range(3):
        for offset in range(20):
            pictures = [photo.format(f"{gallery}x{offset}x{n}") for n in range(2)]
            following = [f"/g{gallery}/list?offset={offset + 1}"] if offset < 19 else []
            put(web, f"/g{gallery}/list?offset={offset}", gallery, *pictures, *following)
            for picture in pictures:
                put(web, picture, seed)
                seed += 1
    start = put(web, "/start", 99, *(f"/g{gallery}/list?offset=0" for gallery in range(3)))
    run(tmp_path, web, start)
    assert len([path for path in web.asked if "photo" in path]) == 120


def test_pages_of_numbers_are_no_trap(web, tmp_path):
    """Exchange rates of 200 days, which differ in nothing but digits."""
    for day in range(200):
        rates = random.Random(day)
        rows = "".join(
            f"<tr><td>{name}</td><td>{rates.uniform(0.5, 150):.4f}</td></tr>" for name in CURRENCIES
        )
        web.put(
            f"/rates/{20_000 + day}",
            f"<title>Rates</title><h1>Exchange rates of day {day}</h1><p>The central bank publishes"
            " these reference rates every working day at noon.</p>"
            f"<table>{rows}</table><a href='/rates/{20_001 + day}'>next</a>",
        )
    result = run(tmp_path, web, web.url("/rates/20000"))
    assert len(web.asked) == 201  # the last link is dead
    assert not [text for level, text in result.log if level == "WARNING"]
    assert "sites/trap" not in result.dedup
