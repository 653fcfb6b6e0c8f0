"""Which of two URLs with the same page is to stand for it."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.replacement import Claim, flaws, why_better

SITE, OTHER = "https://www.source.example", "https://scraper.example"
CLEAN, DIRTY = f"{SITE}/tides", f"{SITE}/tides?sessionid=1f3"


@pytest.mark.parametrize(
    ("page", "known", "why"),
    [
        # canonical
        (Claim(CLEAN), Claim(DIRTY, CLEAN), "names this URL"),
        (Claim(DIRTY), Claim(CLEAN, DIRTY), "names this URL"),  # before clean
        (Claim(CLEAN, CLEAN), Claim(f"{SITE}/t"), "canonical URL by its own page"),
        (Claim(f"{SITE}/t"), Claim(CLEAN, f"{SITE}/x"), "names another URL"),
        (Claim(CLEAN, f"{SITE}/x"), Claim(DIRTY), None),
        (Claim(CLEAN, DIRTY), Claim(DIRTY, CLEAN), "session id"),  # they contradict each other
        (Claim(CLEAN, CLEAN), Claim(DIRTY, DIRTY), "session id"),
        # redirects
        (Claim(f"{SITE}/new", None, (CLEAN,)), Claim(CLEAN), "redirects to this one"),
        (Claim(DIRTY, None, (f"{SITE}/login", CLEAN)), Claim(CLEAN), "redirects to this one"),
        (Claim(f"{SITE}/new", None, (f"{SITE}/else",)), Claim(CLEAN), None),
        # clean URLs
        (Claim(CLEAN), Claim(DIRTY), "a session id"),
        (Claim(DIRTY), Claim(CLEAN), None),
        (Claim(CLEAN), Claim(f"{SITE}/tides;jsessionid=AB12"), "a session id"),
        (Claim(CLEAN), Claim(f"{SITE}/tides?PHPSESSID=1&page=2"), "a session id"),
        (Claim(CLEAN), Claim(f"{SITE}/tides?print=1"), "a print view"),
        (Claim(CLEAN), Claim(f"{SITE}/print/tides"), "a print view"),
        (Claim(CLEAN), Claim(f"{SITE}/tides?view=print"), "a print view"),
        (Claim(f"{SITE}/tides?print=1"), Claim(DIRTY), "a session id"),  # the worst counts
        (Claim(CLEAN), Claim(f"{CLEAN}?utm_source=x&utm_medium=y"), "tracking"),
        (Claim(f"{CLEAN}?utm_source=x"), Claim(f"{CLEAN}?utm_source=x&gclid=y"), "tracking"),
        (Claim(CLEAN), Claim("http://source.example/tides"), "http"),
        (Claim(f"{SITE}/sea/"), Claim(f"{SITE}/sea/index.html"), "an index file"),
        (Claim(f"{CLEAN}?id=5"), Claim(f"{CLEAN}?from=home&id=5"), "make no difference"),
        (Claim(f"{CLEAN}?id=5"), Claim(f"{CLEAN}?id=6&from=home"), None),
        (Claim(f"{CLEAN}?a=1&b=2"), Claim(f"{CLEAN}?b=2&a=1"), None),  # the same URL
        (Claim(f"{SITE}/waves"), Claim(CLEAN), None),  # as good: the earlier stays
        # other sites: only words against one's own interest
        (Claim(f"{OTHER}/t"), Claim(DIRTY), None),
        (Claim(f"{OTHER}/t", f"{OTHER}/t"), Claim(DIRTY), None),
        (Claim(CLEAN), Claim(f"{OTHER}/t", CLEAN), "names this URL"),
        (Claim(f"{OTHER}/t"), Claim("https://b.example/t", CLEAN), None),  # not the one it names
        (Claim(f"{OTHER}/t", CLEAN), Claim(DIRTY), None),
        (Claim(f"{OTHER}/t", None, (CLEAN,)), Claim(CLEAN), "redirects"),
        # sub-domains are of one site
        (Claim("https://source.example/t"), Claim("https://m.source.example/t?sid=1"), "session"),
    ],
)
def test_who_is_better(page, known, why):
    found = why_better(page, known)
    assert (found is None) == (why is None), found
    assert why is None or why in found
    if found and not page.redirected_from:
        assert why_better(known, page) is None


def test_preferred_hosts_come_first():
    hosts = ("www.source.example", "mirror.example")
    page, mirror = Claim(DIRTY), Claim("https://mirror.example/tides")
    other = Claim(f"{OTHER}/tides", f"{OTHER}/tides")
    assert why_better(page, mirror, hosts) == "www.source.example is a preferred host"
    assert why_better(mirror, other, hosts)
    assert why_better(Claim("https://eu.mirror.example/tides"), other, hosts)
    for worse, better in ((mirror, page), (other, mirror), (other, page)):
        assert why_better(worse, better, hosts) is None


URLS = [CLEAN, DIRTY, f"{CLEAN}?print=1", f"{SITE}/t", f"{OTHER}/t", "http://source.example/tides"]
claims = st.builds(Claim, st.sampled_from(URLS), st.none() | st.sampled_from(URLS))


@given(st.lists(claims, min_size=3, max_size=4, unique_by=lambda one: one.url))
def test_nothing_goes_round_in_circles(pages):
    for order in permutations(pages):
        ring = zip(order, [*order[1:], order[0]], strict=True)
        assert not all(why_better(one, other) for one, other in ring)


@pytest.mark.parametrize(
    "url", ["", "nothing", "https://[::1/?sid=1", "https://a.example/?" + "&" * 10_000, "?=&="]
)
def test_odd_urls_have_no_flaws(url):
    assert not any(flaws(url))


def test_the_reason_names_the_flaw_that_differs() -> None:
    page, known = (
        Claim("http://a.example/docs/", None),
        Claim("http://a.example/docs/index.html", None),
    )
    assert why_better(page, known) == "that URL has an index file"
