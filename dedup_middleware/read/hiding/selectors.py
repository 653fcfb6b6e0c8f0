"""Selectors of CSS: what they say, and how much they weigh.

They are names, classes, ids, attributes and some pseudo-classes, with any combinator. Another one
selects nothing, and neither does one that depends on what a visitor does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .text import NAME, lower, protected, unprotected

if TYPE_CHECKING:
    Selector = tuple["Compound", ...]
    Weight = tuple[int, int, int]

NTH = ("nth-child", "nth-of-type")
OF_OTHERS = ("not", "is", "where")
PLACES = ("root", "first-child", "last-child", "first-of-type", "last-of-type", "checked")

_SIMPLE = re.compile(
    rf"""(?P<combinator>\ ?[>+~]\ ?|\ )
    | (?P<mark>[.\#]?)(?P<name>{NAME})
    | (?P<any>\*)
    | \[\ ?(?P<attribute>{NAME})\ ?(?:(?P<op>[~|^$*]?=)\ ?
        (?P<value>"[^"]*"|'[^']*'|[^\]\ ]+)\ ?[isIS]?\ ?)?\]
    | :(?P<pseudo>:?{NAME})(?:\((?P<argument>[^()]*)\))?""",
    re.VERBOSE,
)
_NTH = re.compile(r"([+-]?[0-9]{0,6})n(?:([+-][0-9]{1,6}))?|([+-]?[0-9]{1,6})")


class Pseudo(NamedTuple):
    """A pseudo-class."""

    name: str
    inner: tuple[Selector, ...] = ()
    """Its argument, if that is a list of selectors."""
    step: int = 0
    start: int = 0


class Compound(NamedTuple):
    """Conditions on one element."""

    combinator: str = ""
    """How it is related to the compound before it."""
    tag: str = ""
    names: tuple[str, ...] = ()
    """Classes and ids, as `.class` and `#id`."""
    attributes: tuple[tuple[str, str, str], ...] = ()
    pseudos: tuple[Pseudo, ...] = ()

    @property
    def key(self) -> str:
        """What an element must have to be worth a look."""
        # an escaped dot may begin a name of elements; it is none of classes, and nothing has it
        tag = f"\\{self.tag}" if self.tag.startswith((".", "#")) else self.tag
        return min(self.names, default=tag or "*")


_EMPTY = Compound()[1:]


@lru_cache(maxsize=5_000)
def selector_of(text: str) -> Selector:
    """Return the compounds of a selector; none if it is not understood."""
    text = protected(text)
    compounds: list[Compound] = []
    current = Compound()
    at = 0
    while at < len(text):
        found = _SIMPLE.match(text, at)
        if not found:
            return ()
        at = found.end()
        if found["combinator"]:
            compounds.append(current)
            current = Compound(found["combinator"].strip(" ") or " ")
            continue
        longer = _with(current, found)
        if longer is None:
            return ()
        current = longer
    compounds.append(current)
    return () if any(one[1:] == _EMPTY for one in compounds) else tuple(compounds)


def _with(current: Compound, found: re.Match[str]) -> Compound | None:
    name = unprotected(found["name"] or "")
    if found["mark"]:
        names = (*current.names, found["mark"] + name)
        return current._replace(names=tuple(dict.fromkeys(names)))
    if name or found["any"]:
        return current._replace(tag=lower(name) or "*")
    if not found["attribute"]:
        return _with_pseudo(current, lower(found["pseudo"]), (found["argument"] or "").strip(" "))
    value = unprotected((found["value"] or "").strip("\"'"))
    condition = (lower(unprotected(found["attribute"])), found["op"] or "", value)
    return current._replace(attributes=(*current.attributes, condition))


def _with_pseudo(current: Compound, name: str, argument: str) -> Compound | None:
    if name in OF_OTHERS:
        inner = tuple(selector_of(part.strip(" ")) for part in argument.split(","))
        pseudo = Pseudo(name, inner) if all(inner) else None
    elif name in NTH:
        pseudo = _nth(name, lower(argument.replace(" ", "")))
    else:
        pseudo = Pseudo(name) if name in PLACES else None
    return current._replace(pseudos=(*current.pseudos, pseudo)) if pseudo else None


def _nth(name: str, argument: str) -> Pseudo | None:
    """Read 2n+1, odd, even or a number."""
    found = _NTH.fullmatch({"odd": "2n+1", "even": "2n"}.get(argument, argument))
    if not found:
        return None
    if found[3]:
        return Pseudo(name, start=int(found[3]))
    step = int(f"{found[1]}1" if found[1] in ("", "+", "-") else found[1])
    return Pseudo(name, step=step, start=int(found[2] or 0))


def weight_of(selector: Selector) -> Weight:
    """Return how many ids, how many classes and the like, and how many names it has."""
    a = b = c = 0
    for one in selector:
        ids = sum(name[0] == "#" for name in one.names)
        a += ids
        b += len(one.names) - ids + len(one.attributes)
        c += one.tag not in ("", "*")
        for pseudo in one.pseudos:
            if pseudo.name == "where":
                continue
            most = max(map(weight_of, pseudo.inner)) if pseudo.inner else (0, 1, 0)
            a, b, c = a + most[0], b + most[1], c + most[2]
    return a, b, c
