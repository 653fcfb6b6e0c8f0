"""Identifying numbers of a text by regular expressions: what the core must find."""

from __future__ import annotations

import re

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
    money = {_value(found[1] or found[2]) for found in _MONEY.finditer(text)}
    numbers = {_NOT_SIGN.sub("", one) for one in _LONG_NUMBER.findall(text)}
    return frozenset(money | numbers)


def _value(amount: str) -> str:
    """Return an amount in one form, however it was written.

    >>> _value("1.000,00"), _value("1,000"), _value("5,5")
    ('$1000', '$1000', '$55')
    """
    cents = _CENTS.search(amount)
    whole = _NOT_SIGN.sub("", amount[: cents.start()] if cents else amount)
    return f"${whole}" + (f".{cents[1]}" if cents and cents[1] != "00" else "")
