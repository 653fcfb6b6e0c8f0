"""What a store knows about whole sites: rules, mirrors, walls and shapes, in one form."""

from __future__ import annotations

import heapq
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dedup_middleware.sites import Rule, Sites, SiteTally
from dedup_middleware.text import quantity, size
from dedup_middleware.urls import is_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.sites import Book
    from dedup_middleware.sites.book import Shape
    from dedup_middleware.sites.mirrors import Mirror
    from dedup_middleware.sites.walls import TextCounts

What: TypeAlias = Literal["rule", "mirror", "wall", "shape"]
WHATS: tuple[What, ...] = ("rule", "mirror", "wall", "shape")
MOST_STEPS = 3
"""Steps of priority by which a shape can be demoted."""
_STATES = {
    "learned": "holds",
    "pinned": "holds: pinned by hand",
    "withdrawn": "withdrawn by hand",
    "refuted": "refuted: pages differ",
}


_NO_TRAP = ("trap", "withdrawn")
_OF_SHAPE = ("pattern", "fetched", "new", "redundant", "short", "size", "example", "steps", "left")
_OF_MIRROR = ("pages", "different", "examples")
_OF_WALL = ("looks_like", "words", "pages", "urls")


@dataclass(frozen=True, slots=True)
class Found:
    """Something that is known of a host."""

    what: What
    host: str
    name: str
    """The name by which commands take it."""
    pages: int
    """On how many pages, or pairs of them, it rests."""
    new: int
    """How many of these speak against it: they show something new."""
    about: str
    """What is known, in a few words."""
    examples: tuple[str, ...]
    facts: dict[str, Any] = field(repr=False)
    """All that is known."""
    rule: Rule | None = field(default=None, repr=False)
    """What can be pinned or withdrawn."""

    @property
    def sign(self) -> str:
        """How the second example relates to the first."""
        return "≠" if self.facts.get("state") == "refuted" else "="


class Top:
    """Those of many findings that rank highest, and how many others there are."""

    def __init__(self, most: int, rank: Callable[[Found], int] = lambda one: one.pages) -> None:
        self._most = most
        self._rank = rank
        self._count = 0
        self._heap: list[tuple[int, int, Found]] = []

    def add(self, one: Found) -> None:
        self._count += 1
        heapq.heappush(self._heap, (self._rank(one), -self._count, one))
        if len(self._heap) > self._most:
            heapq.heappop(self._heap)

    def __iter__(self) -> Iterator[Found]:
        """Yield them in their order, the highest first."""
        return (one for *_, one in sorted(self._heap, reverse=True))

    @property
    def more(self) -> int:
        return self._count - len(self._heap)


def sites_in(place: Path | str, host: str | None = None) -> Iterator[Book]:
    """Yield what a store knows of all hosts, or of one with its sub-domains."""
    from dedup_middleware.store import open_reader  # imports numpy and lmdb

    with open_reader(place) as reader:
        for site in Sites(reader).overview():
            if host is None or is_within(site.host, host):
                yield site


def tally_of(place: Path | str, names: Iterable[str]) -> SiteTally:
    """Add up what some runs of a store did not fetch, and what they found."""
    from dedup_middleware.store import open_reader

    wanted, total = set(names), SiteTally()
    with open_reader(place) as reader, reader.snapshot() as view:
        for run in view.runs():
            if run["run"] in wanted:
                total += SiteTally.of_json(run.get("sites", {}))
    return total


def found_on(site: Book) -> Iterator[Found]:
    """Yield all that is known of a host, in the order of `WHATS`, then by the number of pages."""
    # rules about traps are shown with their shapes
    rules = site.told_rules()
    yield from _by_pages(_rule(rule) for rule in rules if rule.kind != "trap")
    yield from _by_pages(_mirror(site, mirror) for mirror in site.found_mirrors())
    yield from _by_pages(_wall(site, wall) for wall in site.walls())
    untrapped = {rule.name for rule in rules if (rule.kind, rule.state) == _NO_TRAP}
    shapes = (_shape(site, one, one.pattern in untrapped) for one in site.shapes.values())
    yield from _by_pages(one for one in shapes if one.rule or _is_of_many(one))


def _is_of_many(shape: Found) -> bool:
    """Return True if several URLs have a shape: what holds for one alone says nothing new."""
    return shape.pages > 1 and any(sign in shape.name for sign in "<?")


def _by_pages(found: Iterator[Found]) -> list[Found]:
    return sorted(found, key=lambda one: (-one.pages, one.name))


def _rule(rule: Rule) -> Found:
    values = f" ({quantity(rule.values, 'value')} or more)" if rule.values else ""
    against = f", {rule.against:,} different" if rule.against else ""
    about = f"{_STATES[rule.state]}; {quantity(rule.votes, 'pair')} alike{values}{against}"
    pages, facts = rule.votes + rule.against, {**asdict(rule), "holds": rule.holds}
    return Found(
        "rule", rule.host, rule.key, pages, rule.against, about, rule.examples, facts, rule
    )


def _mirror(site: Book, mirror: Mirror) -> Found:
    place, of = mirror.below()
    rule = Rule(site.host, "mirror", place, of)
    skips = "its other pages need not be fetched" if mirror.skips else "all its pages are fetched"
    about = f"{quantity(mirror.pages, 'page')} alike, {mirror.different:,} different; {skips}"
    pages, example = mirror.pages + mirror.different, next(iter(mirror.examples), ())
    facts = {"place": place, "of": of, "skips": mirror.skips, **_facts(mirror, _OF_MIRROR)}
    return Found(
        "mirror", site.host, rule.key, pages, mirror.different, about, example, facts, rule
    )


def _wall(site: Book, wall: TextCounts) -> Found:
    about = f"{quantity(wall.pages, 'URL')} with the same {quantity(wall.words, 'word')}"
    name = f"{site.host} {wall.looks_like or 'one text under many URLs'}"
    facts = _facts(wall, _OF_WALL)
    return Found("wall", site.host, name, wall.pages, 0, about, tuple(wall.urls), facts)


def _facts(one: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _shape(site: Book, shape: Shape, is_untrapped: bool) -> Found:
    parts = [f"{shape.redundant:,} redundant"] if shape.redundant else []
    if shape.short:
        parts.append(f"{shape.short:,} with little text")
    parts.append(size(shape.size))
    if is_untrapped:
        parts.append("no trap: withdrawn by hand")
    elif shape.left:
        parts.append("a trap: no longer fetched, but for a check now and then")
    elif shape.steps:
        parts.append(f"fetched later than others ({shape.steps} of {MOST_STEPS} steps)")
    name, about = f"{site.host}{shape.pattern}", ", ".join(parts)
    examples, facts = (shape.example,) if shape.example else (), _facts(shape, _OF_SHAPE)
    is_trap = shape.left or shape.steps or is_untrapped
    trap = Rule(site.host, "trap", shape.pattern) if is_trap else None
    return Found("shape", site.host, name, shape.fetched, shape.new, about, examples, facts, trap)
