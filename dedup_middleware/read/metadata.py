"""What a page says about itself: title, language, canonical address."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree

from .marks import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4 import BeautifulSoup


class Facts(NamedTuple):
    """As the page has it, unchecked."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""

    def absolute_canonical(self, url: str) -> str | None:
        """Return the canonical address, None if there is none or it is none."""
        if not self.canonical.strip():
            return None
        try:
            target = urljoin(urljoin(url, self.base.strip()), self.canonical.strip())
            return target if urlsplit(target).scheme in ("http", "https") else None
        except ValueError:
            return None


def facts_of(root: etree._Element) -> Facts:
    """Return the facts that stand in a tree's head, or lost in its body."""
    namespaced = isinstance(root.tag, str) and root.tag[:1] == "{"
    found = str((_in_namespace if namespaced else _in_html)(root))
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


def _expression(name: str) -> etree.XPath:
    """Return one expression for all facts: each call costs more than what it looks for."""

    def tag(wanted: str) -> str:
        return name.format(wanted)

    parts = (
        f"/*/*/{tag('title')}",
        f"/*/*/{tag('link')}[contains(@rel, 'anonical')]/@href",
        f"/*/*/{tag('base')}/@href",
        "/*/@xml:lang",
        f"/*/*/{tag('meta')}[contains(@http-equiv, 'anguage')]/@content",
    )
    return etree.XPath("concat(" + f", '{END}', ".join(f"string({part})" for part in parts) + ")")


_in_html = _expression("{}")
_in_namespace = _expression("*[local-name() = '{}']")
