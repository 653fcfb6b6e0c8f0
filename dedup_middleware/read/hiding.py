"""Whether a page's source hides more than the usual, without a look at its tree."""

from __future__ import annotations

import re
from typing import Final

from .marks import ASKED, SKIPPED, VOID

# asked anyway, or without text
_ASIDE = frozenset(name.encode() for name in ASKED | SKIPPED | VOID)
_TAG: Final = re.compile(rb"<([a-z][a-z0-9-]*)[\s/]", re.IGNORECASE)
_HIDES: Final = re.compile(rb"none|hidden", re.IGNORECASE)
_VALUE: Final = re.compile(rb"\s*(?:\"[^\"]*|'[^']*|[^\s>]*)")
_BEFORE: Final = frozenset(b" \t\r\n\f\"'/")
_AFTER: Final = b" \t\r\n\f=/>"
_WORDS: Final = (b"style=", b"hidden")
# each costs a search through all of the page, and few pages mix
_ALL_WORDS: Final = (*_WORDS, b"STYLE=", b"Style=", b"HIDDEN", b"Hidden", b"style =")


def may_hide(html: str | bytes) -> bool:
    """Tell whether an element may be hidden by an attribute that is not always asked for."""
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
            if tag is None or tag[1].lower() not in _ASIDE:
                return True
        at = source.find(word, end)
    return False


def _hides_by_style(source: bytes, at: int) -> bool:
    value = _VALUE.match(source, at)
    return bool(value and _HIDES.search(value[0]))
