"""Text → words in one normal form; character pairs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby, pairwise

# Vowel signs and accents are part of a word in most scripts, but not part of `\w`.
_MARKS = [
    code
    for codes in (range(0x300, 0x20000), range(0xE0100, 0xE01F0))
    for code in codes
    if unicodedata.category(chr(code))[0] == "M"
]

# Scripts written without spaces: Thai, Lao, Tibetan, Myanmar, Khmer, kana, bopomofo, Han.
_SPACELESS_RANGES = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)

# Characters that are there for layout only, as the line that lengthens Arabic words is; they must
# not split a word.
_INVISIBLE = re.compile("[\xad\u0640\u180e\u200b\u200e\u200f\u2060\ufeff]+")

# Wide and narrow forms, and the forms that Arabic letters have in a word.
_FORM = re.compile("[\u3000\ufb50-\ufdff\ufe70-\ufeff\uff01-\uffee]")
_FORM_TAGS = ("<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>")
_LETTER_OF_FORM = {
    code: "".join(chr(int(part, 16)) for part in parts)
    for code in (0x3000, *range(0xFB50, 0xFFEF))
    for tag, *parts in [unicodedata.decomposition(chr(code)).split() or [""]]
    if tag in _FORM_TAGS
}

# Vowels and other points of Hebrew and Arabic, which are mostly not written.
_POINTED = re.compile("[\u0591-\u08ff\ufb1d-\ufb4f]")
_POINT = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff]+"
)
# Letters that Arabic, Persian and Urdu keyboards write in different ways, and their digits.
_LETTERS = str.maketrans(
    "\u0671\u0649\u06cc\u06a9\u06c1۰۱۲۳۴۵۶۷۸۹", "\u0627\u064a\u064a\u0643\u0647٠١٢٣٤٥٦٧٨٩"
)
_YO = re.compile("\u0451\u0308*")


def _ranges(codes: list[int]) -> str:
    runs = groupby(enumerate(codes), lambda pair: pair[1] - pair[0])
    spans = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(span[0])}-{chr(span[-1])}" for span in spans)


_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_PLAIN_WORD = re.compile(r"\w+")
# Everything from the first mark on but Greek, Cyrillic and punctuation, which most pages end with.
_MAY_BE_MARK = re.compile("[\u0300-\u036f\u0483-\u0489\u0591-\u1fff\u200c\u200d\u20d0-\U0010ffff]")
WORD_RUN = re.compile(rf"[\w{_ranges(_MARKS)}\u200c\u200d]+")
SPACELESS_RUN = re.compile(f"[{_SPACELESS_RANGES}]+")
_SPACELESS_SEGMENT = re.compile(f"([{_SPACELESS_RANGES}{_ranges(_MARKS)}]+)")
_SYMBOL = re.compile(r"\S")


def fold(text: str) -> str:
    """Bring text to the form in which words are compared.

    That is NFC and case folded, without what is written differently in the same words: points of
    Hebrew and Arabic, forms and variants of Arabic letters, wide letters and digits, the dots of ё.

    >>> fold("CAFÉ STRASSE Straße"), fold("Ёлка ２０２４ كِتاب")
    ('café strasse strasse', 'елка 2024 كتاب')
    """
    if text.isascii():
        return text.lower()
    if _FORM.search(text):
        text = text.translate(_LETTER_OF_FORM)
    if _INVISIBLE.search(text):
        text = _INVISIBLE.sub("", text)
    if _POINTED.search(text):
        text = _POINT.sub("", unicodedata.normalize("NFD", text)).translate(_LETTERS)
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return _YO.sub("\u0435", text) if "\u0451" in text else text


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
    if folded.isascii():
        found = _ASCII_WORD.findall(folded)
    elif _MAY_BE_MARK.search(folded):
        found = WORD_RUN.findall(folded)
    else:  # the same, and quicker
        found = _PLAIN_WORD.findall(folded)
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
