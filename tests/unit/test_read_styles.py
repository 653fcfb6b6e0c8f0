"""Styles from strangers: any CSS can be read, with bounded work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.read import read
from dedup_middleware.read.hiding.hidden import hide
from dedup_middleware.read.hiding.matching import MOST_WORK
from dedup_middleware.read.tree import tree
from tests.support.texts import article

ENOUGH = " ".join(article(40, 100))


def work(page: str) -> int:
    """Count the elements that are looked at."""
    return hide(tree(page)).work


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
