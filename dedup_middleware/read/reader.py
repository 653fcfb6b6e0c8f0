"""Page → Outline: decoding, parsing and building, with a second reader for broken pages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from .build import build
from .decode import to_utf8
from .hidden import hide
from .identity import Declared, declared
from .lenient import bounded, lenient_tree, swallows
from .marks import CLOSE_BLOCK, OPEN
from .walkers import is_deep, transform, walk

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .outline import Outline


# libxml2 stops here and drops the rest silently
_DEPTH_OF_LIBXML2 = 2048
_LITTLE_TEXT = 200
_MUCH_TEXT, _MANY_TIMES = 1_000, 5  # of hidden text, against what is shown
_FEW_WORDS = 20  # of main text that a page has before its scripts make it up
# React sends late parts in hidden elements, which a script puts where their placeholders are.
_PLACEHOLDER = b'<template id="B:'
_LATE_PART = re.compile(r"S:[0-9a-f]+")
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
    outline = None if root is None else _outline(root, source, page.url, max_text)
    if outline is None or _has_little_text(outline):
        outline = _second_reading(outline, source.decode(), page.url, max_text)
    return replace(outline, cut=cut + outline.cut) if cut else outline


def _parse(source: bytes) -> etree._Element | None:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    try:
        return etree.fromstring(source, parser)
    except (etree.LxmlError, ValueError):
        return None


def _outline(
    root: etree._Element, source: bytes, url: str, max_text: int, deepest: int = _DEPTH_OF_LIBXML2
) -> Outline | None:
    """Return the outline of a tree; None if the parser may have cut it."""
    try:
        if _PLACEHOLDER in source:
            _show_late_parts(root)
        hidden = hide(root, source)
        stream, depth = walk(root) if is_deep(root) else (transform(root), 0)
        found = declared(root, source)
    except (etree.LxmlError, ValueError):
        return None
    if depth == deepest:
        return None
    outline = _build(stream, found, url, max_text)
    note = hidden.note(len(outline.text))
    if not note:
        return outline
    waits = hidden.characters > max(_MUCH_TEXT, _MANY_TIMES * len(outline.text))
    whole = _parse(source) if waits else None
    if whole is not None:
        # all of it waits for a script, most likely: it is read, but never compared
        hide(whole, source, styles=False)
        outline = _build(walk(whole)[0], found, url, max_text)
    return replace(outline, cut=(*outline.cut, note))


def _show_late_parts(root: etree._Element) -> None:
    for element in root.iterfind(".//div[@hidden]"):
        if _LATE_PART.fullmatch(element.get("id") or ""):
            del element.attrib["hidden"]


def _build(stream: str, found: Declared, url: str, max_text: int) -> Outline:
    outline = build(stream, found, url, max_text)
    mark = f"{OPEN}noscript"
    if mark in stream and len(outline.main.split()) < _FEW_WORDS:
        # what it shows without scripts is better than next to nothing
        shown = build(stream.replace(mark, f"{OPEN}center"), found, url, max_text)
        if len(shown.text) > 2 * len(outline.text):
            return shown
    return outline


def _has_little_text(outline: Outline) -> bool:
    return len(outline.texts) < _LITTLE_TEXT and sum(map(len, outline.texts)) < _LITTLE_TEXT


def _second_reading(first: Outline | None, html: str, url: str, max_text: int) -> Outline:
    if first is not None and not swallows(html):
        return first
    html, cut = bounded(html)
    try:
        source = html.encode("utf-8", "replace")
        second = _outline(lenient_tree(html), source, url, max_text, deepest=-1)
    except Exception as error:  # html.parser and what builds on it fail in many ways
        if first is not None:
            return first
        raise UnreadablePage(url) from error
    if second is None or (first is not None and len(first.text) >= len(second.text)):
        if first is None:
            raise UnreadablePage(url)
        return first
    return replace(second, cut=cut + second.cut)
