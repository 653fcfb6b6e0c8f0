"""Style sheets → rules: what a page says itself, as far as it holds on a desktop screen.

It stands in `<style>` elements and `style` attributes. Every step is linear in the size of a sheet.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .conceal import matters, may_hide
from .selectors import needs_of, plain, selector_of, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .selectors import Selector

MOST_CSS = 1 << 20  # characters of a page's sheets that are read
MOST_DEPTH = 20  # of nested blocks
MOST_SELECTORS = 50_000
MOST_IN_LIST = 200
LONGEST_SELECTOR = 500
LONGEST_VALUE = 500
SCREEN = 1280  # pixels

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_TOKEN = re.compile(r"[{}]|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|\\.", re.DOTALL)
_VARIABLE = re.compile(r"var\( ?(--[\w-]+) ?(?:,([^()]*))?\)")
_IMPORTANT = re.compile(r" ?! ?important$")
_HACK = re.compile(r"\\[09]\b|\bexpression\(|progid:")  # what only old browsers understand
_HOLE = "\x01"  # where a comment was: it parts words, but no compounds
_DELIMITER = re.compile(r"[(),]")
_CONDITION = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_PLAIN_NAME = re.compile(r"[.#][\w-]+")
_NOT_IN_SELECTOR = re.compile(r"[!@%?;<]|:::|,\s*,|^\s*,|,\s*$")
_NO_SCRIPTS = frozenset({"no-js", "nojs", "no_js"})
_DISPLAYS = re.compile(
    r"none|block|inline|contents|flow|list-item|run-in|(?:inline-)?(?:block|flex|grid|table)|ruby"
    r"|table-[a-z-]+|math|initial|inherit|unset|revert|revert-layer|-(?:webkit|moz|ms)-.*|.*var\(.*"
    r"|.* .*"
)
_MEDIUM = re.compile(r"(?:only )?(?:all|screen)")
_LEAST_WIDTH = re.compile(r"\( ?(?:min-width ?:|width ?>=?) ?([\d.]{1,9})(px|r?em)? ?\)")


class Rule(NamedTuple):
    """Declarations, and the elements that have them."""

    selector: Selector
    declarations: Mapping[str, str]
    important: bool
    layer: bool
    weight: tuple[int, int, int]
    needs: frozenset[str]
    """The classes and ids that an element or those around it must have."""
    may_hide: bool


class Draft(NamedTuple):
    """A rule as it is written."""

    names: frozenset[str]
    """The classes and ids that a page must have for it to apply anywhere."""
    selector: str
    text: str
    layer: bool


def declarations(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the declarations of a block, and those that are important.

    >>> declarations("display:/**/ NONE ! important; opacity: 0")
    ({'opacity': '0'}, {'display': 'none'})
    """
    found: tuple[dict[str, str], dict[str, str]] = {}, {}
    for part in _COMMENT.sub(" ", text).replace(_HOLE, " ").split(";"):
        name, colon, value = part.partition(":")
        if not colon or len(value) > LONGEST_VALUE or _HACK.search(value):
            continue
        name, value = plain(name).strip().lower(), " ".join(plain(value).lower().split())
        short = _IMPORTANT.sub("", value)
        if name != "display" or _DISPLAYS.fullmatch(short):
            found[short != value][name] = short
    return found


def with_variables(value: str, variables: Mapping[str, str]) -> str:
    """Put in what variables stand for, three deep; what stays unknown keeps its `var`."""
    for _ in range(3):
        value = _VARIABLE.sub(lambda one: variables.get(one[1], one[2] or one[0]), value)
        value = value[:LONGEST_VALUE]
    return value.strip()


def is_for_screens(query: str) -> bool:
    """Return True if a media query holds on a desktop screen, whatever the visitor prefers.

    >>> is_for_screens("screen and (min-width: 40em)"), is_for_screens("(max-width: 600px)")
    (True, False)
    """
    parts = " ".join(query.lower().split()[:50]).split(",")
    return any(_holds(part.strip()) for part in parts)


def _holds(query: str) -> bool:
    return all(_holds_part(part.strip()) for part in query.split(" and ")) if query else True


