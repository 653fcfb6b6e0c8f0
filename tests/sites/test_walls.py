from __future__ import annotations

import pytest

from dedup_middleware.sites import Fetched, Sites
from dedup_middleware.sites.values import text_digests

HOST = "https://a.example"
LOGIN = "Please sign in to read this page. Name Password Sign in"
LONG = "This is a page with a text of its own. " * 40


class Web:
    """Observes pages by their texts, as exact copies or new ones."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.notices = []
        self._first: dict[str, str] = {}

    def show(self, url: str, text: str, *, is_judged: bool = True, **signs: int) -> None:
        first = self._first.setdefault(text, url) if is_judged else url
        words = len(text.split())
        kind = "unique" if first == url else "exact"
        signs = {"size": len(text), **signs}
        text_digest, pattern = text_digests(text)
        shown = Fetched(
            *(url, first, kind, words),
            text=text_digest,
            pattern=pattern,
            beginning=text[:300],
            **signs,
        )
        self.notices += self.sites.observe(shown)

    def told(self, what: str) -> list[str]:
        return [one.reason for one in self.notices if one.what == what]

    def walls(self) -> list[tuple[str, int]]:
        self.sites.flush()
        walls = [one for site in self.sites.overview() for one in site.walls()]
        return [(one.looks_like, one.pages) for one in walls]


@pytest.fixture
def web(sites):
    return Web(sites)


@pytest.mark.parametrize(
    ("text", "signs", "name"),
    [
        (LOGIN, {"passwords": 1}, "a login wall"),
        ("Sorry, the page you asked for was not found.", {}, "a soft 404"),
        ("Seite nicht gefunden", {}, "a soft 404"),
        ("No results. Try other words.", {}, "a page without results"),
        ("We and our 300 partners use cookies. Accept all", {}, "a consent wall"),
        ("Please enable JavaScript to use this app.", {}, "a page for browsers with JavaScript"),
        ("", {"script_share": 95}, "a page for browsers with JavaScript"),
        ("Checking your browser before you go on", {}, "a check for robots"),
        ("Nothing here speaks of anything", {}, ""),
    ],
)
def test_one_text_under_unrelated_urls(web, text, signs, name):
    for n, word in enumerate(["about", "news", "shop", "team", "jobs", "blog"]):
        web.show(f"{HOST}/{word}", text, **signs)
        assert bool(web.told("wall")) == (n >= 4)
    assert web.walls() == [(name, 6)]
    assert len(web.told("wall")) == 1


def test_items_that_are_gone(web):
    for n in range(9):
        web.show(f"{HOST}/item/{n}", "This item is no longer available.")
    assert web.walls() == [("", 9)]


def test_a_text_that_names_the_address(web):
    for word in ("about", "news", "shop", "team", "jobs", "blog"):
        web.show(f"{HOST}/{word}", f"The requested URL /{word} was not found on this server.")
    assert web.walls() == [("a soft 404", 6)]


def test_short_pages_that_differ_in_numbers_are_no_wall(web):
    for n in range(60):
        web.show(f"{HOST}/product/{n}", f"Screw {n}. Price {n * 3} euro. Buy it now.")
    assert web.walls() == []


def test_one_page_under_many_parameters_is_no_wall(web):
    for n in range(60):
        web.show(f"{HOST}/about?ref={n}", "We are a small company and make screws.")
    assert web.walls() == []


def test_long_pages_are_no_wall(web):
    for n in range(60):
        web.show(f"{HOST}/page{n}/x", LONG)
    assert web.walls() == []


def test_precision_and_recall_on_many_hosts(sites):
    """Half of the hosts have walls among pages of their own, half have short pages only."""
    web, expected = Web(sites), set()
    texts = [LOGIN, "Page not found.", "No results found", "Accept all cookies to go on", ""]
    for host in range(60):
        for n in range(40):
            name = f"https://h{host}.example/{'abcdefgh'[n % 8]}/{n}"
            if host % 2 and n % 3 == 0:
                web.show(name, texts[host % len(texts)])
                expected.add(f"h{host}.example")
            else:
                web.show(name, f"Thing {host} {n} " + " ".join("abcdefghij"[: n % 10]) * n)
    sites.flush()
    found = {site.host for site in sites.overview() if site.walls()}
    assert found == expected


def test_a_crawl_that_is_swallowed_says_so_once(web):
    for n in range(28):
        web.show(f"{HOST}/real/{n}", f"{LONG} {n}")
    for n in range(300):
        web.show(f"{HOST}/{n}/x", "Please enable JavaScript")
    assert web.told("swallowed") == [
        "29 of 57 pages show the same 3 words: a page for browsers with JavaScript?"
    ]


def test_most_pages_are_copies(web):
    for n in range(300):
        web.show(f"{HOST}/{n}/x", f"{LONG} {n % 100}")
    assert web.told("swallowed") == ["101 of 201 pages show what other pages show"]


def test_many_copies_of_one_page(web):
    for n in range(300):
        web.show(f"{HOST}/{n}/x", LONG if n % 4 == 0 else f"{LONG} {n}")
    assert web.told("swallowed") == ["51 of 205 pages show what https://a.example/0/x shows"]


def test_a_crawl_with_some_copies_is_not_swallowed(web):
    for n in range(300):
        web.show(f"{HOST}/real/{n}", f"{LONG} {n % 250}")
    assert not web.told("swallowed")


def test_a_site_that_did_not_change_is_not_swallowed(sites):
    for n in range(300):
        url = f"{HOST}/{n}"
        assert not sites.observe(Fetched(url, url, "unchanged", 300))


def test_pages_whose_own_text_was_read_wrongly_are_no_wall(sites):
    """All that was found on each page is the sign that closes a dialog."""
    web = Web(sites)
    for n in range(80):
        web.show(f"{HOST}/post-{'abcdefgh'[n % 8]}/{n}", "×", is_judged=False, size=9_000 + 600 * n)
    assert web.walls() == []
    assert not web.told("swallowed")
    assert not [reason for reason in web.told("trap") if " 50 " in reason]


def test_pages_of_a_wall_are_known_as_such(sites):
    web = Web(sites)
    words = ("about", "news", "shop", "team", "jobs")
    shown = [Fetched(f"{HOST}/{word}", "", "exact", 9, 0, *text_digests(LOGIN)) for word in words]
    assert sites.wall(shown[0]) is None
    for word in words:
        web.show(f"{HOST}/{word}", LOGIN)
    assert sites.wall(shown[0]).looks_like == "a login wall"
    assert sites.wall(Fetched(f"{HOST}/x", "", "unique", 9, 0, *text_digests("Other"))) is None
    assert sites.wall(Fetched("mailto:x", "", "unique")) is None


def test_a_page_under_session_ids_is_no_wall(sites):
    web = Web(sites)
    for n in range(20):
        web.show(f"{HOST}/({f'S({n:024x})'})/contact", "Write to us.")
        web.show(f"{HOST}/members/{n:024x}", LOGIN)
    assert web.walls() == [("a login wall", 20)]
