"""Values of stores: what a judgement asks for, what it rests on, and what it changes.

A page is judged on a `View`, without a lock, and entered by `Store.commit`, which is optimistic on
what the view showed: `Seen`. If something else has come since that could change the verdict, the
commit does nothing and returns `Conflict`; judge again and try again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.fingerprint.site import Arrival
    from dedup_middleware.fingerprint.volatile import Revisit
    from dedup_middleware.read import Outline

    from .records import UrlRecord
    from .tables import Tables

    Told: TypeAlias = Arrival | Revisit
    """What a page tells about its host: one whose URL was not known, or was."""
    Step = Callable[[int], object]
    Index = Callable[[Tables, int], None]
    """Enters a page of some number into the tables of a method."""


class Run(TypedDict):
    """A process that used a store: a crawl, a scan. Processes of one name are one run."""

    run: str
    spider: str
    started: float
    process: NotRequired[str]
    commit: NotRequired[str]
    """When its pages count for other runs: each `page` at once, or all when it has succeeded
    (`finish`; also once pages that counted were revoked)."""
    last_page: NotRequired[int]
    """The highest page number before it."""
    last_sequence: NotRequired[int]
    finished: NotRequired[float]
    """When it ended, and its journal was complete."""
    succeeded: NotRequired[bool]
    """Whether it said that what it delivered is safe."""
    requests_saved: NotRequired[int]
    """Requests that it did not make, as links of redundant pages were not followed."""
    sites: NotRequired[Mapping[str, Any]]
    """What it did not fetch because of what is known of sites, and what it found about them."""
    died: NotRequired[float]
    """When another process found that its lease had expired."""
    committed: NotRequired[float]
    discarded: NotRequired[float]
    """When its pages were withdrawn."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a judgement will ask of a view, so that a server can send it in one round trip."""

    urls: Sequence[bytes]
    """The keys of the page's URL, and of others that it declares as its own."""
    host: bytes
    fingerprint: Fingerprint
    alike: bool
    """Whether pages that are like it will be looked up, and not only equal ones."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a judgement rests on."""

    last_page: int
    """The highest page number at the time of the view."""
    url: UrlRecord | None
    original: int | None = None
    """The page that the verdict names; it must still be allowed as an original."""
    keys: Keys | None = None
    """The lists in which new members count as arrived; None: none of them."""
    any_page: bool = False
    """Whether each new page counts as arrived, as for methods with an index of their own."""
    site_version: int = 0
    """Of the memory of the page's site."""
    version: int | None = None
    """That of the view, if it has one: where it is still the same, nothing has arrived."""
    asked: Collection[bytes] = ()
    """The keys of URLs and hosts that were looked at."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A page that becomes known under its URL, in place of what was there."""

    url: str
    fingerprint: Fingerprint
    outline: Outline
    keys: Keys
    """Those under which it will be found."""
    delivered: bool
    index: Index | None = None
    seen: tuple[float, float] | None = None
    """When it was first and last seen, if that was in another store."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A URL that shows what a registered page shows; it is no candidate itself."""

    digest: bytes
    original: int
    outline: Outline | None = None
    """Kept for people who compare, where it differs from that of the original."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one judged page changes."""

    key: bytes
    """Of the page's URL."""
    page: Registration | Copy | None = None
    decision: dict[str, Any] | None = None
    """A line of the journal; gets its sequence number at commit."""
    site: tuple[bytes, Told] | None = None
    """The key of the page's host, and what the page tells about it."""
    supersedes: int | None = None
    """The page whose place the one at this URL takes; its URL becomes that of a copy."""
    delivered: Sequence[int] = ()
    """Earlier pages of which nothing is pending any more."""


class TableSize(NamedTuple):
    """What a table holds."""

    entries: int
    size: int
    """On disk, in bytes."""
