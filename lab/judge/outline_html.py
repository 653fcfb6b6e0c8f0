"""An outline as HTML that reads as the same outline."""

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
        "heading": "h1",  # all of one rank: sections give the hierarchy
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
        "row": "tr",
        "head": "th",
        "code": "pre",
    }.items()
}
_TAGS["label"] = ("<p><b>", "</b></p>")
_SECTIONS = ("heading", "label")
# read as boilerplate for sure, without ending the section of a heading inside
_BOILERPLATE = ('<div role="navigation">', "</div>")
_NONE = ("", "")
# characters that HTML can't hold, or that the reader uses as marks
_UNFIT = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(outline: Outline) -> str:
    """Return an outline as HTML; its text is escaped.

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
    nodes, boilerplate_only = outline.nodes, _boilerplate_only(outline)
    last_child = {parent: index for index, parent in enumerate(outline.parents)}
    open_nodes: list[tuple[int, str]] = []  # each with what closes it
    for index, (kind, parent, boilerplate, text) in enumerate(nodes):
        # a list inside an item may come after more text of the same item
        while (
            open_nodes
            and open_nodes[-1][0] != parent
            and last_child.get(open_nodes[-1][0], -1) < index
        ):
            parts[-1] += open_nodes.pop()[1]
        inside = open_nodes[-1][0] if open_nodes else -1
        marked = boilerplate and not (inside >= 0 and boilerplate_only[inside])
        if kind == "item" and inside != parent:
            kind = "text"  # noqa: PLW2901 - more text of an item has its kind
        elif kind == "control" and not boilerplate:
            kind = "text"  # noqa: PLW2901 - the reader takes labels of forms for boilerplate
        marks = _BOILERPLATE if marked else _NONE
        begin, end = _markup(kind, _text(text), marks, around_all=boilerplate_only[index])
        if kind == "term" and inside >= 0 and nodes[inside].kind == "term":
            begin = f"</dt>{begin}"  # else it would end that term itself, and all in there
        parts.append(begin)
        open_nodes.append((index, end))
    for _, end in reversed(open_nodes):
        parts[-1] += end
    return "\n".join((*parts, "</body></html>"))


def _markup(kind: str, text: str, marks: _Around, *, around_all: bool) -> _Around:
    """Return the markup before and after the children of a node."""
    # a list or table with some main text in it loses its mark; it has no text of its own
    outer, inner = (marks, _NONE) if around_all else (_NONE, marks if text else _NONE)
    begin, end = _TAGS[kind]
    if kind == "definition":  # inside of it: as it begins, it ends its term and all in there
        return f"{begin}{outer[0]}{inner[0]}{text}{inner[1]}", f"{outer[1]}{end}"
    if kind in _SECTIONS:  # its children are in its section, not in its tag
        return f"{outer[0]}<section>{inner[0]}{begin}{text}{end}{inner[1]}", f"</section>{outer[1]}"
    return f"{outer[0]}{begin}{inner[0]}{text}{inner[1]}", f"{end}{outer[1]}"


def _boilerplate_only(outline: Outline) -> list[bool]:
    """Return for each node whether it and all its descendants are boilerplate."""
    only = [bool(one) for one in outline.boilerplate]
    for index in range(len(only) - 1, -1, -1):  # children come after their parents
        parent = outline.parents[index]
        if parent >= 0 and not only[index]:
            only[parent] = False
    return only


def _text(text: str) -> str:
    return escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))
