"""Clean URLs: what in a URL says nothing about the page that it leads to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

_SESSION = re.compile(
    r"(?:php|asp|j|cf|osc)?_?(?:sess(?:ion)?_?(?:id|key|hash|token)?|s_?id)"
    r"|aspsessionid\w+|cfid|cftoken|zenid"
)
_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id"
    r"|_ga|_gl|_hsenc|_hsmi|mkt_tok|pk_\w+|mtm_\w+|matomo_\w+|at_\w+|cmpid|wt_?mc(?:_\w+)?"
)
_PRINT = re.compile(r"print(?:er)?(?:_?(?:able|friendly|view|version|page))?|drucken|druckansicht")
_PRINT_FORMATS = frozenset({"view", "format", "mode", "layout", "template", "tmpl", "output"})
_INDEX = re.compile(r"(?:index|default)\.(?:[sx]?html?|php\d?|aspx?|jsp|cgi)")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=", re.IGNORECASE)
_LONGEST = 4_000  # characters that are looked at
_MOST_PARAMETERS = 100


class Flaws(NamedTuple):
    """What is unclean in a URL, the worst first: of two URLs that differ, the lesser is cleaner."""

    session: int
    printed: bool
    tracking: int
    plain_http: bool
    index_file: bool

    def beyond(self, other: Flaws) -> str:
        """Return the worst flaw that another URL has to a lesser degree, in words."""
        words = ("a session id", "a print view", "tracking parameters", "http", "an index file")
        return next(text for one, its, text in zip(self, other, words, strict=True) if one > its)


@lru_cache(maxsize=256)  # that of an original is asked for with each of its copies
def flaws(url: str) -> Flaws:
    """Find what is unclean in a URL.

    >>> flaws("http://a.example/index.html").beyond(flaws("http://a.example/"))
    'an index file'
    >>> flaws("https://a.example/tides?utm_source=x") > flaws("https://a.example/tides?page=2")
    True
    """
    try:
        parts = urlsplit(url[:_LONGEST])
    except ValueError:
        return Flaws(0, False, 0, False, False)
    named = parse_qsl(parts.query[:_LONGEST], keep_blank_values=True)[:_MOST_PARAMETERS]
    parameters = [(name.lower(), value.lower()) for name, value in named]
    path = parts.path.lower()
    segments = path.split("/")
    in_path = len(_PATH_SESSION.findall(parts.path))
    return Flaws(
        session=in_path + sum(bool(_SESSION.fullmatch(name)) for name, _ in parameters),
        printed=any(_is_print(*one) for one in parameters)
        or any(_PRINT.fullmatch(segment.partition(".")[0]) for segment in segments),
        tracking=sum(bool(_TRACKING.fullmatch(name)) for name, _ in parameters),
        plain_http=parts.scheme == "http",
        index_file=bool(_INDEX.fullmatch(segments[-1].partition(";")[0])),
    )


def has_fewer_parameters(url: str, other: str) -> bool:
    """Return True if a URL is another one without some of its parameters.

    >>> has_fewer_parameters("https://a.example/t?id=5", "https://a.example/t?ref=home&id=5")
    True
    >>> has_fewer_parameters("https://a.example/t?id=5", "https://a.example/t?id=6&ref=home")
    False
    """
    try:
        mine, theirs = urlsplit(url[:_LONGEST]), urlsplit(other[:_LONGEST])
    except ValueError:
        return False
    if (mine.netloc.lower(), mine.path) != (theirs.netloc.lower(), theirs.path):
        return False
    return set(parse_qsl(mine.query, keep_blank_values=True)) < set(
        parse_qsl(theirs.query, keep_blank_values=True)
    )


def _is_print(name: str, value: str) -> bool:
    if _PRINT.fullmatch(name):
        return value not in ("0", "false", "no", "off")
    return name in _PRINT_FORMATS and bool(_PRINT.fullmatch(value))
