"""A web in which the page of each URL is known, and a crawl of it that judges without texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dedup_middleware.sites import Decision, Fetched, Notice, Sites

PageOf = Callable[[str], str]


class Crawl:
    """Considers, sends and observes URLs one by one, as a crawl does with skipping on."""

    def __init__(self, sites: Sites, page_of: PageOf, *, skips: bool = True, words: int = 50):
        self.sites = sites
        self.fetched: list[str] = []
        self.skipped: dict[str, Decision] = {}
        self.notices: list[Notice] = []
        self._page_of = page_of
        self._skips = skips
        self._words = words
        self._first: dict[str, str] = {}
        """The URL that has shown a page first."""

    def visit(self, url: str, referrer: str = "") -> Decision:
        decision = self.sites.consider(url)
        if decision.action == "skip" and self._skips:
            self.skipped[url] = decision
            return decision
        self.sites.sent(url)
        self.fetch(url, referrer)
        return decision

    def visit_all(self, urls: Iterable[str]) -> Crawl:
        for url in urls:
            self.visit(url)
        return self

    def fetch(self, url: str, referrer: str = "") -> list[Notice]:
        shown = self._page_of(url)
        first = self._first.setdefault(shown, url)
        kind = "unique" if first == url else "exact"
        text = shown.encode()[-8:]
        self.fetched.append(url)
        found = self.sites.observe(
            Fetched(url, first, kind, self._words, 1000, text, text, referrer)
        )
        self.notices += found
        return found

    @property
    def missed(self) -> set[str]:
        """Pages that no URL has shown that was fetched."""
        return {self._page_of(url) for url in self.skipped} - {*self._first}

    def told(self, what: str) -> list[Notice]:
        return [one for one in self.notices if one.what == what]
