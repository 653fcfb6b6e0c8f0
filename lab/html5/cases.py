"""Cases of the html5lib tokenizer tests: an input, and the events that must come out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.read.core_reading import EMPTY, END, START, TEXT, Event
from dedup_middleware.read.words import utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# how each state of the tokenizer is reached, and which elements lead to it
_BEGIN = {
    "Data state": "",
    "PLAINTEXT state": "<plaintext>",
    "RCDATA state": "<title>",
    "RAWTEXT state": "<xmp>",
    "Script data state": "<script>",
    "CDATA section state": "<svg><![CDATA[",
}
# what a test may contain that no event stands for, and why that is right for visible text
LEFT_OUT = {
    "Comment": "never visible: comments, processing instructions, unknown declarations",
    "DOCTYPE": "never visible: its name and identifiers",
    "parse error": "what is made of an error is compared, its code and place are not",
    "lone surrogate": "half a character is not text: U+FFFD stands for it in the input",
}
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Case(NamedTuple):
    """One test in one state."""

    file: str
    description: str
    state: str
    html: str
    expected: list[Event]
    left_out: tuple[str, ...]
    """What the test contains that no event stands for."""


def read_cases(folder: Path) -> Iterator[Case]:
    """Yield the tests of all files in a folder."""
    for path in sorted(folder.glob("*.test")):
        found = json.loads(path.read_text(encoding="utf-8"))
        for test in found.get("tests") or found.get("xmlViolationTests") or ():
            for state in test.get("initialStates", ("Data state",)):
                yield _case(path.name, test, state)


def _case(file: str, test: dict[str, Any], state: str) -> Case:
    begin = _BEGIN[state]
    name = begin[1:-1]
    last = test.get("lastStartTag", "")
    html, output = test["input"], test["output"]
    if test.get("doubleEscaped"):
        html, output = _unescaped(html), _unescaped(output)
    if last and name:  # the tests end one kind of element by the name of another
        html = re.sub(rf"(?<=</){last}", name, html, flags=re.IGNORECASE)
        output = [_renamed(token, last, name) for token in output]
    left_out = tuple(kind for kind in LEFT_OUT if _contains(kind, html, output, test))
    expected = list(_events(output))
    if begin:
        expected.insert(0, Event(START, "svg" if "svg" in begin else name))
    return Case(file, test["description"], state, begin + html, expected, left_out)


def _contains(kind: str, html: str, output: list[list[Any]], test: dict[str, Any]) -> bool:
    if kind == "lone surrogate":
        return utf8(html).decode() != html
    if kind == "parse error":
        return bool(test.get("errors"))
    return any(token[0] == kind for token in output)


def _renamed(token: list[Any], last: str, name: str) -> list[Any]:
    if token == ["EndTag", last]:
        return ["EndTag", name]
    if token[0] == "Character":
        return ["Character", re.sub(rf"(?<=</){last}", name, token[1], flags=re.IGNORECASE)]
    return token


def _events(output: list[list[Any]]) -> Iterator[Event]:
    text = ""
    for kind, *parts in output:
        if kind == "Character":
            text += parts[0]
        elif kind in ("StartTag", "EndTag"):
            if text:
                yield Event(TEXT, utf8(text).decode())
            text = ""
            if kind == "EndTag":
                yield Event(END, parts[0])
            else:
                empty = len(parts) > 2 and parts[2]
                yield Event(EMPTY if empty else START, parts[0], tuple(parts[1].items()))
    if text:
        yield Event(TEXT, utf8(text).decode())


def _unescaped(value: Any) -> Any:
    if isinstance(value, str):
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    if isinstance(value, list):
        return list(map(_unescaped, value))
    if isinstance(value, dict):
        return {_unescaped(key): _unescaped(one) for key, one in value.items()}
    return value
