"""Styles from strangers: any CSS can be read, with bounded work."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.read import read
from dedup_middleware.read.core_reading import reading
from dedup_middleware.read.words import utf8
from tests.support.markup import MARKUP
from tests.support.sheets import blocks, damaged, sheets, styled_pages
from tests.support.texts import article

MOST_WORK = 400_000
ENOUGH = " ".join(article(40, 100))


def work(page: str) -> int:
    """Count the elements that are looked at."""
    return reading(utf8(page), 1 << 20).hidden.work


@pytest.mark.parametrize(
    "css",
    [
        ".x{display:none}" * 60_000,
        "a,b .c > d:not(.e)[f=g]{color:#fff;background:#fff}" * 20_000,
        "{" * 1_000_000,
        ".a{" * 300_000,
        ".a & & & &{" * 100_000,
        "a,b,c{" * 100_000,
        "@media screen{" * 70_000,
        "p " * 500_000 + "{display:none}",
        "p>" * 500_000 + "p{display:none}",
        ":not(" * 200_000 + ")" * 200_000 + "{display:none}",
        "p{display:" + "none " * 200_000 + "}",
        "p{left:" + "calc(" * 200_000 + "}",
        "p{color:" + "var(--a," * 100_000 + "}",
        "p{--a:var(--a)var(--a);color:var(--a)}" * 20_000,
        "\\" * 1_000_000,
        '"' * 1_000_001,
        "/*" * 500_000,
        "p{display:none;" * 60_000,
        "*{color:red;display:block}" * 40_000,
        "[a][b]:nth-child(2n+1) ~ *{opacity:0}" * 25_000,
        "[" + "\u00e9" * 40 + "!{display:none}",
        "[" + "\\aa" * 40 + "!{display:none}",
        (",".join(["a"] * 4_000) + "{display:none}") * 100,
        "b{" + ("," * 9_990 + "{}") * 100 + "}",
        ("[" * 9_990 + "{a:b}") * 100,
        "[\\1 x]{display:none} [\\d800 ]{display:none}",
        f"p{{color:rgb({'9' * 400},0,0);background:white}}",
    ],
    ids=range(27),
)
def test_a_megabyte_of_css_is_harmless(css):
    body = f"<p class='x a'>{ENOUGH}</p>" + "<div class='a c x'><p class=a>b</p></div>" * 500
    page = f"<style>{css}</style>{body}"
    assert read(Page(url="https://example.org/", html=page))
    assert work(page) <= 1.5 * MOST_WORK, "what is begun is finished, no more"


def test_many_elements_and_many_rules_are_cut():
    css = "".join(
        f".a .b{n % 9} > *:not(.c{n}){{color:#fff;opacity:.{n % 9}}}" for n in range(3_000)
    )
    body = f"<p>{ENOUGH}</p><div class=a>{'<div class=b1><b>x</b></div>' * 3_000}</div>"
    page = f"<style>{css}</style>{body}"
    found = read(Page(url="https://example.org/", html=page))
    assert work(page) <= 1.5 * MOST_WORK
    assert found.cut == ("its styles were not read to their end",)


@pytest.mark.parametrize("style", ["font-size:.3em", "opacity:.9", "color:#fff"])
def test_deep_styles_take_work_in_proportion(style):
    once, twice = (work(f"<b style='{style}'>w" * depth) for depth in (700, 1_400))
    assert once > 0
    assert twice < 2.2 * once


@given(st.text(st.sampled_from("px.#[]{}:;()*>+~,@&\\\"'/ -0a1%!\n"), max_size=60))
def test_any_css_can_be_read(css):
    page = f"<style>p{{display:none}}{css}</style><p id=x class=a style='{css}'>a</p>"
    read(Page(url="https://example.org/", html=page))


def shown(html: str, *, styles: bool) -> Counter[str]:
    """Return how often each character is shown."""
    found = reading(utf8(html), 1 << 20, styles=styles)
    again = reading(utf8(html), 1 << 20, styles=styles)
    assert found.data == again.data
    assert found.hidden.work <= 1.5 * MOST_WORK
    assert styles or found.hidden.work == 0
    return Counter("".join(found.lines.decode().split()))


def assert_styles_only_hide(html: str) -> None:
    assert shown(html, styles=True) <= shown(html, styles=False)


@given(styled_pages(), MARKUP)
def test_styles_only_hide(html, markup):
    assert_styles_only_hide(html + markup)


@given(damaged(blocks))
def test_declarations_only_hide(block):
    style = block.replace("'", "&#39;")
    assert_styles_only_hide(f"<p style='{style}'>a<b style='color:#fff'>b</b>")


@given(damaged(sheets), st.integers(1, 300))
def test_repeated_sheets_only_hide(css, times):
    assert_styles_only_hide(
        f"<style>{css * times}</style><div class='a b' id=x><p class=c>a<p class=a>b</div>"
    )


@pytest.mark.parametrize(
    "page",
    [
        # in a drawing or a formula a style sheet may hold elements
        "<math><style>x<o/>y [e]{display:none}</style></math><y><p e>hello",
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
    ids=range(14),
)
def test_cut_work(page):
    assert_styles_only_hide(page)
