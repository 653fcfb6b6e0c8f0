"""Votes on what makes no difference in the URLs of a host, and the rules that they give.

Two URLs that differ in one thing and show the same page are a vote for leaving it out, if they show
different pages a vote against. How many votes make a rule:

- A value of a parameter, which then counts as if it were not there: two votes by pairs of a URL
  with it and one without the parameter, on two different pages, and none against.
- What a URL can be written with or without (a slash, `www.` and the like): two votes on two pages,
  too; after a vote against, as everything else.
- Everything else: the lower end of the Wilson interval of the share of votes for it is at least .8,
  on at least two different pages, and for parameters and session ids over at least three values.
  With z = 1 (a one-sided confidence of 84 %), that takes four votes with none against, or eleven
  and one against; with z = 1.96 it would take sixteen, which a first crawl of most sites never
  sees. It is safe nevertheless, because a rule is trusted in a part of the site only after it was
  verified there once (`SCOPES`), explored pages go on voting, and one vote against ends it.
- Two pages are asked for, because one page under many URLs is what a wall or a soft 404 looks like.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from .parsed import PORT, SCHEME, TOGGLES, WWW, normal_path, parse, without_session
from .values import Rule, brief

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .parsed import Parsed
    from .values import RuleKind, State

LEAST_SHARE, Z = 0.8, 1.0
LEAST_VALUES, LEAST_PAGES, LEAST_VOTES = 3, 2, 2
SCOPES = 8
"""A rule that was verified in so many parts of a site is trusted in all of them."""
MOST_REFUTED = 3
"""A rule that was refuted so often is not learned again."""
_OF_VALUES = ("parameter", "session")


class Vote(NamedTuple):
    """What two URLs say that differ in one thing."""

    kind: RuleKind
    name: str
    value: str | None
    """What the later URL has; None if only a hash of it is known."""
    is_absent: bool
    """Whether one of the two has nothing in its place."""
    is_same: bool
    page: int
    """A hash of the page that the later URL shows."""
    scope: int
    """A hash of the part of the site."""
    urls: tuple[str, str]
    values: tuple[int, ...] = ()
    """Hashes of what both URLs have."""


@dataclass(slots=True)
class Evidence:
    """All votes on one thing, and what became of it."""

    kind: RuleKind
    name: str
    value: str = ""
    votes: int = 0
    """Since it was last refuted."""
    against: int = 0
    refuted: int = 0
    values: set[int] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)
    scopes: set[int] = field(default_factory=set)
    """Parts of the site in which it was verified; not more than `SCOPES`."""
    has_absent: bool = False
    """Whether a URL without the thing was verified to show the same page."""
    examples: tuple[str, ...] = ()
    state: State | None = None
    looks: int = 0
    """Pages that were looked at in a later crawl, and had not changed since they have voted."""

    @property
    def holds(self) -> bool:
        return self.state in ("learned", "pinned")

    def trusts(self, scope: int) -> bool:
        """Return True if the rule was verified in a part of the site, or by hand."""
        return self.state == "pinned" or scope in self.scopes or len(self.scopes) >= SCOPES

    def count(self, vote: Vote) -> State | None:
        """Count a vote; return the new state if it has changed."""
        if vote.is_same:
            self.votes += 1
            if len(self.values) < LEAST_VALUES:
                self.values.update(vote.values)
            if len(self.pages) < LEAST_PAGES:
                self.pages.add(vote.page)
            if len(self.scopes) < SCOPES:
                self.scopes.add(vote.scope)
            self.has_absent |= vote.is_absent
            if not self.examples or self.state == "refuted":
                self.examples = brief(vote.urls)
            if self.state in (None, "refuted") and self._is_enough():
                self.state = "learned"
                return self.state
        elif not vote.is_absent or self.has_absent or self.kind not in _OF_VALUES:
            # else it has to be there, whatever its value is
            self.against += 1
            if self.state == "learned":
                self._refute(vote)
                return self.state
        return None

    def _refute(self, vote: Vote) -> None:
        self.state, self.examples = "refuted", brief(vote.urls)
        self.votes, self.looks, self.refuted, self.has_absent = 0, 0, self.refuted + 1, False
        self.values.clear()
        self.pages.clear()
        self.scopes.clear()

    def _is_enough(self) -> bool:
        if len(self.pages) < LEAST_PAGES or self.refuted >= MOST_REFUTED:
            return False
        if not self.against and (self.kind == "value" or self.kind in TOGGLES):
            return self.votes >= LEAST_VOTES
        if self.kind == "value":
            return False
        if self.kind in _OF_VALUES and len(self.values) < LEAST_VALUES:
            return False
        return wilson(self.votes, self.votes + self.against) >= LEAST_SHARE

    def rule(self, host: str) -> Rule:
        return Rule(
            host,
            self.kind,
            self.name,
            self.value,
            self.votes,
            self.against,
            len(self.values),
            self.examples,
            self.state or "learned",
        )

    def as_json(self) -> list[Any]:
        return [
            *(self.kind, self.name, self.value, self.votes, self.against, self.refuted),
            *(sorted(self.values), sorted(self.pages), sorted(self.scopes)),
            *(self.has_absent, self.examples, self.state, self.looks),
        ]

    @classmethod
    def of_json(cls, data: list[Any]) -> Evidence:
        found = cls(*data)
        found.values, found.pages = {*found.values}, {*found.pages}
        found.scopes = {*found.scopes}
        found.examples = tuple(found.examples)
        return found


class Rules:
    """The rules of a host that hold, by what they are about."""

    def __init__(self, evidence: Iterable[Evidence] = ()) -> None:
        self.toggles: dict[int, Evidence] = {}
        self.sessions: dict[str, Evidence] = {}
        self.parameters: dict[str, Evidence] = {}
        self.values: dict[tuple[str, str], Evidence] = {}
        for one in evidence:
            if not one.holds:
                continue
            if one.kind in TOGGLES:
                self.toggles[TOGGLES[one.kind]] = one
            elif one.kind == "session":
                self.sessions[one.name] = one
            elif one.kind == "parameter":
                self.parameters[one.name] = one
            elif one.kind == "value":
                self.values[one.name, one.value] = one
        self.mask = sum(self.toggles)
        """The toggles that make no difference."""
        self._is_any = bool(self.mask or self.sessions or self.parameters or self.values)

    def __bool__(self) -> bool:
        """Return True if some rule may change a URL."""
        return self._is_any

    def apply(self, url: Parsed) -> tuple[Parsed, list[Evidence]]:
        """Return the canonical form of a URL, and the rules that have made it."""
        used: list[Evidence] = []
        if not self:
            return url, used
        path = url.path
        for name, rule in self.sessions.items():
            shorter = without_session(path, name)
            if shorter != path:
                path = shorter
                used.append(rule)
        path, had = normal_path(path, self.mask)
        had |= url.variant.flags & self.mask & (SCHEME | WWW | PORT)
        used += (rule for bit, rule in self.toggles.items() if had & bit)
        parameters = []
        for name, value in url.parameters:
            found = self.parameters.get(name) or self.values.get((name, value))
            if found is None:
                parameters.append((name, value))
                continue
            used.append(found)
            if found.kind == "parameter" and not found.has_absent:
                parameters.append((name, ""))  # it has to be there, whatever its value is
        if not used:
            return url, used
        query = "&".join(f"{name}={value}" for name, value in parameters)
        form = parse(f"{self._origin(url)}{path}{'?' * bool(query)}{query}")
        return (form, used) if form else (url, [])

    def _origin(self, url: Parsed) -> str:
        if not self.mask & (SCHEME | WWW | PORT):
            return url.origin
        flags = url.variant.flags & ~self.mask
        port = f":{url.variant.port}" if flags & PORT else ""
        scheme = "http" if flags & SCHEME else "https"
        return f"{scheme}://{'www.' if flags & WWW else ''}{url.host}{port}"


def wilson(successes: int, trials: int, z: float = Z) -> float:
    """Return the lower end of the Wilson interval of a share.

    >>> [round(wilson(votes, trials), 3) for votes, trials in ((3, 3), (4, 4), (11, 12), (0, 0))]
    [0.75, 0.8, 0.802, 0.0]
    >>> round(wilson(16, 16, z=1.96), 3)
    0.806
    """
    if not trials:
        return 0.0
    share, square = successes / trials, z * z
    middle = share + square / (2 * trials)
    margin = z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    return (middle - margin) / (1 + square / trials)
