"""Sentence boundaries, and cuts in text that has none."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

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

# Abbreviations; those with a capital count only with it. These never end a sentence:
_OPENING = frozenset(
    """
    Abs Adm Brig Capt Cmdr Col Cpl Fr Gen Gov Hon Hr Insp Lt Maj Ms Mt Pres Rep Rev Sen Sgt Ste Supt
    Univ dr drs ing messrs mlle mlles mme mmes mr mrs prof
    approx ca cca cf chap dhr e.g eg eq eqs fig figs i.e ie incl mevr nos pp viz vol vols vs
    abb bzw dipl evtl ggf inkl insb kap nr resp sog vgl
    exmo núm nº pág págs párr sra sres srta dott dña
    bijv tzv dvs feks jf kgl mht
    inż ks mgr np płk tzn tzw ul zob św např
    акад гл им млн млрд напр обл проф рис см ср стр тов тыс ул
    doç bkz mah örn βλ δηλ डॉ
    """.split()
)
# These may end one; then the next sentence starts with a word that often starts one:
_CLOSING = frozenset(
    """
    al assn ave blvd bros chr cia cía co corp dept ecc ed eds enz esq est etc ext gmbh govt hrs ibid
    inc itd itp jh jhd jne jr kft llc ltd ltda mio mrd osv ph.d phd plc rd sr st stb str tel
    usw vb vd zrt atd b.sc m.sc ed.d m.fl κ.λπ κλπ вв гг др коп пр руб
    """.split()
)
# These are words too, or months and days; as abbreviations a number or small letters follow:
_COUNTING = frozenset(
    """
    am app art bd cap ch cm col ex ft in kg kl km lb lbs max min mm no num op orig oz par pm sec
    sect spec tab tbsp tsp ver yd ст ч шт
    jan feb mar apr jun jul aug sep sept oct nov dec okt dez ene abr dic janv févr avr juil déc
    mon tue tues wed thu thur thurs fri sat sun
    """.split()
)
_STARTERS = frozenset[str]().union(*STOP_WORDS.values())
_IN_NAMES = frozenset(  # J. De Niro
    """
    al ben da das de del den der di do don dos du el ella la las le les li lo los o te ten van will
    """.split()
)
# German nouns that follow ordinal numbers: "am 3. Oktober".
_COUNTED = frozenset(
    """
    Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jan
    Feb Apr Jun Jul Aug Sep Sept Okt Nov Dez Auflage Bundesliga Geburtstag Jahr Jahrestag
    Jahrhundert Jahrhunderts Jh Jahrtausend Kapitel Klasse Lebensjahr Liga Mal Platz Rang Runde
    Schritt Semester Spieltag Staffel Stock Tag Weltkrieg Weltkriegs Woche
    """.split()
)

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
