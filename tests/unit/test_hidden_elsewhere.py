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
    "calc in a width": (".x{width:calc(0px);overflow:hidden}", DIV),
    "min": (".x{height:min(0px,9px);overflow:clip}", DIV),
    "clamp": (".x{max-height:clamp(0px,1vw,0px);overflow:hidden}", DIV),
    "max-block-size": (".x{max-block-size:0;overflow:hidden}", DIV),
    "inline-size": (".x{inline-size:0;overflow:hidden;white-space:nowrap}", DIV),
    "contain": (".x{contain:strict}", DIV),
    "contain by parts": (".x{contain:size paint}", DIV),
    "unknown unit": (".x{height:0foo;height:0cqw;overflow:hidden}", DIV),
    "scrolled": (".x{height:0;overflow:auto}", DIV),
    "overflow-block": (".x{height:0;overflow-block:hidden}", DIV),
    "color-mix": (".x{color:color-mix(in srgb,white,white)}", DIV),
    "lab": (".x{color:lab(100% 0 0)}", DIV),
    "rare name": (".x{color:floralwhite}", DIV),
    "system colour": (".x{color:Canvas}", DIV),
    "hsl": (".x{color:hsl(120 100% 98%)}", DIV),
    "relative colour": (".x{color:rgb(from white r g b)}", DIV),
    "light-dark": (".x{color:light-dark(#fff,#000)}", DIV),
    "data picture as ground": (".x{color:#000;background:url(data:image/png;base64,AAAA)}", DIV),
    "radial gradient": (".x{background:radial-gradient(#000,#000)}", DIV),
    "var of several": (":root{--d:none}.y{--d:block}.x{display:var(--d)}", "<i class=y></i>" + DIV),
    "var with fallback in brackets": (".x{display:var(--q, var(--r, none))}", DIV),
    "@property": (
        "@property --d{syntax:'*';inherits:false;initial-value:none}.x{display:var(--d)}",
        DIV,
    ),
    "env": (".x{height:env(foo,0px);overflow:hidden}", DIV),
    "layer anonymous": (
        "@layer{.x{display:block}}@layer{.x{display:none}}@layer{.x{display:block}}",
        DIV,
    ),
    "layers nested": (
        "@layer a.b,a.c;@layer a.c{.x{visibility:hidden}}@layer a.b{.x{visibility:visible}}",
        DIV,
    ),
    "important layers": (
        "@layer a{.x{display:none!important}}@layer b{.x{display:block!important}}",
        DIV,
    ),
    "unknown at-rule": ("@when media(screen){.x{display:none}}", DIV),
    "starting": ("@media (prefers-color-scheme:light){.x{display:none}}", DIV),
    "motion": ("@media (prefers-reduced-motion:no-preference){.x{display:none}}", DIV),
    "hover media": ("@media (hover:hover){.x{opacity:0}}", DIV),
    "not print": ("@media not print{.x{display:none}}", DIV),
    "range": ("@media (100px<=width<=9999px){.x{display:none}}", DIV),
    "min-resolution": ("@media (min-resolution:.1dppx){.x{display:none}}", DIV),
    "color media": ("@media (color){.x{display:none}}", DIV),
    "wide screens": ("@media (min-width:1300px){.x{display:none}}", DIV),
    "media or": ("@media (width>1px) or (color){.x{display:none}}", DIV),
    "media attribute": ("", "<style media='(color)'>.x{display:none}</style>" + DIV),
    "not with list": (".x:not(:hover,:focus){display:none}", DIV),
    "not nested": (".x:not(:is(.z)){display:none}", DIV),
    "where nested": (":where(:is(.x)){display:none}", DIV),
    "any": (":-webkit-any(.x){display:none}", DIV),
    "only-child": (".y>:only-child{display:none}", "<section class=y>" + DIV + "</section>"),
    "only-of-type": ("div:only-of-type{display:none}", DIV),
    "nth of": (".x:nth-child(n of .x){display:none}", DIV),
    "nth far": ("i~.x:nth-child(n+70){display:none}", "<i></i>" * 80 + DIV),
    "nth far alone": (".x:nth-child(n+70){display:none}", "<i></i>" * 80 + DIV),
    "defined": (".x:defined{display:none}", DIV),
    "scope pseudo": (":scope .x{display:none}", DIV),
    "read-only": (".x:read-only{display:none}", DIV),
    "empty before": ("i:empty+.x{display:none}", "<i></i>" + DIV),
    "namespace": ("*|div{display:none}", DIV),
    "case of value": ("[data-x='A' i]{display:none}", "<div data-x=a>{}</div>"),
    "case of value close": ("[data-x='A'i]{display:none}", "<div data-x=a>{}</div>"),
    "case of html": ("[dir=LTR]{display:none}", "<div dir=ltr>{}</div>"),
    "string with percent": ("[data-x='5%']{display:none}", "<div data-x='5%'>{}</div>"),
    "escaped percent": (r".w\%{display:none}", "<div class='w%'>{}</div>"),
    "string with comma": ("[data-x='a,b']{display:none}", "<div data-x='a,b'>{}</div>"),
    "long selector": (".x" + ":not(.q)" * 100 + "{display:none}", DIV),
    "many outer": ("a,b,i,u,s,.y{.x{display:none}}", "<div class=y>" + DIV + "</div>"),
    "many inner": (".y{" + "a," * 25 + ".x{display:none}}", "<div class=y>" + DIV + "</div>"),
    "first-line": (".x p::first-line{font-size:0}", DIV),
    "no-js": (".no-js .x{display:none}", "<div class=no-js>" + DIV + "</div>"),
    "body": ("body{display:none}", DIV),
    "html opacity": ("html{opacity:0}", DIV),
    "root visibility": (":root{visibility:hidden}", DIV),
    "root tiny": ("html{font-size:1px}.x{font-size:1rem}", DIV),
    "body scaled": ("body{transform:scale(0)}", DIV),
    "animation that never shows": (
        "@keyframes q{from{color:red}}.x{opacity:0;animation:q 1s}",
        DIV,
    ),
    "animation without frames": (".x{opacity:0;animation:q 1s}", DIV),
    "paused": ("@keyframes q{from{opacity:0}to{opacity:1}}.x{animation:q 1s both paused}", DIV),
    "slow": ("@keyframes q{from{opacity:0}to{opacity:1}}.x{animation:q 9999s}", DIV),
    "animation in the middle": ("@keyframes q{1%,99%{opacity:0}}.x{animation:q 99s infinite}", DIV),
    "transition": (".x{visibility:foo;visibility:hidden;visibility:bar}", DIV),
    "invalid after it": (".x{opacity:0;opacity:foo}", DIV),
    "invalid display": (".x{display:none;display:table-foo}", DIV),
    "two display": (".x{display:none;display:foo bar}", DIV),
    "rotate prop": (".x{transform:rotate3d(0,1,0,90deg)}", DIV),
    "matrix": (".x{transform:matrix(0,0,0,0,0,0)}", DIV),
    "matrix3d": (".x{transform:matrix3d(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1)}", DIV),
    "skew": (".x{transform:skewX(90deg)}", DIV),
    "perspective": (".x{transform:rotateX(.25turn)}", DIV),
    "webkit transform": (".x{-webkit-transform:scale(0)}", DIV),
    "zoom": (".x{zoom:.01}", DIV),
    "offset": (".x{offset-path:path('M -9999 0 h 1')}", DIV),
    "margin inline": (".x{margin-inline-start:-9999px}", DIV),
    "margin percent": (".x{margin-left:-200%}", DIV),
    "margin right": (".x{margin-right:9999px;margin-left:-9000px}", DIV),
    "bottom": (".x{position:absolute;bottom:9999px}", DIV),
    "left percent": (".x{position:absolute;left:-200%}", DIV),
    "left far right": ("body{overflow:hidden}.x{position:absolute;left:9999px}", DIV),
    "inset-inline": (".x{position:fixed;inset-inline:-9999px auto}", DIV),
    "anchor": (".x{position:absolute;left:anchor(--q right)}", DIV),
    "translate percent": (".x{translate:-300% 0}", DIV),
    "text-indent percent": (".x{text-indent:-300%;overflow:hidden}", DIV),
    "clip-path path": (".x{clip-path:path('M0 0')}", DIV),
    "clip-path url": (".x{clip-path:url(#q)}", DIV),
    "clip-path polygon flat": (".x{clip-path:polygon(0 0,100% 0,100% 0)}", DIV),
    "clip-path xywh": (".x{clip-path:xywh(0 0 0 0)}", DIV),
    "webkit clip-path": (".x{-webkit-clip-path:inset(100%)}", DIV),
    "clip calc": (".x{position:absolute;clip:rect(calc(1px),0,0,0)}", DIV),
    "mask": (".x{mask:linear-gradient(rgb(0 0 0/0) 0 0)}", DIV),
    "webkit mask": (".x{-webkit-mask:url(#q)}", DIV),
    "filter url": (".x{filter:url(#q)}", DIV),
    "filter contrast": (".x{filter:contrast(0)}", DIV),
    "filter brightness": (".x{filter:brightness(0);background:#000;color:#fff}", DIV),
    "opacity calc": (".x{opacity:calc(1 - 1)}", DIV),
    "opacity by two": ("@scope{.x{opacity:.3}.y{opacity:.3}}", "<div class=y>" + DIV + "</div>"),
    "blend": (".x{mix-blend-mode:screen}", DIV),
    "security": (".x{-webkit-text-security:disc}", DIV),
    "font calc": (".x{font:calc(0px)/1 a}", DIV),
    "font-size calc": (".x{font-size:calc(1px - 1px)}", DIV),
    "font-size min": (".x{font-size:min(0px,1em)}", DIV),
    "word-spacing": (".x{letter-spacing:calc(-2em)}", DIV),
    "content": (".x{content:url(data:image/gif;base64,AAAA)}", DIV),
    "content-visibility": ("@scope{.x{content-visibility:hidden}}", DIV),
    "hidden revert": ("", "<div hidden style='display:revert'>{}</div>"),
    "stroke": (
        ".x{color:#fff;-webkit-text-stroke:1px #fff;background:linear-gradient(white,white)}",
        DIV,
    ),
    "link imports": (
        "",
        "<link rel='alternate StyleSheet' href=' DATA:text/css,.x{display:none}'>" + DIV,
    ),
    "import string": ("@import 'data:text/css,.x{display:none}';", DIV),
    "noscript": ("", "<noscript>{}</noscript>"),
    "unclosed comment": ("", "<!-- {}"),
    "unclosed textarea": ("", "<textarea>{}"),
    "unclosed title": ("", "<title>{}"),
    "unclosed script": ("", "<script>{}"),
    "frameset": ("", "<frameset>{}</frameset>"),
    "noframes": ("", "<frameset></frameset><noframes>{}</noframes>"),
    "deep": ("", "<div>" * 600 + "<div style='display:none'>{}</div>"),
    "much css": (".y{color:red}\n" * 90000 + ".x{display:none}", DIV),
    "deep css": ("@media screen{" * 25 + ".x{display:none}", DIV),
    "nested conditions": (".x{@media (color){display:none}}", DIV),
    "nested container": (".x{@container (width>0){display:none}}", DIV),
    "on top by sides": (
        ".y{position:absolute;top:0;left:0;right:0;bottom:0;background:#fff}",
        "<div style='position:relative'>{}<div class=y></div></div>",
    ),
    "on top by size": (
        ".y{position:absolute;top:0;left:0;width:100vw;height:100vh;background:#fff}",
        "<div style='position:relative'>{}<div class=y></div></div>",
    ),
    "select": ("", "<select><option>-<option>{}</select>"),
    "one line": (".x{white-space:nowrap;overflow:hidden}.x p{display:inline}", DIV),
    "low": (".x{height:9px;overflow:hidden}", DIV),
    "clamped": (
        ".x{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:1;overflow:hidden}",
        DIV,
    ),
    "clip text": (".x{color:transparent;background:#fff;background-clip:text}", DIV),
    "text shadow": (".x{color:transparent;text-shadow:0 0 1px #fff}", DIV),
    "page ground": ("body{background:oklch(0 0 0)}.x{color:#000}", DIV),
    "inner colour": (
        ".y{background:linear-gradient(#fff,#fff)}body{background:#000;color:#fff}",
        "<div class=y>" + DIV + "</div>",
    ),
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


