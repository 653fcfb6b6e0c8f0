"""Selectors of CSS: what they say, how much they weigh, and which elements they select.

They are names, classes, ids, attributes and some pseudo-classes, with any combinator. Another one
selects nothing, and neither does one that depends on what a visitor does.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lxml import etree

    Selector = tuple["Compound", ...]

MOST_SIBLINGS = 60  # that are counted

_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(.))", re.DOTALL)
# an ASCII letter, digit, hyphen or underscore, or anything beyond ASCII
_NAME = r"[^\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]+"
_SIMPLE = re.compile(
    rf"""(?P<combinator>\ ?[>+~]\ ?|\ )
    | (?P<mark>[.\#]?)(?P<name>{_NAME}|\*)
    | \[\ ?(?P<attribute>{_NAME})\ ?(?:(?P<op>[~|^$*]?=)\ ?
        (?P<value>"[^"]*"|'[^']*'|[^\]\ ]+)\ ?[isIS]?\ ?)?\]
    | :(?P<pseudo>:?{_NAME})(?:\((?P<argument>[^()]*)\))?""",
    re.VERBOSE,
)
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NTH = re.compile(r"([+-]?\d{0,6})n ?(?:([+-]) ?(\d{1,6}))?|([+-]?\d{1,6})")
# escaped characters that would end a name stand in the private range while a selector is read
_PRIVATE = 0xE000
_FROM_PRIVATE = {_PRIVATE + code: code for code in range(0x80)}


class Compound(NamedTuple):
    """Conditions on one element."""

    combinator: str = ""
    """How it is related to the compound before it."""
    tag: str = ""
    identifier: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    pseudos: tuple[tuple[str, str, tuple[Selector, ...]], ...] = ()
    """Name, argument, and the selectors that are the argument, if it is one."""

    @property
    def key(self) -> str:
        """What an element must have to be worth a look."""
        if self.identifier:
            return f"#{self.identifier}"
        return f".{min(self.classes)}" if self.classes else self.tag or "*"


class Budget:
    """How many elements may still be looked at."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    @property
    def is_spent(self) -> bool:
        return self.left <= 0


def plain(text: str) -> str:
    r"""Return CSS without escapes.

    >>> plain(r"d\69 splay")
    'display'
    """
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if 0 < code <= sys.maxunicode else "\ufffd"


@lru_cache(maxsize=5_000)
def selector_of(text: str) -> Selector:
    """Return the compounds of a selector; none if it is not understood."""
    if "\\" in text:
        text = _ESCAPE.sub(_protected, text)
    compounds: list[Compound] = []
    current: Compound | None = Compound()
    at = 0
    while at < len(text) and current is not None:
        found = _SIMPLE.match(text, at)
        if not found:
            return ()
        at = found.end()
        if found["combinator"]:
            compounds.append(current)
            current = Compound(found["combinator"].strip() or " ")
        else:
            current = _with(current, found)
    if current is None:
        return ()
    compounds.append(current)
    return tuple(compounds) if all(one[1:] != Compound()[1:] for one in compounds) else ()


def _protected(found: re.Match[str]) -> str:
    character = _unescaped(found)
    is_special = character.isascii() and not character.isalnum()
    return chr(_PRIVATE + ord(character)) if is_special else character


def _with(current: Compound, found: re.Match[str]) -> Compound | None:
    name = (found["name"] or "").translate(_FROM_PRIVATE)
    if found["mark"] == "#":
        return current._replace(identifier=name)
    if found["mark"] == ".":
        return current._replace(classes=current.classes | {name})
    if name:
        return current._replace(tag=name.lower())
    if not found["attribute"]:
        return _with_pseudo(current, found["pseudo"].lower(), (found["argument"] or "").strip())
    attribute = found["attribute"].lower()
    if not _ATTRIBUTE_NAME.fullmatch(attribute):
        return None
    value = (found["value"] or "").strip("\"'").translate(_FROM_PRIVATE)
    condition = (attribute, found["op"] or "", value)
    return current._replace(attributes=(*current.attributes, condition))


def _with_pseudo(current: Compound, pseudo: str, argument: str) -> Compound | None:
    if pseudo not in _PSEUDOS:
        return None
    inner: tuple[Selector, ...] = ()
    if pseudo in _OF_OTHERS:
        inner = tuple(selector_of(part.strip()) for part in argument.split(","))
        if not argument or not all(inner):
            return None
    elif pseudo.startswith("nth") and _nth(argument) is None:
        return None
    return current._replace(pseudos=(*current.pseudos, (pseudo, argument, inner)))


def weight_of(compounds: Selector) -> tuple[int, int, int]:
    """Return how many ids, how many classes and the like, and how many names it has."""
    a = b = c = 0
    for one in compounds:
        a += bool(one.identifier)
        b += len(one.classes) + len(one.attributes)
        c += one.tag not in ("", "*")
        for name, _, inner in one.pseudos:
            most = max(map(weight_of, inner)) if inner else (0, 1, 0)
            if name != "where":
                a, b, c = a + most[0], b + most[1], c + most[2]
    return a, b, c


def needs_of(selector: Selector) -> frozenset[str]:
    """Return the classes and ids that an element or those around it must have."""
    if any(one.combinator in ("+", "~") for one in selector):
        selector = selector[-1:]
    classes = {f".{name}" for one in selector for name in one.classes}
    return frozenset(classes | {f"#{one.identifier}" for one in selector if one.identifier})


def _nth(argument: str) -> tuple[int, int] | None:
    """Return a step and a start: of 2n+1, odd, even or a number."""
    argument = {"odd": "2n+1", "even": "2n"}.get(argument.lower(), argument.lower())
    found = _NTH.fullmatch(argument.replace(" ", ""))
    if not found:
        return None
    if found[4]:
        return 0, int(found[4])
    step = {"": 1, "+": 1, "-": -1}.get(found[1]) or int(found[1] or 1)
    return step, int(f"{found[2]}{found[3]}") if found[3] else 0


def _is_nth(argument: str, before: Iterable[object]) -> bool:
    step, start = _nth(argument) or (0, 0)
    place = sum(1 for _ in islice(before, MOST_SIBLINGS)) + 1
    if step == 0:
        return place == start
    return (place - start) % step == 0 and (place - start) // step >= 0


def _is_first(siblings: Iterable[object]) -> bool:
    return next(iter(siblings), None) is None


def _before(element: etree._Element, tag: str = "*") -> Iterator[etree._Element]:
    return element.itersiblings(tag, preceding=True)


def _any(element: etree._Element, inner: tuple[Selector, ...], budget: Budget) -> bool:
    return any(matches(element, one, budget) for one in inner)


_OF_OTHERS = ("not", "is", "where")
_PSEUDOS: dict[str, Callable[[etree._Element, str], bool]] = {
    "root": lambda element, _: element.getparent() is None,
    "first-child": lambda element, _: _is_first(_before(element)),
    "last-child": lambda element, _: _is_first(element.itersiblings("*")),
    "first-of-type": lambda element, _: _is_first(_before(element, str(element.tag))),
    "last-of-type": lambda element, _: _is_first(element.itersiblings(str(element.tag))),
    "nth-child": lambda element, nth: _is_nth(nth, _before(element)),
    "nth-of-type": lambda element, nth: _is_nth(nth, _before(element, str(element.tag))),
    "checked": lambda element, _: element.get("checked") is not None,
    "not": lambda _, __: True,
    "is": lambda _, __: True,
    "where": lambda _, __: True,
}

_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "": lambda _, __: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}


def matches(element: etree._Element, selector: Selector, budget: Budget) -> bool:
    """Return True if an element is what a selector selects, as long as the budget lasts."""
    reached = [element] if _fits(element, selector[-1], budget) else []
    for later, compound in zip(reversed(selector), reversed(selector[:-1]), strict=False):
        found: dict[etree._Element, None] = {}
        for one in reached:
            for related in _related(one, later.combinator):
                budget.left -= 1
                if budget.is_spent or related in found:
                    break
                if _fits(related, compound, budget):
                    found[related] = None
        reached = list(found)
    return bool(reached)


def _related(element: etree._Element, combinator: str) -> Iterable[etree._Element]:
    if combinator == " ":
        return element.iterancestors()
    if combinator == ">":
        parent = element.getparent()
        return () if parent is None else (parent,)
    before = _before(element)
    return before if combinator == "~" else [one for one, _ in zip(before, (1,), strict=False)]


def _has_classes(element: etree._Element, classes: frozenset[str]) -> bool:
    names = element.get("class") or ""
    # most have none of them, which needs no list
    return all(name in names for name in classes) and classes.issubset(names.split())


def _fits(element: etree._Element, compound: Compound, budget: Budget) -> bool:
    if (
        compound.tag not in ("", "*", element.tag)
        or (compound.identifier and element.get("id") != compound.identifier)
        or (compound.classes and not _has_classes(element, compound.classes))
    ):
        return False
    for name, operator, wanted in compound.attributes:
        value = element.get(name)
        if value is None or not _OPERATORS[operator](value, wanted):
            return False
    for name, argument, inner in compound.pseudos:
        budget.left -= MOST_SIBLINGS if argument else 1
        if inner and _any(element, inner, budget) == (name == "not"):
            return False
        if not _PSEUDOS[name](element, argument):
            return False
    return True
