"""Text that a visitor can't see takes no part in what is compared."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.read import read
from dedup_middleware.verdict import Action
from tests.support.texts import article, html

VICTIM, OWN = article(3, 300), article(40, 100)
SHORT = " ".join(" ".join(VICTIM).split()[:60])  # shorter than what is shown
COPY = "".join(f"<p>{text}</p>" for text in VICTIM)

# How a copy can be hidden: CSS and HTML, in which {} is the copy.
IN_ATTRIBUTES = {
    "display": "<div style='display:none'>{}</div>",
    "upper case": "<DIV STYLE='DISPLAY : NONE'>{}</DIV>",
    "important": "<div style='display: none !important; display: block'>{}</div>",
    "invalid value after it": "<div style='display: none; display: bloc'>{}</div>",
    "escape": r"<div style='d\69splay: n\6f ne'>{}</div>",
    "comment": "<div style='display:/* so */none'>{}</div>",
    "visibility": "<div style='visibility: hidden'>{}</div>",
    "collapse": "<section style='visibility: collapse'>{}</section>",
    "opacity": "<div style='opacity: 0'>{}</div>",
    "opacity of one percent": "<div style='opacity: 1%'>{}</div>",
    "font-size": "<div style='font-size: 0'>{}</div>",
    "font-size of a pixel": "<div style='font-size: 1px'>{}</div>",
    "font": "<div style='font: 0/0 a'>{}</div>",
    "height": "<div style='height: 0; overflow: hidden'>{}</div>",
    "max-height": "<div style='max-height:1px;overflow-y:hidden'>{}</div>",
    "width": "<div style='width: 0; overflow: hidden; white-space: nowrap'>{}</div>",
    "left": "<div style='position: absolute; left: -9999px'>{}</div>",
    "left in em": "<div style='position: fixed; left: -999em'>{}</div>",
    "left by calc": "<div style='position: absolute; left: calc(-1 * 9999px)'>{}</div>",
    "left of a relative": "<div style='position: relative; left: -200vw'>{}</div>",
    "top": "<div style='position: absolute; top: -5000px'>{}</div>",
    "right": "<div style='position: absolute; right: -9999px'>{}</div>",
    "text-indent": "<div style='text-indent: -9999px'>{}</div>",
    "clip": "<div style='position: absolute; clip: rect(0, 0, 0, 0)'>{}</div>",
    "clip-path": "<div style='clip-path: inset(50%)'>{}</div>",
    "hidden": "<div hidden>{}</div>",
    "hidden heading": "<h3 hidden>More {}</h3>",
    "hidden until found": "<div hidden=until-found>{}</div>",
    "aria-hidden": "<div aria-hidden=true>{}</div>",
    "popover": "<div popover>{}</div>",
    "dialog": "<dialog>{}</dialog>",
    "template": "<template>{}</template>",
    "progress": "<progress>{}</progress>",
    "variable": "<div style='--d: none'><div style='display: var(--d)'>{}</div></div>",
    "unclosed comment": "<div style='display: none'>{}</div><!--",
    "marks of the reader": "<div style='display: none'>&#xfdd0;/&#xfdd1;{}</div>",
}
BY_RULES = {
    "class": (".x { display: none }", "<div class='a x'>{}</div>"),
    "id": ("#x{display:none}", "<div id=x>{}</div>"),
    "element": ("section { display: none }", "<section>{}</section>"),
    "compound": ("div.a.b#c{visibility:hidden}", "<div id=c class='b a'>{}</div>"),
    "list": ("h5, .y, .x, table{opacity:0}", "<div class=x>{}</div>"),
    "descendant": ("body div .x{display:none}", "<div><div class=x>{}</div></div>"),
    "child": (".a>.x{display:none}", "<div class=a><div class=x>{}</div></div>"),
    "sibling": ("h1 ~ .x{display:none}", "<div class=x>{}</div>"),
    "next sibling": ("hr + div{display:none}", "<hr><div>{}</div>"),
    "attribute": ("[data-x='1']{display:none}", "<div data-x=1>{}</div>"),
    "attribute that begins so": ("div[class^='x']{display:none}", "<div class=xyz>{}</div>"),
    "last child": ("body > div:last-child{display:none}", "<div>{}</div>"),
    "number": ("div p:nth-of-type(n+1){display:none}", "<div>{}</div>"),
    "not": ("div:not(.y){display:none}", "<div>{}</div>"),
    "is": (":is(.x, .y){display:none}", "<div class=x>{}</div>"),
    "is, with ancestors": (":is(body .x, .y){display:none}", "<div class=x>{}</div>"),
    "universal": ("body > div *{display:none}", "<div>{}</div>"),
    "escaped name": (r".sm\:x{display:none}", "<div class='sm:x'>{}</div>"),
    "media": ("@media screen{.x{display:none}}", "<div class=x>{}</div>"),
    "media by width": ("@media (min-width: 1px){.x{display:none}}", "<div class=x>{}</div>"),
    "supports": ("@supports (display: grid){.x{display:none}}", "<div class=x>{}</div>"),
    "layer": ("@layer a{.x{display:none}}", "<div class=x>{}</div>"),
    "nested": (".a{color:red; .x{display:none}}", "<div class=a><div class=x>{}</div></div>"),
    "stronger selector": ("#x{display:none} div{display:block}", "<div id=x>{}</div>"),
    "later rule": (".x{display:block} .x{display:none}", "<div class=x>{}</div>"),
    "important rule": (".x{display:none!important}", "<div class=x style='display:block'>{}</div>"),
    "invalid rule after it": (".x{display:none} .x, ::: {display:block}", "<div class=x>{}</div>"),
    "rule of a printer after it": (
        ".x{display:none} @media print{.x{display:block}}",
        "<div class=x>{}</div>",
    ),
    "hover after it": (".x{display:none} .x:hover{display:block}", "<div class=x>{}</div>"),
    "string with a brace": ("q{content:'}'} .x{display:none}", "<div class=x>{}</div>"),
    "comment in a selector": (".a/* */.x{display:none}", "<div class='a x'>{}</div>"),
    "comment marks of HTML": ("<!-- .x{display:none} -->", "<div class=x>{}</div>"),
    "media without a space": ("@media(min-width:1px){.x{display:none}}", "<div class=x>{}</div>"),
    "long list": (f"{'.y,' * 300}.x{{display:none}}", "<div class=x>{}</div>"),
    "string that never ends": (".x{display:none;content:'", "<div class=x>{}</div>"),
    "two rules": (".x{position:absolute} .y{left:-9999px}", "<div class='x y'>{}</div>"),
    "variable of the root": (
        ":root{--d:none} .x{display:var(--d, block)}",
        "<div class=x>{}</div>",
    ),
    "unfinished rule": (".x{display:none", "<div class=x>{}</div>"),
    "much CSS before it": (
        ".y{color:red}\n" * 15_000 + ".x{display:none}",
        "<div class=x>{}</div>",
    ),
}
# What still works, because it can't be known, or as no page hides text so: style sheets and
# scripts in other files, animations that end hidden, something opaque on top; rare selectors; text
# in the colour of its ground, filters, masks and transformations.
UNKNOWN = {
    "table column": ("", "<div style='display: table-column'>{}</div>"),
    "content-visibility": ("", "<div style='content-visibility: hidden'>{}</div>"),
    "opacity by two": ("", "<div style='opacity: .3'><div style='opacity: .3'>{}</div></div>"),
    "filter": ("", "<div style='filter: opacity(0)'>{}</div>"),
    "blur": ("", "<div style='filter: blur(40px)'>{}</div>"),
    "font-size by two": (
        "",
        "<div style='font-size: .3em'><div style='font-size: .3em'>{}</div></div>",
    ),
    "letter-spacing": ("", "<div style='letter-spacing: -1em'>{}</div>"),
    "line-height": ("", "<div style='line-height: 0; overflow: hidden'>{}</div>"),
    "inset": ("", "<div style='position: absolute; inset: -9999px auto auto -9999px'>{}</div>"),
    "margin-left": ("", "<div style='margin-left: -9999px'>{}</div>"),
    "margin": ("", "<div style='margin: 0 0 0 -99999px'>{}</div>"),
    "clip-path circle": ("", "<div style='clip-path: circle(0)'>{}</div>"),
    "clip-path polygon": ("", "<div style='clip-path: polygon(0 0, 0 0, 0 0)'>{}</div>"),
    "mask": ("", "<div style='mask-image: linear-gradient(transparent, transparent)'>{}</div>"),
    "scale": ("", "<div style='transform: scale(0)'>{}</div>"),
    "scale of its own": ("", "<div style='scale: 0'>{}</div>"),
    "translate": ("", "<div style='transform: translateX(-9999px)'>{}</div>"),
    "rotate": ("", "<div style='transform: rotateY(90deg)'>{}</div>"),
    "same colour": ("", "<div style='color: #fff; background: white'>{}</div>"),
    "nearly the same colour": (
        "",
        "<div style='color:#fefefe;background:rgb(255, 255, 255)'>{}</div>",
    ),
    "colour of the ground": (
        "",
        "<div style='background:hsl(0 0% 0%)'><p style='color:black'>{}</div>",
    ),
    "colour of the empty page": ("", "<div style='color: white'>{}</div>"),
    "black on black": ("", "<div style='background: #000'>{}</div>"),
    "transparent": ("", "<div style='color: transparent'>{}</div>"),
    "transparent by alpha": ("", "<div style='color: rgba(0, 0, 0, 0)'>{}</div>"),
    "text-fill-color": ("", "<div style='-webkit-text-fill-color: transparent'>{}</div>"),
    "attributes for colours": (
        "",
        "<table bgcolor=ffffff><tr><td><font color=white>{}</font></table>",
    ),
    "two colours": (
        ".x{color:#eee} .y{background:#eee}",
        "<div class=y><span class=x>{}</span></div>",
    ),
    "colour of the body": ("body{background:#fff} .x{color:#fff}", "<div class=x>{}</div>"),
    "has": ("div:has(> p){display:none}", "<div>{}</div>"),
    "external style sheet": ("", "<link rel=stylesheet href=/x.css><div class=x>{}</div>"),
    "animation": (
        "@keyframes x{to{opacity:0}} .x{animation:x 1ms forwards}",
        "<div class=x>{}</div>",
    ),
    "something on top": (
        "#y{position:absolute;inset:0;background:#fff}",
        "<div style='position:relative'>{}<div id=y></div></div>",
    ),
}


def attacker(css: str, markup: str | None) -> str:
    own = "".join(f"<p>{text}</p>" for text in OWN)
    if markup is None:
        pieces = " ".join(VICTIM).split()
        markup = "".join(
            f"<p class=x>{' '.join(pieces[at : at + 5])}</p>" for at in range(0, len(pieces), 5)
        )
    return (
        f"<!doctype html><html><head><title>A name</title><style>{css}</style></head><body>"
        f"<h1>A name</h1>{own}{markup.replace('{}', COPY)}</body></html>"
    )


def is_victim_dropped(folder: object, page: str) -> bool:
    with Deduplicator(str(folder)) as dedup:
        dedup.process(Page(url="https://a.example/attacker", html=page))
        verdict = dedup.process(Page(url="https://a.example/victim", html=html(VICTIM, "A name")))
    return verdict.action == Action.DROP


def test_a_copy_that_is_shown_drops_the_page(tmp_path):
    assert is_victim_dropped(tmp_path, attacker("", "<div>{}</div>"))


@pytest.mark.parametrize("name", IN_ATTRIBUTES)
def test_a_copy_hidden_by_attributes_drops_nothing(tmp_path, name):
    assert not is_victim_dropped(tmp_path, attacker("", IN_ATTRIBUTES[name]))


@pytest.mark.parametrize("name", BY_RULES)
def test_a_copy_hidden_by_rules_drops_nothing(tmp_path, name):
    assert not is_victim_dropped(tmp_path, attacker(*BY_RULES[name]))


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_hides_a_copy_and_is_not_known(tmp_path, name):
    assert is_victim_dropped(tmp_path, attacker(*UNKNOWN[name]))


def texts(source: str) -> tuple[str, ...]:
    return read(Page(url="https://example.org/", html=source)).texts


ENOUGH = " ".join(OWN)  # else the page would wait for a script to show more


@pytest.mark.parametrize("name", IN_ATTRIBUTES | BY_RULES)
def test_hidden_text_is_not_read(name):
    css, markup = BY_RULES[name] if name in BY_RULES else ("", IN_ATTRIBUTES[name])
    if markup is not None:
        assert SHORT not in texts(attacker(css, markup).replace(COPY, f"<p>{SHORT}</p>"))


@pytest.mark.parametrize(
    ("css", "markup"),
    [
        ("", "<p>{}"),
        ("", "<p style='dis/**/play: none'>{}"),
        ("", "<p style='display: no/**/ne'>{}"),
        ("", "<p style='display: none; display: block'>{}"),
        ("", "<p style='opacity: .8; position: absolute; left: -20px; top: 4000px'>{}"),
        ("", "<p style='left: -9999px'>{}"),
        ("", "<p style='height: 0'>{}"),
        ("", "<p style='height: 0; overflow: hidden; padding-bottom: 50%'>{}"),
        ("", "<p style='position: absolute; clip: rect(0, 900px, 900px, 0)'>{}"),
        ("", "<p style='clip-path: inset(10px)'>{}"),
        ("", "<p style='clip-path: polygon(0 0, 100% 0, 100% 100%)'>{}"),
        ("", "<p style='transform: translate(-50%, -50%) scale(.9) rotate(90deg)'>{}"),
        ("", "<p style='text-indent: -2em; margin-left: 2em'>{}"),
        ("", "<p style='margin-bottom: -9999px; padding-bottom: 9999px; overflow: hidden'>{}"),
        ("", "<p style='color: #fff; background: #000'>{}"),
        ("", "<p style='color: #fff; background: url(dark.png)'>{}"),
        (
            "",
            "<p style='color:transparent;background:url(a.png);background-clip:text'>{}",
        ),
        ("", "<div style='color: #fff'><p style='color: #000'>{}"),
        ("", "<div style='visibility: hidden'><p style='visibility: visible'>{}"),
        ("", "<div style='font-size: 0'><p style='font-size: 1rem'>{}"),
        ("", "<div hidden style='display: block'><p>{}"),
        ("", "<details open><summary>More</summary><p>{}"),
        ("", "<details><summary><p>{}"),
        ("", "<details><summary>More</summary><p>{}"),
        ("", "<p inert>{}"),
        ("", "<p><span aria-hidden=true>{}</span>"),
        ("", "<p class=x><noscript><style>.x{display:none}</style></noscript>{}"),
        ("", "<p class=x><template><style>.x{display:none}</style></template>{}"),
        ("", "<style media=print>.x{display:none}</style><p class=x>{}"),
        ("", "<style type=text/less>.x{display:none}</style><p class=x>{}"),
        ("", "<!-- <style>.x{display:none}</style> --><p class=x>{}"),
        ("", "<link rel=stylesheet href=/a.css><p style='color: #fff'>{}"),
        (".x{display:none} .x{display:block}", "<p class=x>{}"),
        (".x{display:none} p.x{display:block} .x{color:red}", "<p class=x>{}"),
        ("#x.x{display:block} .x{display:none}", "<p id=x class=x>{}"),
        (".x{display:none}", "<p class=x style='display:block'>{}"),
        (".x{display:block!important}", "<p class=x style='display:none'>{}"),
        (".x::before{display:none} .x:hover{display:none} .X{display:none}", "<p class=x>{}"),
        (".x::first-line{opacity:0} p:empty{display:none}", "<p class=x>{}"),
        (".a .x{display:none} .x > p{display:none} .x + p{display:none}", "<p class=x>{}"),
        ("p:first-child{display:none} p:nth-child(2n+99){display:none}", "<p class=x>{}"),
        (
            "@media print{.x{display:none}} @media (max-width:40em){p{display:none}}",
            "<p class=x>{}",
        ),
        ("@media not screen{p{display:none}} @supports not (x:y){p{display:none}}", "<p>{}"),
        ("@keyframes x{from{opacity:0}} @font-face{font-family:p}", "<p>{}"),
        ("/* .x{display:none} */ .y{content:'.x{display:none}'}", "<p class=x>{}"),
        (".x, :::{display:none}", "<p class=x>{}"),
        ("p:has(ul){display:none} p:not(body p){display:none}", "<p class=x>{}"),
        (".no-js .x{display:none}", "<p class=x>{}"),
        (".x{overflow:hidden;line-height:1.5}", "<div class=x>{}"),
        (".x{flex:1;width:0;overflow:hidden}", "<div class=x>{}"),
        (".x{height:0;min-height:400px;overflow:hidden}", "<div class=x>{}"),
        ("td{max-width:0;overflow:hidden}", "<table><tr><td>{}</table>"),
        ("", "<p style='color:rgb(0,0,0);background-color:rgba(0,0,0,0)'>{}"),
        ("", "<p style='color:#000;background:rgba(0,0,0,.03)'>{}"),
        ("body{background:#111;color:#eee} p{color:#fff}", "<p>{}"),
        (".x{color:#fff;background:var(--unknown)}", "<div class=x>{}"),
        (".x{color:#fff}", "<img src=dark.jpg><div class=x>{}"),
        ("@media (width<768px){.x{display:none}}", "<div class=x>{}"),
        ("@media (orientation:portrait){.x{display:none}}", "<div class=x>{}"),
        ("@media handheld, tty{.x{display:none}}", "<div class=x>{}"),
        ("@media (min-width:2560px){.x{display:none}}", "<div class=x>{}"),
        ("@container (width<400px){.x{display:none}}", "<div class=x>{}"),
        ("@starting-style{.x{opacity:0}}", "<div class=x>{}"),
        ("@layer base{div.x{display:none}} .x{display:block}", "<div class=x>{}"),
        (".x{display:none} .x:first-of-type{display:block}", "<section class=x>{}"),
        (
            ".x{display:none} .a > .b .x{display:block}",
            "<i class=a><i class=b><i class=b><b class=x>{}",
        ),
        (".x{opacity:0;animation:in 1s forwards}", "<div class=x>{}"),
        ("", "<div style='transform:translate3d(-1200px,0,0)'>{}"),
        ("", "<div style='margin-left:-100%'>{}"),
        (".x{margin-left:-9999px} .y{margin:0}", "<div class='x y'>{}"),
        (".x{font-size:0} .y{font:16px/1.5 serif}", "<div class='x y'>{}"),
        (":root{--c:#111} .y{--c:#fff} .x{color:var(--c);background:#fff}", "<p class=x>{}"),
        (".x{display:none\\9} .y{opacity:alpha(opacity=0)}", "<p class='x y'>{}"),
        ("", "<p style='clip-path:inset(0 0 50% 0)'>{}"),
        ("", "<style media='screen and (max-width:600px)'>.x{display:none}</style><p class=x>{}"),
    ],
)
def test_text_that_is_shown_is_read(css, markup):
    page = f"<html class=no-js><head><style>{css}</style></head><body><p>{ENOUGH}</p>"
    assert " ".join(VICTIM) in " ".join(texts(page + markup.replace("{}", " ".join(VICTIM))))


@pytest.mark.parametrize(
    ("css", "body"),
    [
        ("body{opacity:0}", "<body>"),
        ("body{display:none!important}", "<body>"),
        ("html{visibility:hidden}", "<body>"),
        (".async-hide{opacity:0!important}", "<body class=async-hide>"),
        ("body{color:#fff;background:#fff}", "<body>"),
        (
            "body{animation:a 8s both} @keyframes a{from{visibility:hidden}to{visibility:visible}}",
            "<body>",
        ),
    ],
)
def test_a_page_that_is_hidden_as_a_whole_is_read(css, body):
    page = f"<html><head><style>{css}</style></head>{body}{COPY}"
    found = read(Page(url="https://example.org/", html=page))
    assert {*VICTIM} <= {*found.texts}
    assert found.cut == ()


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".fade-in{opacity:0;transform:translateY(20px)}", "<nav>Home</nav><div class=fade-in>"),
        ("#page{visibility:hidden}", "<p>Loading, please wait</p><div id=page>"),
        ("[v-cloak]{display:none}", "<div v-cloak>"),
    ],
)
def test_a_page_that_hides_most_of_its_text_is_not_compared(css, body):
    page = f"<html><head><style>{css}</style></head><body>{body}{COPY}"
    found = read(Page(url="https://example.org/", html=page))
    assert {*VICTIM} <= {*found.texts}, "it waits for a script"
    page = f"<html><head><style>{css}</style></head><body><p>{ENOUGH}</p>{body}{COPY}"
    found = read(Page(url="https://example.org/", html=page))
    assert not {*VICTIM} & {*found.texts}
    assert found.cut == ("its styles hide most of its text",)


def test_what_is_hidden_beside_a_page_that_a_script_shows_stays_hidden():
    page = f"<style>body{{opacity:0}}</style><body>{COPY}<div style='display:none'>{ENOUGH}</div>"
    assert texts(page) == tuple(VICTIM)


def test_hidden_menus_do_not_count():
    menu = f"<nav style='display:none'>{COPY}</nav>"
    assert read(Page(url="https://example.org/", html=f"<p>{ENOUGH}</p>{menu}")).cut == ()


def test_children_of_hidden_text_may_be_shown():
    hidden = "<div style='visibility:hidden'>no <b>no <i style='visibility:visible'>yes</i> no"
    assert texts(f"<p>{ENOUGH}{hidden}") == (ENOUGH, "yes")


def test_both_readers_hide():
    page = f"<p>{'x ' * 20}<p style='display:none'>no</p><frameset><noframes>yes</noframes><!--"
    assert "no" not in texts(page)


def test_a_page_that_hides_text_too_deep_is_not_compared():
    page = f"<p>{ENOUGH}</p>{'<div>' * 30_000}<p style='font-size: .1em'>no</p>"
    found = read(Page(url="https://example.org/", html=page))
    assert found.cut == ("its styles were not read to their end",)
