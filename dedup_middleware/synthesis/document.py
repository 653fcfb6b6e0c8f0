"""Paragraphs → an HTML page, in a plain template."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .source import Paragraph

_TITLE = 60  # characters


def to_html(paragraphs: Sequence[Paragraph], language: str = "") -> str:
    """Write a page whose main text is these paragraphs, and nothing else.

    >>> from .source import paragraph_of
    >>> print(to_html([paragraph_of("Tea & rum", heading=True), paragraph_of("Boil it.")], "en"))
    <!DOCTYPE html>
    <html lang="en">
    <head><meta charset="utf-8"><title>Tea &amp; rum</title></head>
    <body><main>
    <h2>Tea &amp; rum</h2>
    <p>Boil it.</p>
    </main></body>
    </html>
    <BLANKLINE>
    """
    lang = f' lang="{escape(language)}"' if language else ""
    # a title of its own would be text that no count knows of, in whatever reads titles
    title = escape(_shortened(paragraphs[0].text)) if paragraphs else ""
    body = "".join(
        f"<h2>{escape(one.text)}</h2>\n" if one.heading else f"<p>{escape(one.text)}</p>\n"
        for one in paragraphs
    )
    return (
        f"<!DOCTYPE html>\n<html{lang}>\n"
        f'<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body><main>\n{body}</main></body>\n</html>\n"
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE else text[:_TITLE].rpartition(" ")[0] or text[:_TITLE]
