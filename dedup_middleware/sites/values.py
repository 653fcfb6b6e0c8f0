"""Values of sites: what became of a page, what was learned from it, and what is done about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

RuleKind: TypeAlias = Literal[
    "value",  # one value of a parameter
    "parameter",  # a parameter, whatever its value
    "session",  # a session id in the path
    "index",  # the name of an index file
    "slash",  # a slash at the end of the path
    "case",  # upper and lower case in the path
    "www",
    "scheme",
    "port",
    "amp",  # a version of the page for phones
    "print",  # a version of the page for printers
    "mirror",  # a folder or host whose pages are copies of another's; learned by counting pages
    "trap",  # a shape that shows nothing new; never canonical, so nothing stands for its pages
    "budget",  # a shape of which as many pages were fetched as the user allows
]
State: TypeAlias = Literal["learned", "pinned", "withdrawn", "refuted"]
What: TypeAlias = Literal["rule", "refuted", "trap", "back", "mirror", "wall", "swallowed"]
SAME_PAGE = frozenset({"exact", "unchanged", "near", "contained"})
"""Kinds of a page that shows what another page shows, if it was dropped."""
_KEPT = frozenset({"near", "contained"})
LONGEST_EXAMPLE = 300
LONGEST_TEXT = 1200
"""Characters of a text whose digests are taken: longer ones are neither walls nor nearly empty."""
_MORE, _MORE_SHARE = 500, 0.01
_NO_DIGITS = str.maketrans("", "", "0123456789")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*", re.ASCII)
_OF_CALENDAR = re.compile(r"0?[1-9]|[12]\d|3[01]|(?:19|20)\d\d|\d?\d(?::\d\d)+", re.ASCII)
LEAST_NUMBERS = 3
"""A text with so many different numbers, but for days, years and times, says something by them."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one page that was fetched and judged."""

    url: str
    page: str
    """The URL of the page that it shows: that of its original if it was judged the same and nothing
    is lost (`exact`, `unchanged`, or a `near` or `contained` page that was dropped), else its own.
    """
    kind: str
    """Of the verdict: `unique`, `exact`, …"""
    words: int = 0
    """Of the text of its own."""
    size: int = 0
    """Bytes that were transferred for it. Pages with the same text of their own count as one only
    if they are about as large: what is a page's own text may have been read wrongly."""
    text: bytes = b""
    """A digest of what it shows; see `text_digests`."""
    pattern: bytes = b""
    """A digest of what it shows without digits."""
    referrer: str = ""
    """The URL of the page that linked to it; empty if it is unknown."""
    passwords: int = 0
    """How many fields for passwords it has."""
    script_share: int = 0
    """How much of its markup is script, in percent."""

    beginning: str = ""
    """The first words of its text."""
    is_comparable: bool = True
    """Whether it has enough text of its own to be compared with other pages; if not, that it is
    `unique` says nothing."""
    known_without: frozenset[tuple[str, str]] | None = None
    """None if all that it links to is known from other pages; else what its new links and known
    ones differ in, as kinds and names of things in a URL; see `Sites.followed`."""
    leads_elsewhere: bool = False
    """Whether it links to what may be new pages, which those that show the same do not."""

    @property
    def is_new(self) -> bool:
        """Whether it shows something that no known page shows."""
        return self.kind not in SAME_PAGE or (self.kind in _KEPT and self.page == self.url)

    @property
    def is_redundant(self) -> bool:
        """Whether it shows another page; an unchanged page is neither new nor redundant."""
        return not self.is_new and (self.kind != "unchanged" or self.page != self.url)


@dataclass(frozen=True, slots=True)
class Rule:
    """Something in the URLs of a host that makes no difference to what they show."""

    host: str
    """Without a leading `www.`."""
    kind: RuleKind
    name: str = ""
    """Of a parameter; the place of a session id in the path; the shape of a trap; the host and
    folder of a mirror."""
    value: str = ""
    """Of a parameter, for kind `value`; the host and folder that a mirror copies."""
    votes: int = 0
    """Pairs of URLs that differ in just this and showed the same page."""
    against: int = 0
    values: int = 0
    """Different values of a parameter among the votes."""
    examples: tuple[str, ...] = ()
    """Two URLs that show the same page, or that have shown different ones."""
    state: State = "learned"

    @property
    def key(self) -> str:
        """The name by which people and journals know it.

        >>> Rule("a.example", "value", "ref", "home").key, Rule("a.example", "slash").key
        ('a.example value ref=home', 'a.example slash')
        """
        name = f"{self.name}={self.value}" if self.kind in ("value", "mirror") else self.name
        return " ".join(filter(None, (self.host, self.kind, name)))

    @property
    def holds(self) -> bool:
        """Whether URLs are compared without it."""
        return self.state in ("learned", "pinned")


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with a request, and why."""

    action: Literal["send", "skip", "demote"] = "send"
    rule: Rule | None = None
    canonical: str = ""
    """The URL as the rules of its host write it; if that was fetched, so was its page. A trap, a
    budget: empty, nothing stands for the page."""
    shown: str = ""
    """The URL that was fetched, or is on its way, and stands for it; empty if that was done by
    another process."""
    steps: int = 0
    """Of priority by which the request is demoted: 0 to 3."""
    explored: bool = False
    """Whether it would have been skipped, and is sent to look whether that would be right."""
    reason: str = ""
    """One sentence; empty if nothing is known that speaks against sending."""


SEND = Decision()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that was learned about a host, to be told at once."""

    what: What
    """A rule holds or is `refuted`; a shape is a trap or is `back`; a mirror, a wall; the crawl is
    being `swallowed`: that one is a warning."""
    host: str
    reason: str
    """One sentence."""
    rule: Rule | None = None
    urls: tuple[str, ...] = ()
    """Examples."""


def text_digests(text: str) -> tuple[bytes, bytes]:
    """Return 8-byte digests of a text: as it is, and without digits and words with a slash.

    The second one keeps the digits of a text that is about numbers. Both are empty for a text that
    is longer than that of a wall.

    >>> one, other = text_digests("Day 1 of 30"), text_digests("Day 2 of 30")
    >>> one[0] == other[0], one[1] == other[1]
    (False, True)
    >>> text_digests("USD 1.08 JPY 171.2 CHF .93")[1] == text_digests("USD 1.09 JPY 170 CHF .94")[1]
    False
    """
    if len(text) > LONGEST_TEXT:
        return b"", b""
    words = text.split()
    pattern = words
    if "/" in text:  # it may name its address; a script without spaces is all one word
        pattern = [word for word in words if "/" not in word or not word.isascii()]
    shown = " ".join(pattern)
    if not _is_about_numbers(shown):
        shown = shown.translate(_NO_DIGITS)
    return _digest(" ".join(words)), _digest(shown)


def _is_about_numbers(text: str) -> bool:
    numbers = {*_NUMBER.findall(text)}
    if len(numbers) < LEAST_NUMBERS:
        return False
    return sum(not _OF_CALENDAR.fullmatch(one) for one in numbers) >= LEAST_NUMBERS


def brief(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the URLs that are short enough to be kept as examples."""
    return tuple(url for url in urls if len(url) <= LONGEST_EXAMPLE)


def is_about(one: int, other: int) -> bool:
    """Return True if two pages are about as large, in bytes: they name their address, say.

    >>> is_about(30_000, 30_700), is_about(30_000, 31_000), is_about(0, 5)
    (True, False, True)
    """
    return abs(one - other) <= _MORE + _MORE_SHARE * max(one, other)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
