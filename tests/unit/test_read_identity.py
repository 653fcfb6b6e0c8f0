"""What a page says it is."""

from __future__ import annotations

import json
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.page import Page
from dedup_middleware.read import Identity, read
from dedup_middleware.read.outline import LONGEST, LONGEST_URL, Declared
from dedup_middleware.store.packing import pack, unpack

URL = "https://example.org/dir/page"


def identity(html):
    return read(Page(url=URL, html=html)).identity


def ld(value):
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_all_of_it():
    found = identity(
        "<html lang=de><head><title> A\n b </title><base href=/root/>"
        "<link rel='nofollow Canonical' href=' c?x=1 '>"
        "<meta property=og:url content=d><meta property=og:title content='Über A'>"
        + ld({"@type": "NewsArticle", "headline": 'Alles \u00fcber "A"'})
        + "</head><body><nav><h2>Menu</h2></nav><h1>A</h1><p>x"
    )
    assert found == Identity(
        title="A b",
        heading="A",
        language="de",
        canonical="https://example.org/root/c?x=1",
        og_url="https://example.org/root/d",
        og_title="Über A",
        headline='Alles über "A"',
    )


def test_nothing():
    assert identity("<p>x") == Identity()
    assert read(Page(url=URL, text="x")).identity == Identity()


def test_language_by_meta_or_xml():
    assert identity("<meta http-equiv=Content-Language content=fr><p>x").language == "fr"
    assert identity('<html xml:lang="nl"><p>x').language == "nl"


@pytest.mark.parametrize("style", ["color:#fff", "visibility:hidden", "display:none"])
def test_what_is_never_drawn_can_not_be_hidden(style):
    data = ld({"headline": "About A"})
    found = identity(f"<style>*{{{style}}}</style><title>A</title>{data}<p>x")
    assert (found.title, found.headline) == ("A", "About A")


@pytest.mark.parametrize("href", ["", " ", "http://[", "javascript:x", "mailto:a@b", "x" * 9_999])
def test_useless_addresses(href):
    head = f"<link rel=canonical href='{href}'><meta property=og:url content='{href}'>"
    found = identity(f"{head}<p>x")
    assert found.canonical is None
    assert found.og_url is None


PLAIN = st.from_regex(
    r"https?://[a-z.]{1,5}(:[0-9]{2})?(/[a-zA-Z0-9_.~%:@/?;#&=-]*)?", fullmatch=True
)


@given(PLAIN, PLAIN)
def test_absolute_addresses_are_those_of_urljoin(url, target):
    found = Declared(canonical=target).identity(url, "").canonical
    assert found == urljoin(url, target)


def test_no_canonical():
    assert identity("<link rel=stylesheet href=x><p>x").canonical is None


@pytest.mark.parametrize(
    ("html", "heading"),
    [
        ("<h2>Part</h2><p>x<h1>Page</h1><p>x", "Page"),
        ("<h3>Part</h3><p>x<h2>Next</h2><p>x", "Part"),
        ("<header><h1>Site</h1></header><h2>Page</h2><p>x", "Page"),
        ("<div role=heading aria-level=1>Page</div><h2>Part</h2><p>x", "Page"),
        ("<nav><h2>Menu</h2>x</nav><p>some words of text", ""),
    ],
)
def test_what_serves_as_main_heading(html, heading):
    assert identity(html).heading == heading


@pytest.mark.parametrize(
    ("json_ld", "expected"),
    [
        (ld({"@graph": [{"@type": "WebSite", "name": "S"}, {"headline": "T"}]}), "T"),
        (ld({"name": "S"}) + ld([{"headline": "T"}, {"headline": "U"}]), "T"),
        ('<script type=application/ld+json>{broken, \'headline\': "headline" : "T"</script>', "T"),
        ('<script type="application/ld+json">{"headline": "no end', ""),
        (
            '<script type="application/ld+json">{"headline": "\\x"}</script>'
            + ld({"headline": "T"}),
            "T",
        ),
        ('<script type="application/ld+json">{"headline": 5}</script>', ""),
        ('<script>{"headline": "T"}</script>', ""),
        ("", ""),
    ],
)
def test_headline_of_json_ld(json_ld, expected):
    assert identity(f"<head>{json_ld}</head><p>x").headline == expected
    assert identity(f"<body><p>x{json_ld}").headline == expected


@given(st.text(max_size=30).filter(lambda text: "<" not in text))
def test_headlines_with_any_characters(text):
    found = identity(ld({"headline": text}) + "<p>x").headline
    assert found == " ".join(text.split())
    assert identity(ld({"headline": text}).replace('"headline"', "'headline'")).headline == ""


@pytest.mark.parametrize(
    "html",
    [
        f"<title>{'long title ' * 100_000}</title><p>x",
        "<h1>Heading</h1><p>x</p>" * 10_000,
        f"<h1>{'long heading ' * 100_000}</h1><p>x",
        f"<html lang='{'de ' * 300_000}'><p>x",
        f"<meta property=og:title content='{'t ' * 500_000}'><p>x",
        ld({"headline": "t " * 1_000_000}) + "<p>x",
        ld({"x": ["y"] * 500_000, "headline": "T"}) + "<p>x",
        ld({"headline": 1}) * 50_000 + "<p>x",
        '<script type="application/ld+json">' * 50_000 + "<p>x",
        '<script type="application/ld+json">{"headline": "' + "\\" * 2_000_000,
        "<script " * 200_000 + "ld+json",
    ],
    ids=lambda html: html[:30],
)
def test_any_size_is_cut(html):
    outline = read(Page(url=URL, html=html))
    found = outline.identity
    for name in (found.title, found.heading, found.language, found.og_title, found.headline):
        assert len(name) <= LONGEST
    for address in (found.canonical, found.og_url):
        assert address is None or len(address) <= LONGEST_URL
    assert len(pack(outline)) < 100_000


def test_it_is_stored_with_the_page():
    html = (
        "<html lang=de><title>A</title><link rel=canonical href=/c><h1>B</h1>"
        "<meta property=og:url content=/u><meta property=og:title content=C>"
        + ld({"headline": "D\nE"})
        + "<p>x"
    )
    for source in (html, "<p>x", "", "<title>only a title</title>"):
        outline = read(Page(url=URL, html=source))
        assert unpack(pack(outline)) == outline
    cut = read(Page(url=URL, html=html), max_text=1)
    assert unpack(pack(cut)) == cut
