"""What a page says about its URL: its forms, and its links, beside those of earlier pages."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.store.hosts import Form
from dedup_middleware.urls import site_of

from .book import Observation, Pair
from .mirrors import Mirror, places
from .parsed import parse
from .rules import Vote
from .shelf import Written, difference, form_key, hash_of, is_alike, page_hash, variant_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .book import Book
    from .parsed import Parsed, Thing
    from .shelf import Forms
    from .values import Fetched, RuleKind

LEAST_WORDS = 10
"""A page with fewer says nothing about URLs that show the same."""
_MOST_ALIASES = _MOST_SHOWN = 1 << 14  # a set of a few thousand more has four times the size
MOST_RECENT, MOST_IN_SET = 1 << 16, 1 << 13
"""Keys of links after which those are forgotten that were not seen since as many before, and how
many are in a set: in an array they take an eighth of the memory."""
_HASHES = 1 << 64
MIRRORED = ("mirror", "")
_ALIKE = ("near", "contained", "contains")
_DIFFERENT = ("unique", "updated")
"""Kinds of pages that are surely different from others, so that they would have been missed. One
that is unchanged may be or not, one that is near another, but kept, is too much like it to say so,
and a copy of a third page may be one of the same text under another URL."""


class Observer:
    """Compares pages with those that a crawl has seen before."""

    def __init__(self, forms: Forms, crawl: int) -> None:
        self._forms = forms
        self._crawl = crawl
        self._aliases: dict[int, int] = {}
        """The pages that URLs show which were taken for pages of their own later on."""
        self._shown: set[int] = set()
        """The pages that this process has seen."""
        self._alike: set[int] = set()
        """Those of them that are like another page, but were kept: that they are not the same does
        not say that they are different."""

        self.urls: dict[int, str] = {}
        """The URL that was fetched first of each page, of as many as aliases."""

    def page(self, url: str) -> int:
        """Return the hash of a page; a URL that is known to show another has that one's."""
        key = page_hash(url)
        return self._aliases.get(key, key)

    def is_repeat(self, fetched: Fetched) -> bool:
        """Note that a page was shown; return True if it was before, by another URL."""
        page = self.page(fetched.page)
        if page in self._shown:
            return fetched.is_redundant
        if len(self._shown) >= _MOST_SHOWN:
            self._shown.clear()
        self._shown.add(page)
        return False

    def observe(self, book: Book, url: Parsed, fetched: Fetched, *, is_repeat: bool) -> Observation:
        """Compare a page with earlier ones, and enter its forms."""
        form, used = book.rules.apply(url)
        page = self.page(fetched.page)
        if fetched.page != fetched.url:
            if len(self._aliases) >= _MOST_ALIASES:
                self._aliases.clear()
            self._aliases[page_hash(fetched.url)] = page
        elif fetched.kind in _ALIKE:
            if len(self._alike) >= _MOST_ALIASES:
                self._alike.clear()
            self._alike.add(page)
        if len(self.urls) >= _MOST_ALIASES:
            self.urls.clear()
        self.urls.setdefault(page, fetched.url)
        is_judged = fetched.is_comparable or fetched.page != fetched.url
        may_vote = is_judged and fetched.words >= LEAST_WORDS
        votes = list[Vote | None]()
        # what may be a wall stands for no other page
        crawl = self._crawl if fetched.words >= LEAST_WORDS else 0
        for written in self._written(url, form, fetched.page, page, crawl):
            if may_vote:
                votes += self._votes(book, written)
            agrees = may_vote and _agrees(fetched, written.thing)
            self._forms.put(written._replace(votes=agrees))
        if may_vote and len(url.parameters) > 1:
            votes += self._whole_query(book, url, form, fetched.page, page)
        if may_vote and book.things:
            votes += self._reversed(book, form, fetched.page, page)
        referrer = parse(fetched.referrer) if fetched.referrer else None
        grows = False
        if referrer is not None and referrer.host == url.host:
            grows = referrer.shape == url.shape and len(referrer.path) < len(url.path)
        counted = [
            one
            for one in votes
            if one and (_agrees(fetched, one) if one.is_same else fetched.kind in _DIFFERENT)
        ]
        pairs = [*self._pairs(book, url, fetched, page)] if may_vote else []
        kept = used if fetched.kind == "unchanged" and fetched.page == fetched.url else ()
        looks = tuple((one.kind, one.name, one.value) for one in kept)
        return Observation(url, fetched, tuple(counted), tuple(pairs), is_repeat, grows, looks)

    def vote(self, book: Book, new: Written, old: Form) -> Vote | None:
        """Return what a form says beside an earlier one of the same key."""
        thing, url = new.thing, new.url
        if thing is None:
            kind = difference(url.variant, variant_of(old))
            return self._compared(new, old, kind, is_absent=False) if kind else None
        is_other = old.value != new.form.value
        if not is_other or not is_alike(url.variant, variant_of(old), book.rules.mask):
            return None
        return self._compared(new, old, thing.kind, is_absent=False)

    def _written(
        self, url: Parsed, form: Parsed, shown: str, page: int, crawl: int
    ) -> Iterator[Written]:
        """Yield the forms of a URL: without each thing that could be removed, then its own."""
        for thing in form.things(url):
            key = form_key(url.host, thing.rest, thing.kind, thing.name)
            entry = Form(key, *url.variant, hash_of(thing.value), page, crawl)
            yield Written(entry, url, thing, shown, votes=True)
        entry = Form(form_key(url.host, form.normal), *url.variant, 0, page, crawl)
        yield Written(entry, url, None, shown, votes=True)

    def _votes(self, book: Book, new: Written) -> Iterator[Vote | None]:
        """Yield what a form says beside those that this process has seen."""
        old = self._forms.known(new.form.key)
        if old is not None:
            yield self.vote(book, new, old)
        if new.thing is not None:
            absent = self._forms.known(form_key(new.url.host, new.thing.rest))
            if absent and is_alike(new.url.variant, variant_of(absent), book.rules.mask):
                yield self._compared(new, absent, new.thing.kind, is_absent=True)

    def _reversed(self, book: Book, form: Parsed, shown: str, page: int) -> Iterator[Vote]:
        """Yield votes of a URL without a parameter that others had of the same form."""
        own = {name for name, _ in form.parameters}
        for name in book.parameters:
            old = self._forms.known(form_key(form.host, form.normal, "parameter", name))
            if name in own or old is None:
                continue
            is_same = old.page == page
            alike = is_alike(form.variant, variant_of(old), book.rules.mask)
            if alike and (is_same or self._is_different(old, page)):
                urls = form.url, shown
                values = (old.value,)
                yield Vote("parameter", name, None, True, is_same, page, form.scope, urls, values)

    def _whole_query(
        self, book: Book, url: Parsed, form: Parsed, shown: str, page: int
    ) -> Iterator[Vote]:
        """Yield votes for all parameters of a URL that shows the page without any.

        Some come together only, so no two URLs differ in just one of them.
        """
        absent = self._forms.known(form_key(url.host, f"{form.normal_path}?"))
        if absent is None or absent.page != page:
            return
        if is_alike(url.variant, variant_of(absent), book.rules.mask):
            urls = url.url, shown
            for name, value in url.parameters:
                values = (hash_of(value),)
                yield Vote("parameter", name, value, True, True, page, url.scope, urls, values)

    def _compared(self, new: Written, old: Form, kind: RuleKind, *, is_absent: bool) -> Vote | None:
        page, is_same = new.form.page, old.page == new.form.page
        if not is_same and not self._is_different(old, page):
            return None
        name, value = (new.thing.name, new.thing.value) if new.thing else ("", "")
        urls = new.url.url, new.page
        values = (new.form.value,) if is_absent else (old.value, new.form.value)
        return Vote(kind, name, value, is_absent, is_same, page, new.url.scope, urls, values)

    def _is_different(self, old: Form, page: int) -> bool:
        """Return True if a form surely showed another page: in this crawl, and not one like it."""
        is_alike = old.page in self._alike or page in self._alike
        return old.crawl == self._crawl and not is_alike

    def _pairs(self, book: Book, url: Parsed, fetched: Fetched, page: int) -> Iterator[Pair]:
        """Yield how a page compares with those of the same path in other places."""
        found = places(url, fetched.page) if fetched.is_redundant else None
        leads = fetched.known_without
        if found and (leads is None or MIRRORED in leads):
            yield Pair(*found, fetched.page, is_same=True)
        for key, candidate in book.mirrors.items():
            other = candidate.other(url)
            if other is None or key == found:
                continue
            there = parse(other)
            known = self._forms.known(form_key(there.host, there.normal)) if there else None
            if known is not None and known.crawl == self._crawl:
                is_same = known.page == page
                if is_same or fetched.kind != "unchanged":
                    yield Pair(candidate.place, candidate.of, other, is_same)
            elif fetched.is_new:
                yield Pair(candidate.place, candidate.of, other, None)


