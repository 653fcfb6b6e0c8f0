"""What goes wrong on the web: encodings that lie or are not told, markup that is broken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_CHARSET = re.compile(r'<meta charset="utf-8">|(?<=text/html); charset=utf-8', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a page is written, and what is said about that."""

    name: str
    codec: str
    header: str = ""
    """What the HTTP header says."""
    declared: bool = False
    """Whether the page says that it is UTF-8."""

    @property
    def content_type(self) -> str:
        return f"text/html; charset={self.header}" if self.header else "text/html"

    def encode(self, html: str) -> bytes:
        if not self.declared:
            html = _CHARSET.sub("", html)
        return html.encode(self.codec, "xmlcharrefreplace")


ENCODINGS = {
    "«»": (
        Encoding("latin-1 declared as utf-8", "latin-1", "utf-8", declared=True),
        Encoding("utf-8 not declared", "utf-8"),
        Encoding("latin-1 not declared", "latin-1"),
        Encoding("utf-16 with a mark", "utf-16"),
    ),
    "“”": (
        Encoding("windows-1252", "cp1252", "windows-1252"),
        Encoding("windows-1252 declared as latin-1", "cp1252", "iso-8859-1"),
        Encoding("utf-8 not declared", "utf-8"),
        Encoding("utf-16 with a mark", "utf-16"),
    ),
}
"""By the quotes that a text is set with; each can be written in all of these."""


def broken(html: str, rng: random.Random) -> str:
    """Break the markup of a page in several ways, all of which browsers forgive."""
    ways = [_unclosed, _stray, _quotes, _nested, _careless]
    for way in rng.sample(ways, rng.randint(3, len(ways))):
        html = way(html)
    return html


def _unclosed(html: str) -> str:
    return re.sub(r"(?i)</(p|li|td|tr|body|html)>", "", html)


def _stray(html: str) -> str:
    html = html.replace("</pre>", "</pre></span></div2>").replace("</h2>", "</h2></b></font>")
    return html.replace("<p>", "</em><p>")


def _quotes(html: str) -> str:
    html = html.replace(
        "<h2>",
        """<h2 title="it's > all" data-a='say "no"' data-b=a"b onclick=go('x') / checked = >""",
    )
    return html.replace('href="/"', "href='/' href=//").replace('lang="en"', "lang=en'")


def _nested(html: str) -> str:
    return re.sub(
        r"(?is)(<h1>.*?</h1>)",
        r"<table><tr><td><table><table><tr><td>\1</table></td></tr></table>",
        html,
        count=1,
    )


def _careless(html: str) -> str:
    html = html.replace("</h1>", "</H2>", 1).replace("<p>", "<P ><!-- -- text -- >--><b><i>", 1)
    return html.replace(". ", ".&nbsp ").replace("</b></i>", "</i></b>")
