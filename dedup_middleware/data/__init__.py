"""Tables of characters and words, which Python and the compiled core read from the same files.

They are part of the scheme: a change may change the words of a text, so it needs a new version. A
file has sections, `[name]`, of words with white space between them; a line that begins with `#` is
a comment. Characters are hexadecimal: `41`, `41-5a`, or `41-5a=61` for what they become.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Sections = dict[str, list[str]]


def sections(file: str) -> Sections:
    """Return the words of each section of a file, by its name."""
    found: Sections = {}
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            words += line.split()
    return found


def ranges(words: list[str]) -> list[tuple[int, int]]:
    """Return the first and the last character of each range.

    >>> ranges(["41-5a", "5f"])
    [(65, 90), (95, 95)]
    """
    return [_range(word) for word in words]


def character_class(spans: Iterable[tuple[int, int]]) -> str:
    r"""Return ranges as a regular expression writes them between brackets.

    >>> character_class([(0x41, 0x5A), (0x5D, 0x5D)])
    'A-Z\\]-\\]'
    """
    return "".join("-".join(re.escape(chr(code)) for code in span) for span in spans)


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first, 16), int(last or first, 16)
