"""Style sheets → rules, and which declarations of them an element has in the end.

Only what a page says itself: its `<style>` elements and `style` attributes. Selectors are names,
classes, ids, attributes and a few pseudo-classes, with any combinator; a rule with another selector
is left out, and so are those that depend on what a visitor does.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .conceal import matters, may_hide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lxml import etree

    Selector = tuple["Compound", ...]

MOST_CSS = 1 << 20  # characters of a page's sheets that are read
MOST_DEPTH = 20  # of nested blocks
MOST_SELECTORS = 50_000
LONGEST_SELECTOR = 1_000
LONGEST_VALUE = 1_000

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(.))", re.DOTALL)
_TOKEN = re.compile(r"[{}]|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|\\.", re.DOTALL)
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
# what applies to a wide screen without being asked: not print, not small screens
_ELSEWHERE = re.compile(
    r"print|speech|max-(?:device-)?width|\bnot\b|hover|reduce|dark", re.IGNORECASE
)
_COMMA = re.compile(r",(?![^()]*\))")
_HOLE = "\x01"  # where a comment was: it parts words, but no compounds
_CONDITION = re.compile(r"\[[^\]]*\]|\([^()]*\)")
_PLAIN_NAME = re.compile(r"[.#][\w-]+")
_NO_SCRIPTS = frozenset({"no-js", "nojs", "no_js"})
_DISPLAYS = re.compile(
    r"none|block|inline|contents|flow|list-item|run-in|(?:inline-)?(?:block|flex|grid|table)|ruby"
    r"|table-[a-z-]+|math|initial|inherit|unset|revert|revert-layer|-(?:webkit|moz|ms)-.*|.*var\(.*"
    r"|.* .*"
)
_GROUPS = ("@media", "@supports", "@layer", "@container", "@scope", "@starting-style")

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\.)+"
_SIMPLE = re.compile(
    rf"""(?P<combinator>\s*[>+~]\s*|\s+)
    | (?P<mark>[.\#]?)(?P<name>{_NAME}|\*)
    | \[\s*(?P<attribute>{_NAME})\s*(?:(?P<op>[~|^$*]?=)\s*
        (?P<value>"[^"]*"|'[^']*'|[^\]\s]+)\s*[isIS]?\s*)?\]
    | :(?P<pseudo>:?{_NAME})(?:\((?P<argument>[^()]*)\))?""",
    re.VERBOSE,
)


class Compound(NamedTuple):
    """Conditions on one element."""

    combinator: str = ""
    """How it is related to the compound before it."""
    tag: str = ""
    identifier: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    pseudos: tuple[tuple[str, tuple[Selector, ...]], ...] = ()

    @property
    def key(self) -> str:
        """What an element must have to be worth a look."""
        if self.identifier:
            return f"#{self.identifier}"
        return f".{min(self.classes)}" if self.classes else self.tag or "*"


class Rule(NamedTuple):
    """Declarations, and the elements that have them."""

    selector: Selector
    declarations: Mapping[str, str]
    important: bool
    weight: tuple[int, int, int]
    may_hide: bool


class Draft(NamedTuple):
    """A rule as it is written."""

    names: frozenset[str]
    """The classes and ids that a page must have for it to apply anywhere."""
    selector: str
    list: tuple[str, ...]
    """The selector and those beside it."""
    text: str


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


def declarations(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the declarations of a block, and those that are important.

    >>> declarations("display:/**/ NONE ! important; opacity: 0")
    ({'opacity': '0'}, {'display': 'none'})
    """
    found: tuple[dict[str, str], dict[str, str]] = {}, {}
    for part in _COMMENT.sub(" ", text).replace(_HOLE, " ").split(";"):
        name, colon, value = part.partition(":")
        if colon and len(value) <= LONGEST_VALUE:
            name, value = plain(name).strip().lower(), plain(value).strip().lower()
            short = _IMPORTANT.sub("", value)
            if name != "display" or _DISPLAYS.fullmatch(short):
                found[short != value][name] = short
    return found


def with_variables(value: str, variables: Mapping[str, str]) -> str:
    """Put in what variables stand for, three deep."""
    for _ in range(3):
        value = _VARIABLE.sub(lambda one: variables.get(one[1], one[2] or ""), value)
        value = value[:LONGEST_VALUE]
    return value.strip()


@lru_cache(maxsize=64)
def sheet(text: str) -> tuple[Draft, ...]:
    """Return the rules of a style sheet in order; pages of one site often have the same."""
    return tuple(_drafts(_COMMENT.sub(_HOLE, text[:MOST_CSS])))


def _drafts(text: str) -> Iterator[Draft]:
    """Yield each block of a sheet once for each of its selectors."""
    stack: list[list[str] | None] = []  # the selectors of each open block; None: it is left out
    start = made = 0
    for token in _TOKEN.finditer(text + "}" * MOST_DEPTH):
        mark = token[0]
        if mark == "{":
            before, _, head = text[start : token.start()].rpartition(";")
            around = stack[-1] if stack else [""]
            yield from _block(around, before)
            stack.append(_inner(head, around))
        elif mark == "}":
            around = stack.pop() if stack else None
            made += len(around or ())
            yield from _block(around, text[start : token.start()])
        else:
            continue
        start = token.end()
        if len(stack) > MOST_DEPTH or made > MOST_SELECTORS:
            return


def _block(selectors: list[str] | None, text: str) -> Iterator[Draft]:
    if selectors and ":" in text and selectors != [""]:
        for selector in selectors:
            yield Draft(_names(selector), selector, tuple(selectors), text)


def _names(selector: str) -> frozenset[str]:
    plain_part = _CONDITION.sub("", selector) if "[" in selector or "(" in selector else selector
    return frozenset() if "\\" in selector else frozenset(_PLAIN_NAME.findall(plain_part))


def _inner(head: str, outer: list[str] | None) -> list[str] | None:
    if outer is None:
        return None
    head = head.replace(_HOLE, "").strip()
    if len(head) > LONGEST_SELECTOR * 10:
        return None
    if head.startswith("@"):
        inside = head.lower().startswith(_GROUPS) and not _ELSEWHERE.search(head)
        return outer if inside else None
    selectors = [part.strip() for part in _COMMA.split(head)]
    if outer == [""]:
        return selectors
    return [
        part.replace("&", around) if "&" in part else f"{around} {part}"
        for around in outer[:4]
        for part in selectors[:100]
        if len(around) + len(part) < LONGEST_SELECTOR
    ]


@lru_cache(maxsize=5_000)
def rules(draft: Draft) -> tuple[Rule, ...]:
    """Return a rule for the declarations of a block, and one for those that are important."""
    selector = _selector(draft.selector)
    if not selector or any(_selector(one) is None for one in draft.list):
        return ()  # one that is no selector makes the others void
    if any(not _NO_SCRIPTS.isdisjoint(one.classes) for one in selector):
        return ()
    found = []
    for declared, important in zip(declarations(draft.text), (False, True), strict=True):
        used = {name: value for name, value in declared.items() if matters(name)}
        if used:
            found.append(Rule(selector, used, important, _weight(selector), may_hide(used)))
    return tuple(found)


@lru_cache(maxsize=5_000)
def _selector(text: str) -> Selector | None:
    """Return the compounds of a selector: none if it is not understood, None if it is invalid."""
    compounds: list[Compound] = []
    current = Compound()
    at = 0
    understood = True
    while at < len(text):
        found = _SIMPLE.match(text, at)
        if not found:
            return None
        at = found.end()
        if found["combinator"]:
            compounds.append(current)
            current = Compound(found["combinator"].strip() or " ")
            continue
        added = _with(current, found)
        understood = understood and added is not None
        current = added or current
    compounds.append(current)
    is_whole = all(one[1:] != Compound()[1:] for one in compounds)
    return tuple(compounds) if understood and is_whole else ()


def _with(current: Compound, found: re.Match[str]) -> Compound | None:
    name = plain(found["name"] or "")
    if found["mark"] == "#":
        return current._replace(identifier=name)
    if found["mark"] == ".":
        return current._replace(classes=current.classes | {name})
    if name:
        return current._replace(tag=name.lower())
    if found["attribute"]:
        condition = (
            plain(found["attribute"]).lower(),
            found["op"] or "",
            plain((found["value"] or "").strip("\"'")),
        )
        return current._replace(attributes=(*current.attributes, condition))
    return _with_pseudo(current, found["pseudo"].lower(), found["argument"] or "")


def _with_pseudo(current: Compound, pseudo: str, argument: str) -> Compound | None:
    inner = [_selector(part.strip()) for part in argument.split(",")] if argument else []
    found = tuple(filter(None, inner))
    if pseudo not in _PSEUDOS or len(found) < len(inner) or bool(inner) != (pseudo in _OF_OTHERS):
        return None
    return current._replace(pseudos=(*current.pseudos, (pseudo, found)))


def _weight(compounds: Selector) -> tuple[int, int, int]:
    a = b = c = 0
    for one in compounds:
        a += bool(one.identifier)
        b += len(one.classes) + len(one.attributes)
        c += one.tag not in ("", "*")
        for name, inner in one.pseudos:
            most = max(map(_weight, inner)) if inner else (0, 1, 0)
            if name != "where":
                a, b, c = a + most[0], b + most[1], c + most[2]
    return a, b, c


def _any(element: etree._Element, inner: tuple[Selector, ...]) -> bool:
    return any(matches(element, one) for one in inner)


_OF_OTHERS = ("not", "is", "where")
_PSEUDOS: dict[str, Callable[[etree._Element, tuple[Selector, ...]], bool]] = {
    "root": lambda element, _: element.getparent() is None,
    "first-child": lambda element, _: next(element.itersiblings("*", preceding=True), None) is None,
    "last-child": lambda element, _: next(element.itersiblings("*"), None) is None,
    "not": lambda element, inner: not _any(element, inner),
    "is": _any,
    "where": _any,
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


def matches(element: etree._Element, selector: Selector) -> bool:
    """Return True if an element is what a selector selects; every ancestor is looked at once."""
    *before, last = selector
    if not _fits(element, last):
        return False
    combinator = last.combinator
    for compound in reversed(before):
        found = next((one for one in _related(element, combinator) if _fits(one, compound)), None)
        if found is None:
            return False
        element, combinator = found, compound.combinator
    return True


def _related(element: etree._Element, combinator: str) -> Iterable[etree._Element]:
    if combinator == " ":
        return element.iterancestors()
    if combinator == ">":
        parent = element.getparent()
        return () if parent is None else (parent,)
    before = element.itersiblings("*", preceding=True)
    return before if combinator == "~" else [one for one, _ in zip(before, (1,), strict=False)]


def _fits(element: etree._Element, compound: Compound) -> bool:
    if compound.tag not in ("", "*", element.tag):
        return False
    if compound.identifier and element.get("id") != compound.identifier:
        return False
    if compound.classes and not compound.classes.issubset((element.get("class") or "").split()):
        return False
    for name, operator, wanted in compound.attributes:
        value = element.get(name)
        if value is None or not _OPERATORS[operator](value, wanted):
            return False
    return all(_PSEUDOS[name](element, inner) for name, inner in compound.pseudos)
