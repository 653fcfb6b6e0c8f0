"""Text → words in one normal form; character pairs where a script has no spaces."""

from __future__ import annotations

import re

from dedup_middleware import core
from dedup_middleware.data import character_class, ranges, sections

from .decode import utf8

WORD_RUN = re.compile(f"[{character_class(ranges(sections('characters.txt')['word']))}]+")
SPACELESS_RUN = re.compile(f"[{character_class(ranges(sections('scripts.txt')['spaceless']))}]+")


def fold(text: str) -> str:
    """Bring text to the form in which words are compared.

    That is NFC and case folded, without what is written differently in the same words: points of
    Hebrew and Arabic, forms and variants of Arabic letters, wide letters and digits, the dots of ё.

    >>> fold("CAFÉ STRASSE Straße"), fold("Ёлка ２０２４ كِتاب")
    ('café strasse strasse', 'елка 2024 كتاب')
    """
    if text.isascii():
        return text.lower()
    return core.call("fold", utf8(text)).decode()


def composed(text: str) -> str:
    r"""Return a text in NFC as Unicode 13 has it.

    >>> composed("Cafe\u0301") == "Caf\u00e9"
    True
    """
    if text.isascii():
        return text
    return core.call("nfc", utf8(text)).decode()


def is_spaceless(text: str) -> bool:
    """Return True if a text has words in a script without spaces."""
    return not text.isascii() and SPACELESS_RUN.search(text) is not None


def words(text: str) -> list[str]:
    """List the words of a text in order.

    >>> words("The price: 3.50, don't PANIC")
    ['the', 'price', '3', '50', 'don', 't', 'panic']
    >>> words("中文字符 and English")
    ['中文', '文字', '字符', 'and', 'english']

    Text made of symbols only has symbols for words, so that it never looks empty.

    >>> words("♥ ♠ ♣")
    ['♥', '♠', '♣']
    """
    if text.isascii() and (plain := WORD_RUN.findall(text.lower())):  # quicker than a call
        return plain
    found = core.call("words", utf8(text)).decode()
    return found.split("\n") if found else []
