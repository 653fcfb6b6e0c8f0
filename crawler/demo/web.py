"""A demo web: its resources, and the truth about how its pages relate."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Version:
    """What a resource shows when it is fetched.

    `pieces` names the pieces of text in it: resources with the same pieces are copies, and one with
    more of them contains the other. `look` names all that is visible: copies with the same look are
    exact. With wrong encodings and broken markup there is no look: it depends on the parser.
    `wording` names what would be lost with it: of copies on one host that have wordings, one with
    the same is dropped, and one with another is kept.
    """

    body: bytes
    pieces: frozenset[str] = frozenset()
    look: str = ""
    wording: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """What a server has under a URL."""

    url: str
    what: str
    versions: tuple[Version, ...]
    """The first is served first, the last from then on."""
    label: str = ""
    """The text of the link to it; not linked if empty."""
    status: int = 200
    content_type: str = HTML
    location: str = ""
    """Where it redirects to."""
    judged: bool = True
    """Whether it is an HTML page that a crawl should bring home."""
    shows: str = ""
    """The URL of the page that it shows, if that is another one."""


@dataclass(frozen=True, slots=True)
class Web:
    """All resources of two hosts."""

    seed: int
    main: str
    mirror: str
    resources: tuple[Resource, ...] = field(repr=False)


class Ambiguous(ValueError):
    """Two pages share text, but neither has all of the other's."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The verdicts that are right for a page when a version of another one is known."""

    original: str
    version: int
    kinds: tuple[str, ...]
    dropped: bool | None = None
    """Whether the page must be dropped for it, or must be kept; None if both are right."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A page at one visit, counted from 0, and its relations to others."""

    url: str
    version: int
    what: str
    same: bool = False
    """Whether it shows the same as at the visit before."""
    relations: tuple[Relation, ...] = ()
    shows: str = ""
    """The URL of the page that it shows, if that is another one: fetching both is redundant."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """All pages that a crawl should bring home, and the URLs that it should not."""

    seed: int
    start: str
    pages: tuple[Truth, ...]
    others: tuple[tuple[str, str], ...]
    """What is not judged: redirects, errors, files, what robots.txt disallows."""

    @property
    def visited_twice(self) -> tuple[str, ...]:
        return tuple(page.url for page in self.pages if page.version)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)


def manifest_of(web: Web) -> Manifest:
    """Derive the relations of all pages from their pieces of text."""
    pages = [
        (resource, number, version)
        for resource in web.resources
        if resource.judged
        for number, version in enumerate(resource.versions)
    ]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, (_, _, version) in enumerate(pages):
        for piece in version.pieces:
            holders[piece].append(index)

    def relations(index: int) -> Iterator[Relation]:
        resource, _, version = pages[index]
        near = {other for piece in version.pieces for other in holders[piece]}
        for other in sorted(near):
            known, number, holding = pages[other]
            if known.url != resource.url:
                kinds, dropped = _kinds(version, holding), _is_dropped(version, holding)
                yield Relation(known.url, number, kinds, dropped)

    return Manifest(
        seed=web.seed,
        start=f"{web.main}/",
        pages=tuple(
            Truth(
                resource.url,
                number,
                resource.what,
                number > 0 and version == resource.versions[number - 1],
                tuple(relations(index)),
                resource.shows,
            )
            for index, (resource, number, version) in enumerate(pages)
        ),
        others=tuple(
            (resource.url, resource.what) for resource in web.resources if not resource.judged
        ),
    )


def _kinds(page: Version, known: Version) -> tuple[str, ...]:
    if page.pieces == known.pieces:
        if not (page.look and known.look):
            return ("exact", "near")
        return ("exact",) if page.look == known.look else ("near",)
    if page.pieces < known.pieces:
        return ("contained",)
    if page.pieces > known.pieces:
        return ("contains",)
    raise Ambiguous(f"{sorted(page.pieces)} and {sorted(known.pieces)} overlap")


def _is_dropped(page: Version, known: Version) -> bool | None:
    return page.wording == known.wording if page.wording and known.wording else None
