"""The truth about a demo web: how its pages relate, whatever order they are fetched in."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import Version, Web


class Ambiguous(ValueError):
    """Two pages share text, but neither holds all of the other's."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a page may be called when a version of another one is known already."""

    original: str
    version: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """A page as it is at a visit, counted from 0, and its relations to others."""

    url: str
    version: int
    what: str
    same: bool = False
    """Whether it shows what it showed at the visit before."""
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """All pages that a crawl should bring home, and the addresses that it should not."""

    seed: int
    start: str
    pages: tuple[Truth, ...]
    others: tuple[tuple[str, str], ...]
    """What is not judged: redirects, errors, files, what robots.txt forbids."""

    @property
    def visited_twice(self) -> tuple[str, ...]:
        return tuple(page.url for page in self.pages if page.version)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)


def manifest_of(web: Web) -> Manifest:
    """Derive the relations of all pages from what they hold."""
    pages = [
        (sheet, number, version)
        for sheet in web.sheets
        if sheet.judged
        for number, version in enumerate(sheet.versions)
    ]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, (_, _, version) in enumerate(pages):
        for piece in version.holds:
            holders[piece].append(index)

    def relations(index: int) -> Iterator[Relation]:
        sheet, _, version = pages[index]
        near = {other for piece in version.holds for other in holders[piece]}
        for other in sorted(near):
            known, number, holding = pages[other]
            if known.url != sheet.url:
                yield Relation(known.url, number, _kinds(version, holding))

    return Manifest(
        seed=web.seed,
        start=f"{web.main}/",
        pages=tuple(
            Truth(
                sheet.url,
                number,
                sheet.what,
                number > 0 and version == sheet.versions[number - 1],
                tuple(relations(index)),
            )
            for index, (sheet, number, version) in enumerate(pages)
        ),
        others=tuple((sheet.url, sheet.what) for sheet in web.sheets if not sheet.judged),
    )


def _kinds(page: Version, known: Version) -> tuple[str, ...]:
    if page.holds == known.holds:
        if not (page.look and known.look):
            return ("exact", "near")
        return ("exact",) if page.look == known.look else ("near",)
    if page.holds < known.holds:
        return ("contained",)
    if page.holds > known.holds:
        return ("contains",)
    raise Ambiguous(f"{sorted(page.holds)} and {sorted(known.holds)} overlap")
