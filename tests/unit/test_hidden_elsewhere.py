"""No page of another site drops one whose text it may hide, in whatever way that is."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.verdict import Action, Verdict
from tests.support.texts import html
from tests.unit.test_read_hidden import (
    BY_RULES,
    COPY,
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
# More of them: what browsers refuse, what moves, what depends on a parent, what markup does.
MORE = {
    "invalid value": (".x{font-size:16}", DIV),
    "invalid condition": ("@supports (foo:bar){.x{display:block}}.x{display:none}", DIV),
    "invalid selector": (".x{display:none}.x:foo,.x{display:block}", DIV),
    "animation without a fill": (
        "@keyframes q{to{font-size:0}}.x{animation:q 1s steps(1) infinite}",
        DIV,
    ),
    "animation of a mask": ("@keyframes q{from,to{mask-size:0 0}}.x{animation:q 9s infinite}", DIV),
    "transition that never ends": (
        "@starting-style{.x{opacity:0}}.x{transition:opacity 9e9s}",
        DIV,
    ),
    "grid without rows": (
        ".y{display:grid;grid-template-rows:0fr}.x{overflow:hidden;min-height:0}",
        "<div class=y>" + DIV + "</div>",
    ),
    "flex": (
        ".y{display:flex;width:1px}.x{flex:0 1 0;min-width:0;overflow:hidden}",
        "<div class=y>" + DIV + "</div>",
    ),
    "size of a parent": (
        ".y{height:0}.x{height:100%;overflow:hidden}",
        "<div class=y>" + DIV + "</div>",
    ),
    "size of the screen": (".x{height:.01vh;overflow:hidden}", DIV),
    "size of letters of a parent": (
        ".y{font-size:9e-9px}.x{font-size:1em}",
        "<div class=y>" + DIV + "</div>",
    ),
    "layer that shows": ("@layer q{.x{display:block!important}}@layer{.x{display:none}}", DIV),
    "scope with a limit": ("@scope (body) to (.z){.x{visibility:hidden}}", DIV),
    "anchor that is missing": (
        ".x{position:absolute;position-anchor:--q;position-visibility:anchors-valid}",
        DIV,
    ),
    "anchor size": (".x{position:fixed;width:anchor-size(--q width,0);overflow:clip}", DIV),
    "content-visibility": (".x{content-visibility:hidden}", DIV),
    "contained size": (".x{contain-intrinsic-size:0;content-visibility:auto;overflow:clip}", DIV),
    "alternative sheet": ("", "<style title=q>.x{color:#111}</style><style title=z></style>" + DIV),
    "margin of what follows": (".y{margin-top:-90em;background:#fff;position:relative}", DIV),
    "shadow of another": (
        ".y{box-shadow:0 0 0 9999px #fff;position:relative}",
        "<i class=y></i>{}",
    ),
    "outline": (".x{outline:9999px solid #fff;outline-offset:-9999px}", DIV),
    "writing mode": (".x{writing-mode:vertical-rl;height:1px;overflow:clip}", DIV),
    "columns": (".x{columns:1px 999;height:1px;overflow:clip}", DIV),
    "shape": (".x{float:left;shape-outside:inset(50%);width:0;overflow:hidden}", DIV),
    "font without letters": (
        "@font-face{font-family:q;src:url(data:font/woff2;base64,AA)}.x{font-family:q}",
        DIV,
    ),
    "list item": (".x{display:list-item;list-style:inside;font:0/0 q}", DIV),
    "counter instead": (".x{font-size:0}.x::before{content:'-';font-size:9px}", DIV),
    "attr()": (".x{font-size:attr(title px)}", "<div class=x title=0>{}</div>"),
    "old colours": ("", "<body text=white bgcolor=white>{}"),
    "old font": ("", "<font color=white size=1>{}</font>"),
    "old widths": ("", "<table width=1 height=1><tr><td width=1>{}</table>"),
    "marquee": ("", "<marquee width=1 height=1 scrollamount=0>{}</marquee>"),
    "many small": ("", "<small>" * 50 + "{}"),
    "headings in headings": ("", "<section>" * 5 + "<h1><div>" * 40 + "{}"),
    "inert": ("", "<div inert hidden=until-found>{}</div>"),
    "svg": ("", f"<svg width=1 height=1><text>{WORDS}</text></svg>"),
    "svg of no size": ("", "<svg width=0 height=0><foreignObject>{}</foreignObject></svg>"),
    "svg symbol": ("", f"<svg><symbol id=q><text>{WORDS}</text></symbol></svg>"),
    "svg on a path": ("", f"<svg><text><textPath href=#q>{WORDS}</textPath></text></svg>"),
    "svg style": ("", "<svg><style>.x{display:none}</style></svg>" + DIV),
    "MathML colour": ("", f"<math><mtext mathcolor=white mathsize=1px>{WORDS}</mtext></math>"),
    "MathML annotation": (
        "",
        f"<math><semantics><mi>-</mi><annotation>{WORDS}</annotation></semantics></math>",
    ),
    "popover": ("", "<div popover=manual>{}</div>"),
    "dialog": ("", "<dialog>{}</dialog>"),
    "details": ("", "<details><summary>-</summary>{}</details>"),
    "details of a name": ("", "<details name=q open></details><details name=q open>{}</details>"),
    "template": ("", "<template>{}</template>"),
    "shadow root": ("", "<div><template shadowroot=open></template>{}</div>"),
    "shadow style": (
        "",
        (
            "<div><template shadowrootmode=open><style>::slotted(*){display:none}</style><slot>"
            "</slot></template>{}</div>"
        ),
    ),
    "noscript style": ("", "<noscript><style>.x{display:block}</style></noscript>" + DIV),
    "second body": ("", "<body style='display:none'>{}"),
    "second html": ("", "<html hidden>{}"),
    "refresh": ("", "<meta http-equiv=refresh content='0;url=/other'>{}"),
    "default style": ("", "<meta http-equiv=default-style content=q>{}"),
    "frame on top": ("", "<iframe src=/blank style='position:fixed;inset:0'></iframe>{}"),
    "picture in the page": ("", "<img src='data:image/png;base64,AA'>{}"),
    "letters from right to left": ("", "<div dir=rtl>{}</div>"),
    "ruby": ("", "<ruby>-<rp>{}</rp></ruby>"),
    "object": ("", "<object data=/x.png type=image/png>{}</object>"),
    "plaintext": ("", "<xmp>{}</xmp>"),
    "cells on cells": ("", "<table><tr><td rowspan=2>-<td>-<tr><td colspan=2>{}</table>"),
}
WAYS = {
    **{name: ("", way) for name, way in IN_ATTRIBUTES.items()},
    **BY_RULES,
    **NOT_UNDERSTOOD,
    **MORE,
}
# Only other files say what it hides.
ELSEWHERE = "external style sheet"


def victim_after(folder: object, page: str, victim: str = "", **settings: object) -> Verdict:
    with Deduplicator(str(folder), **settings) as dedup:
        dedup.process(Page(url="https://stranger.example/", html=page))
        victim = victim or html(VICTIM, "A name")
        return dedup.process(Page(url="https://victim.example/", html=victim))


@pytest.mark.parametrize("name", WAYS)
def test_no_way_of_hiding_on_another_site_drops_a_page(tmp_path, name):
    assert victim_after(tmp_path, attacker(*WAYS[name])).action != Action.DROP


def alone(css: str, markup: str) -> str:
    """Return a page of which a visitor sees nothing but its name."""
    page = attacker(css, markup).replace("<style></style>", "", 1)
    for text in OWN:
        page = page.replace(f"<p>{text}</p>", "", 1)
    return page


@pytest.mark.parametrize("name", sorted(WAYS.keys() - {ELSEWHERE}))
def test_nor_if_the_page_shows_nothing_else(tmp_path, name):
    css, markup = WAYS[name]
    if markup is not None:
        assert victim_after(tmp_path, alone(css, markup)).action != Action.DROP


# What rules do that are understood, but not what that means for text.
UNDERSTOOD = {
    *("something on top", "on top by sides", "on top by size"),
    *("one line", "low", "clamped"),
}


@pytest.mark.parametrize("name", sorted(NOT_UNDERSTOOD.keys() - UNDERSTOOD - {ELSEWHERE}))
def test_nor_by_ways_that_are_not_understood_where_near_pages_are_dropped(tmp_path, name):
    settings = {"cross_host": {"near": "drop", "contained": "drop"}}
    for number, page in enumerate((attacker(*NOT_UNDERSTOOD[name]), alone(*NOT_UNDERSTOOD[name]))):
        verdict = victim_after(tmp_path / str(number), page, **settings)
        assert verdict.action != Action.DROP


def test_a_page_is_tagged_and_the_reason_is_noted(tmp_path):
    verdict = victim_after(tmp_path, alone(*NOT_UNDERSTOOD["container"]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.TAG)
    assert "may hide what both say" in verdict.evidence.notes[-1]


def test_within_a_site_nothing_of_that_counts(tmp_path):
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


# A page as publishers make them, with all that differs on a mirror of it in braces.
SITE = (
    "<!doctype html><html><head><title>{title}</title><meta property=og:url content='{host}/a'>"
    "<base target=_top><link rel=canonical href='{host}/a'><script nonce={nonce}>{script}</script>"
    "<style nonce={nonce}>.x:hover{{color:red}}@container (width>1px){{.z{{display:none}}}}"
    "{css}</style><link rel=stylesheet href='{host}/a.css' integrity=sha256-{nonce}></head>"
    "<body style='margin:0'><!-- {comment} --><svg width=9 height=9><path d=M0 /></svg>"
    "<div class=z>{hidden}</div><form action={host}/search></form><img srcset='{host}/a 1x'>"
    "<a class=w href='{host}/b' title='{hint}'>{link}</a><div id={id}>{shown}</div></body></html>"
)
HERE = {
    "title": "Tea",
    "host": "https://a.example",
    "nonce": "q1",
    "script": "one()",
    "comment": "made today",
    "css": "",
    "hidden": "",
    "link": "More",
    "id": "p1",
    "hint": "Release 15",
    "shown": COPY,
}


def mirrored(folder: object, **differences: str) -> Verdict:
    both = {name: differences.pop(name, HERE[name]) for name in ("css", "link")}
    victim = SITE.format(**HERE | both)
    return victim_after(folder, SITE.format(**HERE | both | differences), victim)


@pytest.mark.parametrize(
    "differences",
    [
        {"host": "https://b.example/sub"},
        {"host": ".."},
        {"nonce": "zz/+", "script": "two('<p>')", "comment": "made --- <p> yesterday"},
        {"title": "Tea &ndash; a copy", "css": "[hidden]{color:red}.\\31 a{content:'\\201c'}"},
        {"id": "p2", "hint": "Release 16", "css": "#top,#p3{color:#c0ffee}"},
    ],
)
def test_mirrors_drop(tmp_path, differences):
    verdict = mirrored(tmp_path, **differences)
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


@pytest.mark.parametrize(
    "differences",
    [
        {"hidden": COPY, "shown": "", "link": ""},
        {"host": "data:text/css,.z{}"},
        {"host": "DATA&colon;text/css,.z{}"},
        {"host": "d\nata:text/css,.z{}"},
        {"host": "b", "css": "@scope{.w[ HREF^=b]{display:none}}"},
        {"host": "b", "css": "@scope{.w[*|href^=b]{display:none}}"},
        {"host": "b", "css": "@scope{.w[/**/href^=b]{display:none}}"},
        {"host": "b", "css": "@scope{.w[\\68 ref^=b]{display:none}}"},
        {"host": "b", "css": ".w{font-size:ATTR(href px)}"},
        {"host": "b", "css": ".w{font-size:at\\tr(href px)}"},
        {"host": "b", "css": "@import 'data:text/css,*[href^=b]{display:none}'"},
        {"nonce": "q1 hidden"},
        {"id": "p2", "css": "@scope{#P1{display:none}}"},
        {"id": "p2", "css": "@scope{#p\\31{display:none}}"},
        {"id": "p2", "css": "@scope{[id=p2]{display:none}}"},
        {"hint": "Release 16", "css": "@scope{[title$='6']{display:none}}"},
        {"nonce": "q1><p hidden></p"},
    ],
)
def test_pages_that_differ_in_more_may_hide(tmp_path, differences):
    verdict = mirrored(tmp_path, **differences)
    assert (str(verdict.kind), verdict.action) == ("exact", Action.TAG)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<title>A name</title>", "<title>Another</title><meta name=viewport content=width=1>"),
        ("<head>", "<head><script>f('<p>')</script><link rel=stylesheet href=//a/b.css>"),
        ("<h1>", "<header class=a id=b data-c=d><img src=a.png alt=''><h1>"),
    ],
)
def test_plain_pages_drop(tmp_path, before, after):
    page = html(VICTIM, "A name")
    assert before in page
    verdict = victim_after(tmp_path, page.replace(before, after, 1))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)


def test_what_only_other_files_hide_drops(tmp_path):
    """The limit of the promise, which the threat model states."""
    verdict = victim_after(tmp_path, alone(*NOT_UNDERSTOOD[ELSEWHERE]))
    assert (str(verdict.kind), verdict.action) == ("exact", Action.DROP)
