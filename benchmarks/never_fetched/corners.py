"""Corners: URLs that show a page again, show nothing to read, or have no end."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta
from functools import partial
from html import escape, unescape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .web import Site, Web

SESSION, TRACKING, SORT, PRINT, ACTION, VARIANT = (
    "session id",
    "tracking",
    "sort",
    "print view",
    "action",
    "variant",
)
MIRROR, STRANGER = "mirror", "mirror of a stranger"
LISTING, FACET, TRAP, SOFT_404, LOGIN, SHELL = (
    "listing",
    "facet",
    "trap",
    "soft 404",
    "login wall",
    "script shell",
)
REDUNDANT = (SESSION, TRACKING, SORT, PRINT, ACTION, VARIANT, MIRROR)
"""Kinds of URLs that show a page again; those of strangers do too, but must be read."""
WALLS = (SOFT_404, LOGIN, SHELL)
"""Kinds of URLs that show one text, with nothing to read."""

_SESSIONS = 5
_EVERY = 6
_ITEMS = 10
_LISTINGS = 4
_WORDS = 30
_FACETS = ("new", "old")
_ORDERS = ("title", "size")
_FIRST_DAY = date(2001, 1, 1)
_STEPS = (1, -1, 30, 365)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)</p", re.IGNORECASE | re.DOTALL)
_AROUND = re.compile(
    r"<(nav|header|footer|aside|style|script)\b.*?</\1\s*>|<link\b[^>]*>",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")


def add(web: Web, site: Site, number: int, salt: random.Random, crawl: int) -> None:
    """Add all corners but the trap to a site; numbers of sites choose their forms."""
    session = _session_form(number)
    ids = [
        f"{random.Random(f'{site.host} {crawl} {n}').getrandbits(96):024x}"
        for n in range(_SESSIONS)
    ]
    for page in site.urls:
        links = site.links[page]
        for other in salt.sample(site.urls, min(2, len(site.urls))):
            links.append(web.add(session(other, salt.choice(ids)), SESSION, other))
        for form in (
            f"utm_source={salt.choice(('letter', 'feed'))}&utm_medium=web",
            f"fbclid={salt.getrandbits(60):x}",
        ):
            links.append(web.add(_with(page, form), TRACKING, page))
        form = ("print=1", "view=print", "format=print")[number % 3]
        view = partial(_print_view, web, page)
        links.append(web.add(_with(page, form), PRINT, page, view))
        action = ("replytocom", "add-to-cart", "share")[number % 3]
        for _ in range(2):
            links.append(web.add(_with(page, f"{action}={salt.randrange(10**6)}"), ACTION, page))
        for other in salt.sample(site.urls, min(2, len(site.urls))):
            links.append(web.add(salt.choice(_variants(other)), VARIANT, other))
    _add_listings(web, site)
    _add_walls(web, site, number, salt)
    if number % _EVERY in (1, 4):
        _add_mirror(web, site, is_stranger=number % _EVERY == 4)


def add_trap(web: Web, site: Site, days: int) -> None:
    """Add a calendar whose days have no events, and link to each other."""

    def url(day: int) -> str:
        return f"{site.origin}/calendar/?day={_FIRST_DAY + timedelta(day)}"

    def body(day: int) -> bytes:
        near = [day + step for step in _STEPS if 0 <= day + step < days]
        when = _FIRST_DAY + timedelta(day)
        text = f"<h1>Calendar: {when}</h1><p>There are no events on {when}.</p>"
        return _page(site, f"Calendar {when}", text, [url(one) for one in near])

    for day in range(days):
        web.add(url(day), TRAP, "", partial(body, day))
    site.links[site.urls[0]].append(url(days // 2))


def _add_listings(web: Web, site: Site) -> None:
    """Add listings of the site's pages: numbered ones, in other orders, and by facet."""
    items = [(url, *_teaser(web.text(url))) for url in site.urls[: _ITEMS * _LISTINGS]]
    parts = {
        f"page={number + 1}": items[_ITEMS * number : _ITEMS * (number + 1)]
        for number in range(-(-len(items) // _ITEMS))
    }
    for number, facet in enumerate(_FACETS):
        parts[f"filter={facet}"] = items[number :: len(_FACETS)][:_ITEMS]
    own = {part: f"{site.origin}/browse/?{part}" for part in parts}
    orders = {
        (part, order): _with(own[part], f"sort={order}") for part in parts for order in _ORDERS
    }
    links = [*own.values(), *orders.values()]

    def body(part: str, order: str) -> bytes:
        shown = list(parts[part])
        if order:
            shown.sort(key=lambda one: one[1] if order == "title" else f"{len(one[2]):6}{one[0]}")
        text = "".join(
            f'<h2><a href="{escape(url)}">{title}</a></h2><p>{words}</p>'
            for url, title, words in shown
        )
        return _page(site, f"All pages, {part}", f"<h1>All pages, {part}</h1>{text}", links)

    for part, url in own.items():
        kind = FACET if part.startswith("filter") else LISTING
        web.add(url, kind, url, partial(body, part, ""))
    for (part, order), url in orders.items():
        web.add(url, SORT, own[part], partial(body, part, order))
    site.links[site.urls[0]].append(own["page=1"])


def _add_walls(web: Web, site: Site, number: int, salt: random.Random) -> None:
    """Add URLs that show one text: no such page, sign in, or use another browser."""
    kind = WALLS[number % len(WALLS)]
    folder = {SOFT_404: "old", LOGIN: "members", SHELL: "app"}[kind]
    for place, page in enumerate(site.urls):
        if place % 3 == 0:
            url = f"{site.origin}/{folder}/{salt.getrandbits(40):010x}"
            site.links[page].append(web.add(url, kind, "", partial(_wall, site, kind, url)))


def _add_mirror(web: Web, site: Site, *, is_stranger: bool) -> None:
    """Add a host that has all pages of the site, path by path, with links of its own."""
    name = site.host.replace(".", "-").replace(":", "-")
    host = f"{name}.copies.example" if is_stranger else f"mirror.{site.host}"
    origin = f"{urlsplit(site.origin).scheme}://{host}"
    kind = STRANGER if is_stranger else MIRROR

    def moved(url: str) -> str:
        return origin + url.removeprefix(site.origin)

    plain = {url: [one for one in site.links[url] if one in site.urls] for url in site.urls}
    for url in site.urls:
        links = [moved(one) for one in plain[url]]
        body = partial(web.html, url, moved(url), origin=origin, links=links)
        web.add(moved(url), kind, moved(url) if is_stranger else url, body)
    web.mirrors[host] = site.host
    site.links[site.urls[0]].append(moved(site.urls[0]))


def _session_form(number: int) -> Callable[[str, str], str]:
    name = ("sid", "PHPSESSID", "s")[number % 3]

    def in_query(url: str, value: str) -> str:
        return _with(url, f"{name}={value}")

    def behind_path(url: str, value: str) -> str:
        return f"{url};jsessionid={value}"

    def in_path(url: str, value: str) -> str:
        origin, _, path = url.partition("://")[2].partition("/")
        return f"{urlsplit(url).scheme}://{origin}/(S({value}))/{path}"

    return (in_query, behind_path, in_query, in_path)[number % 4]


def _variants(url: str) -> list[str]:
    """Return other ways to write the URL of a page."""
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    bare = host.removeprefix("www.")
    other_host = bare if bare != host else f"www.{host}"
    other_scheme = "http" if scheme == "https" else "https"
    port = ":8443" if scheme == "https" else ":8080"
    found = [
        f"{scheme}://{other_host}/{path}",
        f"{other_scheme}://{rest}",
        f"{scheme}://{host}{port}/{path}",
    ]
    if url.endswith("/"):
        found.append(f"{url}index.html")
        if path:
            found.append(url.rstrip("/"))
    elif url.endswith("/index.html"):
        found.append(url.removesuffix("index.html"))
    else:
        found.append(f"{url}/")
    return found


def _with(url: str, parameter: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{parameter}"


def _print_view(web: Web, page: str) -> bytes:
    return _AROUND.sub("", web.text(page)).encode("utf-8", "replace")


def _teaser(html: str) -> tuple[str, str]:
    """Return title and first words of a page."""
    title = _TITLE.search(html)
    words = " ".join(
        " ".join(_TAG.sub(" ", one) for one in _PARAGRAPH.findall(html)).split()[:_WORDS]
    )
    return (title[1].strip() if title else "Untitled"), escape(unescape(words), quote=False)


def _wall(site: Site, kind: str, url: str) -> bytes:
    text = {
        SOFT_404: "<h1>Nothing found</h1><p>There is no such page on this server. Please try the "
        "search, or go back to the start.</p>",
        LOGIN: "<h1>Sign in</h1><p>This page is for members only. Please sign in.</p>"
        f'<form method="post"><input type="hidden" name="next" value="{escape(url)}">'
        '<input name="name"><input type="password" name="word"><button>Sign in</button></form>',
        SHELL: "<noscript>You need to enable JavaScript to run this application.</noscript>"
        f'<div id="root"></div><script>window.at = "{escape(url)}"; {"load();" * 40}</script>',
    }[kind]
    return _page(site, site.host, text, site.urls[:3])


def _page(site: Site, title: str, content: str, links: Sequence[str]) -> bytes:
    home = f'<a href="{escape(site.urls[0])}">{site.host}</a>'
    menu = "".join(f'<li><a href="{escape(url)}">More</a></li>' for url in links)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body><header>{home}</header><main>{content}</main>"
        f"<nav><ul>{menu}</ul></nav><footer>Imprint of {site.host}</footer></body></html>"
    ).encode("utf-8", "replace")
