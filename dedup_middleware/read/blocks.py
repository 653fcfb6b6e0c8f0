"""Elements as the builder sees them: which are blocks, and what their blocks are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from .labels import level_of
from .outline import KINDS

if TYPE_CHECKING:
    from .tree import Element

# Blocks whose attributes are read, and those without.
ATTRIBUTED_BLOCKS: Final = frozenset(
    {
        *("article", "aside", "details", "dialog", "div", "dl", "fieldset", "footer", "form"),
        *("header", "main", "nav", "ol", "p", "section", "table", "td", "ul"),
    }
)
BLOCKS: Final = ATTRIBUTED_BLOCKS | {
    *("address", "blockquote", "button", "caption", "center", "dd", "dir", "dt", "figcaption"),
    *("figure", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "label", "legend", "li", "listing"),
    *("menu", "noscript", "option", "plaintext", "pre", "search", "select", "summary", "th", "xmp"),
}
SKIPPED: Final = frozenset(
    {
        *("annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "iframe"),
        *("meter", "noembed", "noframes", "object", "progress", "rp", "script", "style", "svg"),
        *("template", "textarea", "title", "video"),
    }
)
# no blocks, but words on both sides stay apart; the second have no content
SPACED: Final = frozenset({"body", "head", "html", "optgroup", "tbody", "tfoot", "thead", "tr"})
GAPS: Final = frozenset({"br", "hr", "img", "input"})

TEXT: Final = KINDS.index("text")
ITEM: Final = KINDS.index("item")
HEADING: Final = KINDS.index("heading")
CONTAINERS: Final = (KINDS.index("list"), KINDS.index("table"))
INHERITED: Final = -1

KIND_OF_TAG: Final = {
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
SCOPES: Final = frozenset(
    {
        *("article", "aside", "blockquote", "dd", "details", "dialog", "dir", "dl", "dt"),
        *("fieldset", "figure", "footer", "form", "header", "li", "main", "menu", "nav", "ol"),
        *("section", "table", "td", "th", "ul"),
    }
)
_RANK = re.compile(r"[1-6]")
_RANK_OF_ROLE = 2  # if no level is given


class Block(NamedTuple):
    """What the builder needs to know of an element."""

    kind: int
    """Index into KINDS; -1: that of the enclosing block."""
    scope: bool
    """Headings inside do not reach beyond it."""
    rank: int
    """1…6 for a heading, else 0."""
    level: int
    """How likely it is boilerplate."""
    word: str
    """The word of its class or id that says so."""


def block_of(element: Element) -> Block:
    """Return the block that an element is."""
    name = element.tag
    get = element.get if name in ATTRIBUTED_BLOCKS else _nothing
    role = get("role").strip().lower()
    kind = KIND_OF_TAG.get(name, INHERITED)
    rank = int(name[1]) if kind == HEADING else 0
    if role == "heading":
        found = _RANK.search(get("aria-level"))
        kind, rank = HEADING, int(found[0]) if found else _RANK_OF_ROLE
    level, word = level_of(name, role, get("class"), get("id"))
    return Block(kind, name in SCOPES, rank, level, word)


def _nothing(_: str) -> str:
    return ""
