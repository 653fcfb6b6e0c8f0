"""A site for copies: whole pages with navigation, date and footer around the text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.synthesis import Paragraph

_SITE = "The Reading Room"
_LINKS = ("Home", "All pages", "By subject", "Newest", "Search", "About us")


def page_html(paragraphs: Sequence[Paragraph], date: str, language: str = "") -> str:
    """Return a whole page of the site; a heading at the beginning is its title.

    >>> from lab.synthesis.sources import paragraph_of
    >>> html = page_html([paragraph_of("Tea", heading=True), paragraph_of("Boil it.")], "3 May")
    >>> "<title>Tea – The Reading Room</title>" in html, "<p>Boil it.</p>" in html
    (True, True)
    """
    title, top, rest = _SITE, "", list(paragraphs)
    if rest and rest[0].heading:
        heading = escape(rest.pop(0).text)
        title, top = f"{heading} – {_SITE}", f"<h1>{heading}</h1>\n"
    body = "\n".join(
        f"<h2>{escape(one.text)}</h2>" if one.heading else f"<p>{escape(one.text)}</p>"
        for one in rest
    )
    links = "".join(f'<li><a href="/{place}">{name}</a></li>' for place, name in enumerate(_LINKS))
    lang = f' lang="{escape(language)}"' if language else ""
    return f"""<!DOCTYPE html>
<html{lang}>
<head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="/style.css"></head>
<body>
<header><a href="/">{_SITE}</a><nav><ul>{links}</ul></nav></header>
<main><article>
{top}<p class="date">Last changed on {escape(date)}</p>
{body}
</article></main>
<aside><h2>More to read</h2><ul>{links}</ul></aside>
<footer><p>{_SITE} is kept by volunteers. Write to us if a page is out of date.</p></footer>
</body>
</html>
"""
