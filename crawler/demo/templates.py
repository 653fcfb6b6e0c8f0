"""Page templates of the demo web: three designs, a mobile one, and one for printers."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .texts import Section

Link = tuple[str, str]
"""Label and URL."""


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages have in common."""

    name: str
    menu: tuple[Link, ...]
    home: str
    """What links are relative to, on the mirror too."""


@dataclass(frozen=True, slots=True)
class PageData:
    """What a page shows, in any design."""

    title: str
    content: str
    """HTML of the main text."""
    date: str = "1 January 2026"
    readers: int = 0
    related: tuple[Link, ...] = ()
    above: str = "Start"
    byline: str = ""
    session: str = ""
    """A session id, hidden in forms."""


def sections_html(sections: Iterable[Section]) -> str:
    """Return sections as headings, paragraphs and examples."""
    lines: list[str] = []
    for section in sections:
        lines.append(f"<h2>{escape(section.name)}</h2>")
        for paragraph in section.paragraphs:
            tag = "pre" if paragraph.code else "p"
            lines.append(f"<{tag}>{escape(paragraph.text, quote=False)}</{tag}>")
    return "\n".join(lines)


def links_html(links: Iterable[Link]) -> str:
    """Return a list of links."""
    items = [f"<li>{link_html(link)}</li>" for link in links]
    return "\n".join(["<ul>", *items, "</ul>"])


def link_html(link: Link) -> str:
    label, target = link
    return f'<a href="{escape(target)}">{escape(label)}</a>'


def journal(site: Site, page: PageData) -> str:
    """Return a page with the elements of HTML 5."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="{site.home}">
<title>{escape(page.title)} – {site.name}</title>
<style>body {{ margin: 0 auto; max-width: 60em }} nav li {{ display: inline }}</style>
</head>
<body>
<header><a href="/">{site.name}</a>
<nav>{links_html(site.menu)}</nav>
{_search(page)}</header>
<main>
<p class="breadcrumb"><a href="/">Start</a> › <a href="/">{escape(page.above)}</a></p>
<article>
<h1>{escape(page.title)}</h1>
{_byline(page)}
{page.content}
</article>
</main>
<aside><h2>You may also like</h2>
{links_html(page.related)}
<p>Subscribe to our letter and get the best texts of the week on Sunday morning. No noise, no
tracking, and you can leave whenever you like.</p></aside>
<footer><p>{site.name} is made by volunteers. Read {page.readers:,} times. We use cookies to keep
you signed in; by reading on you agree to that. Privacy, imprint, terms of use and contact are one
click away.</p></footer>
<script>window.stats = {{"readers": {page.readers}}};</script>
</body>
</html>
"""


def portal(site: Site, page: PageData) -> str:
    """Return a page of nested boxes with descriptive class names."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><base href="{site.home}">
<title>{escape(page.title)} | {site.name}</title></head>
<body>
<div id="wrapper">
<div class="topbar">Welcome to {site.name}! Sign in or create an account to save this page.</div>
{_search(page)}
<div class="menu">{links_html(site.menu)}</div>
<div class="columns">
<div class="sidebar"><h3>Most read</h3>
{links_html(page.related)}
<div class="widget">Weather: cloudy, 14 degrees. Exchange rates are delayed by at least fifteen
minutes.</div></div>
<div class="content"><div class="post">
<h1>{escape(page.title)}</h1>
{_byline(page)}
{page.content}
</div></div>
</div>
<div class="footer"><p>All rights reserved, {site.name} and its authors. Nothing on these pages is
advice. Page views today: {page.readers:,}. Advertise with us, work for us, write to us.</p></div>
</div>
</body>
</html>
"""


def manual(site: Site, page: PageData) -> str:
    """Return a page as in the nineties: nested tables, no classes."""
    menu = "<br>\n".join(link_html(link) for link in site.menu + page.related)
    return f"""<HTML>
<HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8">
<BASE HREF="{site.home}"><TITLE>{site.name}: {escape(page.title)}</TITLE></HEAD>
<BODY BGCOLOR="#ffffff">
<TABLE WIDTH="100%" CELLPADDING="4"><TR>
<TD WIDTH="160" VALIGN="top" BGCOLOR="#dddddd"><FONT SIZE="2">
{menu}
</FONT>{_search(page)}</TD>
<TD VALIGN="top"><TABLE><TR><TD>
<H1>{escape(page.title)}</H1>
{_byline(page)}
{page.content}
</TD></TR></TABLE>
<HR><CENTER><FONT SIZE="1">Best viewed at 800 x 600. Visitor number {page.readers}.</FONT></CENTER>
</TD></TR></TABLE>
</BODY></HTML>
"""


def mobile(site: Site, page: PageData) -> str:
    """Return a page for small screens."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(page.title)}</title></head>
<body>
<div class="bar"><a href="/">{site.name}</a> <button>Menu</button></div>
<section class="text">
<h1>{escape(page.title)}</h1>
{page.content}
</section>
<div class="share"><a href="#s">Share</a> <a href="#t">Tell a friend</a> <a href="#u">Save</a></div>
</body></html>
"""


def printed(site: Site, page: PageData) -> str:
    """Return a page for printers: the text and its source."""
    return f"""<html lang="en">
<head><meta charset="utf-8"><title>{escape(page.title)} (print)</title>
<meta name="robots" content="noindex"></head>
<body onload="window.print()">
<p>{site.name}, {page.date}</p>
<h1>{escape(page.title)}</h1>
{page.content}
</body></html>
"""


def _search(page: PageData) -> str:
    hidden = f'<input type="hidden" name="sid" value="{page.session}">' if page.session else ""
    return f'<form action="/search">{hidden}<label>Search <input name="q"></label></form>'


def _byline(page: PageData) -> str:
    words = f"By {escape(page.byline)}, {page.date}" if page.byline else page.date
    return f'<p class="date">{words}</p>'


DESIGNS: dict[str, Callable[[Site, PageData], str]] = {
    "journal": journal,
    "portal": portal,
    "manual": manual,
}
OTHERS: dict[str, Callable[[Site, PageData], str]] = {"mobile": mobile, "print": printed}
