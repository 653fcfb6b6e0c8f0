"""Hidden text: what a page's own styles and attributes keep from its visitors is taken out.

Many pages are hidden as a whole until a script shows them, so the root and the body always count as
shown, and a page that hides more than it shows is not compared. What other files do (style sheets,
scripts, pictures on top) can't be known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from lxml import etree

from .css import declarations
from .labels import ARTICLE, MAIN, NONE, level_of
from .marks import BLOCKS, HIDDEN
from .styles import ALL, Styles, with_attributes

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASIDES = frozenset({"a", "script", "style", "template"})
_ASIDE = "x-aside"
_HIDING_ATTRIBUTES = ("hidden", "aria-hidden", "popover")


class Hidden(NamedTuple):
    """How much was taken out of a page."""

    characters: int = 0
    whole: bool = True
    """All styles were read."""

    def note(self, shown: int) -> str:
        """Say why a page that shows so many characters can't be compared; empty if it can."""
        if not self.whole:
            return "its styles were not read to their end"
        return "its styles hide most of its text" if self.characters > shown else ""


def hide(root: etree._Element, source: bytes, *, styles: bool = True) -> Hidden:
    """Take hidden text out of a tree, unless asked to leave what only styles hide.

    Elements that are hidden as a whole get a name that no reader looks into; where an element in
    them may be shown again, as with `visibility`, text is removed.
    """
    try:
        lower = source.lower()
        return _hide(root, lower, Styles(root, lower if styles else b""))
    except (ValueError, OverflowError, etree.LxmlError):
        return Hidden(whole=False)


def _hide(root: etree._Element, lower: bytes, styles: Styles) -> Hidden:
    attributed = [
        one
        for one in with_attributes(_HIDING_ATTRIBUTES, root, lower)
        if _is_hidden_by_attribute(one)
    ]
    closed = []
    if b"<details" in lower or b"<dialog" in lower:
        closed = [one for one in root.iter("details", "dialog") if one.get("open") is None]
    styled = [(one, names) for one in styles.suspects(root) if (names := styles.hides(one))]
    for element in attributed:
        _take_out(element)
    for element in closed:
        _close(element)
    removed = 0
    for element, names in styled:
        if names == ALL:
            _take_out(element)
        else:
            removed += _remove_text(element, names, styles)
    if attributed or closed or styled:
        removed += _hidden_size(root)
    return Hidden(removed, styles.whole)


def _is_hidden_by_attribute(element: etree._Element) -> bool:
    get = element.get
    if get("hidden") is not None:
        return "display" not in declarations(get("style", ""))[0]  # that is stronger
    silent = get("aria-hidden") == "true" and element.tag in BLOCKS
    return silent or get("popover") is not None


def _close(element: etree._Element) -> None:
    """Hide what a closed element holds, but for its summary."""
    summary = element.find("summary") if element.tag == "details" else None
    element.text = None
    for child in element:
        child.tail = None
        if child is not summary and isinstance(child.tag, str):
            _take_out(child)


def _take_out(element: etree._Element) -> None:
    if _is_aside(element):
        element.set(_ASIDE, "")
    element.tag = HIDDEN


def _is_aside(element: etree._Element) -> bool:
    """Return True if an element is no main text, hidden or not."""
    if element.tag in _ASIDES:
        return True
    get = element.get
    level, _ = level_of(str(element.tag), get("role", ""), get("class", ""), get("id", ""))
    return level not in (NONE, MAIN, ARTICLE)


def _remove_text(element: etree._Element, names: Iterable[str], styles: Styles) -> int:
    """Remove the text in an element, but not in those inside that have a value of their own."""
    stack, removed = [element], 0
    while stack:
        one = stack.pop()
        removed += _length(one.text)
        one.text = None
        for child in one:
            removed += _length(child.tail)
            child.tail = None
            if isinstance(child.tag, str) and styles.of(child).keys().isdisjoint(names):
                stack.append(child)
    return removed


def _hidden_size(root: etree._Element) -> int:
    """Return how many characters are hidden that could be main text."""
    size = inside = 0
    events = etree.iterwalk(root, events=("start", "end"))
    for event, node in events:
        element = cast("etree._Element", node)  # noqa: SLF001 - lxml has no public name for it
        hidden = element.tag == HIDDEN
        if event == "end":
            inside -= hidden
            size += _length(element.tail) if inside else 0
            continue
        inside += hidden
        if inside:
            if element.get(_ASIDE) is not None or (not hidden and _is_aside(element)):
                events.skip_subtree()
            else:
                size += _length(element.text)
    return size


def _length(text: str | None) -> int:
    return len(text.strip()) if text else 0
