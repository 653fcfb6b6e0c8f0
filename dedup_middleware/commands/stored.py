"""The pages of a store with their text, in the order in which they arrived."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from dedup_middleware.store.records import url_key
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.read import Outline
    from dedup_middleware.store import Reader, View

_AT_ONCE = 64  # a long snapshot would keep the store from reusing its space
_KEPT = frozenset({Kind.NEAR, Kind.CONTAINED})  # the redundant pages whose text a store keeps


def stored_urls(store: Reader) -> list[str]:
    """List the URLs whose text the store has, registered or redundant, in order of arrival."""
    with store.snapshot() as view:
        arrived = dict(_registered(view))
        for url, seconds in _redundant(view):
            arrived.setdefault(url, seconds)
    return sorted(arrived, key=arrived.__getitem__)


def stored_pages(store: Reader, urls: list[str]) -> Iterator[tuple[str, Outline]]:
    """Take the text of some URLs out of a store; one that is gone meanwhile is left out."""
    for start in range(0, len(urls), _AT_ONCE):
        with store.snapshot() as view:
            found = [(url, view.text_of(url_key(url))) for url in urls[start : start + _AT_ONCE]]
        yield from ((url, outline) for url, outline in found if outline is not None)


def _registered(view: View) -> Iterator[tuple[str, float]]:
    for number in view.pages_after(0):
        record = view.any_page(number)
        if record:
            yield record.url, record.first_seen


def _redundant(view: View) -> Iterator[tuple[str, float]]:
    """Go through decisions: what is kept of a redundant page is found by its URL alone."""
    for line in view.decisions():
        entry = json.loads(line)
        if entry["verdict"] in _KEPT:
            yield entry["url"], datetime.fromisoformat(entry["time"]).timestamp()
