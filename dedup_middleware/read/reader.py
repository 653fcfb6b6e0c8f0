"""Page → Outline: decoding, parsing and building, with a second reader for broken pages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lxml import etree

from .build import build
from .decode import to_utf8
from .identity import Declared, declared
from .lenient import lenient_stream, swallows
from .marks import ATTRIBUTE, ATTRIBUTED_BLOCKS, CLOSE_BLOCK, END, OPEN, SKIPPED, VOID
from .walkers import is_deep, transform, walk

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .outline import Outline


# their attributes are always read, or they have no text
_IGNORED = frozenset(name.encode() for name in ATTRIBUTED_BLOCKS | SKIPPED | VOID)
_TAG: Final = re.compile(rb"<([a-z][a-z0-9-]*)[\s/]", re.IGNORECASE)
_HIDES: Final = re.compile(rb"none|hidden", re.IGNORECASE)
_VALUE: Final = re.compile(rb"\s*(?:\"[^\"]*|'[^']*|[^\s>]*)")
_BEFORE: Final = frozenset(b" \t\r\n\f\"'/")
_AFTER: Final = b" \t\r\n\f=/>"
_WORDS: Final = (b"style=", b"hidden")
# each costs a search through the whole page
_ALL_WORDS: Final = (*_WORDS, b"STYLE=", b"Style=", b"HIDDEN", b"Hidden", b"style =")


def may_hide(html: str | bytes) -> bool:
    """Return True if an element may be hidden by an attribute that is not always read."""
    source = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    words = _WORDS if b"<body" in source else _ALL_WORDS
    return b"\0" in source[:64] or any(_hides(source, word) for word in words)  # \0: UTF-16


def _hides(source: bytes, word: bytes) -> bool:
    style = word.endswith(b"=")
    at = source.find(word)
    while at >= 0:
        end = at + len(word)
        if source[at - 1] in _BEFORE and (
            _hides_by_style(source, end) if style else source[end : end + 1] in _AFTER
        ):
            start = source.rfind(b"<", 0, at)
            tag = _TAG.match(source, start) if start >= 0 else None
            if tag is None or tag[1].lower() not in _IGNORED:
                return True
        at = source.find(word, end)
    return False


def _hides_by_style(source: bytes, at: int) -> bool:
    value = _VALUE.match(source, at)
    return bool(value and _HIDES.search(value[0]))


# libxml2 stops here and drops the rest silently
_DEPTH_OF_LIBXML2 = 2048
_LITTLE_TEXT = 200
_FEW_WORDS = 20  # of main text that a page has before its scripts make it up
# React sends late parts in hidden elements, which a script puts where their placeholders are.
_PLACEHOLDER = b'<template id="B:'
_STREAMED = re.compile(f"{OPEN}div[^{END}]*{ATTRIBUTE}iS:[0-9a-f]+(?:{ATTRIBUTE}[^{END}]*)?{END}")
_HIDDEN_ATTRIBUTE = re.compile(f"{ATTRIBUTE}h[^{ATTRIBUTE}{END}]*")
_BLANK_LINES = re.compile(r"\n\s*\n")


class UnreadablePage(ValueError):
    """Neither reader could make sense of the page."""

    def __init__(self, url: str) -> None:
        super().__init__(f"Can't read {url}: both lxml and BeautifulSoup failed on its HTML")
        self.url = url


def read(page: Page, *, max_html: int = 8 << 20, max_text: int = 2_000_000) -> Outline:
    """Return the outline of a page.

    >>> from dedup_middleware.page import Page
    >>> outline = read(Page(url="https://example.org/", html="<h1>Tea</h1><p>Boil <b>w</b>ater."))
    >>> [(node.kind, node.parent, node.text) for node in outline.nodes]
    [('heading', -1, 'Tea'), ('text', 0, 'Boil water.')]
    """
    if page.html is None:
        paragraphs = _BLANK_LINES.split((page.text or "").replace("\r\n", "\n"))
        return build(CLOSE_BLOCK.join(paragraphs), Declared(), page.url, max_text)
    source, cut = to_utf8(page.html, page.encoding, max_html)
    root = _parse(source)
    outline = None if root is None else _outline(root, source, page, max_text)
    if outline is None or _has_little_text(outline):
        outline = _second_reading(outline, source.decode(), page.url, max_text)
    return replace(outline, cut=cut + outline.cut) if cut else outline


def _parse(source: bytes) -> etree._Element | None:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    try:
        return etree.fromstring(source, parser)
    except (etree.LxmlError, ValueError):
        return None


def _outline(root: etree._Element, source: bytes, page: Page, max_text: int) -> Outline | None:
    """Return the outline of a tree; None if the tree was cut by libxml2."""
    try:
        if is_deep(root):
            stream, depth = walk(root)
            if depth == _DEPTH_OF_LIBXML2:
                return None
        else:
            stream = transform(root, all_attributes=may_hide(page.html or ""))
        found = declared(root, source)
    except (etree.LxmlError, ValueError):
        return None
    if _PLACEHOLDER in source:
        stream = _STREAMED.sub(_shown, stream)
    return _build(stream, found, page.url, max_text)


def _build(stream: str, found: Declared, url: str, max_text: int) -> Outline:
    outline = build(stream, found, url, max_text)
    mark = f"{OPEN}noscript"
    if mark in stream and len(outline.main.split()) < _FEW_WORDS:
        # what it shows without scripts is better than next to nothing
        shown = build(stream.replace(mark, f"{OPEN}center"), found, url, max_text)
        if len(shown.text) > 2 * len(outline.text):
            return shown
    return outline


def _shown(head: re.Match[str]) -> str:
    return _HIDDEN_ATTRIBUTE.sub("", head[0])


def _has_little_text(outline: Outline) -> bool:
    return len(outline.texts) < _LITTLE_TEXT and sum(map(len, outline.texts)) < _LITTLE_TEXT


def _second_reading(first: Outline | None, html: str, url: str, max_text: int) -> Outline:
    if first is not None and not swallows(html):
        return first
    try:
        stream, found, cut = lenient_stream(html)
        second = _build(stream, found, url, max_text)
    except Exception as error:  # html.parser and what builds on it fail in many ways
        if first is not None:
            return first
        raise UnreadablePage(url) from error
    if first is not None and len(first.text) >= len(second.text):
        return first
    return replace(second, cut=cut + second.cut)
