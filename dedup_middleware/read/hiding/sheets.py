"""Style sheets → blocks: declarations and the selectors that they are for.

Every step is linear in the size of a sheet.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .declarations import HOLE, without_comments
from .media import is_for_screens
from .text import NAME, lower, words

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DEPTH = 20  # of nested blocks
MOST_SELECTORS = 50_000
LONGEST_SELECTOR = 500
_OUTER, _INNER = 4, 20  # selectors of nested blocks that are combined

_TOKEN = re.compile(r"[{}]|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|\\.", re.DOTALL)
_AT_RULE = re.compile(r"@[A-Za-z-]*")
_NOT_IN_SELECTOR = re.compile(r"[!@%?;<]|:::")
_DELIMITER = re.compile(r"[(),]")
_CONDITION_OR_NAME = re.compile(rf"\[[^\]]*\]?|\([^)]*\)?|[.#]{NAME}")


class Draft(NamedTuple):
    """A rule as it is written."""

    names: frozenset[str]
    """The classes and ids that a page must have for it to apply anywhere."""
    selector: str
    text: str
    layer: bool


class Sheet(NamedTuple):
    """The rules of a style sheet in order."""

    drafts: tuple[Draft, ...]
    whole: bool


@lru_cache(maxsize=64)
def sheet(text: str) -> Sheet:
    """Return the rules of a style sheet; pages of one site often have the same."""
    drafts: list[Draft] = []
    whole = _collect(without_comments(text), drafts)
    return Sheet(tuple(drafts), whole)


class _Block(NamedTuple):
    """An open block: the selectors that its declarations are for, if it is followed."""

    selectors: tuple[str, ...] = ()
    followed: bool = True
    layer: bool = False


def _collect(text: str, drafts: list[Draft]) -> bool:
    """Add each block of a sheet once for each of its selectors; return False if it is cut."""
    stack: list[_Block] = []
    start = made = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        around = stack[-1] if stack else _Block()
        if mark == "{":
            before, _, head = text[start : token.start()].rpartition(";")
            drafts += _drafts(around, before)
            inner = _inner(head, around)
            made += len(inner.selectors)
            if len(stack) == MOST_DEPTH or made > MOST_SELECTORS:
                return False
            stack.append(inner)
        elif mark == "}":
            drafts += _drafts(around, text[start : token.start()])
            del stack[-1:]
        else:
            continue
        start = token.end()
    if stack:
        drafts += _drafts(stack[-1], text[start:])
    return True


def _inner(head: str, around: _Block) -> _Block:
    if not around.followed:
        return around
    head = " ".join(words(head.replace(HOLE, "")))
    if found := _AT_RULE.match(head):
        name, query = lower(found[0]), lower(head[found.end() :])
        if name == "@layer":
            return around._replace(layer=True)
        supported = name == "@supports" and "not" not in query
        return around._replace(followed=supported or (name == "@media" and is_for_screens(query)))
    selectors = _split(head)
    if around.selectors:
        selectors = tuple(
            _combined(outer, part)
            for outer in around.selectors[:_OUTER]
            for part in selectors[:_INNER]
        )
    selectors = tuple(one for one in selectors if 0 < len(one) <= LONGEST_SELECTOR)
    return around._replace(selectors=selectors, followed=bool(selectors))


def _combined(outer: str, part: str) -> str:
    """Return a selector of a block in another; empty if it is too long."""
    if "&" not in part:
        return f"{outer} {part}"
    size = len(part) + part.count("&") * (len(outer) - 1)
    return part.replace("&", outer) if size <= LONGEST_SELECTOR else ""


def _split(head: str) -> tuple[str, ...]:
    """Split a list of selectors; none if one of them is invalid, which makes the others void."""
    if _NOT_IN_SELECTOR.search(head):
        return ()
    parts, start, depth = [], 0, 0
    for found in _DELIMITER.finditer(head):
        depth += {"(": 1, ")": -1, ",": 0}[found[0]]
        if found[0] == "," and depth == 0:
            parts.append(head[start : found.start()].strip(" "))
            start = found.end()
    parts.append(head[start:].strip(" "))
    return tuple(parts) if all(parts) else ()


def _drafts(block: _Block, text: str) -> Iterator[Draft]:
    if block.followed and ":" in text:
        for selector in block.selectors:
            yield Draft(names_of(selector), selector, text, block.layer)


def names_of(selector: str) -> frozenset[str]:
    """Return the classes and ids that a page must have for a selector to select anything."""
    if "\\" in selector:
        return frozenset()
    return frozenset(one for one in _CONDITION_OR_NAME.findall(selector) if one[0] in ".#")
