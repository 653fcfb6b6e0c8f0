"""Text → words in one normal form; character pairs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby, pairwise

from dedup_middleware.data import character_class, mapping, ranges, sections

from .decode import utf8

_ABOVE = "\U00010000-\U0010ffff"
_UNICODE = sections("characters.txt")
_SCRIPTS = sections("scripts.txt")


def _class(words: list[str]) -> tuple[str, str]:
    """Return ranges for regular expressions; those beyond U+FFFF, which are slow, apart."""
    spans = ranges(words)
    low = [span for span in spans if span[0] < ord(_ABOVE[0])]
    return character_class(low), character_class(spans[len(low) :])


# Those of words and marks run over code points that are not assigned, which are replaced first.
_WORD, _WORD_ABOVE = _class(_UNICODE["word"])
_MARK, _MARK_ABOVE = _class(_UNICODE["mark"])
_UNASSIGNED_LOW, _UNASSIGNED_ABOVE = _class(_UNICODE["unassigned"])
_SPACELESS, _SPACES, _INVISIBLE_ONES, _POINTS = (
    character_class(ranges(_SCRIPTS[name]))
    for name in ("spaceless", "space", "invisible", "points")
)
_HAS_ABOVE = re.compile(f"[{_ABOVE}]")
# Code points that Unicode 13 does not know count as U+FFFD, so that no later Python changes a word.
_UNASSIGNED = re.compile(f"([{_UNASSIGNED_LOW}]|(?=[{_ABOVE}])[{_UNASSIGNED_ABOVE}])")
_MAY_BE_UNASSIGNED = re.compile(f"[{_UNASSIGNED_LOW}{_ABOVE}]")  # several times as fast
_REPLACEMENT = "\ufffd"

# Marks in any order take a time that grows with the square of their number; marks in order do not.
_MANY_MARKS = re.compile(f"[{_MARK}{_ABOVE}]{{32,}}")

_INVISIBLE = re.compile(f"[{_INVISIBLE_ONES}]+")

# Where these are not, there is nothing to replace.
_FORM = re.compile("[\u3000\ufb50-\ufdff\ufe70-\ufeff\uff01-\uffee]")
_LETTER_OF_FORM = mapping(_UNICODE["forms"])
_POINTED = re.compile("[\u0591-\u08ff\ufb1d-\ufb4f]")
_POINT = re.compile(f"[{_POINTS}]+")
_LETTERS = mapping(_SCRIPTS["letters"])
_YO = re.compile("\u0451\u0308*")


WORD_RUN = re.compile(f"[{_WORD}{_WORD_ABOVE}]+")
_LOW_WORD_RUN = re.compile(f"[{_WORD}]+")  # the same where nothing is above, and quicker
SPACELESS_RUN = re.compile(f"[{_SPACELESS}]+")
_SPACELESS_SEGMENT = re.compile(f"([{_SPACELESS}{_MARK}{_MARK_ABOVE}]+)")
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
        text = text.translate(_LETTER_OF_FORM)
    if _INVISIBLE.search(text):
        text = _INVISIBLE.sub("", text)
    text = _MANY_MARKS.sub(_in_order, text)
    if _POINTED.search(text):
        text = _POINT.sub("", unicodedata.normalize("NFD", text)).translate(_LETTERS)
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
