"""The second reader: BeautifulSoup, for pages that libxml2 fails on or loses text of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from bs4.element import PageElement

# It needs about 15 µs and 700 bytes a tag.
MOST_CHARACTERS = 2_000_000
MOST_TAGS = 300_000

_NAMES = "script|style|title|textarea|xmp|iframe|noembed|plaintext"
_RAW = re.compile(rf"<({_NAMES})\b[^<>]*>", re.IGNORECASE)
_RAW_END = re.compile(rf"</({_NAMES})\b", re.IGNORECASE)
_XML_NAME = re.compile(r"[a-z_][\w.-]*", re.ASCII)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CODE = re.compile(r"[^<]*(?:<(?![a-z/!])[^<]*)*", re.IGNORECASE)


def lenient_tree(html: str) -> etree._Element:
    """Return the tree of a page as BeautifulSoup reads it."""
    # 150 ms, and hardly ever needed
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, PreformattedString, Tag

    soup = BeautifulSoup(repair(html), "html.parser")
    root = etree.Element("html")
    open_tags: list[tuple[PageElement, etree._Element]] = [(soup, root)]
    node: PageElement | None = soup.contents[0] if soup.contents else None
    while node is not None:  # no recursion: pages nest a hundred thousand deep
        while len(open_tags) > 1 and node.parent is not open_tags[-1][0]:
            open_tags.pop()
        around = open_tags[-1][1]
        if isinstance(node, Tag):
            name = node.name.lower()
            # noframes is raw text to libxml2, so only this reader can look inside
            name = "noscript" if name == "noframes" else name
            inner = root if name == "html" else etree.SubElement(around, _name(name, "span"))
            for key, value in node.attrs.items():
                inner.set(_name(key.lower(), "x"), _valid(_joined(value)))
            open_tags.append((node, inner))
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            _append(around, _valid(node))
        node = node.next_element
    return root


def _append(element: etree._Element, text: str) -> None:
    last = element[-1] if len(element) else None
    if last is None:
        element.text = (element.text or "") + text
    else:
        last.tail = (last.tail or "") + text


def _name(name: str, otherwise: str) -> str:
    return name if _XML_NAME.fullmatch(name) else otherwise


def _valid(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text) if _NOT_XML.search(text) else text


def repair(html: str) -> str:
    """Remove the begin of what never ends: a comment, a script, a title that swallows the page."""
    start = html.rfind("<!--")
    if start >= 0 and html.find("-->", start) < 0:
        html = html[:start] + html[start + 4 :]
    last_ends = {found[1].lower(): found.start() for found in _RAW_END.finditer(html)}
    parts: list[str] = []
    at = 0
    for found in _RAW.finditer(html):
        name = found[1].lower()
        if found.start() < at or found.end() <= last_ends.get(name, -1):
            continue
        parts.append(html[at : found.start()])
        at = found.end()
        if name in ("script", "style"):
            code = _CODE.match(html, at)
            at = code.end() if code else at
    return "".join((*parts, html[at:]))


def swallows(html: str) -> bool:
    """Return True if something begins that never ends, or the page consists of frames."""
    return "<frameset" in html.lower() or repair(html) != html


def bounded(html: str) -> tuple[str, tuple[str, ...]]:
    """Return as much of a page as this reader can take, and what was cut."""
    end = min(len(html), MOST_CHARACTERS)
    if html.count("<", 0, end) > MOST_TAGS:
        for count, found in enumerate(re.finditer("<", html)):
            if count == MOST_TAGS:
                end = found.start()
                break
    if end == len(html):
        return html, ()
    return html[:end], (f"HTML cut after {end:,} of {len(html):,} characters by the second reader",)


def _joined(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
