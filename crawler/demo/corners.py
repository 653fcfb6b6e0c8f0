"""Corners of the demo web where crawls waste requests: copies by URL, traps, walls.

A resource of a corner says which page it shows, if that has another URL: a crawl that has fetched
one of them need not fetch the other.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from .articles import mirrors, originals
from .templates import DESIGNS, PageData, Site, link_html, sections_html
from .web import Resource, Version

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

    from .articles import Article, Inputs
    from .texts import Section

ARTICLES = 24
ITEMS = 12
_SESSIONS = 8
_DAYS = 60
_WALLED = 8
_FIRST_DAY = date(2026, 5, 1)
_COLOURS = ("red", "green", "blue")
_ORDERS: dict[str, Callable[[Section], str | int]] = {
    "name": lambda one: one.name.lower(),
    "length": lambda one: one.words,
}
_GONE = """<p>Nothing is kept under this number any more. Old numbers of the archive were given up
when it moved to the new shelves; ask the librarian which one replaces it.</p>"""
_SIGN_IN = """<p>Please sign in to read this page. It is for members only.</p>
<form method="post" action="/sign-in"><p><label>Name <input name="name"></label>
<label>Password <input type="password" name="password"></label>
<button>Sign in</button></p></form>"""


def corners(inputs: Inputs, items: Sequence[Section], data: PageData) -> Iterator[Resource]:
    """Yield all corners; `data` is what their own pages have beside title and content."""
    site, main = inputs.articles[0].site, inputs.articles[0].site.home.rstrip("/")
    articles = iter(inputs.articles)

    def some(number: int) -> list[Article]:
        return [next(articles) for _ in range(number)]

    yield from _sessions(some(3), inputs.rng, "{url}?sid={id}", "session id")
    yield from _sessions(some(3), inputs.rng, "{url};jsessionid={id}", "session id in the path")
    yield from _print_views(some(6))
    yield from _actions(some(5), inputs.rng)
    yield from mirrors(inputs._replace(articles=some(7)))
    yield from _listings(items, site, main, data)
    yield from _calendar(site, main, data)
    yield from _walls(inputs.rng, site, main, data)


def _sessions(
    articles: Sequence[Article], rng: random.Random, form: str, what: str
) -> Iterator[Resource]:
    """Yield articles under URLs with session ids."""
    yield from originals(articles)
    for article in articles:
        for _ in range(_SESSIONS):
            session = f"{rng.getrandbits(96):024x}"
            url = form.format(url=article.url, id=session)
            version = article.version(session=session)
            yield Resource(url, what, (version,), what, shows=article.url)


def _print_views(articles: Sequence[Article]) -> Iterator[Resource]:
    """Yield articles with print views that a parameter asks for."""
    yield from originals(articles)
    for article in articles:
        versions = (article.version("print"),)
        yield Resource(
            f"{article.url}?print=1", "print parameter", versions, "print", shows=article.url
        )


def _actions(articles: Sequence[Article], rng: random.Random) -> Iterator[Resource]:
    """Yield articles that link to actions, after which they show themselves again."""
    for article in articles:
        url, number = article.url, rng.randrange(100, 900)
        actions = [f"{url}?add={number}"]
        actions += [f"{url}?replyto={number + answer}" for answer in range(2)]
        links = tuple(zip(("Add to my list", "Reply", "Reply"), actions, strict=True))
        acting = replace(article, data=replace(article.data, related=links))
        yield from originals([acting])
        for action in actions:
            yield Resource(action, "action", (acting.version(),), shows=url)


def _listings(
    items: Sequence[Section], site: Site, main: str, data: PageData
) -> Iterator[Resource]:
    """Yield a listing, the same in other orders, and its parts by facet, in all orders, too.

    A facet has pages of its own, though all that they show is in the listing, too.
    """
    url = f"{main}/shelf/"
    for facet in ("", *_COLOURS):
        shown = [one for at, one in enumerate(items) if facet in ("", _COLOURS[at % len(_COLOURS)])]
        pieces = frozenset(f"item {one.name}" for one in shown)
        own = f"{url}?colour={facet}" if facet else url
        what, more = ("facet", f", {facet}") if facet else ("listing", "")
        for order in ("", *_ORDERS):
            ordered = sorted(shown, key=_ORDERS[order]) if order else shown
            html = _page(site, data, f"The shelf{more}", sections_html(ordered))
            look = " ".join([own, *(one.name for one in ordered)])  # orders may be the same
            version = Version(html, pieces, look)
            if order:
                sorted_url = f"{own}{'&' if facet else '?'}sort={order}"
                yield Resource(sorted_url, "sorted listing", (version,), f"by {order}", shows=own)
            else:
                yield Resource(own, what, (version,), f"shelf{more}")


def _calendar(site: Site, main: str, data: PageData) -> Iterator[Resource]:
    """Yield a chain of days on which nothing happens."""

    def link(day: date) -> str:
        return link_html((day.isoformat(), f"{main}/calendar/?day={day}"))

    days = [_FIRST_DAY + timedelta(number) for number in range(_DAYS)]
    for number, day in enumerate(days):
        around = [link(one) for one in days[max(0, number - 1) : number + 2] if one != day]
        content = f"<p>Nothing is planned on {day}.</p>\n<p>{' '.join(around)}</p>"
        html = _page(site, data, f"Calendar {day}", content)
        label = "" if number else "Calendar"
        yield Resource(f"{main}/calendar/?day={day}", "calendar", (Version(html),), label)


def _walls(rng: random.Random, site: Site, main: str, data: PageData) -> Iterator[Resource]:
    """Yield URLs that show one text: no such page, and a sign-in form."""
    for what, title, content, folder in (
        ("soft 404", "Nothing here", _GONE, "archive"),
        ("login wall", "Sign in", _SIGN_IN, "members"),
    ):
        version = Version(_page(site, data, title, content), frozenset({what}), what)
        for name in rng.sample(range(1000, 9999), _WALLED):
            yield Resource(f"{main}/{folder}/{name}", what, (version,), f"{folder} {name}")


def _page(site: Site, data: PageData, title: str, content: str) -> bytes:
    return DESIGNS["portal"](site, replace(data, title=title, content=content)).encode()
