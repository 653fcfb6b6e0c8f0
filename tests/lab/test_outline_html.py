"""Outlines as HTML that reads as the same outline."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.methods import Document
from dedup_middleware.read import Identity, read
from lab.judge.outline_html import render
from tests.support.texts import article, html


def same_outline(first, second) -> None:
    assert second.texts == first.texts
    assert second.boilerplate == first.boilerplate
    assert second.kinds == first.kinds
    assert second.parents == first.parents
    assert (second.title, second.language) == (first.title, first.language)


BLOCKS = "p h1 h2 h3 li td dt dd blockquote pre address figcaption nav footer div section".split()
BLOCKS += "article ul ol dl table aside header form".split()


@st.composite
def markup(draw, depth: int = 3) -> str:
    """HTML of nested blocks, boilerplate among them, some of it in odd places."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        tag = draw(st.sampled_from(BLOCKS))
        word = f"{draw(st.sampled_from('tide boat harbour ice'.split()))} &lt;i> &amp; word."
        inner = draw(markup(depth - 1)) if depth and draw(st.booleans()) else ""
        parts.append(f"<{tag}>{word * draw(st.integers(0, 2))}{inner}</{tag}>")
    return "".join(parts)


@given(markup())
@example("<dt>tide.</dt><aside><dd>boat.</dd></aside>")
@example("<dt><p>tide.</p><aside>boat.</aside></dt><dd>ice.</dd>")
def test_a_page_reads_the_same_when_it_was_rendered(body):
    outline = read(Page(url="a", html=f"<title>T</title><main>{body}</main><p>Some main text."))
    again = read(Page(url="a", html=render(outline)))
    assert again.text == outline.text
    assert again.main == outline.main


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cn", "Cs")), max_size=30)))
def test_a_text_has_the_same_words_when_it_was_rendered(parts):
    document = Document.of_text("a", "\n\n".join(parts))
    again = Document.of(Page(url="a", html=render(document.outline)))
    assert again.words == document.words


@pytest.mark.parametrize("site", ["plain", "news"])
def test_a_real_page_is_rendered_with_its_boilerplate(site):
    parts = article(7)
    source = html(parts, "Seven <i>&amp;</i> 8", site).replace(
        "</p>", "</p><ul><li>One<ul><li>One and a half</ul><li>Two</ul><pre>x &lt; y</pre>", 2
    )
    outline = read(Page(url="a", html=source))
    assert any(outline.boilerplate) == (site == "news")
    same_outline(outline, read(Page(url="a", html=render(outline))))


def test_more_text_of_an_item_stays_before_its_list():
    source = "<ul><li>One<p>more of one<ul><li>inner</ul>after<li>Two</ul><p>End of it."
    outline = read(Page(url="a", html=source))
    same_outline(outline, read(Page(url="a", html=render(outline))))


def test_hostile_text_does_not_become_markup():
    bad = "</p><script>x()</script><!-- \x1b[2J \u202e \x00 \ufdd0p\ufdd1 \ud800 \x9b --> &lt; ok"
    outline = replace(
        read(Page(url="a", text=f"{bad}\n\nAnother paragraph.")),
        identity=Identity(title=f"</title>{bad}", language='en"><b>'),
    )
    source = render(outline)
    assert "<script" not in source
    assert "<b>" not in source
    again = read(Page(url="a", html=source))
    assert again.texts[0].startswith("</p><script>x()</script><!-- ")
    assert again.texts[-1] == "Another paragraph."
    assert again.language == 'en"><b>'
    json.loads(json.dumps(source))


def test_a_page_that_is_deep_keeps_its_words():
    source = "<ul><li>item " * 600 + "<h2>end</h2>"
    outline = read(Page(url="a", html=source))
    again = read(Page(url="a", html=render(outline)))
    assert again.text.split() == outline.text.split()
