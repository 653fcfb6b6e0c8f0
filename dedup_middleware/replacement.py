"""Replacement: a page that is better, by URL or by length, takes the place of the known one.

The known page was delivered already, so the better one passes, too, and the pages' keeper is
told which to delete. As long as the better one may still be lost in a pipeline, the known page
keeps its place, and no signal is sent.

What a page declares about itself is a hint, and anybody can declare anything. So between sites only
words against one's own interest count: a page that names another one as the original, a URL that
redirects. Within a site the URLs are its own matter, and what it declares counts as it is.

The order is strict: no page takes the place of one that has taken its own place, or of one that is
as good, so that nothing goes back and forth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from .fingerprint.site import is_true_address
from .judge.match import Kept
from .store import Change, Seen
from .text import printable
from .urls import host_key, host_of, is_within, same_site, url_key
from .verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from .fingerprint.site import SiteMemory
    from .fingerprint.subject import Subject
    from .judge.decide import Finding
    from .judge.match import KnownPage
    from .read import Identity
    from .settings import Settings
    from .store import View

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
SAME_PAGE = frozenset({Kind.EXACT, Kind.NEAR})


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


@dataclass(frozen=True, slots=True)
class Superseded:
    """A page whose place another one has taken."""

    url: str
    by: str


@dataclass(frozen=True, slots=True)
class PendingReplacement:
    """A registered page that takes the place of a known one when it is delivered."""

    url: str
    number: int
    place: int
    """The number of the known page."""
    decision: dict[str, Any]
    """The line of the journal about the page."""


LONGER = (None, Kept.LOST, Kept.NEW, Kept.AROUND)
"""Why a page may have been kept that takes the place of a shorter one."""


def prefer_better_url(
    finding: Finding,
    subject: Subject,
    view: View,
    settings: Settings,
    requested: Mapping[Kind, Action],
    *,
    known_url: bool,
    gone: Container[bytes] = (),
) -> Finding:
    """Return a finding that says, if it is so, that the page takes the place of its original.

    `gone` has the keys of URLs that showed a page once, and show none any more.
    """
    known = finding.original
    if (
        settings.survivor == "first"
        or known is None
        or finding.kind not in SAME_PAGE
        or finding.kept not in (LONGER if settings.survivor == "longest" else (None,))
        or finding.new[1] > settings.max_loss  # the known page has what this one lacks
        or requested.get(finding.kind) is Action.DROP
    ):
        return finding
    if finding.kind is Kind.EXACT and known.key in gone:
        why: str | None = "that URL answers that it is gone"
    elif settings.survivor == "longest":
        why = why_longer(subject, known)
    else:
        # a URL that was seen before moves no other by a redirect, or two could do so for ever
        redirects = () if known_url else subject.redirected_from
        address = subject.outline.identity.address
        page = Claim(subject.url, credible_address(address, subject, finding, view), redirects)
        (outline,) = view.outlines([known.number])
        why = why_better(
            page, _claim_of(known, outline.identity, subject, view), settings.preferred_hosts
        )
    if why is None:
        return finding
    return replace(
        finding,
        reason=f"{finding.reason} It takes the place of that page: {why}.",
        evidence=replace(finding.evidence, supersedes=known.url),
    )


def credible_address(
    address: str | None, subject: Subject, finding: Finding, view: View
) -> str | None:
    """Return the address that a page declares; None if that shows another page."""
    number = finding.original.number if finding.original else None
    return _credible(address, subject.url, number, subject.site, view)


def _claim_of(known: KnownPage, identity: Identity, subject: Subject, view: View) -> Claim:
    address = identity.address
    if address and url_key(address) == subject.key:
        return Claim(known.url, address)  # the page that is judged, which shows the same text
    host = host_key(known.url)
    site = subject.site if host == subject.host else view.host(host)
    return Claim(known.url, _credible(address, known.url, known.number, site, view))


def _credible(
    address: str | None, url: str, number: int | None, site: SiteMemory, view: View
) -> str | None:
    """Return an address unless many pages declare it, or it shows another page than a number."""
    if address is None or address == url or url_key(address) == url_key(url):
        return address
    if not is_true_address(address, site):
        return None
    shown = view.url(url_key(address))
    if shown is None or shown.number == number or not view.pages([shown.number]):
        return address
    return None


def replace_known(pending: PendingReplacement, view: View) -> tuple[Change, Seen] | None:
    """Return how a page takes the place of the known one; None if either page is gone."""
    key = url_key(pending.url)
    at_url, place = view.url(key), view.records([pending.place])
    if at_url is None or at_url.alias or at_url.number != pending.number or not place:
        return None
    line = {
        **pending.decision,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "overrules": pending.decision["seq"],
        "supersedes": place[0].url,
    }
    return Change(key, decision=line, supersedes=pending.place), Seen(view.last_page, at_url)
