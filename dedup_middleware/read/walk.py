"""Tree → mark stream, step by step: for trees too deep for recursion, or with namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lxml import etree

from .marks import (
    ATTRIBUTE,
    ATTRIBUTES,
    BLOCKS,
    CLOSE,
    CLOSE_BLOCK,
    END,
    INLINE,
    LINK,
    OPEN,
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


def step(root: etree._Element) -> tuple[str, int]:
    """Return the mark stream and the depth of any tree."""
    parts: list[str] = []
    deepest = max(_step(top, parts) for top in tops(root))
    return "".join(parts), deepest


def tops(root: etree._Element) -> list[etree._Element]:
    """Return the root and what stands beside it: libxml2 puts there what follows </html>."""
    return [root] if root.getparent() is not None else [root, *root.itersiblings("*")]


def _step(root: etree._Element, parts: list[str]) -> int:
    depth = deepest = 0
    ends: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        element = cast("etree._Element", node)  # noqa: SLF001 - lxml has no public name for it
        if event == "start":
            depth += 1
            deepest = max(deepest, depth)
            begin, end = around(_local_name(element.tag), element.attrib)
            parts.append(begin)
            if end is None:
                walk.skip_subtree()
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


def around(tag: str, attributes: Attributes) -> tuple[str, str | None]:
    """Return the marks before and after an element's content; None: leave the content out."""
    if tag in SKIPPED:
        return "", None
    if tag in BLOCKS:
        return f"{OPEN_BLOCK}{tag}{_telling(attributes)}{END}", CLOSE_BLOCK
    if tag in VOID:
        return " ", None
    begin = end = ""
    if tag == "a" and "href" in attributes:
        begin = end = LINK
    if "style" in attributes or "hidden" in attributes:
        begin, end = f"{OPEN}{INLINE}{_telling(attributes)}{END}{begin}", end + CLOSE
    return f" {begin}" if tag in SPACED else begin, end


def _telling(attributes: Attributes) -> str:
    # asked by name: a page may give an element a hundred thousand attributes
    return "".join(
        f"{ATTRIBUTE}{letter}{value}"
        for name, letter in ATTRIBUTES.items()
        if (value := attributes.get(name)) is not None
    )


def _local_name(tag: object) -> str:
    return tag[tag.rfind("}") + 1 :].lower() if isinstance(tag, str) else ""
