"""The second reader: BeautifulSoup, for pages that libxml2 fails on or loses text of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .identity import Declared, declared_in_soup
from .walkers import marks_around

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

# It needs about 15 µs and 700 bytes a tag.
MOST_CHARACTERS = 2_000_000
MOST_TAGS = 300_000

_NAMES = "script|style|title|textarea|xmp|iframe|noembed|plaintext"
_RAW = re.compile(rf"<({_NAMES})\b[^<>]*>", re.IGNORECASE)
_RAW_END = re.compile(rf"</({_NAMES})\b", re.IGNORECASE)
_CODE = re.compile(r"[^<]*(?:<(?![a-z/!])[^<]*)*", re.IGNORECASE)


def lenient_stream(html: str) -> tuple[str, Declared, tuple[str, ...]]:
    """Return mark stream and declarations of a page as BeautifulSoup reads it, and what was cut."""
    # 150 ms, and hardly ever needed
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, PreformattedString, Tag

    html, cut = _bounded(html)
    soup = BeautifulSoup(repair(html), "html.parser")
    parts: list[str] = []
    open_tags: list[tuple[PageElement, str]] = [(soup, "")]
    skipped: Tag | None = None
    node: PageElement | None = soup.contents[0] if soup.contents else None
    while node is not None:  # no recursion: pages nest a hundred thousand deep
        while len(open_tags) > 1 and node.parent is not open_tags[-1][0]:
            tag, end = open_tags.pop()
            parts.append(end)
            if tag is skipped:
                skipped = None
        if isinstance(node, Tag):
            after: str | None = ""
            if skipped is None:
                attributes = {key: _joined(value) for key, value in node.attrs.items()}
                name = node.name.lower()
                # noframes is raw text to libxml2, so only this reader can look inside
                before, after = marks_around("noscript" if name == "noframes" else name, attributes)
                parts.append(before)
                if after is None:
                    skipped = node
            open_tags.append((node, after or ""))
        elif (
            skipped is None
            and isinstance(node, NavigableString)
            and not isinstance(node, PreformattedString)
        ):
            parts.append(node)
        node = node.next_element
    parts.extend(end for _, end in reversed(open_tags))
    return "".join(parts), declared_in_soup(soup, html), cut


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


def _bounded(html: str) -> tuple[str, tuple[str, ...]]:
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
