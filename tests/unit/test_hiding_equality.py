"""The compiled core and its twin hide the same, with the same work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read import compiled
from tests.support.markup import MARKUP, damaged_pages, needs_core
from tests.support.sheets import blocks, damaged, hidden_nodes, sheets, styled_pages

pytestmark = needs_core


def assert_equal(html: str, *, styles: bool = True) -> None:
    assert compiled.hidden(html, styles=styles) == hidden_nodes(html, styles=styles)


@given(styled_pages())
def test_styled_pages(html):
    assert_equal(html)


@given(styled_pages())
def test_pages_without_their_styles(html):
    assert_equal(html, styles=False)


@given(damaged(blocks))
def test_declarations(block):
    assert_equal(f"<p style='{block.replace(chr(39), '&#39;')}'>a<b style='color:#fff'>b</b>")


@given(damaged(sheets), st.integers(1, 300))
def test_repeated_sheets(css, times):
    assert_equal(
        f"<style>{css * times}</style><div class='a b' id=x><p class=c>a<p class=a>b</div>"
    )


@given(styled_pages(), MARKUP)
def test_styled_markup(html, markup):
    assert_equal(html + markup)


@given(damaged_pages())
def test_damaged_pages(html):
    assert_equal(html)


def test_sheet_in_pieces():
    """In a drawing or a formula a style sheet may hold elements."""
    assert_equal("<math><style>x<o/>y [e]{display:none}</style></math><y><p e>hello")


@pytest.mark.parametrize(
    "page",
    [
        "<style>p:first-of-type~*{display:none}</style>" + "<p>a<i>b</i></p>" * 900,
        "<style>* *:not(.a) > *{opacity:.1}</style>" + "<b class=a><i>" * 200 + "x" * 100,
        "<style>.a .b ~ .c .d:nth-of-type(3n){color:#fff}</style>"
        + "<div class=a><p class=b><p class=c><b class=d>x</b></div>" * 3_000,
        "<style>" + ".a{display:none}" * 50_001 + "</style><p class=a>x",
        f"<style>p{{--a:{'var(--b)' * 60};--b:{'var(--c,0)' * 40}}}</style>"
        + "".join(f"<p style='opacity:var(--a) {i};color:var(--b) {i}'>x" for i in range(3_000)),
        "<style>.c p{opacity:.5}.b:not(.a, p),.b + .c{color:red}</style><p class=c>x",
        "<style>.z{a:b;&+p{opacity:0}.a &,:not(&){color:#fff}}.z,.a{left:0}</style><p class=a>x",
        "<div>" * 600 + "<p hidden>a</p><details>b",
        "<style>" + "a{" * 21 + "</style><p class=a>x",
        "<style>/*" + "\u00e9" * (1 << 20) + "</style><p style='display:none'>x",
        f"<style>.c9{{display:none}}</style><p class='{' '.join(map('c{}'.format, range(999)))}'>",
        r"<style>\.a, \#b, \*.a, a\.a {display:none}</style><p class=a id=b>x",
        "<style>[title^='&']{opacity:.5}[title$=e]{opacity:.1}[title*=x]{color:red}</style>"
        + "<p title='&amp;e'>x<p title='&amp;\0'>y<p title=e>z" * 30,
    ],
    ids=range(13),
)
def test_cut_work(page):
    assert_equal(page)
