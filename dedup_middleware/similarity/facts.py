"""Facts: the numbers and names of a text, and where another text has different ones instead.

Two products, two results or two entries of a reference look alike because they share a template.
They differ in few words, but in those that matter.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.read.words import fold

from .alignment import gaps
from .refine import numbers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .alignment import Run
    from .overlap import Mask, Numbered

MOST_CAPITALS = 0.3
"""Where more words begin with a capital (German, headings, tables), capitals mark no names."""
IDENTIFIER = re.compile(r"\b(?:[a-z0-9]+[A-Z]|[A-Za-z0-9]*_(?=[A-Za-z0-9]))\w*")
CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞĀŁŚŠŻŽΑ-ΫА-ЯЁ]\w*")


# What identifies: amounts of money, telephone and account numbers. Dates, years, times and versions
# don't: they change with every revision of a page.
# All begin with a digit, and the pattern says so first: then the search skips what is none.
_DATE = re.compile(
    r"\d(?:(?<![\d.]\d)(?:\d{3}[-/.]\d{1,2}[-/.]\d{1,2}|\d?[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![\d]|[-/.]\d)"
    r"|(?<!\w\d)(?:\d?:\d{2}(?::\d{2})?\b"
    r"|(?:(?<=1)9|(?<=2)0)\d\d(?: ?[-\u2013/] ?(?:19|20)?\d\d|(?:0[1-9]|1[0-2])[0-3]\d)\b))"
)
_CODES = "EUR GBP CHF JPY CNY INR RUB PLN SEK NOK DKK CZK".split()
_CURRENCY = (
    rf"(?:[$\xa2-\xa5\u20a0-\u20cf]|\b(?:[A-Z]{{2}}D|{'|'.join(_CODES)})\b"
    r"|\b(?i:euros?|dollars?|pounds?|francs?|rubles?|rupees?|yen|yuan|rs\.)|z\u0142|K\u010d|\u5143|\u5186)"
)
# what a text must have for that: each is found at one glance, as the pattern is not
_NAMES = "euro dollar pound franc ruble rupee yen yuan rs.".split()
_SIGN = re.compile(r"[$\xa2-\xa5\u20a0-\u20cf\u0142\u010d\u5143\u5186]")
_DOLLARS = re.compile(r"[A-Z]{2}D")
_AMOUNT = r"(?<![\d.,'])(\d[\d.,']{0,20})"
_MONEY = re.compile(rf"{_CURRENCY}\s?{_AMOUNT}|{_AMOUNT}-?\s?{_CURRENCY}")
_LONG_NUMBER = re.compile(
    r"(?<![\w.])\+?(?:\d[ ()/-]{0,2}){6,20}\d(?!\w)|(?<![\w.])\d{2,4}(?:\.\d{2,4}){2,4}(?![\w.])"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"
)
_NOT_SIGN = re.compile(r"[^A-Z0-9]+")
_CENTS = re.compile(r"[.,](\d{2})\D*$")


class Facts(NamedTuple):
    """The words of a text, and which of them are numbers or may be names."""

    words: Sequence[str]
    """Folded, in order."""
    counts: dict[str, int]
    numbers: frozenset[str]
    marked: frozenset[str]
    """Numbers, words that never begin with a small letter, and identifiers."""


def facts_of(words: Sequence[str], known: Numbered, text: str) -> Facts:
    """Find the facts of a text, given as folded words, numbered words and original text.

    >>> from dedup_middleware.read.words import words
    >>> from .overlap import numbered
    >>> text = "Ask Ada about the 3 engines. Engines sell at 40 each, and well, said Ada to them."
    >>> sorted(facts_of(words(text), numbered(words(text)), text).marked)
    ['3', '40', 'ada', 'ask']
    """
    times = np.bincount(known.ids, minlength=len(known.numbers)).tolist()
    counts = dict(zip(known.numbers, times, strict=True))
    digits = numbers_of(counts)
    capitals = Counter(map(fold, CAPITALISED.findall(text)))
    if capitals.total() > MOST_CAPITALS * len(words):
        capitals.clear()
    names = {word for word, count in capitals.items() if count >= counts.get(word, len(words))}
    names.update(map(fold, IDENTIFIER.findall(text)))
    return Facts(words, counts, digits, digits | (names & counts.keys()))


def swapped_facts(
    runs: list[Run],
    first: Facts,
    second: Facts,
    common: Collection[str],
    moved: tuple[Mask, Mask],
) -> int:
    """Count the places where the texts have different facts.

    Neither `common` words nor words that the other text writes in lower case are names. Words that
    only moved, as the masks of both texts show, don't count.
    """
    mine = first.marked - (second.counts.keys() - second.marked) - set(common)
    theirs = second.marked - (first.counts.keys() - first.marked) - set(common)
    swaps = 0
    for (a, b), (c, d) in gaps(runs, len(first.words), len(second.words)):
        here = mine.intersection(compress(first.words[a:b], ~moved[0][a:b]))
        there = theirs.intersection(compress(second.words[c:d], ~moved[1][c:d]))
        swaps += bool(here - there) and bool(there - here)
    return swaps


def swapped_subject(first: Facts, second: Facts, common: Collection[str]) -> int:
    """Count how often each text, at least, names something that the other never mentions."""
    return min(_missing(first, second, common), _missing(second, first, common))


def _missing(one: Facts, other: Facts, common: Collection[str]) -> int:
    """Count the most frequent word of one text among those that the other lacks."""
    lacking = one.counts.keys() - other.counts.keys() - one.numbers - set(common)
    return max(map(one.counts.__getitem__, lacking), default=0)


def shared_facts(
    first: Facts, second: Facts, common: Collection[str]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count the numbers and names of each text that the other text has too, and all of them."""
    return _shared(first, second, common), _shared(second, first, common)


def _shared(one: Facts, other: Facts, common: Collection[str]) -> tuple[int, int]:
    facts = one.marked - set(common)
    return len(facts & other.counts.keys()), len(facts)


def identifying_numbers(text: str) -> frozenset[str]:
    """Return the amounts of money, telephone and account numbers of a text.

    >>> sorted(identifying_numbers("Call 030 1234-567 by 2024-05-06: $ 3.50, version 2.3.1"))
    ['$3.50', '0301234567']
    """
    text = _DATE.sub(" ", text)
    amounts = _MONEY.finditer(text) if _may_have_money(text) else ()
    money = {_value(found[1] or found[2]) for found in amounts}
    numbers = {_NOT_SIGN.sub("", one) for one in _LONG_NUMBER.findall(text)}
    return frozenset(money | numbers)


def _may_have_money(text: str) -> bool:
    if _SIGN.search(text) or _DOLLARS.search(text) or any(code in text for code in _CODES):
        return True
    folded = text.casefold()  # as regular expressions that ignore case
    return any(name in folded for name in _NAMES)


def _value(amount: str) -> str:
    """Return an amount in one form, however it was written.

    >>> _value("1.000,00"), _value("1,000"), _value("5,5")
    ('$1000', '$1000', '$55')
    """
    cents = _CENTS.search(amount)
    whole = _NOT_SIGN.sub("", amount[: cents.start()] if cents else amount)
    return f"${whole}" + (f".{cents[1]}" if cents and cents[1] != "00" else "")


def swapped_numbers(first: frozenset[str], second: frozenset[str]) -> int:
    """Count the identifying numbers that each text, at least, has and the other lacks."""
    return min(len(first - second), len(second - first))