def _holds_part(part: str) -> bool:
    if _MEDIUM.fullmatch(part):
        return True
    width = _LEAST_WIDTH.fullmatch(part)
    if not width or width[1].count(".") > 1:
        return False
    return float(width[1]) * (16 if width[2] in ("em", "rem") else 1) <= SCREEN


@lru_cache(maxsize=64)
def sheet(text: str) -> tuple[Draft, ...]:
    """Return the rules of a style sheet in order; pages of one site often have the same."""
    return tuple(_drafts(_COMMENT.sub(_HOLE, text[:MOST_CSS])))


class _Block(NamedTuple):
    """An open block: the selectors that its declarations are for, if it is followed."""

    selectors: tuple[str, ...] = ()
    followed: bool = True
    layer: bool = False


def _drafts(text: str) -> Iterator[Draft]:
    """Yield each block of a sheet once for each of its selectors."""
    stack: list[_Block] = []
    start = made = 0
    for token in _TOKEN.finditer(text + "}" * MOST_DEPTH):
        mark = token[0]
        around = stack[-1] if stack else _Block()
        if mark == "{":
            before, _, head = text[start : token.start()].rpartition(";")
            yield from _block(around, before)
            stack.append(_inner(head[-LONGEST_SELECTOR * 20 :], around))
        elif mark == "}":
            made += len(around.selectors)
            yield from _block(around, text[start : token.start()])
            del stack[-1:]
        else:
            continue
        start = token.end()
        if len(stack) > MOST_DEPTH or made > MOST_SELECTORS:
            return


def _inner(head: str, around: _Block) -> _Block:
    head = " ".join(head.replace(_HOLE, "").split())
    if not around.followed:
        return around
    if head.startswith("@"):
        name, _, query = head.partition(" ")
        if name.lower() == "@layer":
            return around._replace(layer=True)
        supported = name.lower() == "@supports" and "not" not in query
        followed = supported or (name.lower() == "@media" and is_for_screens(query))
        return around._replace(followed=followed)
    selectors = _split(head)
    if not around.selectors:
        return around._replace(selectors=selectors)
    combined = (
        part.replace("&", outer) if "&" in part else f"{outer} {part}"
        for outer in around.selectors[:4]
        for part in selectors[:20]
    )
    return around._replace(selectors=tuple(one for one in combined if len(one) <= LONGEST_SELECTOR))


def _split(head: str) -> tuple[str, ...]:
    """Split a list of selectors; none if one of them is invalid, which makes the others void."""
    if _NOT_IN_SELECTOR.search(head):
        return ()
    parts, start, depth = [], 0, 0
    for found in _DELIMITER.finditer(head):
        depth += {"(": 1, ")": -1, ",": 0}[found[0]]
        if found[0] == "," and depth == 0:
            parts.append(head[start : found.start()])
            start = found.end()
    parts.append(head[start:])
    short = (part.strip() for part in parts[:MOST_IN_LIST])
    return tuple(part for part in short if len(part) <= LONGEST_SELECTOR)


def _block(block: _Block, text: str) -> Iterator[Draft]:
    if block.followed and ":" in text:
        for selector in block.selectors:
            yield Draft(_names(selector), selector, text, block.layer)


def _names(selector: str) -> frozenset[str]:
    if "\\" in selector:
        return frozenset()
    if "[" in selector or "(" in selector:
        selector = _CONDITION.sub("", selector)
    return frozenset(_PLAIN_NAME.findall(selector))


@lru_cache(maxsize=5_000)
def rules(draft: Draft) -> tuple[Rule, ...]:
    """Return a rule for the declarations of a block, and one for those that are important."""
    selector = selector_of(draft.selector)
    if not selector or any(not _NO_SCRIPTS.isdisjoint(one.classes) for one in selector):
        return ()
    found = []
    for declared, important in zip(declarations(draft.text), (False, True), strict=True):
        used = {name: value for name, value in declared.items() if matters(name)}
        if used:
            found.append(
                Rule(
                    selector,
                    used,
                    important,
                    draft.layer,
                    weight_of(selector),
                    needs_of(selector),
                    may_hide(used),
                )
            )
    return tuple(found)
