"""Tree → mark stream: by XSLT, or step by step for trees too deep for recursion."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

from lxml import etree

from .marks import (
    ATTRIBUTE,
    ATTRIBUTED_BLOCKS,
    ATTRIBUTES,
    BARE_BLOCKS,
    BLOCKS,
    CLOSE_BLOCK,
    END,
    LINK,
    OPEN_BLOCK,
    SKIPPED,
    SPACED,
    VOID,
)

if TYPE_CHECKING:
    from typing import Protocol

    class Attributes(Protocol):
        """What lxml's and BeautifulSoup's attributes have in common."""

        def get(self, key: str, /) -> str | None: ...
        def __contains__(self, key: str, /) -> bool: ...


def walk(root: etree._Element) -> tuple[str, int]:
    """Return the mark stream and the depth of any tree."""
    parts: list[str] = []
    deepest = max(_walk(top, parts) for top in tops(root))
    return "".join(parts), deepest


def tops(root: etree._Element) -> list[etree._Element]:
    """Return the root and its siblings, where libxml2 puts what follows </html>."""
    return [root, *root.itersiblings("*")]


def _walk(root: etree._Element, parts: list[str]) -> int:
    depth = deepest = 0
    ends: list[str] = []
    events = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, node in events:
        element = cast("etree._Element", node)  # noqa: SLF001 - lxml has no public name for it
        if event == "start":
            depth += 1
            deepest = max(deepest, depth)
            begin, end = marks_around(str(element.tag), element.attrib)
            parts.append(begin)
            if end is None:
                events.skip_subtree()
            elif element.text:
                parts.append(element.text)
            ends.append(end or "")
            continue
        if event == "end":
            depth -= 1
            parts.append(ends.pop())
        if element.tail and element is not root:
            parts.append(element.tail)
    return deepest


def marks_around(tag: str, attributes: Attributes) -> tuple[str, str | None]:
    """Return the marks before and after an element's content; None: skip the content."""
    if tag in SKIPPED:
        return "", None
    if tag in BLOCKS:
        return f"{OPEN_BLOCK}{tag}{_attributes(attributes)}{END}", CLOSE_BLOCK
    if tag in VOID:
        return " ", None
    begin = end = ""
    if tag == "a" and "href" in attributes:
        begin = end = LINK
    return f" {begin}" if tag in SPACED else begin, end


def _attributes(attributes: Attributes) -> str:
    # by name: a page may give an element a hundred thousand attributes
    return "".join(
        f"{ATTRIBUTE}{letter}{value}"
        for name, letter in ATTRIBUTES.items()
        if (value := attributes.get(name)) is not None
    )


# libxslt recurses and takes up to 900 bytes of C stack a level; threads may have only 256 kB
SAFE_DEPTH = 160

_deeper_than_most = etree.XPath(f"boolean({'/*' * 48})")
_too_deep = etree.XPath(f"boolean({'/*' * SAFE_DEPTH})")


def is_deep(root: etree._Element) -> bool:
    """Return True if recursion over the tree could exhaust a small stack."""
    # a long expression costs more than a small page, so a shorter one goes first
    return bool(_deeper_than_most(root)) and bool(_too_deep(root))


def transform(root: etree._Element) -> str:
    """Return the mark stream of a tree that is not deep."""
    return _sheets().apply(root)


class _Sheets:
    """The compiled stylesheets, and the tree they are applied to."""

    def __init__(self) -> None:
        self._tree: list[etree._Element] = []
        given = {(_NAMESPACE, "given"): self._given}
        self._sheet = etree.XSLT(etree.XML(_stylesheet()), extensions=given)
        self._start = etree.XML("<start/>")

    def apply(self, root: etree._Element) -> str:
        # The tree comes in through an extension function: if it were the argument, lxml would
        # copy all of it first, which takes longer than the walk.
        self._tree = tops(root)
        try:
            return str(self._sheet(self._start))
        finally:
            self._tree = []

    def _given(self, _: Any) -> list[etree._Element]:
        return self._tree


# one for each thread: lxml copies a stylesheet on every call from a foreign thread
_local = threading.local()


def _sheets() -> _Sheets:
    try:
        sheets: _Sheets = _local.sheets
    except AttributeError:
        sheets = _local.sheets = _Sheets()
    return sheets


_NAMESPACE = "urn:x-dedup:tree"


def _stylesheet() -> str:
    content = "<xsl:apply-templates/>"
    attributes = '<xsl:apply-templates select="@*"/>'
    templates = {
        "/": '<xsl:apply-templates select="tree:given()"/>',
        "|".join(sorted(SKIPPED)): "",
        "|".join(sorted(SPACED)): _text(" ") + content,
        "|".join(sorted(VOID)): _text(" "),
        "a[@href]": _text(LINK) + content + _text(LINK),
        "@*": "",
        # a template for each name, its text ready: cheaper than `name()`
        **{
            name: _text(OPEN_BLOCK + name) + attributes + _text(END) + content + _text(CLOSE_BLOCK)
            for name in sorted(ATTRIBUTED_BLOCKS)
        },
        **{
            name: _text(OPEN_BLOCK + name + END) + content + _text(CLOSE_BLOCK)
            for name in sorted(BARE_BLOCKS)
        },
        **{
            f"@{name}": _text(ATTRIBUTE + letter) + '<xsl:value-of select="."/>'
            for name, letter in ATTRIBUTES.items()
        },
    }
    body = "".join(
        f'<xsl:template match="{match}">{body}</xsl:template>' for match, body in templates.items()
    )
    return (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
        f' xmlns:tree="{_NAMESPACE}"><xsl:output method="text" encoding="UTF-8"/>'
        f"{body}</xsl:stylesheet>"
    )


def _text(text: str) -> str:
    return f"<xsl:text>{text}</xsl:text>"
