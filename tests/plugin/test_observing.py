"""What a judged page tells about its site."""

from __future__ import annotations

import pytest

from dedup_middleware import Page
from dedup_middleware.plugin.sites import _asked, _is_other
from dedup_middleware.verdict import Action, Evidence, Kind, Lost, Verdict


@pytest.mark.parametrize(
    ("first", "final", "asked"),
    [
        ("http://a.example/x?sid=1", "https://www.a.example/x", True),
        ("https://a.example/x", "https://a.example/x/", True),
        ("https://a.example/x?sid=1", "https://a.example/login", False),
    ],
)
def test_a_url_that_led_to_another_path_shows_nothing(first, final, asked):
    page = Page(url=final, html="", redirected_from=(first,))
    assert _asked(page) == (first if asked else final)
    assert _asked(Page(url=final, html="")) == final


@pytest.mark.parametrize(
    ("action", "facts", "is_other"),
    [
        (Action.TAG, (("12 euros", "19 euros"),), True),
        (Action.TAG, (), False),
        (Action.DROP, (), False),
    ],
)
def test_a_page_that_is_kept_for_a_fact_is_another_page(action, facts, is_other):
    lost = Lost(share=0.01, words=2, units=1, of=200, sentences=(), facts=facts, moved=())
    verdict = Verdict(Kind.NEAR, "u", 0.9, "", Evidence("units"), action, lost)
    assert _is_other(verdict) == is_other
