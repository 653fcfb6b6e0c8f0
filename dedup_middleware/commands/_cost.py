"""What it costs to read and fingerprint a page here."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.page import Page

PARAGRAPHS = (20, 80, 160)  # of each page: about 8, 30 and 60 kB
ROUNDS = 5
_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi wo zu ar en il os ut".split()


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds for one page, on average."""

    milliseconds: float
    parse: float
    """Of lxml, for the same pages."""

    @property
    def ratio(self) -> float:
        return self.milliseconds / self.parse


def made_pages() -> list[Page]:
    """Make pages as they are found on the web: text between menu, side bar and footer."""
    from dedup_middleware.page import Page

    chance = random.Random(7)  # noqa: S311 - text, no secrets

    def words(count: int) -> str:
        return " ".join(
            "".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(count)
        )

    def page(paragraphs: int) -> str:
        links = "".join(f'<li class="item"><a href="/{n}">{words(2)}</a></li>' for n in range(25))
        text = "".join(
            f'<div class="block"><p>{words(25)}, <b>{words(2)}</b> {words(25)}.</p></div>'
            for _ in range(paragraphs)
        )
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{words(5)}</title></head><body>'
            f'<nav id="menu"><ul>{links}</ul></nav><main><h1>{words(5)}</h1>{text}</main>'
            f'<aside class="sidebar"><ul>{links}</ul></aside><footer>{words(20)}</footer></body>'
        )

    return [
        Page(url=f"https://example.org/{count}", html=page(count).encode(), encoding="utf-8")
        for count in PARAGRAPHS
    ]


def cost() -> Cost:
    """Measure it: the best of some rounds."""
    from lxml import etree

    from dedup_middleware.fingerprint import fingerprint
    from dedup_middleware.read import read

    pages = made_pages()
    bodies = [page.body for page in pages]
    ours = _best(lambda: [fingerprint(page, read(page)) for page in pages])
    parser = etree.HTMLParser(encoding="utf-8")
    theirs = _best(lambda: [etree.fromstring(body, parser) for body in bodies])
    return Cost(1000 * ours / len(pages), 1000 * theirs / len(pages))


def _best(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)