# Only other files say what it hides.
ELSEWHERE = "external style sheet"


@pytest.mark.parametrize("name", sorted(NOT_UNDERSTOOD.keys() - {ELSEWHERE}))
def test_nor_by_ways_that_are_not_understood(tmp_path, name):
    page = alone(*NOT_UNDERSTOOD[name])
    for folder, settings in (("a", {}), ("b", {"cross_host": {"near": "drop", "exact": "drop"}})):
        assert victim_after(tmp_path / folder, page, **settings).action != Action.DROP


def test_a_page_is_tagged_and_the_reason_is_noted(tmp_path):
    verdict = victim_after(tmp_path, alone(*NOT_UNDERSTOOD["container"]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.TAG)
    assert "not certain" in verdict.evidence.notes[-1]


def test_within_a_site_uncertain_text_counts_as_before(tmp_path):
    page = alone(*NOT_UNDERSTOOD["container"])
    with Deduplicator(str(tmp_path)) as dedup:
        dedup.process(Page(url="https://a.example/1", html=page))
        verdict = dedup.process(Page(url="https://a.example/2", html=html(VICTIM, "A name")))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


def test_equal_bytes_show_the_same(tmp_path):
    page = alone(*NOT_UNDERSTOOD["container"])
    with Deduplicator(str(tmp_path)) as dedup:
        dedup.process(Page(url="https://a.example/", html=page))
        assert dedup.process(Page(url="https://b.example/", html=page)).action == Action.DROP


def test_a_page_that_shows_its_text_is_preferred_as_original(tmp_path):
    with Deduplicator(str(tmp_path)) as dedup:
        for url, page in (
            ("https://stranger.example/", alone(*NOT_UNDERSTOOD["container"])),
            ("https://honest.example/", html(VICTIM, "A name")),
        ):
            dedup.process(Page(url=url, html=page))
        verdict = dedup.process(Page(url="https://late.example/", html=html(VICTIM, "A name")))
    assert (verdict.original, verdict.action) == ("https://honest.example/", Action.DROP)


# What can't hide, or can't be in force: all of it is certain.
CERTAIN = {
    "nothing": ("", DIV),
    "hover": (".x:hover{display:none}", DIV),
    "part": (".x::before{display:none}", DIV),
    "narrow screens": ("@media (max-width:600px){.x{display:none}}", DIV),
    "printers": ("@media print{.x{display:none}}", DIV),
    "missing name": (".y:has(.x){display:none}", DIV),
    "property that can't hide": ("@container (width>1px){.x{border:0;padding:1em}}", DIV),
    "computed size": (".x{height:calc(100vh - 60px);overflow:hidden;width:calc(100% - 1em)}", DIV),
    "computed size of letters": (".x{font-size:clamp(1rem,2vw,2rem)}", DIV),
    "dark text": (".x{color:oklch(.2 0 0)}", DIV),
    "variables": (":root{--a:#222}.x{color:var(--a);margin:var(--b,0 auto)}", DIV),
    "centred": (".x{position:absolute;left:50%;transform:translate(-50%,-50%)}", DIV),
    "one layer": ("@layer a{.x{display:none}.x{display:block}}", DIV),
    "fades in": ("@keyframes q{from{opacity:0}to{opacity:1}}.x{animation:q 1s}", DIV),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_text_that_is_certain_drops(tmp_path, name):
    verdict = victim_after(tmp_path, alone(*CERTAIN[name]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


def test_what_only_other_files_hide_drops(tmp_path):
    """The limit of the promise, which the threat model states."""
    verdict = victim_after(tmp_path, alone(*NOT_UNDERSTOOD[ELSEWHERE]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


def test_near_copies_of_other_sites_are_no_reason_to_drop_either(tmp_path):
    page = attacker(*NOT_UNDERSTOOD["container"])
    verdict = victim_after(tmp_path, page, cross_host={"near": "drop", "contained": "drop"})
    assert verdict.action != Action.DROP
