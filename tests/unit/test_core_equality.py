"""The compiled core and its twins in Python give the same answers, and their work is linear."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dedup_middleware.read import compiled
from dedup_middleware.read.elements import elements
from dedup_middleware.read.reading import reading
from dedup_middleware.read.tokens import joined_surrogates, tokens
from tests.support.markup import (
    MARKUP,
    NESTERS,
    PAGES,
    TOKENIZERS,
    damaged_pages,
    needs_core,
)


def assert_equal(html: str) -> None:
    assert compiled.tokens(html).events == tokens(html).events
    assert compiled.elements(html).events == elements(html).events
    source = joined_surrogates(html).encode()
    assert compiled.reading(source, 10**6).unpacked() == reading(source, 10**6)


def assert_equal_readings(html: str, most: int, *, styles: bool, scripts: bool) -> None:
    source = joined_surrogates(html).encode()
    found = compiled.reading(source, most, styles=styles, scripts=scripts)
    assert found.unpacked() == reading(source, most, styles=styles, scripts=scripts)


@needs_core
@given(MARKUP)
@example('<style>*{color:#fff}</style><title>a</title><script type=ld+json>"headline":"b"</script>')
def test_random_markup(html):
    assert_equal(html)


@needs_core
@given(damaged_pages())
def test_damaged_pages(html):
    assert_equal(html)


@needs_core
@given(st.text())
def test_random_text(html):
    assert_equal(html)


@needs_core
@given(damaged_pages(), st.integers(0, 400), st.booleans(), st.booleans())
def test_readings(html, most, styles, scripts):
    assert_equal_readings(html, most, styles=styles, scripts=scripts)


@needs_core
@given(st.lists(MARKUP, max_size=6), st.integers(1, 600))
def test_repeated_markup(parts, times):
    assert_equal("".join(part * times for part in parts)[:20_000])


@needs_core
@pytest.mark.parametrize("page", PAGES)
def test_every_beginning_of_a_page(page):
    for end in range(len(page) + 1):
        assert_equal(page[:end])


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


@pytest.mark.parametrize("read", [*TOKENIZERS, *NESTERS])
@pytest.mark.parametrize("before", ["", DEEP], ids=["", "deep"])
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_work_is_linear(read, before, part):
    start, once, twice = (read(before + part * times).work for times in (0, 500, 1000))
    assert twice - start <= 2 * (once - start) + 3000
    assert once - start <= 40 * 500 * len(part) + 5000


@pytest.mark.parametrize("read", [*TOKENIZERS, *NESTERS])
def test_work_is_linear_for_many_names(read):
    def page(count: int) -> str:
        attributes = " ".join(f"a{number}=1" for number in range(count))
        return f"<a {attributes}>" + "".join(
            f"<x{number}></x{number // 2}>" for number in range(count)
        )

    once, twice = (read(page(count)).work for count in (500, 1000))
    assert twice <= 2.3 * once  # the numbers become longer
