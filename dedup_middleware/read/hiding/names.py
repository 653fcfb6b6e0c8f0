"""The classes and ids on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.read.tree import Element

_BITS = 128


class Names:
    """The names of each element, as `#id` and `.class`, by its place."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self._numbers: dict[str, int] = {}
        self.of: list[dict[str, None]] = []
        self._around: list[int] = []
        for element in elements:
            names = dict.fromkeys(_names(element)) if element.attributes else {}
            for name in names:
                self._numbers.setdefault(name, len(self._numbers))
            around = self._around[element.parent.place] if element.parent else 0
            self.of.append(names)
            self._around.append(around | self.bits(names))

    def has(self, names: Iterable[str]) -> bool:
        """Return True if all these names are somewhere on the page."""
        return all(name in self._numbers for name in names)

    def bits(self, names: Iterable[str]) -> int:
        """Return a number with a bit for each of some names on the page, though not its own."""
        found = 0
        for name in names:
            found |= 1 << self._numbers[name] % _BITS
        return found

    def may_be_around(self, bits: int, element: Element) -> bool:
        """Return False if an element and those around it lack a name with one of some bits."""
        return not bits & ~self._around[element.place]


def _names(element: Element) -> Iterable[str]:
    identifier = element.get("id")
    if identifier:
        yield f"#{identifier}"
    for name in words(element.get("class")):
        yield f".{name}"
