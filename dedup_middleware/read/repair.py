"""Repair: the begin of what never ends, so that it swallows a page, is taken out."""

from __future__ import annotations

import re

_NAMES = "script|style|title|textarea|xmp|iframe|noembed|plaintext"
_RAW = re.compile(rf"<({_NAMES})\b[^<>]*>", re.IGNORECASE)
_RAW_END = re.compile(rf"</({_NAMES})\b", re.IGNORECASE)
_CODE = re.compile(r"[^<]*(?:<(?![a-z/!])[^<]*)*", re.IGNORECASE)
_FRAMES = re.compile(r"(</?)noframes\b", re.IGNORECASE)


def repaired(html: str) -> str:
    """Return a page in which no comment, script or title swallows the rest.

    What is for browsers without frames becomes what is for browsers without scripts.

    >>> repaired("<title>Tea<p>Boil water.")
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
