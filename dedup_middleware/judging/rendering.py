"""Outline → HTML that reads as the same outline: pages that outlive the crawl they were met in."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

_Around = tuple[str, str]
_TAGS: dict[str, _Around] = {
    kind: (f"<{tag}>", f"</{tag}>")
    for kind, tag in {
        "heading": "h1",  # all of one rank: sections tell what hangs under what
        "text": "p",
        "item": "li",
        "cell": "td",
        "term": "dt",
        "definition": "dd",
        "address": "address",
        "quote": "blockquote",
        "caption": "figcaption",
        "control": "label",
        "list": "ul",
        "table": "table",
    }.items()
} | {"code": ("<div><pre>", "</pre></div>")}  # at <pre>, libxml2 ends the list that is around it
# the surest sign of furniture that does not end the section of a heading inside
_FURNITURE = ('<div role="navigation">', "</div>")
_NOTHING = ("", "")
# what HTML can't carry, and what the reader uses for marks
_UNFIT = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(outline: Outline) -> str:
    """Write an outline as HTML; no byte of its text becomes markup.

    >>> from dedup_middleware import Page
    >>> from dedup_middleware.read import read
    >>> html = "<nav>All</nav><h1>Tea</h1><p>Boil &lt;b>water.<ul><li>Pour it.</ul>"
    >>> print(render(read(Page(url="tea", html=html))))
    <!doctype html>
    <html lang=""><meta charset="utf-8">
    <title></title><body>
    <div role="navigation"><p>All</p></div>
    <section><h1>Tea</h1>
    <p>Boil &lt;b&gt;water.</p>
    <ul>
    <li>Pour it.</li></ul></section>
    </body></html>
    """
    parts = [
        "<!doctype html>",
        f'<html lang="{_text(outline.language)}"><meta charset="utf-8">',
        f"<title>{_text(outline.title)}</title><body>",
    ]
    wholly = _wholly_furniture(outline)
    last_child = {parent: index for index, parent in enumerate(outline.parents)}
    around: list[tuple[int, str]] = []  # the nodes that are open, each with what closes it
    for index, (kind, parent, furniture, text) in enumerate(outline.nodes):
        # a list that hangs under an item may come after more text of the same item
        while around and around[-1][0] != parent and last_child.get(around[-1][0], -1) < index:
            parts[-1] += around.pop()[1]
        inside = around[-1][0] if around else -1
        marks = _FURNITURE if furniture and not (inside >= 0 and wholly[inside]) else _NOTHING
        if kind == "item" and inside != parent:
            kind = "text"  # noqa: PLW2901 - in an item, more text is of its kind
        elif kind == "control" and not furniture:
            kind = "text"  # noqa: PLW2901 - the reader takes labels of forms for furniture
        begin, end = _markup(kind, _text(text), marks, wholly=wholly[index])
        parts.append(begin)
        around.append((index, end))
    for _, end in reversed(around):
        parts[-1] += end
    return "\n".join((*parts, "</body></html>"))


def _markup(kind: str, text: str, marks: _Around, *, wholly: bool) -> _Around:
    """Write what stands before and after the nodes that hang under a node."""
    # of a list or table that holds some main text, the mark is lost; it has no text of its own
    outer, inner = (marks, _NOTHING) if wholly else (_NOTHING, marks if text else _NOTHING)
    begin, end = _TAGS[kind]
    if kind == "heading":  # its section goes on behind it
        return f"{outer[0]}<section>{inner[0]}{begin}{text}{end}{inner[1]}", f"</section>{outer[1]}"
    return f"{outer[0]}{begin}{inner[0]}{text}{inner[1]}", f"{end}{outer[1]}"


def _wholly_furniture(outline: Outline) -> list[bool]:
    """Tell for each node whether it and all that hangs under it is furniture."""
    wholly = [bool(one) for one in outline.furniture]
    for index in range(len(wholly) - 1, -1, -1):  # what hangs under a node stands behind it
        parent = outline.parents[index]
        if parent >= 0 and not wholly[index]:
            wholly[parent] = False
    return wholly


def _text(text: str) -> str:
    return escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))
