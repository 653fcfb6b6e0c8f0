"""A shop with much that need not be fetched, judged page by page, and learned from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dedup_middleware import Deduplicator, Page
from dedup_middleware.sites import Fetched, Sites, SiteTally
from dedup_middleware.sites.values import SAME_PAGE, text_digests
from dedup_middleware.store import Ending
from dedup_middleware.verdict import Action

from .texts import article, html

HOST, MIRROR, RUN = "shop.example", "mirror.shop.example", "20260103T000000-000000"
SHOP = f"https://{HOST}"
ARTICLES, DAYS, ACCOUNTS = 40, 120, 40
LOGIN = "Please log in to see your account and your orders."


class Visit(NamedTuple):
    url: str
    html: str
    words: int
    passwords: int = 0


def visits() -> Iterator[Visit]:
    """Yield articles under session ids and at a mirror, a calendar without end, a login wall."""
    for number in range(ARTICLES):
        parts = article(number * 3, 120)
        page, path = html(parts, f"Article {number}"), f"/articles/{number}.html"
        yield Visit(f"{SHOP}{path}", page, 120)
        for visitor in range(2):
            session = f"{number * 7919 + visitor * 104729:x}"
            yield Visit(f"{SHOP}{path}?sid={session}", page, 120)
        yield Visit(f"https://{MIRROR}{path}", page, 120)
    for day in range(DAYS):
        date = f"20{20 + day // 336}-{1 + day % 336 // 28:02}-{1 + day % 28:02}"
        text = [f"No events on {date}."]
        yield Visit(f"{SHOP}/calendar/{date}", html(text, "Calendar"), 4)
    for number in range(ACCOUNTS):
        url = f"{SHOP}/{('orders', 'wishes', 'reviews', 'bills')[number % 4]}/{number}/edit"
        form = '<form><input name="user"><input name="word" type="password"></form>'
        yield Visit(url, html([LOGIN], "Log in").replace("</body>", f"{form}</body>"), 10, 1)


def visit_shop(place: Path | str, run: str = RUN) -> SiteTally:
    """Judge all pages in a run of a store; return what could have been saved."""
    tally = SiteTally()
    dedup = Deduplicator(place, run=run, spider="shop", map_size=1 << 30)
    try:
        sites = Sites(dedup.store)
        for visit in visits():
            decision = sites.consider(visit.url)
            sites.sent(visit.url)
            verdict = dedup.process(Page(url=visit.url, html=visit.html))
            kind, is_copy = str(verdict.kind), verdict.action is Action.DROP
            shows = verdict.original if is_copy and kind in SAME_PAGE else None
            fetched = Fetched(
                visit.url,
                shows or visit.url,
                kind,
                visit.words,
                len(visit.html),
                *text_digests(visit.html),
                passwords=visit.passwords,
            )
            if decision.action == "skip" and decision.rule:
                tally.suggested[decision.rule.kind] += 1
                tally.size += len(visit.html)
                tally.checked += bool(decision.canonical)
                tally.wrong += bool(decision.canonical) and fetched.is_new
            tally.new += fetched.is_new
            for notice in sites.observe(fetched):
                tally.note(notice)
        sites.flush()
    finally:
        dedup.close(Ending(sites=tally.as_json()))
    return tally
