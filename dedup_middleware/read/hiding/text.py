"""Letters and white space as HTML and CSS see them: ASCII only, whatever Unicode says."""

from __future__ import annotations

import re
import string
import sys

SPACE = " \t\n\f\r"
# an ASCII letter, digit, hyphen or underscore, or anything beyond ASCII
NAME = r"[^\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]+"
NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"

_WORD = re.compile(rf"[^{SPACE}]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ESCAPE = re.compile(rf"\\(?:([0-9a-fA-F]{{1,6}})[{SPACE}]?|(.))", re.DOTALL)
# escaped characters that would end a name stand in the private range while a selector is read
_PRIVATE = 0xE000
_SURROGATES = range(0xD800, 0xE000)
_FROM_PRIVATE = {_PRIVATE + code: code for code in range(0x80)}


def words(text: str) -> list[str]:
    r"""Return what stands between white space.

    >>> words(" a\n\xa0b ")
    ['a', '\xa0b']
    """
    return _WORD.findall(text)


def lower(text: str) -> str:
    """Return a text with small letters, but for those beyond ASCII."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def plain(text: str) -> str:
    r"""Return CSS without escapes.

    >>> plain(r"d\69 splay")
    'display'
    """
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def protected(text: str) -> str:
    """Return CSS without escapes, in which only those characters end a name that did before."""
    return _ESCAPE.sub(_protected, text) if "\\" in text else text


def unprotected(name: str) -> str:
    """Return the name that was meant."""
    return name if name.isascii() else name.translate(_FROM_PRIVATE)


def _unescaped(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    is_character = 0 < code <= sys.maxunicode and code not in _SURROGATES
    return chr(code) if is_character else "\ufffd"


def _protected(found: re.Match[str]) -> str:
    character = _unescaped(found)
    is_special = character.isascii() and not character.isalnum()
    return chr(_PRIVATE + ord(character)) if is_special else character
