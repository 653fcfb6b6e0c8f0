"""Character references: `&amp;`, `&#8212;` and those without a semicolon.

The twin of `native/src/references.rs`.
"""

from __future__ import annotations

import re
from functools import partial
from html.entities import html5

_REFERENCE = re.compile(
    r"&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([a-zA-Z][a-zA-Z0-9]{1,30};?))", re.ASCII
)
_LONGEST_BARE = 6  # the longest reference that needs no semicolon
_LONGEST_NUMBER = 7  # digits of the last character
_LAST = 0x10FFFF
# what the numbers of control characters mean, because Windows once wrote them
_WINDOWS = {
    number: bytes((number,)).decode("cp1252")
    for number in range(0x80, 0xA0)
    if number not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def decoded(text: str) -> str:
    """Return a text with its character references replaced.

    >>> decoded("&lt;p&gt &amp;&notit; &#x2014;&#150; &unknown;")
    '<p> &¬it; —– &unknown;'
    """
    return _REFERENCE.sub(_in_text, text) if "&" in text else text


def decoded_value(text: str) -> str:
    """Return the value of an attribute: "&copy=1" is no reference there."""
    text = _REFERENCE.sub(_in_attribute, text) if "&" in text else text
    return text.replace("\0", "\ufffd") if "\0" in text else text


def _replacement(found: re.Match[str], *, attribute: bool) -> str:
    hexadecimal, decimal, name = found.groups()
    if hexadecimal or decimal:
        return _character(hexadecimal or decimal, 16 if hexadecimal else 10)
    if name in html5 and name[-1] == ";":
        return html5[name]
    for length in range(min(len(name), _LONGEST_BARE), 1, -1):
        if name[:length] in html5:
            end = found.start(3) + length
            following = found.string[end : end + 1]
            if attribute and (following == "=" or (following.isascii() and following.isalnum())):
                break
            return html5[name[:length]] + name[length:]
    return found[0]


_in_text = partial(_replacement, attribute=False)
_in_attribute = partial(_replacement, attribute=True)


def _character(digits: str, base: int) -> str:
    digits = digits.lstrip("0")
    number = int(digits or "0", base) if len(digits) <= _LONGEST_NUMBER else _LAST + 1
    if number == 0 or number > _LAST or 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004 - surrogates
        return "\ufffd"
    return _WINDOWS.get(number) or chr(number)
