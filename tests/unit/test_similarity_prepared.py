"""The cache of prepared pages."""

from __future__ import annotations

import pytest

from dedup_middleware import Page
from dedup_middleware.read import read
from dedup_middleware.similarity.prepared import Prepared, PreparedCache

MENUS = {
    "many entries": "".join(f"<li><a href=/{n}>entry {n}</a>" for n in range(2000)),
    "one long entry": "<li>" + "entry and more " * 2000,
}


@pytest.mark.parametrize("menu", MENUS)
def test_menus_weigh_in_the_cache_too(menu: str) -> None:
    html = f"<nav><ul>{MENUS[menu]}</ul></nav><main><p>A few words of its own.</main>"
    outline = read(Page(url="https://a.example/", html=html), max_html=1 << 20, max_text=1 << 20)
    cache = PreparedCache(20_000)
    for n in range(50):
        cache.put(n, 6, Prepared(outline))
    kept = [n for n in range(50) if cache.get(n)]
    assert 1 <= len(kept) <= 5
    assert kept[-1] == 49
