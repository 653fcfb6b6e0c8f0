"""Text → words in one normal form; character pairs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby, pairwise

from .characters import MARK, MARK_ABOVE, UNASSIGNED, UNASSIGNED_ABOVE, WORD, WORD_ABOVE
from .decode import utf8

_ABOVE = "\U00010000-\U0010ffff"
_HAS_ABOVE = re.compile(f"[{_ABOVE}]")
# Code points that Unicode 13 does not know count as U+FFFD, so that no later Python changes a word.
_UNASSIGNED = re.compile(f"([{UNASSIGNED}]|(?=[{_ABOVE}])[{UNASSIGNED_ABOVE}])")
_MAY_BE_UNASSIGNED = re.compile(f"[{UNASSIGNED}{_ABOVE}]")  # several times as fast
_REPLACEMENT = "\ufffd"

# Marks in any order take a time that grows with the square of their number; marks in order do not.
_MANY_MARKS = re.compile(f"[{MARK}{_ABOVE}]{{32,}}")

# Scripts written without spaces: Thai, Lao, Tibetan, Myanmar, Khmer, kana, bopomofo, Han.
_SPACELESS_RANGES = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)

# Characters that are there for layout only, as the line that lengthens Arabic words is; they must
# not split a word.
INVISIBLE = re.compile("[\xad\u0640\u180e\u200b\u200e\u200f\u2060\ufeff]+")

# Wide and narrow forms, and the forms that Arabic letters have in a word.
_FORM = re.compile("[\u3000\ufb50-\ufdff\ufe70-\ufeff\uff01-\uffee]")
_FORM_TAGS = ("<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>")
LETTER_OF_FORM = {
    code: "".join(chr(int(part, 16)) for part in parts)
    for code in (0x3000, *range(0xFB50, 0xFFEF))
    for tag, *parts in [unicodedata.decomposition(chr(code)).split() or [""]]
    if tag in _FORM_TAGS
}

# Vowels and other points of Hebrew and Arabic, which are mostly not written.
_POINTED = re.compile("[\u0591-\u08ff\ufb1d-\ufb4f]")
POINT = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff]+"
)
# Letters that Arabic, Persian and Urdu keyboards write in different ways, and their digits.
LETTERS = str.maketrans(
    "\u0671\u0649\u06cc\u06a9\u06c1۰۱۲۳۴۵۶۷۸۹", "\u0627\u064a\u064a\u0643\u0647٠١٢٣٤٥٦٧٨٩"
)
_YO = re.compile("\u0451\u0308*")


WORD_RUN = re.compile(f"[{WORD}{WORD_ABOVE}]+")
_LOW_WORD_RUN = re.compile(f"[{WORD}]+")  # the same where nothing is above, and quicker
SPACELESS_RUN = re.compile(f"[{_SPACELESS_RANGES}]+")
_SPACELESS_SEGMENT = re.compile(f"([{_SPACELESS_RANGES}{MARK}{MARK_ABOVE}]+)")
_SPACES = "\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPACE = re.compile(f"[{_SPACES}]")
_SYMBOL = re.compile(f"[^{_SPACES}]")


def fold(text: str) -> str:
    """Bring text to the form in which words are compared.

    That is NFC and case folded, without what is written differently in the same words: points of
    Hebrew and Arabic, forms and variants of Arabic letters, wide letters and digits, the dots of ё.

    >>> fold("CAFÉ STRASSE Straße"), fold("Ёлка ２０２４ كِتاب")
    ('café strasse strasse', 'елка 2024 كتاب')
    """
    if text.isascii():
        return text.lower()
    if _MAY_BE_UNASSIGNED.search(text):
        text = _UNASSIGNED.sub(_REPLACEMENT, utf8(text).decode())
    if _FORM.search(text):
        text = text.translate(LETTER_OF_FORM)
    if INVISIBLE.search(text):
        text = INVISIBLE.sub("", text)
    text = _MANY_MARKS.sub(_in_order, text)
    if _POINTED.search(text):
        text = POINT.sub("", unicodedata.normalize("NFD", text)).translate(LETTERS)
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return _YO.sub("\u0435", text) if "\u0451" in text else text


def composed(text: str) -> str:
    r"""Return a text in NFC as Unicode 13 has it.

    >>> composed("Cafe\u0301") == "Caf\u00e9"
    True
    """
    if text.isascii():
        return text
    parts = _UNASSIGNED.split(text) if _MAY_BE_UNASSIGNED.search(text) else [text]
    parts[::2] = [
        unicodedata.normalize("NFC", _MANY_MARKS.sub(_in_order, one)) for one in parts[::2]
    ]
    return "".join(parts)


def _in_order(marks: re.Match[str]) -> str:
    """Return marks in canonical order."""
    decomposed = "".join(unicodedata.normalize("NFD", mark) for mark in marks[0])
    groups = groupby(decomposed, lambda one: unicodedata.combining(one) > 0)
    return "".join(
        "".join(sorted(group, key=unicodedata.combining) if combining else group)
        for combining, group in groups
    )


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
    folded = fold(text)
    found = (WORD_RUN if _HAS_ABOVE.search(folded) else _LOW_WORD_RUN).findall(folded)
    if is_spaceless(folded):
        found = [
            piece for word in found for piece in (pieces(word) if is_spaceless(word) else [word])
        ]
    return found or _SYMBOL.findall(folded)


def pieces(word: str) -> list[str]:
    """Cut a folded word where its script changes, and spaceless scripts into character pairs."""
    found: list[str] = []
    for segment in _SPACELESS_SEGMENT.split(word):
        if SPACELESS_RUN.match(segment) and len(segment) > 1:
            found += map("".join, pairwise(segment))
        elif segment:
            found.append(segment)
    return found
