"""A site for copies: whole pages with navigation, date and footer around the text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.lab.synthesis import Paragraph

_SITE = "The Reading Room"
_LINKS = ("Home", "All pages", "By subject", "Newest", "Search", "About us")
_TITLE = 80  # characters


def page_html(paragraphs: Sequence[Paragraph], date: str, language: str = "") -> str:
    """Return a whole page of the site; the first heading is its title.

    >>> from dedup_middleware.lab.synthesis.sources import paragraph_of
    >>> html = page_html([paragraph_of("Tea", heading=True), paragraph_of("Boil it.")], "3 May")
    >>> "<title>Tea – The Reading Room</title>" in html, "<p>Boil it.</p>" in html
    (True, True)
    """
    title, rest = "", list(paragraphs)
    if rest and rest[0].heading:
        title = rest.pop(0).text
    body = "\n".join(
        f"<h2>{escape(one.text)}</h2>" if one.heading else f"<p>{escape(one.text)}</p>"
        for one in rest
    )
    links = "".join(f'<li><a href="/{place}">{name}</a></li>' for place, name in enumerate(_LINKS))
    lang = f' lang="{escape(language)}"' if language else ""
    return f"""<!DOCTYPE html>
<html{lang}>
<head><meta charset="utf-8"><title>{escape(title[:_TITLE])} – {_SITE}</title>
<link rel="stylesheet" href="/style.css"></head>
<body>
<header><a href="/">{_SITE}</a><nav><ul>{links}</ul></nav></header>
<main><article>
<h1>{escape(title)}</h1>
<p class="date">Last changed on {escape(date)}</p>
{body}
</article></main>
<aside><h2>More to read</h2><ul>{links}</ul></aside>
<footer><p>{_SITE} is kept by volunteers. Write to us if a page is out of date.</p></footer>
</body>
</html>
"""
