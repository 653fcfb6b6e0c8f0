"""Page → Outline: decoding and reading, once more where the first reading shows next to nothing."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from dedup_middleware.core import InputError

from .core_reading import reading
from .decode import is_read_so, to_utf8, undecoded, utf8
from .outline import KINDS, PLAIN, Identity, Outline

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .core_reading import Packed

_NO_TEXT, _LITTLE_TEXT = 20, 200
_MUCH_TEXT, _MANY_TIMES = 1_000, 5  # of hidden text, against what is shown
_UTF8 = frozenset({"utf-8", "utf8"})
_BLANK_LINES = re.compile(r"\n\s*\n")
_TEXT = bytes((KINDS.index("text"),))
# What swallows a page if it never ends.
_NAMES = "script|style|title|textarea|xmp|iframe|noembed|plaintext"
_RAW = re.compile(rf"<({_NAMES})\b[^<>]*>", re.IGNORECASE)
_RAW_END = re.compile(rf"</({_NAMES})\b", re.IGNORECASE)
_CODE = re.compile(r"[^<]*(?:<(?![a-z/!])[^<]*)*", re.IGNORECASE)
_FRAMES = re.compile(r"(</?)noframes\b", re.IGNORECASE)


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
        source, first, cut, is_certain = _decoded(page.html, page.encoding, max_html, max_text)
        found, note = _best(first, source, max_text)
        if len(found.kinds) < _LITTLE_TEXT and found.size < _LITTLE_TEXT:
            found, note = _without_what_swallows(found, note, source, max_text)
    except (InputError, MemoryError) as error:
        raise UnreadablePage(page.url) from error
    if not is_certain:  # browsers may make another page of the same bytes
        label = f"{page.encoding or ''}\0".encode()
        found.body = hashlib.sha256(label + page.body).digest()
        found.presentation = found.body[: len(PLAIN)]
    identity = found.declared.identity(page.url, found.heading)
    cut += (_cut(max_text) if found.cut else ()) + ((note,) if note else ())
    return Outline.of(found, identity, cut)


def _plain(text: str, max_text: int) -> Outline:
    """Return the outline of a page without markup: its paragraphs."""
    shown = text[:max_text]
    # an outline has no halves of characters, which are no text in UTF-8
    blocks = _BLANK_LINES.split(utf8(shown).decode().replace("\r\n", "\n"))
    lines = tuple(filter(None, (" ".join(block.split()) for block in blocks)))
    count = len(lines)
    cut = _cut(max_text) if len(shown) < len(text) else ()
    return Outline.of_nodes(Identity(), _TEXT * count, (-1,) * count, bytes(count), lines, cut)


def _decoded(
    html: str | bytes, encoding: str | None, max_html: int, max_text: int
) -> tuple[bytes, Packed, tuple[str, ...], bool]:
    """Return a page in UTF-8, its first reading, what was cut, and if browsers read it so, too."""
    source = undecoded(html, encoding) if len(html) <= max_html else None
    if source is not None:
        try:
            found = reading(source, max_text, is_certain=False)
        except InputError:  # perhaps it is not UTF-8; if it is, this comes again
            pass
        else:
            is_utf8 = not encoding or encoding.lower() in _UTF8 or source.isascii()
            return source, found, (), is_utf8
    source, cut = to_utf8(html, encoding, max_html)
    is_certain = "\0" not in html if isinstance(html, str) else is_read_so(html, encoding, source)
    return source, reading(source, max_text), cut, is_certain


def _best(found: Packed, source: bytes, max_text: int) -> tuple[Packed, str]:
    """Return the reading of a page that shows most, and why it can't be compared, if so."""
    note = found.hidden.note(found.size)
    much = _LITTLE_TEXT if found.size < _NO_TEXT else _MUCH_TEXT
    if note and found.hidden.characters > max(much, _MANY_TIMES * found.size):
        # all of it waits for a script, most likely: it is read, but never a reason to drop
        found = reading(source, max_text, styles=False)
    if found.waits_for_scripts:
        # what it shows without scripts is better than next to nothing
        shown = reading(source, max_text, scripts=False)
        if shown.size > 2 * found.size:
            return shown, note
    return found, note


def _without_what_swallows(
    first: Packed, note: str, source: bytes, max_text: int
) -> tuple[Packed, str]:
    """Read a page without what swallows it, if anything does."""
    html = source.decode()
    other = _repaired(html)
    if other == html:
        return first, note
    repaired_source = other.encode()
    second = _best(reading(repaired_source, max_text), repaired_source, max_text)
    if _shown(second[0]) <= _shown(first):
        return first, note
    second[0].uncertain = True  # browsers show none of what is swallowed
    second[0].presentation, second[0].body = first.presentation, first.body
    return second


def _cut(max_text: int) -> tuple[str, ...]:
    return (f"visible text cut after {max_text:,} characters",)


def _shown(found: Packed) -> int:
    """Return the length of all visible text."""
    return len(b" ".join(filter(None, found.lines.split(b"\n"))).decode())


def _repaired(html: str) -> str:
    """Return a page in which no comment, script or title swallows the rest.

    What is for browsers without frames becomes what is for browsers without scripts.

    >>> _repaired("<title>Tea<p>Boil water.")
    'Tea<p>Boil water.'
    """
    start = html.rfind("<!--")
    if start >= 0 and html.find("-->", start) < 0:
        html = html[:start] + html[start + 4 :]
    if "<frameset" in html.lower():
        html = _FRAMES.sub(r"\1noscript", html)
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
