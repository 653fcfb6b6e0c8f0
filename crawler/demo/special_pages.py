"""Special resources: short pages, script shells, changing pages, errors, files, site maps."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from .templates import DESIGNS, PageData, Site, sections_html
from .transforms import edit
from .web import Resource, Version

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from .articles import Article
    from .texts import Section

_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)
_NOT_FOUND = """<p>Sorry, we could not find the page {path} on this server.</p>
<p>It may have been moved to another place, renamed, or taken down by its author. If you typed the
address by hand, please check that there is no mistake in it. If you followed a link from one of
our pages, we would be glad to hear from you, so that we can repair it. Meanwhile the search box
above or the list of all topics may help you to find what you were looking for.</p>"""
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def notes(pages: Sequence[tuple[Section, PageData]], site: Site, main: str) -> Iterator[Resource]:
    """Yield pages whose template is longer than their text."""
    for number, (section, data) in enumerate(pages):
        design = list(DESIGNS)[number % len(DESIGNS)]
        filled = replace(data, content=sections_html([section]))
        version = Version(DESIGNS[design](site, filled).encode())
        yield Resource(
            f"{main}/notes/{number}.html", "boilerplate", (version,), f"Note {section.name}"
        )


def shorts(sections: Sequence[Section], main: str) -> Iterator[Resource]:
    """Yield pages too short to compare: two of the same bytes, one in other markup."""
    for number, section in enumerate(sections):
        html = f"<!DOCTYPE html><title>Hint</title><p>For more see {escape(section.name)}.</p>"
        version = Version(html.encode(), frozenset({f"short{number}"}), f"short{number}")
        other = Version(html.replace("<p>", "<p class=hint>").encode())
        url = f"{main}/hints/{number}"
        yield Resource(f"{url}.html", "short", (version,), f"Hint {number}")
        again = f"Hint {number} again"
        yield Resource(f"{url}.htm", "short copy", (version,), again, shows=f"{url}.html")
        yield Resource(f"{url}.xhtml", "short", (other,), f"Hint {number} in other markup")


def shells(sections: Sequence[Section], main: str) -> Iterator[Resource]:
    """Yield pages that only a script would fill."""
    for number, section in enumerate(sections):
        data = json.dumps([paragraph.text for paragraph in section.paragraphs])
        data = data.replace("</", "<\\/")
        html = (
            '<!DOCTYPE html><html lang="en"><head><title>Application</title></head><body>'
            "<noscript>Please enable JavaScript to use this application.</noscript>"
            f'<div id="app"></div><script>window.DATA = {data}</script>'
            "</body></html>"
        )
        yield Resource(
            f"{main}/app/{number}", "script shell", (Version(html.encode()),), f"App {number}"
        )


def soft_404s(pages: Sequence[PageData], site: Site, main: str) -> Iterator[Resource]:
    """Yield pages with status 200 that say that there is no such page."""
    for number, data in enumerate(pages):
        path = f"/texts/moved-{number}-{data.readers}.html"
        filled = replace(data, title="Page not found", content=_NOT_FOUND.format(path=path))
        version = Version(DESIGNS["portal"](site, filled).encode(), frozenset({"lost"}), path)
        yield Resource(f"{main}{path}", "soft 404", (version,), f"Moved text {number}")


def changing(articles: Sequence[Article], rng: random.Random) -> Iterator[Resource]:
    """Yield pages that have changed, or not, when they are fetched again."""
    for number, article in enumerate(articles):
        now = article.version()
        if number % 2:
            yield Resource(article.url, "unchanged", (now, now), article.text.title)
        else:
            later = article.version(text=edit(article.text, rng), date="today")
            own = (replace(now, pieces=frozenset()), replace(later, pieces=frozenset()))
            yield Resource(article.url, "changing", own, article.text.title)


def turning(article: Article, into: Article) -> Resource:
    """Return a page that has become a copy of another article when it is fetched again."""
    design = "portal" if into.design == "journal" else "journal"
    versions = article.version(), into.version(design)
    return Resource(article.url, "turning", versions, article.text.title)


def empty(main: str) -> Iterator[Resource]:
    """Yield pages without a word."""
    html = (
        b'<html><head><style>p { color: red }</style></head><body><img src="/x.png"></body></html>'
    )
    yield Resource(f"{main}/empty", "empty", (Version(b""),), "Nothing")
    yield Resource(f"{main}/picture", "empty", (Version(html),), "Only a picture")


def unjudged(targets: Sequence[str], draft: bytes, main: str) -> Iterator[Resource]:
    """Yield what is no page: redirects, errors, files, what robots.txt disallows."""

    def resource(path: str, what: str, body: bytes, label: str, **more: object) -> Resource:
        url, versions = f"{main}{path}", (Version(body),)
        return Resource(url, what, versions, label, judged=False, **more)  # type: ignore[arg-type]  # vary

    first, second, third = targets
    refresh = f'<meta http-equiv="refresh" content="0; url={third}"><p>This page has moved.</p>'
    yield resource("/go/1", "redirect", b"", "Old address 1", status=301, location=first)
    yield resource(
        "/go/2", "redirect", b"", "Old address 2", status=302, location=f"{main}{second}"
    )
    yield resource("/go/3", "redirect in the page", refresh.encode(), "Old address 3")
    yield resource("/gone", "error", b"<h1>Not found</h1>", "Gone", status=404)
    yield resource("/fails", "error", b"<h1>Internal error</h1>", "Out of order", status=500)
    yield resource("/read.me", "file", b"Plain text.\n", "Read me", content_type="text/plain")
    yield resource("/x.png", "file", _PNG, "Picture", content_type="image/png")
    yield resource("/private/draft.html", "forbidden", draft, "Draft")


def robots_files(resources: Sequence[Resource], main: str) -> Iterator[Resource]:
    """Yield robots.txt and an index of two site maps, one of them compressed."""
    robots = f"User-agent: *\nDisallow: /private/\n\nSitemap: {main}/sitemap.xml\n"
    texts = [resource.url for resource in resources if resource.what in {"article", "orphan"}]
    lists = [resource.url for resource in resources if resource.what == "list"]
    packed = gzip.compress(_urls("urlset", "url", texts), mtime=0)
    parts = (f"{main}/sitemap-texts.xml.gz", f"{main}/sitemap-lists.xml")
    yield _file(f"{main}/robots.txt", robots.encode(), "text/plain")
    yield _file(f"{main}/sitemap.xml", _urls("sitemapindex", "sitemap", parts), "application/xml")
    yield _file(parts[0], packed, "application/gzip")
    yield _file(parts[1], _urls("urlset", "url", lists), "application/xml")


def _urls(root: str, tag: str, urls: Sequence[str]) -> bytes:
    lines = [f"<{tag}><loc>{url}</loc></{tag}>" for url in urls]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SCHEMA}">'
    return "\n".join([head, *lines, f"</{root}>\n"]).encode()


def _file(url: str, body: bytes, content_type: str) -> Resource:
    return Resource(url, "for robots", (Version(body),), content_type=content_type, judged=False)
