"""The book of a host: all that is known of it, changed by one observation after another.

That includes counts of shapes, and traps: shapes that show nothing new, or only ever lead deeper.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import percent, quantity

from .mirrors import MOST_CANDIDATES, Mirror
from .parsed import LONGEST_NAME
from .rules import Evidence, Rules, Vote
from .values import LONGEST_EXAMPLE, Notice, Rule, is_about
from .walls import TextCounts, count_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parsed import Parsed
    from .values import Fetched

    ThingKey = tuple[str, str, str]
    """Kind, name and value of what a rule is about."""

STEPS = (10, 20, 35)
"""Pages in a row that show nothing new, after which a shape is demoted by one step more."""
LEFT = 50
"""Pages in a row after which it is fetched no more, or `PER_NEW` for each new one that it had, if
these are more: where each of n pages has many URLs, only every n-th shows the last one that is
missing, so a run of n without it is nothing special (37 %), and one of 3 n is rare (5 %)."""
PER_NEW = 3
FIRST_LOOK = 100
"""Requests after which a shape that was left is looked at again; then twice as many, and so on. The
first request is a look, too: a process may find a shape that another has left long ago."""
NEARLY_EMPTY = 5  # words
_MOST_PATTERNS = 4
MOST_SHAPES, MOST_THINGS = 256, 128
_MOST_PARAMETERS = 8
_STATES = (None, "refuted", "learned", "withdrawn", "pinned")
"""Of things that were voted on, those that make room for others first."""
_DIFFERENCES = {
    "value": "the parameter {}={}",
    "parameter": "the value of the parameter {}",
    "session": "the session id in the path",
    "index": "the name of an index file",
    "slash": "a slash at the end",
    "case": "upper and lower case",
    "www": "a leading www.",
    "scheme": "http and https",
    "port": "the port",
    "amp": "an AMP version",
    "print": "a print view",
}


@dataclass(slots=True)
class Shape:
    """URLs of a host that are alike, and what became of their pages."""

    pattern: str
    """Path, in which numbers, dates, ids and hashes are replaced, and sorted names of parameters:
    `/news/<number>?page`."""
    fetched: int = 0
    new: int = 0
    redundant: int = 0
    short: int = 0
    """Pages with too little text of their own."""
    size: int = 0
    """Bytes that were transferred."""
    example: str = ""
    stale: int = 0
    """Pages since one showed something new and more than a few words."""
    copies: int = 0
    """Pages since one showed a text that differs from others in more than digits."""
    growing: int = 0
    """Pages in a row that a shorter URL of the same shape has led to."""
    fresh: int = 0
    """New pages that differ from others in more than digits."""
    asked: int = 0
    """Requests since it was left, or since it was read from a store."""
    patterns: list[tuple[str, int]] = field(default_factory=list)
    """What the last pages have shown, without digits, and how large they are."""

    @property
    def left(self) -> bool:
        """Whether it is fetched no more but for a look now and then."""
        return self.copies >= max(LEFT, PER_NEW * self.fresh)

    @property
    def steps(self) -> int:
        """By how many steps of priority its requests are demoted: 0 to 3."""
        return bisect_right(STEPS, max(self.stale, self.growing))

    def count(self, page: Fetched, *, is_repeat: bool, grows: bool) -> None:
        """Count a page; `is_repeat` if this crawl has shown it before, under another URL.

        What an earlier crawl has shown is read again, and is no sign of a trap; but only what is
        new brings a shape back that was left.
        """
        is_new, is_redundant = page.is_new, page.is_redundant
        self.fetched += 1
        self.new += is_new
        self.redundant += is_redundant
        self.size += page.size
        if not self.example and len(page.url) <= LONGEST_EXAMPLE:
            self.example = page.url
        is_short = page.words < NEARLY_EMPTY
        self.short += is_short
        self.growing = self.growing + 1 if grows else 0
        pattern = page.pattern.hex()
        differs = not any(
            pattern == known and is_about(page.size, size) for known, size in self.patterns
        )
        if is_new and differs:
            self.copies = self.asked = 0
            self.fresh += 1
            self.stale = self.stale + 1 if is_short else 0
        elif is_new or (is_redundant and is_repeat):
            self.copies = 0 if page.leads_elsewhere else self.copies + 1
            self.stale += 1
        elif not self.left:
            self.copies = self.stale = 0
        if pattern and differs:
            self.patterns = [*self.patterns, (pattern, page.size)][-_MOST_PATTERNS:]

    def is_look(self) -> bool:
        """Count a request to a shape that was left; return True if it is sent to look."""
        self.asked += 1
        looks, rest = divmod(self.asked, FIRST_LOOK)
        return self.asked == 1 or (not rest and looks.bit_count() == 1)

    def as_json(self) -> list[Any]:
        return [0 if name == "asked" else getattr(self, name) for name in self.__slots__]


@dataclass(frozen=True, slots=True)
class Pair:
    """A page of one place, and the page of the same path in another."""

    place: str
    of: str
    other: str
    is_same: bool | None
    """None: whether the other place has it is not known."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A page that was judged, and how it compares with pages of other URLs."""

    url: Parsed
    fetched: Fetched | None = None
    """None: nothing but votes that came later."""
    votes: tuple[Vote, ...] = ()
    pairs: tuple[Pair, ...] = ()
    is_repeat: bool = False
    """Whether this crawl has shown the page before, under another URL."""
    grows: bool = False
    """Whether a shorter URL of its shape has led to it."""
    looks: tuple[ThingKey, ...] = ()
    """The rules that are about the URL, if its page has not changed since an earlier crawl."""