def _agrees(fetched: Fetched, thing: Vote | Thing | None) -> bool:
    """Return True if a page leads nowhere that known pages do not lead, but for one thing."""
    known = fetched.known_without
    return known is None or (thing is not None and (thing.kind, thing.name) in known)


class Links:
    """The links that a process has seen, as hashes: as they are, and in all their forms.

    Two URLs may show the same text and lead to different pages, as the pages of a gallery do. What
    a spider follows from a page is lost if the page is not fetched, unless other pages lead there.
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._older = self._oldest = array("Q")
        """Each ascending."""

    def followed(
        self, book: Book, url: Parsed, fetched: Fetched, page: int, links: Iterable[str]
    ) -> Fetched:
        """Enter the links of a page; return the page with what is known of them.

        A copy of a page whose links are known, which leads elsewhere, is a page of its own.
        """
        is_known = self._has(page)  # so are its links, which were entered with it
        written = {hash(link) % _HASHES: link for link in links}
        without: set[tuple[str, str]] | None = None
        elsewhere = False
        keys = {page, *written}
        for one in written.keys() - self._recent:
            link = parse(written[one])
            if link is None:  # with a body, or too long: only one that is equal explains it
                if not self._has(one):
                    without, elsewhere = set(), True
                continue
            if not _is_of_site(link, url):
                continue
            form = book.rules.apply(link)[0] if link.host == url.host else link
            own = {*_keys(link), *_keys(form)} if form is not link else {*_keys(link)}
            keys |= own
            if self._has(one) or any(
                self._has(form_key(link.host, way.normal)) for way in (link, form)
            ):
                continue
            known = {*self._differences(book, url, link, fetched)}
            without = known if without is None else without & known
            elsewhere |= not known and link.shape != url.shape and book.is_worth(link)
        if len(self._recent) > MOST_IN_SET:
            self._pack()
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
        return key in self._recent or _is_in(self._older, key) or _is_in(self._oldest, key)

    def _pack(self) -> None:
        """Move keys out of the set; forget the oldest if there are too many others."""
        recent = np.fromiter(self._recent, np.uint64, len(self._recent))
        self._older = array("Q", np.union1d(self._older, recent).tobytes())
        self._recent = set()
        if len(self._older) > MOST_RECENT:
            self._older, self._oldest = array("Q"), self._older

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


def _is_in(keys: array[int], key: int) -> bool:
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key


def _is_of_site(link: Parsed, url: Parsed) -> bool:
    return link.host == url.host or site_of(link.host) == site_of(url.host)


def _keys(link: Parsed) -> Iterator[int]:
    yield form_key(link.host, link.normal)
    for one in link.things(link):
        yield form_key(link.host, one.rest, one.kind, one.name)
