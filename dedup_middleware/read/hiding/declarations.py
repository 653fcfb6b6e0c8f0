"""Declarations of CSS: what a block or a `style` attribute sets, and what variables stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .conceal import PROPERTIES
from .text import NAME, SPACE, lower, plain, words

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_VALUE = 500
HOLE = "\x01"  # where a comment was: it parts words, but no compounds

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_VARIABLE = re.compile(rf"var\( ?(--{NAME}) ?(?:,([^()]*))?\)")
# what only old browsers understand
_HACK = re.compile(r"\\[09](?![0-9A-Za-z_])|expression\(|progid:")
_IMPORTANT = "important"
_DISPLAYS = frozenset(
    {
        *("none", "block", "inline", "contents", "flow", "list-item", "run-in", "flex", "grid"),
        *("table", "inline-block", "inline-flex", "inline-grid", "inline-table", "ruby", "math"),
        *("initial", "inherit", "unset", "revert", "revert-layer"),
    }
)
_DISPLAYS_BEGIN = ("table-", "-webkit-", "-moz-", "-ms-")
_PROPERTIES = frozenset(PROPERTIES)


def without_comments(text: str) -> str:
    """Return CSS with a hole for each comment; what is never closed reaches to the end."""
    return _COMMENT.sub(HOLE, text)


class Declared(NamedTuple):
    """The declarations of a block that matter."""

    normal: dict[str, str]
    important: dict[str, str]
    variables: list[tuple[str, str]]

    @property
    def lists(self) -> tuple[dict[str, str], dict[str, str]]:
        return self.normal, self.important


def declarations(text: str) -> Declared:
    """Return the declarations of a block, which has no comments.

    >>> declarations("display: NONE ! important; opacity: 0; --a: b")
    Declared(normal={'opacity': '0'}, important={'display': 'none'}, variables=[('--a', 'b')])
    """
    found = Declared({}, {}, [])
    for part in text.replace(HOLE, " ").split(";"):
        name, colon, value = part.partition(":")
        name = lower(plain(name).strip(SPACE))
        is_variable = name.startswith("--")
        if not colon or not (is_variable or name in _PROPERTIES):
            continue
        if len(value) > LONGEST_VALUE or _HACK.search(value):
            continue
        value, important = _importance(" ".join(words(lower(plain(value)))))
        if is_variable:
            found.variables.append((name, value))
        elif name != "display" or _is_display(value):
            some = found.lists[important]
            some.pop(name, None)  # or it would stand before later shorthands
            some[name] = value
    return found


def with_variables(value: str, variables: Mapping[str, str]) -> tuple[str, int]:
    """Put in what variables stand for, three deep; what stays unknown keeps its `var`.

    Return how many there were, too.
    """
    total = 0
    for _ in range(3):
        value, count = _VARIABLE.subn(lambda one: variables.get(one[1], one[2] or one[0]), value)
        value = value[:LONGEST_VALUE]
        total += count
    return value.strip(" "), total


def _importance(value: str) -> tuple[str, bool]:
    if value.endswith(_IMPORTANT):
        before = value[: -len(_IMPORTANT)].rstrip(" ")
        if before.endswith("!"):
            return before[:-1].rstrip(" "), True
    return value, False


def _is_display(value: str) -> bool:
    """Return True if a browser would not drop a value of `display`."""
    return (
        value in _DISPLAYS or value.startswith(_DISPLAYS_BEGIN) or "var(" in value or " " in value
    )
