"""The tree of a page, made of its elements; the twin of `native/src/tree.rs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .elements import elements
from .tokens import END, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator


class Element:
    """An element, with the elements and the text in it; the root is a page, and has no name."""

    __slots__ = ("attributes", "children", "hidden", "parent", "place", "tag")

    def __init__(
        self, tag: str, attributes: dict[str, str], parent: Element | None, place: int
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.place = place
        """Its number in the order of the page."""
        self.children: list[Element | str] = []
        self.hidden = False

    def __repr__(self) -> str:
        return f"<{self.tag or 'page'} {self.attributes}>"

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def around(self) -> Iterator[Element]:
        """Go through the elements around this one, the innermost first; not to the page itself."""
        parent = self.parent
        while parent is not None and parent.tag:
            yield parent
            parent = parent.parent

    def elements(self) -> Iterator[Element]:
        """Go through the elements inside this one in the order of the page, without recursion."""
        stack = [iter(self.children)]
        while stack:
            for child in stack[-1]:
                if isinstance(child, Element):
                    yield child
                    stack.append(iter(child.children))
                    break
            else:
                stack.pop()


def tree(html: str) -> Element:
    """Return the page that some HTML describes.

    >>> [element.tag for element in tree("<p>Tea<br>or<li>coffee").elements()]
    ['p', 'br', 'li']
    """
    page = at = Element("", {}, None, 0)
    place = 0
    for kind, text, attributes in elements(html).events:
        if kind == TEXT:
            at.children.append(text)
        elif kind == END:
            at = at.parent or page
        else:
            place += 1
            inner = Element(text, dict(attributes), at, place)
            at.children.append(inner)
            at = inner
    return page
