"""One reading of a page: tree, hidden text, nodes, marks; the twin of `native/src/reading.rs`."""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import HEADING
from .boilerplate import mark_boilerplate
from .build import Builder
from .hiding.hidden import Hidden, hide
from .identity import Declared, bounded, declared
from .tree import Element, tree

# React sends late parts in hidden elements, which a script puts where their placeholders are.
_LATE_PART = re.compile(r"S:[0-9a-f]+")
_PLACEHOLDER = "B:"
_FEW_WORDS = 20  # of main text that a page has before its scripts make it up


class Reading(NamedTuple):
    """What was read of a page."""

    kinds: bytes
    parents: tuple[int, ...]
    marks: bytes
    """What is not main text, and why."""
    texts: tuple[str, ...]
    cut: bool
    """Whether there is more text."""
    heading: str
    """The main heading: the first of rank 1 in the main text, else the first of any rank."""
    declared: Declared
    hidden: Hidden
    waits_for_scripts: bool
    """Whether it has next to no main text, but some for browsers without scripts."""

    @property
    def size(self) -> int:
        """Characters of all texts."""
        return sum(map(len, self.texts))


def reading(source: bytes, max_text: int, *, styles: bool = True, scripts: bool = True) -> Reading:
    """Read a page in UTF-8; without its styles if asked, or as a browser without scripts."""
    page = tree(source.decode())
    _show_late_parts(page)
    found = declared(page)  # before text is removed: titles and data are never drawn
    hidden = hide(page, styles=styles)
    builder = Builder(scripts=scripts)
    builder.walk(page)
    size = sum(map(len, builder.columns.texts))
    nodes = builder.columns.cut(max_text)
    marks = mark_boilerplate(nodes, found.title)
    headings = (node for node, kind in enumerate(nodes.kinds) if kind == HEADING)
    main = next((node for node in (*nodes.tops, *headings) if not marks[node]), None)
    return Reading(
        bytes(nodes.kinds),
        tuple(nodes.parents),
        marks,
        tuple(nodes.texts),
        size > max_text,
        "" if main is None else bounded(nodes.texts[main]),
        found,
        hidden,
        builder.has_noscript and _has_few_words(nodes.texts, marks),
    )


def _has_few_words(texts: list[str], marks: bytes) -> bool:
    main = " ".join([text for text, mark in zip(texts, marks, strict=True) if text and not mark])
    return len(main.split(maxsplit=_FEW_WORDS)) < _FEW_WORDS


def _show_late_parts(page: Element) -> None:
    late = []
    waits = False
    for element in page.elements():
        name = element.get("id")
        waits |= element.tag == "template" and name.startswith(_PLACEHOLDER)
        if element.tag == "div" and "hidden" in element.attributes and _LATE_PART.fullmatch(name):
            late.append(element)
    for element in late if waits else ():
        del element.attributes["hidden"]
