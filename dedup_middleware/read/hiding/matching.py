"""Which elements a selector selects, with bounded work."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dedup_middleware.read.tree import Element

from .selectors import NTH
from .text import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .names import Names
    from .selectors import Compound, Pseudo, Selector

MOST_WORK = 400_000  # elements that are looked at
_MOST_SIBLINGS = 60  # that are counted
# how many of them are as much work as an element
_ATTRIBUTES_AT_ONCE, _CHARACTERS_AT_ONCE = 16, 64

_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "": lambda _, __: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in words(value),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}


class Matcher:
    """Tries selectors on the elements of a page, as long as its budget lasts."""

    def __init__(self, names: Names, missing: tuple[str, ...]) -> None:
        self._names = names
        self._missing = missing
        self._siblings: dict[int, list[Element]] = {}  # by the place of their parent
        self._index: dict[int, int] = {}  # of an element among them
        self.left = MOST_WORK

    def matches(self, element: Element, selector: Selector) -> bool:
        """Return True if an element is what a selector selects."""
        reached = [element] if self._fits(element, selector[-1]) else []
        for at in range(len(selector) - 1, 0, -1):
            combinator, compound = selector[at].combinator, selector[at - 1]
            found: dict[Element, None] = {}
            for one in reached:
                for related in self._related(one, combinator):
                    self.left -= 1
                    if self.left <= 0 or related in found:
                        break
                    if self._fits(related, compound):
                        found[related] = None
            reached = list(found)
        return bool(reached)

    def _related(self, element: Element, combinator: str) -> Iterable[Element]:
        if combinator == " ":
            return self._around(element)
        if combinator == ">":
            return islice(self._around(element), 1)
        before = self._before(element)
        return before if combinator == "~" else islice(before, 1)

    def _around(self, element: Element) -> Iterator[Element]:
        """Go through the elements around one, and the page where it stands for html or body."""
        page = element
        for one in element.around():
            yield one
            page = one
        if self._missing:
            yield page.parent or page

    def _before(self, element: Element) -> Iterator[Element]:
        siblings, at = self._with_siblings(element)
        return (siblings[index] for index in range(at - 1, -1, -1))

    def _after(self, element: Element) -> Iterator[Element]:
        siblings, at = self._with_siblings(element)
        return (siblings[index] for index in range(at + 1, len(siblings)))

    def _with_siblings(self, element: Element) -> tuple[list[Element], int]:
        parent = element.parent
        if parent is None:
            return [element], 0
        if parent.place not in self._siblings:
            siblings = [one for one in parent.children if isinstance(one, Element)]
            self._siblings[parent.place] = siblings
            self._index.update((one.place, at) for at, one in enumerate(siblings))
        return self._siblings[parent.place], self._index[element.place]

    def _fits(self, element: Element, compound: Compound) -> bool:
        tag, own = compound.tag, self._names.of[element.place]
        return (
            (tag in ("", "*", element.tag) or self._stands_for(element, tag))
            and all(name in own for name in compound.names)
            and all(self._has(element, *one) for one in compound.attributes)
            and all(self._is(element, one) for one in compound.pseudos)
        )

    def _stands_for(self, element: Element, tag: str) -> bool:
        return element.parent is None and tag in self._missing

    def _has(self, element: Element, name: str, operator: str, wanted: str) -> bool:
        self.left -= 1 + len(element.attributes) // _ATTRIBUTES_AT_ONCE
        value = element.attributes.get(name)
        if value is None:
            return False
        self.left -= len(value) // _CHARACTERS_AT_ONCE
        return _OPERATORS[operator](value, wanted)

    def _is(self, element: Element, pseudo: Pseudo) -> bool:
        self.left -= 1
        name, tag = pseudo.name, element.tag if pseudo.name.endswith("type") else ""
        if pseudo.inner:
            return self._any(element, pseudo.inner) != (name == "not")
        if name == "root":
            return element.tag == "html" or self._stands_for(element, "html")
        if name == "checked":
            return name in element.attributes
        if name in NTH:
            place = self._count(self._before(element), tag, _MOST_SIBLINGS) + 1 - pseudo.start
            if not pseudo.step:
                return place == 0
            return place % pseudo.step == 0 and place // pseudo.step >= 0
        side = self._before if name.startswith("first") else self._after
        return not self._count(side(element), tag, 1)

    def _any(self, element: Element, inner: tuple[Selector, ...]) -> bool:
        for one in inner:
            self.left -= 1
            if self.matches(element, one):
                return True
        return False

    def _count(self, siblings: Iterable[Element], tag: str, most: int) -> int:
        """Count siblings up to a limit: all, or those of a name."""
        found = 0
        for one in siblings:
            self.left -= 1
            found += tag in ("", one.tag)
            if found == most or self.left <= 0:
                break
        return found
