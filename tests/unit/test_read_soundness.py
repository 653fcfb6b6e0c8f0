"""Any markup can be read: the outline is sound, the same each time, and the work is linear."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.fuzz import definitions
from dedup_middleware.fingerprint.scheme import text_digest
from dedup_middleware.read import KINDS, Identity, Outline
from dedup_middleware.read.core_reading import Packed, elements, reading, tokens
from dedup_middleware.read.outline import CONTAINERS
from dedup_middleware.read.words import composed, utf8
from tests.support.markup import MARKUP, PAGES, damaged_pages


def read_soundly(html: str, most: int = 10**6, **options: bool) -> Packed:
    source = utf8(html)
    found = reading(source, most, **options)
    assert found.data == reading(source, most, **options).data
    outline = Outline.of(found, Identity(), ())
    texts, parents = outline.texts, outline.parents
    assert len(texts) == len(parents) == len(found.kinds) == len(found.marks)
    assert len(found.links) == len(found.grid) == len(texts)
    assert all(-1 <= parent < place for place, parent in enumerate(parents))
    assert set(found.kinds) <= set(range(len(KINDS)))
    assert set(found.marks) <= {0, 1, 3}
    columns = zip(found.kinds, parents, found.links, found.grid, texts, strict=True)
    for kind, parent, links, column, text in columns:
        assert text == " ".join(text.split())
        assert bool(text) != (KINDS[kind] in CONTAINERS)
        assert text or not links
        assert bool(column) == (parent >= 0 and KINDS[found.kinds[parent]] == "row")
    for place, kind in enumerate(found.kinds):
        if KINDS[kind] in {*CONTAINERS, "label"}:  # with something in it
            assert place in parents[place + 1 :]
    assert sum(map(len, texts)) == found.size <= most
    whole = utf8(composed(definitions.digested(outline)))
    assert found.digest == text_digest(outline, b"")
    assert found.digest == hashlib.blake2b(whole, digest_size=32).digest()
    return found


@given(MARKUP | damaged_pages() | st.text())
@example('<style>*{color:#fff}</style><title>a</title><script type=ld+json>"headline":"b"</script>')
def test_any_markup(html):
    read_soundly(html)
    kept = "".join(event.text for event in elements(html).events if event.kind == 0)
    shown = "".join(read_soundly(html, styles=False).lines.decode().split("\n"))
    assert len(shown.replace(" ", "")) <= len(unicodedata.normalize("NFC", kept))


@given(damaged_pages(), st.integers(0, 400), st.booleans(), st.booleans())
def test_options(html, most, styles, scripts):
    found = read_soundly(html, most, styles=styles, scripts=scripts)
    whole = read_soundly(html, styles=styles, scripts=scripts)
    assert found.cut == (whole.size > most)


@given(st.lists(MARKUP, max_size=6), st.integers(1, 600))
def test_repeated_markup(parts, times):
    read_soundly("".join(part * times for part in parts)[:20_000])


@pytest.mark.parametrize("page", PAGES)
def test_every_beginning_of_a_page(page):
    for end in range(len(page) + 1):
        read_soundly(page[:end])


HOSTILE = {
    "comments": "<!--",
    "ends of comments": "<!--x--!-",
    "instructions": "<?",
    "declarations": "<!",
    "sections": "<svg><![CDATA[",
    "less-than signs": "<",
    "end tags": "</",
    "unclosed tags": "<a ",
    "attributes": "<a b=<",
    "attribute names": "<a" + " b<",
    "equals signs": "<a ==",
    "spaces": "<a b         ",
    "quotes": "<a b='\"",
    "ampersands": "&",
    "numbers": "&#1",
    "names of references": "&notinvaf",
    "scripts": "<script>",
    "escaped scripts": "<script><!--<script",
    "ends of scripts": "<script><!--<script></script",
    "titles": "<title></titl",
    "deep elements": "<div>",
    "deep lists": "<ul><li>",
    "headings": "<section><h2>",
    "paragraphs": "<p>a",
    "links": "<a>a",
    "links around blocks": "<a><div>",
    "tables": "<table><td>",
    "cells": "<td>",
    "ends without start": "</b>a",
    "ends that blocks stop": "<b><p></b>",
    "ends of paragraphs": "<p><button></p>",
    "flat elements": "<x><y>",
    "heads": "<head> \0",
    "line ends": "\r",
}
DEEP = "<p><button>" + "<b><div>" * 250 + "<i>" * 20


@pytest.mark.parametrize("read", [tokens, elements])
@pytest.mark.parametrize("before", ["", DEEP], ids=["", "deep"])
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_work_is_linear(read, before, part):
    start, once, twice = (read(before + part * times).work for times in (0, 500, 1000))
    assert twice - start <= 2 * (once - start) + 3000
    assert once - start <= 40 * 500 * len(part) + 5000


@pytest.mark.parametrize("read", [tokens, elements])
def test_work_is_linear_for_many_names(read):
    def page(count: int) -> str:
        attributes = " ".join(f"a{number}=1" for number in range(count))
        return f"<a {attributes}>" + "".join(
            f"<x{number}></x{number // 2}>" for number in range(count)
        )

    once, twice = (read(page(count)).work for count in (500, 1000))
    assert twice <= 2.3 * once  # the numbers become longer


@pytest.mark.parametrize(
    ("html", "kind", "count"),
    [
        ("<table>" + "<tr><td rowspan=9999 colspan=9999>a" * 100_000, "row", 100_000),
        ("<table><tr>" + "<td rowspan=2>a" * 100_000 + "<tr><td>b", "row", 2),
        ("<table><tr><td>a" * 100_000, "table", 171),  # deeper ones are empty elements
        ("<p><b>a</b><p>b" * 100_000, "label", 100_000),
        ("<div><b>a</b>" * 100_000, "label", 1),  # the last that is not too deep
        ("<dl>" + "<dt>a<dd>b" * 100_000, "definition", 100_000),
    ],
)
def test_many_rows_cells_labels_and_terms(html, kind, count):
    found = reading(html.encode(), 10**7)
    assert found.kinds.count(KINDS.index(kind)) == count
    assert found.digest == text_digest(Outline.of(found, Identity(), ()), b"")
