"""What a page declares about itself: title, language, canonical URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree

from .marks import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4 import BeautifulSoup


class Facts(NamedTuple):
    """As the page declares it, unchecked."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""

    def absolute_canonical(self, url: str) -> str | None:
        """Return the canonical URL, None if there is none or it is invalid."""
        if not self.canonical.strip():
            return None
        try:
            target = urljoin(urljoin(url, self.base.strip()), self.canonical.strip())
            return target if urlsplit(target).scheme in ("http", "https") else None
        except ValueError:
            return None


def facts_of(root: etree._Element) -> Facts:
    """Return the facts in a tree's head, or misplaced in its body."""
    found = str(_facts(root))
    title, canonical, base, language, meta_language = (found.split(END) + [""] * 5)[:5]
    language = language or root.get("lang") or root.get("xml:lang") or meta_language
    return Facts(title, language, canonical, base)


def facts_of_soup(soup: BeautifulSoup) -> Facts:
    """Return the facts of a page that BeautifulSoup has read."""
    title = soup.find("title")
    html = soup.find("html")
    return Facts(
        title=title.get_text() if title else "",
        language=_value(html, "lang") or _value(html, "xml:lang"),
        canonical=_value(soup.find("link", rel="canonical"), "href"),
        base=_value(soup.find("base", href=True), "href"),
    )


def _value(tag: object, name: str) -> str:
    attributes: Mapping[str, object] = getattr(tag, "attrs", None) or {}
    return str(attributes.get(name) or "")


_PATHS = (
    "/*/*/title",
    "/*/*/link[contains(@rel, 'anonical')]/@href",
    "/*/*/base/@href",
    "/*/@xml:lang",
    "/*/*/meta[contains(@http-equiv, 'anguage')]/@content",
)
# one expression for all: a call costs more than a search
_facts = etree.XPath("concat(" + f", '{END}', ".join(f"string({path})" for path in _PATHS) + ")")
