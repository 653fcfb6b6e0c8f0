"""One look at all elements of a page: those whose attributes or names have a say in what is seen.

A page without styles costs no more than this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text import lower

if TYPE_CHECKING:
    from dedup_middleware.read.tree import Element

_STYLING = frozenset({"style", "bgcolor", "color", "background", "text"})
_HIDING = frozenset({"hidden", "aria-hidden", "popover"})
_CLOSED = ("details", "dialog")
_PICTURES = ("img", "picture", "video", "canvas")
_PAGE = ("html", "body")


class Survey:
    """What a page has of that which can hide text, in the order of the page."""

    def __init__(self, page: Element) -> None:
        self.elements = [page, *page.elements()]
        self.styled: list[Element] = []
        """Elements with styles or colours of their own."""
        self.hiding: list[Element] = []
        """Elements with attributes that hide."""
        self.closed: list[Element] = []
        self.sheets: list[Element] = []
        self.has_pictures = self.has_links = False
        """Links are those to other style sheets."""
        seen = set()
        for element in self.elements:
            tag, attributes = element.tag, element.attributes
            if attributes:
                if not _STYLING.isdisjoint(attributes):
                    self.styled.append(element)
                if not _HIDING.isdisjoint(attributes):
                    self.hiding.append(element)
            if tag in _PICTURES:
                self.has_pictures = True
            elif tag == "style":
                self.sheets.append(element)
            elif tag == "link":
                self.has_links |= "stylesheet" in lower(element.get("rel"))
            elif tag in _CLOSED and "open" not in attributes:
                self.closed.append(element)
            elif tag in _PAGE:
                seen.add(tag)
        self.missing = tuple(tag for tag in _PAGE if tag not in seen)
        """Of html and body, those without a tag: the page itself stands for them."""
