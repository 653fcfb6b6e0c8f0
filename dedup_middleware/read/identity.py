"""Identity: what a page says it is, in title, main heading, language, URLs and metadata.

The declarations are found here and, with the same result, in `native/src/identity.rs`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from .tags import FRAME
from .tree import Element

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1_000  # characters of a name that are kept
LONGEST_URL = 4_000  # a longer one names nothing
_LONGEST_VALUE = 4 * LONGEST  # characters that are looked at
_MOST_JSON = 1 << 16  # characters of a JSON-LD block that are searched
_MOST_BLOCKS = 10
_HEADLINE = re.compile(r'"headline"[\t\n\r ]*:[\t\n\r ]*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_PLAIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?:/[\w.~%+,=&:@/-]*)?", re.ASCII)


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

    @property
    def address(self) -> str | None:
        """What the page says its URL is."""
        return self.canonical or self.og_url


class Declared(NamedTuple):
    """What a page declares about itself; names are bounded, URLs and JSON as they were found."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    og_url: str = ""
    og_title: str = ""
    headlines: tuple[str, ...] = ()
    """In JSON."""

    def identity(self, url: str, heading: str) -> Identity:
        """Return the identity of the page at a URL with a main heading."""
        canonical, og_url = self._absolute(url, self.canonical), self._absolute(url, self.og_url)
        headline = bounded(next(filter(None, map(_from_json, self.headlines)), ""))
        names = self.title, heading, self.language, canonical, og_url, self.og_title, headline
        return Identity(*names)

    def _absolute(self, url: str, target: str) -> str | None:
        target = target.strip()
        if not target or len(target) > LONGEST_URL:
            return None
        if not self.base and _PLAIN.fullmatch(target) and _PLAIN.fullmatch(url):
            return target  # as nearly all are: absolute, with nothing to change
        try:
            target = urljoin(urljoin(url, self.base.strip()), target)
            valid = urlsplit(target).scheme in ("http", "https") and len(target) <= LONGEST_URL
        except ValueError:
            return None
        return target if valid else None


def declared(page: Element) -> Declared:
    """Return what a page declares in its head, or misplaced in its body: the first of each."""
    found: dict[str, str] = {}
    for element in _tops(page):
        name, value = _declaration(element)
        if name:
            found.setdefault(name, value[: _LONGEST_VALUE + 1])
    get = found.get
    return Declared(
        title=bounded(get("title", "")),
        language=bounded(get("lang") or get("xml:lang") or get("language", "")),
        canonical=get("canonical", ""),
        base=get("base", ""),
        og_url=get("og:url", ""),
        og_title=bounded(get("og:title", "")),
        headlines=tuple(_headlines(page)),
    )


def _tops(page: Element) -> Iterator[Element]:
    """Go through the elements that stand in nothing but html, head and body."""
    stack = [iter(page.children)]
    while stack:
        for child in stack[-1]:
            if isinstance(child, Element):
                yield child
                if child.tag in FRAME:
                    stack.append(iter(child.children))
                    break
        else:
            stack.pop()


def _declaration(element: Element) -> tuple[str, str]:
    """Return what an element declares, and its value."""
    get, has = element.get, element.attributes
    name = value = ""
    match element.tag:
        case "title":
            name = "title"
            value = "".join(text for text in element.children if isinstance(text, str))
        case "link" if "canonical" in get("rel").lower() and "href" in has:
            name, value = "canonical", get("href")
        case "base" if "href" in has:
            name, value = "base", get("href")
        case "meta" if get("property") in ("og:url", "og:title") and "content" in has:
            name, value = get("property"), get("content")
        case "meta" if get("http-equiv").lower() == "content-language" and "content" in has:
            name, value = "language", get("content")
        case "html":
            name = "lang" if get("lang") else "xml:lang"
            value = get(name)
    return name, value


def _headlines(page: Element) -> Iterator[str]:
    """Find the first headline of each block of JSON-LD, as it stands there."""
    blocks = 0
    for element in page.elements():
        if element.tag == "script" and "ld+json" in element.get("type").lower():
            blocks += 1
            if blocks > _MOST_BLOCKS:
                return
            text = "".join(text for text in element.children if isinstance(text, str))
            found = _HEADLINE.search(text[:_MOST_JSON])
            if found:
                yield found[1]


def _from_json(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return ""


def bounded(text: str) -> str:
    """Fold the white space of a name, and cut it."""
    return " ".join(text[:_LONGEST_VALUE].split())[:LONGEST].rstrip()
