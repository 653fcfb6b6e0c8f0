"""Mirrors: hosts whose pages are copies of another's, path by path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.urls import site_of

from .parsed import parse
from .values import LONGEST_EXAMPLE, Rule, brief

if TYPE_CHECKING:
    from .parsed import Parsed
    from .values import State

LEAST_PAGES = 10
MOST_DIFFERENT = 0.05
MOST_CANDIDATES = 8
# the pages of such hosts are versions of each other, and differ sooner or later
_VERSION = re.compile(
    r"(?:v|version|release|rel|r)?[-_]?\d+(?:[._-]?(?:\d+|x|[a-z]{1,4}\d*))*|latest|current|stable"
    r"|dev(?:el|elopment)?|main|master|trunk|nightly|next|old|unstable|testing|lts",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[\d.]+")


@dataclass(slots=True)
class Mirror:
    """The pages of one host, compared with those of the same path on another."""

    place: str
    """The host, with a slash at the end; if a person has pinned it, a folder may follow."""
    of: str
    """The host whose pages were fetched first, in the same form."""
    pages: int = 0
    """Pages that were verified as copies of the page of the same path."""
    different: int = 0
    """Pages of the same path in both that are different."""
    unknown: int = 0
    """New pages of which it is unknown whether the other place has them."""
    folder: str | None = None
    """What the paths of all verified pages begin with, below both places."""
    first: tuple[str, str] = ("", "")
    last: tuple[str, str] = ("", "")
    state: State | None = None

    @property
    def is_mirror(self) -> bool:
        return self.state in ("learned", "pinned")

    @property
    def skips(self) -> bool:
        """Whether pages need not be fetched: a stranger's mirror must not hide the real host.

        One page that differs is enough to fetch them all.
        """
        if self.state == "pinned" or self.different:
            return self.state == "pinned"
        here, there = (one.partition("/")[0] for one in (self.place, self.of))
        return self.state == "learned" and (here == there or site_of(here) == site_of(there))

    def other(self, url: Parsed) -> str | None:
        """Return the URL of the same path in the other place; None if a URL is not in this one."""
        rest = _below(f"{url.host}{url.path}", self.place)
        if rest is None or (self.folder is not None and not rest.startswith(self.folder)):
            return None
        query = url.url.partition("?")[2]
        scheme = url.origin.partition("://")[0]
        return f"{scheme}://{self.of}{rest}{'?' * bool(query)}{query}"

    def verify(self, url: Parsed, other: str, *, is_same: bool) -> bool:
        """Count a pair of pages; return True if it has made this a mirror."""
        if not is_same:
            self.different += 1
            if self.state == "learned" and not self._is_enough():
                self.state = None
            return False
        self.pages += 1
        rest = _below(f"{url.host}{url.path}", self.place) or ""
        own = rest[: rest.rfind("/") + 1]
        self.folder = own if self.folder is None else _common(self.folder, own)
        if len(brief((url.url, other))) > 1:
            pair = url.url, other
            self.first, self.last = self.first if self.first[0] else pair, pair
        if self.state is None and self._is_enough():
            self.state = "learned"
            return True
        return False

    def _is_enough(self) -> bool:
        return (
            self.pages >= LEAST_PAGES
            and self.different <= MOST_DIFFERENT * (self.pages + self.different)
            and self.pages >= self.unknown
        )

    @property
    def examples(self) -> tuple[tuple[str, str], ...]:
        """Pairs of URLs: the first and the last that were verified among them."""
        return tuple(dict.fromkeys(pair for pair in (self.first, self.last) if pair[0]))

    def below(self) -> tuple[str, str]:
        """Return the folders of both places in which pages were verified."""
        return self.place + (self.folder or ""), self.of + (self.folder or "")

    def rule(self, host: str) -> Rule:
        state: State = self.state or "learned"
        return Rule(
            *(host, "mirror", self.place, self.of, self.pages, self.different, self.pages),
            *(self.first if self.first[0] else (), state),
        )

    def as_json(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]

    @classmethod
    def of_json(cls, data: list[Any]) -> Mirror:
        found = cls(*data)
        found.first, found.last = (found.first[0], found.first[1]), (found.last[0], found.last[1])
        return found


def places(url: Parsed, other: str) -> tuple[str, str] | None:
    """Return the two hosts that have the same path; None if they are one, or are versions.

    >>> places(parse("https://m.example/b/c.html"), "https://a.example/b/c.html")
    ('m.example/', 'a.example/')
    >>> places(parse("https://v15.a.example/b.html"), "https://v14.a.example/b.html")
    """
    there = parse(other)
    if there is None or there.host == url.host:
        return None
    is_longer = len(url.path) + len(there.path) > LONGEST_EXAMPLE
    if is_longer or (there.path, there.parameters) != (url.path, url.parameters):
        return None
    labels = {*url.host.split(".")} ^ {*there.host.split(".")}
    is_address = _ADDRESS.fullmatch(url.host) or _ADDRESS.fullmatch(there.host)
    if not is_address and any(map(_VERSION.fullmatch, labels)):
        return None
    return f"{url.host}/", f"{there.host}/"


def _below(address: str, place: str) -> str | None:
    return address[len(place) :] if address.startswith(place) else None


def _common(one: str, other: str) -> str:
    """Return the folders that two folders have in common.

    >>> _common("a/b/c/", "a/b/d/"), _common("a/", "b/")
    ('a/b/', '')
    """
    folders = []
    for mine, its in zip(one.split("/"), other.split("/"), strict=False):
        if mine != its or not mine:
            break
        folders.append(f"{mine}/")
    return "".join(folders)
