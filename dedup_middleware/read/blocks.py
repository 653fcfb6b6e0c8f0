"""What a block's head says: how to treat it, its kind, its place in the hierarchy."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .levels import NONE, level_of
from .marks import ATTRIBUTE, UNASKED
from .outline import KINDS

# how the builder treats an element; numbers, because it asks a thousand times a page
PLAIN: Final = 0  # ends a line, that is all
HIDDEN: Final = 1
CONTAINER: Final = 2
SPECIAL: Final = 3


class Block(NamedTuple):
    """What the builder needs to know of an element."""

    way: int
    kind: int = -1
    """Index into KINDS; -1: that of the enclosing block."""
    scope: bool = False
    """Headings inside do not reach beyond it."""
    rank: int = 0
    """1…6 for a heading."""
    level: int = NONE
    """How surely it is page furniture."""


TEXT: Final = KINDS.index("text")
ITEM: Final = KINDS.index("item")
HEADING: Final = KINDS.index("heading")
INHERITED: Final = -1

_KIND_OF_TAG = {
    tag: KINDS.index(kind)
    for kind, tags in {
        "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
        "item": ("li",),
        "cell": ("td", "th"),
        "term": ("dt",),
        "definition": ("dd",),
        "code": ("pre", "listing", "xmp", "plaintext"),
        "address": ("address",),
        "quote": ("blockquote",),
        "caption": ("caption", "figcaption"),
        "control": ("button", "label", "legend", "option", "select"),
        "list": ("ul", "ol", "dl", "dir", "menu"),
        "table": ("table",),
    }.items()
    for tag in tags
}
_CONTAINERS = {KINDS.index("list"), KINDS.index("table")}
_SCOPES = {
    *("article", "aside", "blockquote", "dd", "details", "dialog", "dir", "dl", "dt", "fieldset"),
    *("figure", "footer", "form", "header", "li", "main", "menu", "nav", "ol", "section", "table"),
    *("td", "th", "ul"),
}
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_RANK = re.compile(r"[1-6]")


@lru_cache(maxsize=20_000)
def block_of(head: str) -> Block:
    """Return what a head says."""
    name, *pairs = head.split(ATTRIBUTE)
    attributes = {pair[:1]: pair[1:] for pair in pairs}
    hidden = "h" in attributes or bool(_HIDING.search(attributes.get("s", "")))
    # noscript is for browsers without scripts
    if hidden or name == "noscript" or (name == "dialog" and "o" not in attributes):
        return Block(HIDDEN)
    if name in UNASKED:  # else the answer would depend on who was asked
        attributes = {}
    role = attributes.get("r", "").strip().lower()
    kind = _KIND_OF_TAG.get(name, INHERITED)
    rank = int(name[1]) if kind == HEADING else 0
    if role == "heading":
        found = _RANK.search(attributes.get("l", ""))
        kind, rank = HEADING, int(found[0]) if found else 2  # 2 is what ARIA says
    scope = name in _SCOPES
    level = level_of(name, role, attributes.get("c", ""), attributes.get("i", ""))
    if kind in _CONTAINERS:
        return Block(CONTAINER, kind, scope=True, level=level)
    if kind == INHERITED and not scope and level == NONE:
        return Block(PLAIN)
    return Block(SPECIAL, kind, scope, rank, level)
