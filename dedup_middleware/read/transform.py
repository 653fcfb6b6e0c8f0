"""Tree → mark stream, all in C: one XSLT over the tree that Scrapy has parsed."""

from __future__ import annotations

import threading
from typing import Any

from lxml import etree

from .marks import (
    ASKED,
    ATTRIBUTE,
    ATTRIBUTES,
    CLOSE,
    CLOSE_BLOCK,
    END,
    INLINE,
    LINK,
    OPEN,
    OPEN_BLOCK,
    SKIPPED,
    SPACED,
    UNASKED,
    VOID,
)
from .walk import tops

# libxslt recurses and takes up to 900 bytes of C stack a level; threads may have only 256 kB
SAFE_DEPTH = 160

_deeper_than_most = etree.XPath(f"boolean({'/*' * 48})")
_too_deep = etree.XPath(f"boolean({'/*' * SAFE_DEPTH})")


def is_deep(root: etree._Element) -> bool:
    """Tell whether recursion over the tree could exhaust a small stack."""
    # a long expression costs more than a small page, so a shorter one goes first
    return bool(_deeper_than_most(root)) and bool(_too_deep(root))


def transform(root: etree._Element, *, watchful: bool = True) -> str:
    """Return the mark stream of a tree that is not deep; watchful: anything may be hidden."""
    return _sheets().apply(root, watchful=watchful)


class _Sheets:
    """The compiled stylesheets, and the tree they are applied to."""

    def __init__(self) -> None:
        self._tree: list[etree._Element] = []
        given = {(_NAMESPACE, "given"): self._given}
        self._plain = etree.XSLT(etree.XML(_stylesheet(watchful=False)), extensions=given)
        self._watchful = etree.XSLT(etree.XML(_stylesheet(watchful=True)), extensions=given)
        self._start = etree.XML("<start/>")

    def apply(self, root: etree._Element, *, watchful: bool) -> str:
        # The tree comes in through an extension function: if it were the argument, lxml would
        # copy all of it first, which takes longer than the walk.
        self._tree = tops(root)
        try:
            return str((self._watchful if watchful else self._plain)(self._start))
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
_STYLE = "translate(., 'DEHINO', 'dehino')"
_MAY_BE_HIDDEN = f"@hidden or @style[contains({_STYLE}, 'none') or contains({_STYLE}, 'hidden')]"


def _stylesheet(*, watchful: bool) -> str:
    content = "<xsl:apply-templates/>"
    telling = '<xsl:apply-templates select="@*"/>'

    def inline(inner: str) -> str:
        if not watchful:
            return inner
        marked = _text(OPEN + INLINE) + telling + _text(END) + inner + _text(CLOSE)
        return (
            f'<xsl:choose><xsl:when test="{_MAY_BE_HIDDEN}">{marked}</xsl:when>'
            f"<xsl:otherwise>{inner}</xsl:otherwise></xsl:choose>"
        )

    templates = {
        "/": '<xsl:apply-templates select="tree:given()"/>',
        "|".join(sorted(SKIPPED)): "",
        "|".join(sorted(SPACED)): _text(" ") + inline(content),
        "|".join(sorted(VOID)): _text(" "),
        "a[@href]": inline(_text(LINK) + content + _text(LINK)),
        # for all others XSLT's built-in rule is the quickest
        **({"*": inline(content)} if watchful else {}),
        "@*": "",
        # a template for each name, its text ready: cheaper than asking for the name
        **{
            name: _text(OPEN_BLOCK + name) + telling + _text(END) + content + _text(CLOSE_BLOCK)
            for name in (sorted(ASKED | UNASKED) if watchful else sorted(ASKED))
        },
        **{
            name: _text(OPEN_BLOCK + name + END) + content + _text(CLOSE_BLOCK)
            for name in ([] if watchful else sorted(UNASKED))
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
