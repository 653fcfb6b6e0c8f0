"""Changes to texts and pages: edits, excerpts, typography, encodings, broken markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .texts import Paragraph, Section, Text

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_FILLERS = "also usually however today mostly often simply currently always rather".split()
_OTHERS = "value thing place part kind case piece step result entry".split()
_EDITED = 0.6  # of the paragraphs
_PER_WORDS = 45
_LEAST, _MOST = 0.30, 0.60
_LEAST_WORDS = 80
_CHARSET = re.compile(r'<meta charset="utf-8">|(?<=text/html); charset=utf-8', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a page is encoded, and what header and page declare."""

    name: str
    codec: str
    header: str = ""
    """The charset in the HTTP header."""
    declared: bool = False
    """Whether the page declares UTF-8."""

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
"""By the quotation marks of a text, which all of the encodings can represent."""


def edit(text: Text, rng: random.Random) -> Text:
    """Change, add or remove a few words per paragraph."""

    def change(paragraph: Paragraph) -> Paragraph:
        if paragraph.code or rng.random() > _EDITED:
            return paragraph
        words = paragraph.text.split()
        for _ in range(1 + len(words) // _PER_WORDS):
            at = rng.randrange(len(words))
            words[at : at + 1] = rng.choice(
                ([rng.choice(_OTHERS)], [words[at], rng.choice(_FILLERS)], [])
            )
        return Paragraph(" ".join(words))

    return _each(text, change)


def excerpt(text: Text, rng: random.Random) -> tuple[Section, ...]:
    """Return 30 to 60 % of a text, consecutive paragraphs; nothing if there is no such part."""
    pieces = [
        (section.name, paragraph) for section in text.sections for paragraph in section.paragraphs
    ]
    wanted = max(rng.uniform(_LEAST, _MOST) * text.words, _LEAST_WORDS)
    for start in rng.sample(range(len(pieces)), len(pieces)):
        taken: list[tuple[str, Paragraph]] = []
        size = 0
        for name, paragraph in pieces[start:]:
            if (size + paragraph.words) > _MOST * text.words:
                break
            size += paragraph.words
            taken.append((name, paragraph))
            if size >= wanted:
                break
        if size >= max(_LEAST * text.words, _LEAST_WORDS):
            names = dict.fromkeys(name for name, _ in taken)
            return tuple(
                Section(name, tuple(one for owner, one in taken if owner == name)) for name in names
            )
    return ()


def typeset(text: Text, quotes: str) -> Text:
    """Replace straight quotes by the given opening and closing quotation marks."""
    opening, closing = quotes[0], quotes[1]

    def change(paragraph: Paragraph) -> Paragraph:
        if paragraph.code:
            return paragraph
        words = re.sub(
            r"""["'`]{1,2}(\w[^"'`]*)["'`]{1,2}""", rf"{opening}\1{closing}", paragraph.text
        )
        return replace(paragraph, text=words)

    return _each(text, change)


def break_markup(html: str, rng: random.Random) -> str:
    """Break the markup of a page in several ways, all of which browsers tolerate."""
    ways = [_unclosed, _stray, _quotes, _nested, _careless]
    for way in rng.sample(ways, rng.randint(3, len(ways))):
        html = way(html)
    return html


def _each(text: Text, change: Callable[[Paragraph], Paragraph]) -> Text:
    return replace(
        text,
        sections=tuple(
            replace(section, paragraphs=tuple(map(change, section.paragraphs)))
            for section in text.sections
        ),
    )


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
