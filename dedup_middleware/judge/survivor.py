"""Survivors: which of two URLs that show the same page is to stand for it, by URL or by length.

What a page declares about itself is a hint, and anybody can declare anything. So between sites only
words against one's own interest count: a page that names another one as the original, a URL that
redirects. Within a site the URLs are its own matter, and what it declares counts as it is.

The order is strict: no page takes the place of one that has taken its own place, or of one that is
as good, so that nothing goes back and forth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from dedup_middleware.text import printable
from dedup_middleware.urls import host_of, is_within, same_site, url_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint.subject import Subject

    from .match import KnownPage

# What in a URL says nothing about the page that it leads to.
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
NAMES_ANOTHER, NAMES_NONE, NAMES_ITSELF = range(3)


@dataclass(frozen=True, slots=True)
class Claim:
    """What speaks for a URL."""

    url: str
    canonical: str | None = None
    """What its page declares to be its address; None if that was refuted."""
    redirected_from: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        if self.canonical is None:
            return NAMES_NONE
        return NAMES_ITSELF if self.names(self.url) else NAMES_ANOTHER

    def names(self, url: str) -> bool:
        return self.canonical is not None and url_key(self.canonical) == url_key(url)


def why_better(page: Claim, known: Claim, preferred_hosts: Sequence[str] = ()) -> str | None:
    """Return why a page is to take the place of a known one; None if that is to stay."""
    mine, theirs = (_place(one.url, preferred_hosts) for one in (page, known))
    if mine != theirs:
        return f"{printable(host_of(page.url))} is a preferred host" if mine < theirs else None
    own_matter = same_site(page.url, known.url)
    if page.rank != known.rank and (own_matter or known.names(page.url) or page.names(known.url)):
        return _why_canonical(page, known) if page.rank > known.rank else None
    if url_key(known.url) in map(url_key, page.redirected_from):
        return "that URL redirects to this one"
    return _why_cleaner(page.url, known.url) if own_matter else None


def why_longer(page: Subject, known: KnownPage) -> str | None:
    """Return why a page is to take the place of a known one of its site by their lengths."""
    mine, theirs = page.fingerprint.words, known.words
    if mine <= theirs or not same_site(page.url, known.url):
        return None
    return f"it has {mine:,} words, and that page {theirs:,}"


def _place(url: str, preferred_hosts: Sequence[str]) -> int:
    """Return the place of a URL's host in a list, the first that it belongs to."""
    host = host_of(url)
    places = (at for at, name in enumerate(preferred_hosts) if is_within(host, name))
    return next(places, len(preferred_hosts))


def _why_canonical(page: Claim, known: Claim) -> str:
    if known.names(page.url):
        return "that page names this URL as its canonical one"
    if page.rank == NAMES_ITSELF:
        return "this is the canonical URL by its own page, and that is not"
    return "that page names another URL as its canonical one"


def _why_cleaner(url: str, known: str) -> str | None:
    mine, theirs = flaws(url), flaws(known)
    if mine != theirs:
        return f"that URL has {theirs.beyond(mine)}" if mine < theirs else None
    if has_fewer_parameters(url, known):
        return "that URL has parameters that make no difference"
    return None


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
