"""Decoding: bytes or text → clean UTF-8, whatever encoding was declared."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bytes in these may be valid UTF-8 by chance, or plain ASCII that means something else.
_MULTIBYTE = re.compile(r"big5|cp9\d\d|euc|gb|hz|iso-?2022|johab|shift|utf[-_]?7")
# Browsers show nothing of pages in most of these.
_STATEFUL = re.compile(r"hz|iso-?2022|utf[-_]?(?:7|16|32)")
_META = re.compile(rb"<meta[^<>]{0,500}charset", re.IGNORECASE)
_MOST_DECLARATIONS = 10
_HEAD = 4096
_SAMPLE = 16_384
_LEAST_SAMPLE = 16
_ASCII = bytes(range(128))


def to_utf8(
    html: str | bytes, encoding: str | None, max_html: int
) -> tuple[bytes, tuple[str, ...]]:
    """Return a page as UTF-8 without NULs and surrogates, and what was cut."""
    cut: tuple[str, ...] = ()
    if len(html) > max_html:
        unit = "bytes" if isinstance(html, bytes) else "characters"
        cut = (f"HTML cut after {max_html:,} of {len(html):,} {unit}",)
        html = html[:max_html]
    if isinstance(html, bytes):
        body = _recode(html, encoding, truncated=bool(cut))
    else:
        body = utf8(html.removeprefix("\ufeff"))
    if b"\0" in body:  # parsel drops them too
        body = body.replace(b"\0", b"")
    return body, cut


def undecoded(html: str | bytes, encoding: str | None) -> bytes | None:
    """Return a page that may go to the core as it came; None if it has to be decoded.

    If it is valid UTF-8 and declares no other encoding, that is what `to_utf8` returns, too.
    """
    if isinstance(html, str) or b"\0" in html:
        return None
    if not html[:1].isascii():  # perhaps a byte order mark
        return html[3:] if html.startswith(codecs.BOM_UTF8) else None
    return None if encoding and _is_multibyte(encoding) else html


@lru_cache(maxsize=64)
def _is_multibyte(encoding: str) -> bool:
    known = _resolve(encoding)
    return bool(known and _MULTIBYTE.match(known))


def is_read_so(html: bytes, encoding: str | None, source: bytes) -> bool:
    """Return True if browsers, too, read a page as what it was decoded to.

    They believe what is declared, which may be what hides all of it.
    """
    marked, _ = read_bom(html)
    if marked:
        return "\0" not in html.decode(marked, "replace")
    if b"\0" in html or b"\x1b" in html:
        return False
    declared = encoding or html_body_declared_encoding(html[:_HEAD])
    known = _resolve(declared or "utf-8")
    if known is None or _STATEFUL.match(known) or (not declared and _META.search(html, 0, _HEAD)):
        return False
    if html.isascii():
        return True
    text = _strict(html, known)
    return text is not None and utf8(text) == source


def utf8(text: str) -> bytes:
    """Encode a text; halves of characters are joined, and replaced by U+FFFD if they are alone."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return joined.encode()


def _recode(body: bytes, encoding: str | None, *, truncated: bool) -> bytes:
    marked, bom = read_bom(body)
    wide = marked or _utf16_without_bom(body)
    if wide:
        return body[len(bom or b"") :].decode(wide, "replace").encode()
    declared = [name for name in _declared(body, encoding) if name != "utf-8"]
    if declared and _MULTIBYTE.match(declared[0]):
        text = _strict(body, declared[0])
        if text is not None:
            return utf8(text)
    # Text in a one-byte charset is hardly ever valid UTF-8 by chance: trust the bytes.
    valid = body if body.isascii() else _valid_utf8(body, truncated=truncated)
    if valid is not None:
        return valid
    if _mostly_utf8(body):
        return body.decode("utf-8", "replace").encode()
    names = chain(declared, _declared_later(body), _detected(body))
    texts = (_strict(body, name) for name in names)
    text = next((text for text in texts if text is not None), None)
    return utf8(body.decode("cp1252", "replace") if text is None else text)


def _utf16_without_bom(body: bytes) -> str | None:
    """Recognise UTF-16 without a byte order mark by its NULs."""
    head = body[:_HEAD]
    if head.count(0) * 3 < len(head):
        return None
    odd = head[1::2].count(0)
    even = head[::2].count(0)
    if odd * 10 > len(head) * 3 and even * 10 < len(head):
        return "utf-16-le"
    if even * 10 > len(head) * 3 and odd * 10 < len(head):
        return "utf-16-be"
    return None


def _declared(body: bytes, encoding: str | None) -> Iterator[str]:
    for name in (encoding, html_body_declared_encoding(body[:_HEAD])):
        known = _resolve(name) if name else None
        if known:
            yield known


def _declared_later(body: bytes) -> Iterator[str]:
    """Yield what follows the head, or a declaration of an unknown encoding."""
    for found in islice(_META.finditer(body), _MOST_DECLARATIONS):
        yield from _declared(body[found.start() :][:_HEAD], None)


def _resolve(name: str) -> str | None:
    try:
        known = resolve_encoding(name)  # what browsers make of it: latin-1 is Windows-1252
        "".encode(known or "")  # no codec that makes bytes of bytes, as "hex" does
    except (LookupError, ValueError, TypeError):
        return None
    return known


def _strict(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except (ValueError, LookupError, AssertionError):
        return None


def _valid_utf8(body: bytes, *, truncated: bool) -> bytes | None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        if truncated and error.reason == "unexpected end of data":
            return body[: error.start]  # the cut went through a character
        return None
    return body


def _mostly_utf8(body: bytes) -> bool:
    """Return True if a text is UTF-8 with a few broken bytes, not in another encoding."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    valid = sum(1 for _ in re.finditer(r"[^\x00-\x7f\ufffd]+", text))
    return broken * 4 < valid


def _detected(body: bytes) -> Iterator[str]:
    from bs4.dammit import EncodingDetector

    found = re.search(rb"[^\x00-\x7f]", body)
    start = found.start() if found else 0
    sample = body[max(0, start - 200) : start + _SAMPLE]
    if len(sample.translate(None, _ASCII)) < _LEAST_SAMPLE:
        return  # a guess from so little is worse than what browsers assume
    for name in EncodingDetector(sample, is_html=True).encodings:
        known = _resolve(name)
        if known and known != "utf-8":
            yield known
