"""What a block's head says: its kind, its place in the hierarchy, whether it is shown."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .levels import NONE, level_of
from .marks import ATTRIBUTE, INLINE
from .outline import KINDS


class Block(NamedTuple):
    """What the builder needs to know of an element."""

    inline: bool = False
    shown: bool = True
    fallback: bool = False
    """Shown only by browsers without scripts or frames."""
    kind: int = -1
    """Index into KINDS; -1: that of the enclosing block."""
    container: bool = False
    scope: bool = False
    """Headings inside do not reach beyond it."""
    rank: int = 0
    """1…6 for a heading."""
    level: int = NONE
    """How surely it is page furniture."""


INHERITED: Final = -1
TEXT: Final = KINDS.index("text")
HEADING: Final = KINDS.index("heading")
LIST: Final = KINDS.index("list")
TABLE: Final = KINDS.index("table")

_KIND_OF_TAG = {
    tag: KINDS.index(kind)
    for kind, tags in {
        "heading": "h1 h2 h3 h4 h5 h6",
        "item": "li",
        "cell": "td th",
        "term": "dt",
        "definition": "dd",
        "code": "pre listing xmp plaintext",
        "address": "address",
        "quote": "blockquote",
        "caption": "caption figcaption",
        "control": "button label legend option select",
        "list": "ul ol dl dir menu",
        "table": "table",
    }.items()
    for tag in tags.split()
}
_CONTAINERS = frozenset({LIST, TABLE})
_SCOPES = frozenset(
    """article aside blockquote dd details dialog dir dl dt fieldset figure footer form header li
    main menu nav ol section table td th ul""".split()
)
_FALLBACKS = frozenset({"noscript", "noframes"})
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_RANK = re.compile(r"[1-6]")

_MEMO_SIZE = 20_000
_MEMO_HEAD = 400
_memo: dict[str, Block] = {}


def block_of(head: str) -> Block:
    """Return what a head says; heads repeat, so answers are remembered."""
    block = _memo.get(head)
    if block is None:
        block = _describe(head)
        if len(head) <= _MEMO_HEAD:
            if len(_memo) >= _MEMO_SIZE:  # class names come from strangers
                _memo.clear()
            _memo[head] = block
    return block


def _describe(head: str) -> Block:
    name, *pairs = head.split(ATTRIBUTE)
    attributes = {pair[:1]: pair[1:] for pair in reversed(pairs)}  # the first of a name counts
    shown = "h" not in attributes and not _HIDING.search(attributes.get("s", ""))
    if attributes.get("h", "").lower() == "until-found":
        shown = "s" not in attributes or not _HIDING.search(attributes["s"])
    if name.startswith(INLINE):
        return Block(inline=True, shown=shown)
    if name == "dialog":
        shown = shown and "o" in attributes
    role = attributes.get("r", "").strip().lower()
    kind = _KIND_OF_TAG.get(name, INHERITED)
    rank = 0
    if role == "heading":
        kind = HEADING
        rank = int(found[0]) if (found := _RANK.search(attributes.get("l", ""))) else 2
    elif kind == HEADING:
        rank = int(name[1])
    return Block(
        shown=shown,
        fallback=name in _FALLBACKS,
        kind=kind,
        container=kind in _CONTAINERS,
        scope=name in _SCOPES,
        rank=rank,
        level=level_of(name, role, attributes.get("c", ""), attributes.get("i", "")),
    )
