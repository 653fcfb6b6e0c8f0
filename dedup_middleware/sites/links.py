"""Links: whether a page leads somewhere that no page of this crawl has led to before.

Two URLs may show the same text and lead to different pages, as the pages of a gallery do. What a
spider follows from a page is lost if the page is not fetched, unless other pages lead there, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.urls import site_of

from .forms import form_key
from .mirrors import Mirror, places
from .parsed import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .book import Book
    from .parsed import Parsed
    from .values import Fetched

MOST_RECENT = 1 << 16
"""Keys after which those are forgotten that were not seen since as many before."""
MIRRORED = ("mirror", "")


class Links:
    """The links that a process has seen, as hashes: as they are, and in all their forms."""

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._older: set[int] = set()

    def followed(
        self, book: Book, url: Parsed, fetched: Fetched, page: int, links: Iterable[str]
    ) -> Fetched:
        """Enter the links of a page; return the page with what is known of them.

        A copy of a page whose links are known, which leads elsewhere, is a page of its own.
        """
        is_known = self._has(page)  # so are its links, which were entered with it
        written = {hash(link): link for link in links}
        without: set[tuple[str, str]] | None = None
        elsewhere = False
        keys = {page, *written}
        for one in written.keys() - self._recent:
            link = parse(written[one])
            if link is None:  # with a body, or too long: only one that is equal explains it
                if one not in self._older:
                    without, elsewhere = set(), True
                continue
            if not _is_of_site(link, url):
                continue
            form = book.rules.apply(link)[0] if link.host == url.host else link
            own = {*_keys(link), *_keys(form)} if form is not link else {*_keys(link)}
            keys |= own
            if one in self._older or any(
                self._has(form_key(link.host, way.normal)) for way in (link, form)
            ):
                continue
            known = {*self._differences(book, url, link, fetched)}
            without = known if without is None else without & known
            elsewhere |= not known and link.shape != url.shape and book.is_worth(link)
        if len(self._recent) > MOST_RECENT:
            self._recent, self._older = set(), self._recent
        self._recent |= keys
        if without is None:
            return fetched
        fetched = replace(
            fetched, known_without=frozenset(without), leads_elsewhere=elsewhere and is_known
        )
        if fetched.leads_elsewhere and fetched.kind == "exact":
            return replace(fetched, page=fetched.url, kind="unique")
        return fetched

    def _has(self, key: int) -> bool:
        return key in self._recent or key in self._older

    def _differences(
        self, book: Book, url: Parsed, link: Parsed, fetched: Fetched
    ) -> Iterator[tuple[str, str]]:
        """Yield the things of which each is all that a link and a known one differ in.

        That is what the URL of its page has as well, and others of the same page may not have; what
        a rule is about; or what other URLs of the host have, and the link has not.
        """
        rests: dict[tuple[str, str], str]
        rests = {(one.kind, one.name): one.rest for one in link.things(link)}
        things = {(one.kind, one.name) for one in url.things(url)}
        things |= {("parameter", name) for name in book.rules.parameters}
        things |= {("parameter", name) for name in book.parameters} - rests.keys()
        for thing in things:
            rest = rests.get(thing, link.normal)
            if self._has(form_key(link.host, rest)) or self._has(form_key(link.host, rest, *thing)):
                yield thing
        found = places(url, fetched.page) if fetched.page != fetched.url else None
        other = Mirror(*found).other(link) if found else None
        there = parse(other) if other else None
        if there and self._has(form_key(there.host, there.normal)):
            yield MIRRORED


def _is_of_site(link: Parsed, url: Parsed) -> bool:
    return link.host == url.host or site_of(link.host) == site_of(url.host)


def _keys(link: Parsed) -> Iterator[int]:
    yield form_key(link.host, link.normal)
    for one in link.things(link):
        yield form_key(link.host, one.rest, one.kind, one.name)
