"""A site whose texts change, and what feeds of any format hold of it."""

from __future__ import annotations

import random
import re
import zlib
from contextlib import suppress
from pathlib import Path

from .crawling import Web
from .stores import invented

TEXTS = 40


class Site:
    """Texts that are found at two URLs each, and change now and then."""

    def __init__(self, web: Web, rng: random.Random) -> None:
        self._web = web
        self._rng = rng
        self.titles = [""] * TEXTS
        self.change(range(TEXTS), 0)

    def change(self, numbers: range | list[int], version: int) -> None:
        for number in numbers:
            self.titles[number] = title = f"{number} in version {version}."
            text = invented(1000 * version + number)
            for copy in "ab":
                html = f"<!doctype html><title>{title}</title><main><p>{text}</main>"
                self._web.put(f"/{number}/{copy}", html)

    def steps(self) -> list[list[str]]:
        urls = [self._web.url(f"/{number}/{copy}") for number in range(TEXTS) for copy in "ab"]
        self._rng.shuffle(urls)
        return [urls[at : at + 16] for at in range(0, len(urls), 16)]


def titles(feed: Path) -> set[str]:
    """Return what a feed of any format holds; its last item may be torn."""
    data = feed.read_bytes() if feed.exists() else b""
    if data.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):
            data = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)
    return {found.decode() for found in re.findall(rb"\d+ in version \d+\.", data)}
