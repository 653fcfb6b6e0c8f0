"""Facts: names, identifiers and identifying numbers of a text.

Two products, two results or two entries of a reference look alike because they share a template.
They differ in few words, but in those that matter.
"""

from __future__ import annotations

import re

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
