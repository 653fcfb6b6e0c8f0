"""Text that a page of another site hides, in ways that are understood or not, drops nothing."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.verdict import Action, Verdict
from tests.support.texts import html
from tests.unit.test_read_hidden import (
    BY_RULES,
    IN_ATTRIBUTES,
    OWN,
    UNKNOWN,
    VICTIM,
    attacker,
)

WORDS = " ".join(VICTIM)
DIV = "<div class=x>{}</div>"
# Ways that are not understood, as CSS and HTML; formulas take no paragraphs.
NOT_UNDERSTOOD = {
    **UNKNOWN,
    "declared shadow DOM": ("", "<div><template shadowrootmode=open>-</template>{}</div>"),
    "mphantom": ("", f"<math><mphantom><mtext>{WORDS}</mtext></mphantom></math>"),
    "maction": ("", f"<math><maction><mtext>-</mtext><mtext>{WORDS}</mtext></maction></math>"),
    "data: sheet": ("", f"<link rel=stylesheet href='data:text/css,.x{{display:none}}'>{DIV}"),
    "imported data: sheet": ("@import url('data:text/css,.x{display:none}');", DIV),
    "calc": (".x{height:calc(1px - 1px);overflow:hidden}", DIV),
    "block-size": (".x{block-size:0;overflow:hidden}", DIV),
    "oklch": (".x{color:oklch(1 0 0);background:oklch(1 0 0)}", DIV),
    "gradient as ground": (".x{color:#fff;background:linear-gradient(#fff,#fff)}", DIV),
    "order of layers": (
        "@layer a,b;@layer b{.x{display:none}}@layer a{.x{display:block}}",
        DIV,
    ),
    "scope": ("@scope (body){.x{display:none}}", DIV),
    "container": ("body{container-type:inline-size}@container (width>1px){.x{display:none}}", DIV),
    "supports not": ("@supports not (a:b){.x{display:none}}", DIV),
    "not hover": (".x:not(:hover){display:none}", DIV),
    "lang": (".x:lang(en){display:none}", "<div class=x lang=en>{}</div>"),
    "dir": (".x:dir(ltr){display:none}", DIV),
    "nth-last-child": ("body>:nth-last-child(1){display:none}", DIV),
    "wide media": ("@media (max-width:9999px){.x{display:none}}", DIV),
}
WAYS = {**{name: ("", way) for name, way in IN_ATTRIBUTES.items()}, **BY_RULES, **NOT_UNDERSTOOD}


def victim_after(folder: object, page: str, **settings: object) -> Verdict:
    with Deduplicator(str(folder), **settings) as dedup:
        dedup.process(Page(url="https://stranger.example/", html=page))
        return dedup.process(Page(url="https://victim.example/", html=html(VICTIM, "A name")))


@pytest.mark.parametrize("name", WAYS)
def test_no_way_of_hiding_on_another_site_drops_a_page(tmp_path, name):
    assert victim_after(tmp_path, attacker(*WAYS[name])).action != Action.DROP


def alone(css: str, markup: str) -> str:
    """Return a page of which a visitor sees nothing but its name."""
    page = attacker(css, markup)
    for text in OWN:
        page = page.replace(f"<p>{text}</p>", "", 1)
    return page


@pytest.mark.parametrize("name", [name for name in WAYS if name not in NOT_UNDERSTOOD])
def test_nor_if_the_page_shows_nothing_else(tmp_path, name):
    css, markup = WAYS[name]
    if markup is not None:
        assert victim_after(tmp_path, alone(css, markup)).action != Action.DROP


# The text that formulas leave out of a page's outline is not that of the victim.
DIFFERENT = {"maction"}


@pytest.mark.parametrize("name", sorted(NOT_UNDERSTOOD.keys() - DIFFERENT))
def test_what_is_not_understood_and_shows_nothing_else_drops(tmp_path, name):
    """The limit of the promise, which the threat model states."""
    verdict = victim_after(tmp_path, alone(*NOT_UNDERSTOOD[name]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


def test_whoever_lets_near_copies_of_other_sites_drop_is_not_protected(tmp_path):
    page = attacker(*NOT_UNDERSTOOD["container"])
    verdict = victim_after(tmp_path, page, cross_host={"near": "drop", "contained": "drop"})
    assert verdict.action == Action.DROP
