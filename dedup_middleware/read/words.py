"""Text → words in one normal form; character pairs where a script has no spaces."""

from __future__ import annotations

import re

from dedup_middleware import core

from .characters import WORD, WORD_ABOVE
from .decode import utf8

# Scripts written without spaces: Thai, Lao, Tibetan, Myanmar, Khmer, kana, bopomofo, Han.
_SPACELESS_RANGES = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)

WORD_RUN = re.compile(f"[{WORD}{WORD_ABOVE}]+")
SPACELESS_RUN = re.compile(f"[{_SPACELESS_RANGES}]+")


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
    found = core.call("words", utf8(text)).decode()
    return found.split("\n") if found else []
