"""Forms of English words: which form a word has, and the same form of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .wordnet import Lexicon

BASE, S_FORM, PAST, ING, COMPARED = "base", "s", "past", "ing", "compared"
_VOWELS = frozenset("aeiou")
_UNCHANGED = frozenset(
    "bet bid burst cast cost cut fit hit hurt let put quit read rid set shut split spread".split()
)
# past and participle differ in the others, or are not to be guessed by a rule
_PARTICIPLES = dict(
    pair.split(":")
    for pair in """
    begin:begun break:broken bring:brought build:built buy:bought catch:caught choose:chosen
    do:done draw:drawn drive:driven feed:fed feel:felt find:found forget:forgotten get:got
    give:given hide:hidden hold:held keep:kept know:known lead:led leave:left lend:lent lose:lost
    make:made mean:meant meet:met override:overridden overwrite:overwritten pay:paid ride:ridden
    run:run say:said see:seen seek:sought sell:sold send:sent show:shown speak:spoken spend:spent
    steal:stolen take:taken teach:taught tell:told think:thought throw:thrown
    understand:understood undo:undone wear:worn win:won write:written
    """.split()
) | {word: word for word in _UNCHANGED}


def form_of(word: str, base: str, part: str) -> str:
    """Return the form that a word has, given its base.

    >>> [form_of(*pair) for pair in (("uses", "use", "v"), ("took", "take", "v"))]
    ['s', 'past']
    """
    if word == base:
        return BASE
    if part in "ar":
        return COMPARED
    if part == "n" or word.endswith("s"):
        return S_FORM
    return ING if word.endswith("ing") else PAST


def inflect(base: str, form: str, part: str, lexicon: Lexicon) -> str | None:
    """Return a form of a word, or None if it follows no rule.

    >>> from .wordnet import Lexicon
    >>> none = Lexicon({}, {}, {("stopped", "v"): "stop", ("took", "v"): "take"}, frozenset())
    >>> [inflect(*want, none) for want in (("copy", "s", "n"), ("stop", "past", "v"))]
    ['copies', 'stopped']
    >>> print(inflect("take", "past", "v", none))
    None
    """
    if form == BASE:
        return base
    if form == COMPARED:
        return None
    odd = lexicon.forms.get((base, part), [])
    if form == S_FORM:
        return None if part == "n" and odd else _with_s(base)
    if form == ING:
        return next((word for word in odd if word.endswith("ing")), _with_ing(base))
    odd = [word for word in odd if not word.endswith("ing")]
    if base in _UNCHANGED or (odd and not odd[0].endswith("ed")):
        return None
    return odd[0] if odd else _with_ed(base)


def participle(base: str, lexicon: Lexicon) -> str | None:
    """Return what follows "is" in the passive.

    >>> from .wordnet import Lexicon
    >>> empty = Lexicon({}, {}, {}, frozenset())
    >>> participle("write", empty), participle("install", empty)
    ('written', 'installed')
    """
    return _PARTICIPLES.get(base) or inflect(base, PAST, "v", lexicon)


def _with_s(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return f"{base}es"
    return f"{base[:-1]}ies" if _ends_in_consonant_y(base) else f"{base}s"


def _with_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    return f"{base[:-1]}ied" if _ends_in_consonant_y(base) else f"{base}ed"


def _with_ing(base: str) -> str:
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    silent = base.endswith("e") and not base.endswith(("ee", "oe", "ye"))
    return f"{base[:-1] if silent else base}ing"


def _ends_in_consonant_y(base: str) -> bool:
    return base.endswith("y") and base[-2:-1] not in _VOWELS
