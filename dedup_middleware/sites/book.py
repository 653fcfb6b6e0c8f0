"""The book of a host: all that is known of it, changed by one observation after another."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import percent, quantity

from .mirrors import MOST_CANDIDATES, Mirror
from .parsed import LONGEST_NAME
from .rules import Evidence, Rules, Vote
from .traps import Shape
from .values import Notice, Rule, is_about
from .walls import TextCounts, count_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parsed import Parsed
    from .values import Fetched

    ThingKey = tuple[str, str, str]
    """Kind, name and value of what a rule is about."""

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
