"""Text that visitors can't see is marked as hidden, or taken out.

Many pages are hidden as a whole until a script shows them, so the root and the body always count as
shown, and a page that hides more than it shows is not compared. What other files do (style sheets,
scripts, pictures on top) can't be known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.blocks import BLOCKS
from dedup_middleware.read.elements import MAX_DEPTH
from dedup_middleware.read.labels import ARTICLE, MAIN, NONE, level_of
from dedup_middleware.read.tree import Element

from .declarations import declarations, without_comments
from .styles import ALL, Styles
from .survey import Survey
from .text import SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASIDES = frozenset({"a", "script", "style", "template"})
_SHOWN, _COUNTED, _ASIDE = range(3)


class Hidden(NamedTuple):
    """How much was taken out of a page."""

    characters: int = 0
    whole: bool = True
    """All styles were read, and what they hide could be found."""
    work: int = 0
    """Elements that were looked at for the sake of styles."""

    def note(self, shown: int) -> str:
        """Say why a page that shows so many characters can't be compared; empty if it can."""
        if not self.whole:
            return "its styles were not read to their end"
        return "its styles hide most of its text" if self.characters > shown else ""


def hide(page: Element, *, styles: bool = True) -> Hidden:
    """Hide what a page does not show, unless asked to leave what only styles hide.

    Elements that are hidden as a whole are marked; where an element in them may be shown again, as
    with `visibility`, text is taken out.
    """
    survey = Survey(page)
    attributed = [one for one in survey.hiding if _is_hidden_by_attribute(one)]
    found = Styles(survey) if styles and (survey.styled or survey.sheets) else None
    suspects = found.suspects() if found else []
    styled = [(one, names) for one in suspects if found and (names := found.hides(one))]
    for element in attributed:
        element.hidden = True
    for element in survey.closed:
        _close(element)
    removed = 0
    for element, names in styled:
        if names == ALL:
            element.hidden = True
        elif found:
            removed += _remove_text(element, names, found)
    hiding = [*attributed, *survey.closed, *(one for one, _ in styled)]
    if hiding:
        removed += _hidden_size(survey.elements)
    whole = (found is None or found.whole) and not _is_any_cut_short(hiding, survey.elements)
    return Hidden(removed, whole, found.work if found else 0)


def _is_hidden_by_attribute(element: Element) -> bool:
    attributes = element.attributes
    if "hidden" in attributes:
        own = declarations(without_comments(element.get("style")))
        return not any("display" in one for one in own.lists)  # that is stronger
    silent = element.get("aria-hidden") == "true" and element.tag in BLOCKS
    return silent or "popover" in attributes


def _close(element: Element) -> None:
    """Hide what a closed element holds, but for its summary."""
    inside = [one for one in element.children if isinstance(one, Element)]
    element.children = [*inside]
    has_summary = element.tag == "details"
    for child in inside:
        if has_summary and child.tag == "summary":
            has_summary = False
        else:
            child.hidden = True


def _remove_text(element: Element, names: Iterable[str], styles: Styles) -> int:
    """Remove the text in an element, but not in those inside that have a value of their own."""
    stack, removed = [element], 0
    while stack:
        one = stack.pop()
        inside: list[Element | str] = []
        for child in one.children:
            if isinstance(child, str):
                removed += _length(child)
                continue
            inside.append(child)
            if styles.of(child).keys().isdisjoint(names):
                stack.append(child)
        one.children = inside
    return removed


def _hidden_size(elements: list[Element]) -> int:
    """Return how many characters are hidden that could be main text."""
    size = 0
    states: list[int] = []
    for element in elements:
        state = states[element.parent.place] if element.parent else _SHOWN
        if element.hidden and state == _SHOWN:
            state = _COUNTED
        if state == _COUNTED:
            if _is_aside(element):
                state = _ASIDE
            else:
                texts = (one for one in element.children if isinstance(one, str))
                size += sum(map(_length, texts))
        states.append(state)
    return size


def _is_any_cut_short(hiding: list[Element], elements: list[Element]) -> bool:
    """Return True if one is too deep, so that what it holds stands beside it in the tree."""
    depths = [0]
    for element in elements[1:] if hiding else ():
        depths.append(depths[element.parent.place if element.parent else 0] + 1)
    return any(depths[one.place] > MAX_DEPTH for one in hiding)


def _is_aside(element: Element) -> bool:
    """Return True if an element is no main text, hidden or not."""
    if element.tag in _ASIDES:
        return True
    get = element.get
    level, _ = level_of(element.tag, get("role"), get("class"), get("id"))
    return level not in (NONE, MAIN, ARTICLE)


def _length(text: str) -> int:
    return len(text.strip(SPACE))
