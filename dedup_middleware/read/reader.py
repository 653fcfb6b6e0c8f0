"""Page → Outline: decoding and reading, once more where the first reading shows next to nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.errors import CoreError

from . import compiled
from .blocks import TEXT
from .build import folded
from .decode import to_utf8, undecoded
from .identity import Identity
from .outline import Outline
from .packed import Packed
from .reading import reading as twin
from .repair import repaired

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .reading import Reading

    Found = Reading | Packed

_LITTLE_TEXT = 200
_MUCH_TEXT, _MANY_TIMES = 1_000, 5  # of hidden text, against what is shown
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
    try:
        source, first, cut = _decoded(page.html, page.encoding, max_html, max_text)
        found, note = _best(first, source, max_text)
        if len(found.kinds) < _LITTLE_TEXT and found.size < _LITTLE_TEXT:
            found, note = _without_what_swallows(found, note, source, max_text)
    except (CoreError, MemoryError) as error:
        raise UnreadablePage(page.url) from error
    identity = found.declared.identity(page.url, found.heading)
    cut += (_cut(max_text) if found.cut else ()) + ((note,) if note else ())
    if isinstance(found, Packed):
        return Outline.of(found, identity, cut)
    return Outline(identity, found.kinds, found.parents, found.marks, found.texts, cut)


def _plain(text: str, max_text: int) -> Outline:
    """Return the outline of a page without markup: its paragraphs."""
    shown = text[:max_text]
    lines = tuple(filter(None, map(folded, _BLANK_LINES.split(shown.replace("\r\n", "\n")))))
    count = len(lines)
    cut = _cut(max_text) if len(shown) < len(text) else ()
    return Outline(Identity(), bytes((TEXT,)) * count, (-1,) * count, bytes(count), lines, cut)


def _decoded(
    html: str | bytes, encoding: str | None, max_html: int, max_text: int
) -> tuple[bytes, Found, tuple[str, ...]]:
    """Return a page in UTF-8, its first reading, and what was cut."""
    if core.available() and len(html) <= max_html:
        source = undecoded(html, encoding)
        if source is not None:
            try:
                return source, compiled.reading(source, max_text, is_certain=False), ()
            except CoreError:  # perhaps it is not UTF-8; if it is, this comes again
                pass
    source, cut = to_utf8(html, encoding, max_html)
    return source, _reading(source, max_text), cut


def _reading(source: bytes, max_text: int, *, styles: bool = True, scripts: bool = True) -> Found:
    reading = compiled.reading if core.available() else twin
    return reading(source, max_text, styles=styles, scripts=scripts)


def _best(found: Found, source: bytes, max_text: int) -> tuple[Found, str]:
    """Return the reading of a page that shows most, and why it can't be compared, if so."""
    note = found.hidden.note(found.size)
    if note and found.hidden.characters > max(_MUCH_TEXT, _MANY_TIMES * found.size):
        # all of it waits for a script, most likely: it is read, but never compared
        found = _reading(source, max_text, styles=False)
    if found.waits_for_scripts:
        # what it shows without scripts is better than next to nothing
        shown = _reading(source, max_text, scripts=False)
        if shown.size > 2 * found.size:
            return shown, note
    return found, note


def _without_what_swallows(
    first: Found, note: str, source: bytes, max_text: int
) -> tuple[Found, str]:
    """Read a page without what swallows it, if anything does."""
    html = source.decode()
    other = repaired(html)
    if other == html:
        return first, note
    repaired_source = other.encode()
    second = _best(_reading(repaired_source, max_text), repaired_source, max_text)
    return second if _shown(second[0]) > _shown(first) else (first, note)


def _cut(max_text: int) -> tuple[str, ...]:
    return (f"visible text cut after {max_text:,} characters",)


def _shown(found: Found) -> int:
    """Return the length of all visible text."""
    return len(" ".join(filter(None, found.texts)))
