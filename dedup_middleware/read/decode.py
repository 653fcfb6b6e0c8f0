"""Bytes or text → clean UTF-8, whatever was declared."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Bytes in these may be valid UTF-8 by chance, or plain ASCII that means something else.
_MULTIBYTE = re.compile(r"big5|cp9\d\d|euc|gb|hz|iso2022|johab|shift|utf_?(7|16|32)")
_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
_HEAD = 4096
_SAMPLE = 16_384


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
        body = _encode(html)
    if b"\0" in body:  # parsel drops them too; libxml2 used to stop at the first
        body = body.replace(b"\0", b"")
    return body, cut


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # lone surrogates; a pair of them is joined
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return joined.encode()


def _recode(body: bytes, encoding: str | None, *, truncated: bool) -> bytes:
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace").encode()
    wide = _wide(body)
    if wide:
        return body.decode(wide, "replace").encode()
    declared = [name for name in _declared(body, encoding) if name != "utf-8"]
    first = declared[0] if declared else None
    if first and _MULTIBYTE.match(first.replace("-", "_").replace("iso_2022", "iso2022")):
        text = _strict(body, first)
        if text is not None:
            return _encode(text)
    whole = _utf8_end(body) if truncated else len(body)
    # Text in a one-byte charset is hardly ever valid UTF-8 by chance: the bytes know better.
    if body.isascii() or _strict(body[:whole], "utf-8") is not None:
        return body[:whole]
    if _mostly_utf8(body):
        return body.decode("utf-8", "replace").encode()
    for name in (*declared, *_detected(body)):
        text = _strict(body, name)
        if text is not None:
            return _encode(text)
    return body.decode(first or "cp1252", "replace").encode("utf-8", "replace")


def _wide(body: bytes) -> str | None:
    """Tell UTF-16 without a mark by its NULs."""
    head = body[:_HEAD]
    if head.count(0) * 3 < len(head) or len(head) < 4:
        return None
    odd = head[1::2].count(0)
    even = head[::2].count(0)
    if odd * 10 > len(head) * 3 and even * 10 < len(head):
        return "utf-16-le"
    if even * 10 > len(head) * 3 and odd * 10 < len(head):
        return "utf-16-be"
    return None


def _declared(body: bytes, encoding: str | None) -> Iterator[str]:
    names = [encoding] if encoding else []
    if found := _META.search(body, 0, _HEAD):
        names.append(found[1].decode("ascii", "replace"))
    for name in names:
        known = _resolve(name)
        if known:
            yield known


def _resolve(name: str) -> str | None:
    from w3lib.encoding import resolve_encoding  # knows what browsers make of latin-1 and others

    try:
        known = resolve_encoding(name)
        "".encode(known or "")  # no codec that makes bytes of bytes, as "hex" does
    except (LookupError, ValueError, TypeError):
        return None
    return known


def _strict(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except (ValueError, LookupError, AssertionError):
        return None


def _utf8_end(body: bytes) -> int:
    """Return where the last whole character of a cut page ends."""
    for back in range(1, min(4, len(body)) + 1):
        byte = body[-back]
        if byte & 0xC0 == 0xC0:
            return len(body) - back
        if byte < 0x80:
            break
    return len(body)


def _mostly_utf8(body: bytes) -> bool:
    """Tell UTF-8 with a few broken bytes from another charset."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    sound = sum(1 for _ in re.finditer(r"[^\x00-\x7f\ufffd]+", text))
    return broken * 4 < sound


def _detected(body: bytes) -> Iterator[str]:
    from bs4.dammit import EncodingDetector  # slow to import, and seldom needed

    start = next((i for i, byte in enumerate(body) if byte > 0x7F), 0)
    sample = body[max(0, start - 200) : start + _SAMPLE]
    for name in EncodingDetector(sample, is_html=True).encodings:
        known = _resolve(name)
        if known and known != "utf-8":
            yield known
