"""Sentence boundaries, and cuts in text that has none."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from dedup_middleware.data import sections
from dedup_middleware.read.words import SPACELESS_RUN, WORD_RUN, fold, is_spaceless

from .languages import STOP_WORDS

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

LONGEST = 60
"""A sentence of more words is cut."""
_SHORTEST = 8
_ONE_IN = 16  # words ends a piece, on average
_FEW_CHARACTERS, _FEW_SPACES = 400, 50  # then words need not be counted

_UNSPACED = frozenset("।॥؟۔։።။។。．！？｡")  # end a sentence even if no space follows
_MARKS = frozenset(".!?…\u037e") | _UNSPACED
# No look-ahead that can fail: each match succeeds, so that each character is seen once.
_END = re.compile(
    rf"""[{"".join(_MARKS)}]+
        (?: ["'”’“‘»«›‹)\]}}」』）】〉》〕］]     # closes what ends here
          | \[[\w\ ]{{1,20}}\]                   # a note: [3], [citation needed]
          | [ \u00a0\u202f][»›](?=[\s.,;:)]|$)  # French puts a space before it
        )*""",
    re.VERBOSE,
)
_UNFINISHED = frozenset("，、；：,;:—～~")  # continue a sentence, even after "！"
_OPENERS = "\"'“‘”’«»‹›„‚([{¿¡「『（【*•–—-"
_NEXT = re.compile(rf"\s*[{re.escape(_OPENERS)}]*(\w{{0,30}})(\.?)")
_LOOK_BACK = 24
_GLUE = re.compile(rf"[\s/{re.escape(_OPENERS)}]")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")  # J, U.S, e.g
_NUMBERING = re.compile(r"\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxIVX]{2,5}")  # 2, 2.1, b, iv
_ROMAN = re.compile(r"[IVXLC]+")

_ABBREVIATIONS = sections("abbreviations.txt")
_OPENING, _CLOSING, _COUNTING, _IN_NAMES, _COUNTED = (
    frozenset(_ABBREVIATIONS[name])
    for name in ("opening", "closing", "counting", "in names", "counted")
)
_STARTERS = frozenset[str]().union(*STOP_WORDS.values())

_WORD = WORD_RUN.pattern[1:-2] + "\xad\u200b\u2060\ufeff"
# A word and the punctuation after it; in scripts without spaces, a character with its marks.
_ASCII_UNIT = re.compile(r"(\w+)[^\w\s]*", re.ASCII)
_SPACED_UNIT = re.compile(rf"([{_WORD}]+)[^{_WORD}\s]*")
_UNIT = re.compile(
    rf"((?:(?!{SPACELESS_RUN.pattern[:-1]})[{_WORD}])+|[{_WORD}](?:(?!\w)[{_WORD}]){{0,4}})"
    rf"[^{_WORD}\s]*"
)


def split_sentences(text: str) -> list[str]:
    """Split a block of text into sentences.

    >>> split_sentences("Dr. Who paid 3.50 for No. 5. “He left!” Why?")
    ['Dr. Who paid 3.50 for No. 5.', '“He left!”', 'Why?']
    """
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        begin, end = match.span()
        if end == len(text):
            break
        ends = _ends_here if text[end].isspace() else _ends_unspaced
        if ends(text, start, begin, end):
            sentences.append(text[start:end].strip())
            start = end
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences


def sentences_of(outline: Outline) -> list[tuple[int, str]]:
    """Return the sentences of the main text in reading order, each with its node."""
    return [
        (node, piece)
        for node, (text, boilerplate) in enumerate(
            zip(outline.texts, outline.boilerplate, strict=True)
        )
        if text and not boilerplate
        for sentence in split_sentences(text)
        for piece in cut(sentence)
    ]


def cut(sentence: str) -> list[str]:
    """Cut a sentence that is too long after certain words, which are the same in every text.

    >>> cut("Short enough.")
    ['Short enough.']
    """
    if len(sentence) <= LONGEST:
        return [sentence]
    if is_spaceless(sentence):
        unit = _UNIT
    elif len(sentence) <= _FEW_CHARACTERS and sentence.count(" ") < _FEW_SPACES:
        return [sentence]
    else:
        unit = _ASCII_UNIT if sentence.isascii() else _SPACED_UNIT
    if len(unit.findall(sentence)) <= LONGEST:
        return [sentence]
    pieces: list[str] = []
    start = count = 0
    for word in unit.finditer(sentence):
        count += 1
        if count == LONGEST or (count >= _SHORTEST and _is_edge(word.group(1))):
            pieces.append(sentence[start : word.end()].strip())
            start, count = word.end(), 0
    rest = sentence[start:].strip()
    return [*pieces, rest] if rest else pieces


def _is_edge(word: str) -> bool:
    return zlib.crc32(fold(word).encode(errors="replace")) % _ONE_IN == 0


def _ends_unspaced(text: str, _: int, begin: int, end: int) -> bool:
    before, after = text[begin - 1 : begin], text[end]
    if _UNSPACED.isdisjoint(text[begin:end]):
        return is_spaceless(before) and is_spaceless(after) and text[begin] in ".!?"
    return after not in _UNFINISHED and not (before.isdigit() and after.isdigit())


def _ends_here(text: str, start: int, begin: int, end: int) -> bool:
    """Return True if the marks before a space end the sentence."""
    marks, before = text[begin:end], text[max(start, begin - _LOOK_BACK) : begin]
    following = _NEXT.match(text, end)
    word, dot = following.groups() if following else ("", "")
    lower = word[:1].islower()
    spaced = before[-1:].isspace()
    if lower and (spaced or marks[-1] not in _MARKS):  # a ? as placeholder, or “Why?” he asked
        return False
    if marks.startswith(("..", "…")):
        return bool(word) and not lower and word != "I"
    if marks[0] != ".":
        return True
    if dot and not word:  # . . .
        return False
    if begin - start <= _LOOK_BACK and _NUMBERING.fullmatch(before.strip()):
        return False
    token = "" if spaced or not before else _GLUE.split(before)[-1]
    return _ends_after(token, word, dot, lower=lower)


def _ends_after(token: str, word: str, dot: str, *, lower: bool) -> bool:
    """Return True if a full stop between a token and a word ends the sentence."""
    if token.isdecimal():
        return not (lower or (len(token) <= len("31") and _is_counted(word, dot)))
    small, starts = token.casefold(), word[:1].isupper() and word.casefold() in _STARTERS
    if _INITIALS.fullmatch(token):
        in_name = len(token) == 1 and word.casefold() in _IN_NAMES
        another = dot and len(word) == 1
        return starts and not in_name and not another
    if token in _OPENING or small in _OPENING:
        return starts and token.isupper()  # in Los Angeles, CA. He
    if small in _CLOSING:
        return starts
    if small in _COUNTING:
        return not (lower or word[:1].isdecimal() or (word != "I" and _ROMAN.fullmatch(word)))
    return True


def _is_counted(word: str, dot: str) -> bool:
    """Return True if a word belongs to the ordinal number before it: 3. Oktober, 1. 2. 2010."""
    return word in _COUNTED or (word.isdecimal() and (bool(dot) or len(word) == len("2010")))