@dataclass(slots=True)
class Book:
    """What is known of a host."""

    host: str
    fetched: int = 0
    new: int = 0
    redundant: int = 0
    size: int = 0
    checked: int = 0
    """Pages fetched although a rule would have skipped them."""
    wrong: int = 0
    """How many of these showed a page of their own, which would have been missed."""
    shapes: dict[str, Shape] = field(default_factory=dict)
    things: dict[ThingKey, Evidence] = field(default_factory=dict)
    mirrors: dict[tuple[str, str], Mirror] = field(default_factory=dict)
    texts: dict[str, TextCounts] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules, compare=False)
    """Those that hold."""

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is known that speaks against any request."""
        return not (self.rules or self.mirrors)

    @property
    def parameters(self) -> list[str]:
        """Some names of parameters that were voted on."""
        names = [name for kind, name, _ in self.things if kind == "parameter"]
        return names[:_MOST_PARAMETERS]

    def is_worth(self, url: Parsed) -> bool:
        """Return True if a URL may show something new, by what others of its shape have shown."""
        shape = self.shapes.get(url.shape)
        return shape is None or not shape.steps

    def apply(self, seen: Observation) -> list[Notice]:
        """Learn from an observation; return what people should be told."""
        notices = self._vote(seen)
        if seen.fetched:
            notices += self._count(seen, seen.fetched)
        for pair in seen.pairs:
            notices += self._compare(pair, seen.url)
        return notices

    def _count(self, seen: Observation, page: Fetched) -> list[Notice]:
        self.fetched += 1
        self.new += page.is_new
        self.redundant += page.is_redundant
        self.size += page.size
        notices = []
        shape = self.shapes.get(seen.url.shape) or self._new_shape(seen.url.shape)
        before, was_left = shape.steps, shape.left
        shape.count(page, is_repeat=seen.is_repeat, grows=seen.grows)
        if (was_left and not shape.left) or (before and not shape.steps):
            reason = f"{shape.pattern} shows something new again"
            notices.append(self._notice("back", reason, self.trap(shape), page.url))
        elif shape.left and not was_left:
            reason = f"The last {shape.copies} pages of {shape.pattern} showed nothing new"
            notices.append(self._notice("trap", reason, self.trap(shape), page.url))
        elif shape.steps > before == 0:
            pages = max(shape.stale, shape.growing)
            what = "only led deeper" if shape.growing > shape.stale else "showed nothing new"
            reason = f"The last {pages} pages of {shape.pattern} {what}"
            notices.append(self._notice("trap", reason, self.trap(shape), page.url))
        wall = count_text(self.texts, page, seen.url)
        if wall:
            looks = wall.looks_like or "one text under many URLs"
            words = quantity(wall.words, "word")
            reason = f"{wall.pages} unrelated pages show the same {words}: {looks}"
            notices.append(self._notice("wall", reason, None, *wall.urls))
        return notices

    def _new_shape(self, pattern: str) -> Shape:
        if len(self.shapes) >= MOST_SHAPES:  # the least used go, a quarter at a time
            used = sorted(self.shapes, key=lambda one: self.shapes[one].fetched)
            for least in used[: MOST_SHAPES // 4]:
                del self.shapes[least]
        self.shapes[pattern] = shape = Shape(pattern)
        return shape

    def _vote(self, seen: Observation) -> list[Notice]:
        notices = []
        checked = wrong = False
        for vote in seen.votes:
            for evidence in self._evidence(vote):
                if evidence.holds:
                    checked = True
                    wrong |= not vote.is_same
                had_absent = evidence.has_absent
                state = evidence.count(vote)
                if state or evidence.has_absent != had_absent:  # they make another form then
                    self.rules = Rules(self.things.values())
                if state:
                    notices.append(self._told(evidence, vote))
        for key in seen.looks:
            if key in self.things:
                self.things[key].looks += 1
        if seen.fetched:
            self.checked += checked
            self.wrong += wrong and seen.fetched.is_new
        return notices

    def _evidence(self, vote: Vote) -> list[Evidence]:
        """Return what a vote is about: a parameter, and its value if the other URL has none."""
        thing = self.things.get((vote.kind, vote.name, ""))
        if thing is None and (vote.is_same or not vote.is_absent):
            thing = self._new_thing(vote.kind, vote.name, "")
        found = [thing] if thing else []
        value = vote.value if vote.kind == "parameter" and vote.is_absent else None
        if value is not None and len(value) <= LONGEST_NAME and not (thing and thing.holds):
            single = self.things.get(("value", vote.name, value))
            if single is None and vote.is_same:
                single = self._new_thing("value", vote.name, value)
            found += [single] if single else []
        return found

    def _new_thing(self, kind: Any, name: str, value: str) -> Evidence:
        if len(self.things) >= MOST_THINGS:
            ranks = {key: (_STATES.index(one.state), one.votes) for key, one in self.things.items()}
            for least in sorted(ranks, key=ranks.__getitem__)[: MOST_THINGS // 4]:
                del self.things[least]
            self.rules = Rules(self.things.values())
        self.things[kind, name, value] = found = Evidence(kind, name, value)
        return found

    def _told(self, evidence: Evidence, vote: Vote) -> Notice:
        what = _DIFFERENCES[evidence.kind].format(evidence.name, evidence.value)
        if evidence.state == "refuted":
            reason = f"URLs of {self.host} that differ in {what} show different pages"
            return self._notice("refuted", reason, evidence.rule(self.host), *vote.urls)
        pairs = quantity(evidence.votes, "pair")
        reason = f"{pairs} of URLs of {self.host} that differ in {what} show the same page"
        return self._notice("rule", reason, evidence.rule(self.host), *vote.urls)

    def _compare(self, pair: Pair, url: Parsed) -> list[Notice]:
        key = pair.place, pair.of
        found = self.mirrors.get(key)
        if found is None:
            if not pair.is_same:
                return []
            if len(self.mirrors) >= MOST_CANDIDATES:
                least = min(self.mirrors, key=lambda one: _worth(self.mirrors[one]))
                del self.mirrors[least]
            self.mirrors[key] = found = Mirror(*key)
        if pair.is_same is None:
            found.unknown += 1
        elif found.verify(url, pair.other, is_same=pair.is_same):
            place, of = found.below()
            reason = (
                f"{place} is a mirror of {of}: {found.pages} pages of the same path are the "
                f"same, {percent(found.different / (found.pages + found.different))} differ"
            )
            return [self._notice("mirror", reason, found.rule(self.host), *found.last)]
        return []

    def trap(self, shape: Shape) -> Rule:
        """Return a shape that shows nothing new, in the form of a rule."""
        found = self.things.get(("trap", shape.pattern, ""))
        return Rule(
            *(self.host, "trap", shape.pattern, "", shape.copies, shape.new, shape.fetched),
            (shape.example,),
            found.state or "learned" if found else "learned",
        )

    def wall(self, page: Fetched) -> TextCounts | None:
        """Return the wall that a page shows, if it is known as one."""
        found = self.texts.get(page.pattern.hex())
        return found if found and found.is_wall and is_about(page.size, found.size) else None

    def decide(self, rule: Rule, *, holds: bool) -> None:
        """Pin or withdraw a rule by hand."""
        state: Any = "pinned" if holds else "withdrawn"
        if rule.kind == "mirror":
            mirror = self.mirrors.setdefault((rule.name, rule.value), Mirror(rule.name, rule.value))
            mirror.state = state
            return
        key = rule.kind, rule.name, rule.value
        thing = self.things.get(key) or self._new_thing(*key)
        thing.state = state
        thing.has_absent |= holds
        self.rules = Rules(self.things.values())

    def told_rules(self) -> list[Rule]:
        """Return the rules that hold, were pinned or withdrawn by hand, or were refuted."""
        told = [one for one in self.things.values() if one.state]
        return [one.rule(self.host) for one in sorted(told, key=lambda one: -one.votes)]

    def found_mirrors(self) -> list[Mirror]:
        return [one for one in self.mirrors.values() if one.is_mirror]

    def walls(self) -> list[TextCounts]:
        return [one for one in self.texts.values() if one.is_wall]

    def _notice(self, what: Any, reason: str, rule: Rule | None, *urls: str) -> Notice:
        return Notice(what, self.host, reason, rule, urls)

    def as_json(self) -> dict[str, Any]:
        return {
            "host": self.host,
            "seen": time.time(),
            "counts": [self.fetched, self.new, self.redundant, self.size, self.checked, self.wrong],
            **{name: [one.as_json() for one in getattr(self, name).values()] for name in _PARTS},
        }

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Book:
        """Restore a book; raise LookupError, TypeError or ValueError if it can't be read."""
        book = cls(data["host"], *data["counts"])
        for name, (make, key) in _PARTS.items():
            parts = map(make, data[name])
            setattr(book, name, {key(part): part for part in parts})
        book.rules = Rules(book.things.values())
        return book


_PARTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "shapes": (lambda data: Shape(*data), lambda one: one.pattern),
    "things": (Evidence.of_json, lambda one: (one.kind, one.name, one.value)),
    "mirrors": (Mirror.of_json, lambda one: (one.place, one.of)),
    "texts": (lambda data: TextCounts(*data), lambda one: one.pattern),
}


def _worth(mirror: Mirror) -> tuple[bool, int]:
    return bool(mirror.state), mirror.pages
