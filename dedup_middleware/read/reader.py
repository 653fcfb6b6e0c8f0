"""Page → Outline: decoding and reading, once more where the first reading shows next to nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.errors import CoreError

from . import compiled
from .blocks import TEXT
from .build import folded
from .decode import to_utf8
from .identity import Identity
from .outline import Outline
from .reading import reading as twin
from .repair import repaired

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .reading import Reading

_LITTLE_TEXT = 200
_MUCH_TEXT, _MANY_TIMES = 1_000, 5  # of hidden text, against what is shown
_FEW_WORDS = 20  # of main text that a page has before its scripts make it up
_BLANK_LINES = re.compile(r"\n\s*\n")


class UnreadablePage(ValueError):
    """The page could not be read."""

    def __init__(self, url: str) -> None:
        super().__init__(f"Can't read {url}: its HTML is beyond the reader")
        self.url = url


def read(page: Page, *, max_html: int = 8 << 20, max_text: int = 2_000_000) -> Outline:
    """Return the outline of a page.

    >>> from dedup_middleware.page import Page
    >>> outline = read(Page(url="https://example.org/", html="<h1>Tea</h1><p>Boil <b>w</b>ater."))
    >>> [(node.kind, node.parent, node.text) for node in outline.nodes]
    [('heading', -1, 'Tea'), ('text', 0, 'Boil water.')]
    """
    if page.html is None:
        return _plain(page.text or "", max_text)
    source, cut = to_utf8(page.html, page.encoding, max_html)
    try:
        outline = _read(source, page.url, max_text)
        if _has_little_text(outline):
            outline = _second_reading(outline, source, page.url, max_text)
    except (CoreError, MemoryError) as error:
        raise UnreadablePage(page.url) from error
    return replace(outline, cut=cut + outline.cut) if cut else outline


def _plain(text: str, max_text: int) -> Outline:
    """Return the outline of a page without markup: its paragraphs."""
    shown = text[:max_text]
    lines = tuple(filter(None, map(folded, _BLANK_LINES.split(shown.replace("\r\n", "\n")))))
    count = len(lines)
    cut = _cut(max_text) if len(shown) < len(text) else ()
    return Outline(Identity(), bytes((TEXT,)) * count, (-1,) * count, bytes(count), lines, cut)


def _read(source: bytes, url: str, max_text: int) -> Outline:
    reading = compiled.reading if core.available() else twin
    found = reading(source, max_text)
    note = found.hidden.note(_size(found))
    if note and found.hidden.characters > max(_MUCH_TEXT, _MANY_TIMES * _size(found)):
        # all of it waits for a script, most likely: it is read, but never compared
        found = reading(source, max_text, styles=False)
    outline = _outline(found, url, max_text, note)
    if found.has_noscript and len(outline.main.split(maxsplit=_FEW_WORDS)) < _FEW_WORDS:
        # what it shows without scripts is better than next to nothing
        shown = reading(source, max_text, scripts=False)
        if _size(shown) > 2 * _size(found):
            return _outline(shown, url, max_text, note)
    return outline


def _outline(found: Reading, url: str, max_text: int, note: str) -> Outline:
    return Outline(
        identity=found.declared.identity(url, found.heading),
        kinds=found.kinds,
        parents=found.parents,
        boilerplate=found.marks,
        texts=found.texts,
        cut=(_cut(max_text) if found.cut else ()) + ((note,) if note else ()),
    )


def _cut(max_text: int) -> tuple[str, ...]:
    return (f"visible text cut after {max_text:,} characters",)


def _size(found: Reading) -> int:
    return sum(map(len, found.texts))


def _has_little_text(outline: Outline) -> bool:
    return len(outline.texts) < _LITTLE_TEXT and sum(map(len, outline.texts)) < _LITTLE_TEXT


def _second_reading(first: Outline, source: bytes, url: str, max_text: int) -> Outline:
    """Read a page without what swallows it, if anything does."""
    html = source.decode()
    other = repaired(html)
    if other == html:
        return first
    second = _read(other.encode(), url, max_text)
    return second if len(second.text) > len(first.text) else first
