"""Identity: what a page says it is, in title, main heading, language, URLs and metadata."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree

from .marks import END

LONGEST = 1_000  # characters of a name that are kept
LONGEST_URL = 4_000  # a longer one names nothing
_MOST_JSON = 1 << 16  # bytes of a JSON-LD block that are searched
_MOST_BLOCKS = 10
_JSON = re.compile(rb"<script[^>]{1,500}?ld\+json[^>]{0,500}>", re.IGNORECASE)
_HEADLINE = re.compile(rb'"headline"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Identity:
    """What names a page. Nothing of it is checked, and all of it is cut to a bounded length."""

    title: str = ""
    heading: str = ""
    """The main heading: the first of rank 1 in the main text, else the first of any rank."""
    language: str = ""
    canonical: str | None = None
    og_url: str | None = None
    og_title: str = ""
    headline: str = ""
    """Of the first article in JSON-LD."""


class Declared(NamedTuple):
    """What a page declares about itself, as it was found."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    og_url: str = ""
    og_title: str = ""
    headline: str = ""

    def identity(self, url: str, heading: str) -> Identity:
        """Return the identity of the page at a URL with a main heading."""
        return Identity(
            title=bounded(self.title),
            heading=bounded(heading),
            language=bounded(self.language),
            canonical=self._absolute(url, self.canonical),
            og_url=self._absolute(url, self.og_url),
            og_title=bounded(self.og_title),
            headline=bounded(self.headline),
        )

    def _absolute(self, url: str, target: str) -> str | None:
        target = target.strip()
        if not target or len(target) > LONGEST_URL:
            return None
        try:
            target = urljoin(urljoin(url, self.base.strip()), target)
            valid = urlsplit(target).scheme in ("http", "https") and len(target) <= LONGEST_URL
        except ValueError:
            return None
        return target if valid else None


def declared(root: etree._Element, source: bytes) -> Declared:
    """Return what a page declares in its head, or misplaced in its body."""
    title, canonical, base, og_url, og_title, language, meta_language = (
        *str(_declared(root)).split(END),
        *[""] * len(_PATHS),
    )[: len(_PATHS)]
    language = language or root.get("lang") or root.get("xml:lang") or meta_language
    return Declared(title, language, canonical, base, og_url, og_title, headline(source))


def headline(source: bytes) -> str:
    """Return the first headline in the JSON-LD of a page.

    >>> headline(b'<script type="application/ld+json">{"headline": "Tea"}</script>')
    'Tea'
    """
    if b"ld+json" not in source:
        return ""
    for number, script in enumerate(_JSON.finditer(source)):
        if number == _MOST_BLOCKS:
            break
        end = source.find(b"</script", script.end(), script.end() + _MOST_JSON)
        end = script.end() + _MOST_JSON if end < 0 else end
        found = _HEADLINE.search(source, script.end(), end)
        if found and len(found[1]) <= _MOST_JSON:
            try:
                return str(json.loads(found[1], strict=False))
            except ValueError:
                continue
    return ""


def bounded(text: str) -> str:
    """Fold the white space of a name, and cut it."""
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST].rstrip()


_PATHS = (
    "/*/*/title",
    "/*/*/link[contains(@rel, 'anonical')]/@href",
    "/*/*/base/@href",
    "/*/*/meta[@property = 'og:url']/@content",
    "/*/*/meta[@property = 'og:title']/@content",
    "/*/@xml:lang",
    "/*/*/meta[contains(@http-equiv, 'anguage')]/@content",
)
# one expression for all: a call costs more than a search
_declared = etree.XPath("concat(" + f", '{END}', ".join(f"string({path})" for path in _PATHS) + ")")
