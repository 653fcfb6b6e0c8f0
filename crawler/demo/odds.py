"""What else is on the web: short pages, shells, errors, pages that change, files, redirects."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from .edits import edited
from .model import Sheet, Version
from .templates import DESIGNS, Matter, Site, sections_html

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from .articles import Article
    from .texts import Section

_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)


def notes(pages: Sequence[tuple[Section, Matter]], site: Site, main: str) -> Iterator[Sheet]:
    """Show pages that share all but a paragraph with others."""
    for number, (section, matter) in enumerate(pages):
        design = list(DESIGNS)[number % len(DESIGNS)]
        filled = replace(matter, content=sections_html([section]))
        shown = Version(DESIGNS[design](site, filled).encode())
        yield Sheet(f"{main}/notes/{number}.html", "boilerplate", (shown,), f"Note {section.name}")


def shorts(sections: Sequence[Section], main: str) -> Iterator[Sheet]:
    """Show pages too short to compare: two of the same bytes, one that is written otherwise."""
    for number, section in enumerate(sections):
        html = f"<!DOCTYPE html><title>Hint</title><p>For more see {escape(section.name)}.</p>"
        shown = Version(html.encode(), frozenset({f"short{number}"}), f"short{number}")
        other = Version(html.replace("<p>", "<p class=hint>").encode())
        url = f"{main}/hints/{number}"
        yield Sheet(f"{url}.html", "short", (shown,), f"Hint {number}")
        yield Sheet(f"{url}.htm", "short copy", (shown,), f"Hint {number} again")
        yield Sheet(f"{url}.xhtml", "short", (other,), f"Hint {number} in other markup")


def shells(sections: Sequence[Section], main: str) -> Iterator[Sheet]:
    """Show what scripts would fill."""
    for number, section in enumerate(sections):
        data = json.dumps([paragraph.text for paragraph in section.paragraphs])
        data = data.replace("</", "<\\/")
        html = (
            '<!DOCTYPE html><html lang="en"><head><title>Application</title></head><body>'
            "<noscript>Please enable JavaScript to use this application.</noscript>"
            f'<div id="app"></div><script>window.DATA = {data}</script>'
            "</body></html>"
        )
        yield Sheet(
            f"{main}/app/{number}", "script shell", (Version(html.encode()),), f"App {number}"
        )


def lost(matters: Sequence[Matter], site: Site, main: str) -> Iterator[Sheet]:
    """Show pages that say with status 200 that there is no such page."""
    for number, matter in enumerate(matters):
        path = f"/texts/moved-{number}-{matter.readers}.html"
        filled = replace(matter, title="Page not found", content=_NOT_FOUND.format(path=path))
        shown = Version(DESIGNS["portal"](site, filled).encode(), frozenset({"lost"}), path)
        yield Sheet(f"{main}{path}", "soft 404", (shown,), f"Moved text {number}")


_NOT_FOUND = """<p>Sorry, we could not find the page {path} on this server.</p>
<p>It may have been moved to another place, renamed, or taken down by its author. If you typed the
address by hand, please check that there is no mistake in it. If you followed a link from one of
our pages, we would be glad to hear from you, so that we can repair it. Meanwhile the search box
above or the list of all topics may help you to find what you were looking for.</p>"""


def changing(articles: Sequence[Article], rng: random.Random) -> Iterator[Sheet]:
    """Show pages that have changed, or not, when they are fetched again."""
    for number, article in enumerate(articles):
        now = article.shown()
        if number % 2:
            yield Sheet(article.url, "unchanged", (now, now), article.text.title)
        else:
            later = article.shown(text=edited(article.text, rng), date="today")
            own = (replace(now, holds=frozenset()), replace(later, holds=frozenset()))
            yield Sheet(article.url, "changing", own, article.text.title)


def turning(article: Article, into: Article) -> Sheet:
    """Show a page that has become another article's copy when it is fetched again."""
    design = "portal" if into.design == "journal" else "journal"
    return Sheet(article.url, "turning", (article.shown(), into.shown(design)), article.text.title)


def empty(main: str) -> Iterator[Sheet]:
    """Show pages without a word."""
    html = (
        b'<html><head><style>p { color: red }</style></head><body><img src="/x.png"></body></html>'
    )
    yield Sheet(f"{main}/empty", "empty", (Version(b""),), "Nothing")
    yield Sheet(f"{main}/picture", "empty", (Version(html),), "Only a picture")


def unjudged(targets: Sequence[str], draft: bytes, main: str) -> Iterator[Sheet]:
    """Show what is no page: redirects, errors, files, what robots.txt forbids."""

    def sheet(path: str, what: str, body: bytes, label: str, **more: object) -> Sheet:
        url, versions = f"{main}{path}", (Version(body),)
        return Sheet(url, what, versions, label, judged=False, **more)  # type: ignore[arg-type]  # vary

    first, second, third = targets
    refresh = f'<meta http-equiv="refresh" content="0; url={third}"><p>This page has moved.</p>'
    yield sheet("/go/1", "redirect", b"", "Old address 1", status=301, location=first)
    yield sheet("/go/2", "redirect", b"", "Old address 2", status=302, location=f"{main}{second}")
    yield sheet("/go/3", "redirect in the page", refresh.encode(), "Old address 3")
    yield sheet("/gone", "error", b"<h1>Not found</h1>", "Gone", status=404)
    yield sheet("/fails", "error", b"<h1>Internal error</h1>", "Out of order", status=500)
    yield sheet("/read.me", "file", b"Plain text.\n", "Read me", content_type="text/plain")
    yield sheet("/x.png", "file", _PNG, "Picture", content_type="image/png")
    yield sheet("/private/draft.html", "forbidden", draft, "Draft")
