"""The protocol of stores: what is known at one moment, and what one page changes.

A page is judged on a `View`, without a lock, and entered by `Store.commit`, which is optimistic on
what the view showed: `Seen`. If something else has come since that could change the verdict, the
commit does nothing and returns `Arrived`; judge again and try again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, Protocol, Self, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.fingerprint.site import Arrival, SiteMemory
    from dedup_middleware.read import Outline

    from .candidates import Candidates
    from .damage import Damages
    from .forgetting import Forgotten, Selection
    from .records import PageRecord, UrlRecord
    from .tables import Tables

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
    """When its pages count for other runs: each `page` at once, or all when it ends well
    (`finish`; also once pages that counted were revoked)."""
    last_page: NotRequired[int]
    """The highest page number before it."""
    last_sequence: NotRequired[int]
    finished: NotRequired[float]
    """When it ended, and its journal was complete."""
    well: NotRequired[bool]
    """Whether it said that what it delivered is safe."""
    requests_saved: NotRequired[int]
    """Requests that it did not make, as links of redundant pages were not followed."""
    committed: NotRequired[float]
    discarded: NotRequired[float]
    """When its pages were withdrawn."""


class EndedRun(TypedDict):
    """What is known of a process of a run, in addition, when it has ended."""

    finished: float
    well: bool
    requests_saved: int
    commit: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a judgement will ask of a view, so that a store far away can answer it at once."""

    url: bytes
    """The key of the page's URL."""
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
    generation: int = 0
    """Of the memory of the page's site."""
    version: int | None = None
    """That of the view, if it has one: where it is still the same, nothing has arrived."""


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
    site: tuple[bytes, Arrival] | None = None
    """The key of the page's host, and what the page tells about it."""
    supersedes: int | None = None
    """The page whose place the one at this URL takes; its URL becomes that of a copy."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that was made."""

    number: int | None = None
    """Of the page, if it was registered."""
    line: bytes = b""
    """The decision as JSON, in ASCII; empty if there was none."""
    sequence: int | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """A change that was not made, because of what has come since the view."""

    pages: tuple[int, ...] = ()
    """New members of the page's lists; empty if the URL or the original has changed."""


class TableSize(NamedTuple):
    """What a table holds."""

    entries: int
    size: int
    """On disk, in bytes."""


class View(Protocol):
    """What was known at one moment.

    Pages that come later are not seen. Whether other changes are, is left to the store: `commit`
    finds those that matter.
    """

    @property
    def last_page(self) -> int: ...

    @property
    def version(self) -> int | None:
        """A number that changes with the store; None if there is none."""

    @property
    def method(self) -> str:
        """The method that indexed the pages."""

    @property
    def scheme(self) -> str:
        """The scheme of the fingerprints and the format of the store."""

    def candidates(
        self, fingerprint: Fingerprint, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        """Return the pages that share keys with a page, at most `most` of each kind of key.

        Those that share rare keys come first. A key with `cap` pages takes no more.
        """

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        """Return those pages that may be originals, as `runs.standing` says."""

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        """Return the text of pages that the view shows; it may be empty if one is gone since."""

    def url(self, key: bytes) -> UrlRecord | None: ...

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        """Yield what was seen at all URLs, by their keys."""

    def host(self, key: bytes) -> SiteMemory:
        """Return what is known of a host."""

    def numbers(self, after: int = 0) -> Iterator[int]:
        """Yield the numbers of all pages above one, ascending, whatever their state."""

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        """Return pages whatever their state; those that are gone are left out."""

    def tables(self) -> Tables:
        """Return the tables of the method that indexed the pages."""

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        """Return what a URL showed last; of an exact copy the original's text, unless `own`."""

    def runs(self) -> list[Run]:
        """Return all runs, oldest first; of several processes each one."""

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        """Yield the decisions above a sequence number, each as JSON."""

    def first_sequence(self) -> int:
        """Return the number of the first decision that was not forgotten."""

    def last_sequence(self) -> int: ...

    def sizes(self) -> dict[str, TableSize]:
        """Return how much each table holds."""

    def copies(self) -> int:
        """Count the URLs that show what another page shows."""


def text_of(view: View, key: bytes, *, own: bool) -> Outline | None:
    """Return the text of the page that stands for a URL; if `own`, only if it is the URL's own."""
    known = view.url(key)
    if known is None or (own and known.alias) or not view.records([known.number]):
        return None
    return view.outlines([known.number])[0]


class Reader(Protocol):
    """A store that is looked at, or changed by hand, without taking part: no run is entered."""

    @property
    def name(self) -> str:
        """How people know it: its folder, or its URL without the password."""

    @property
    def path(self) -> Path | None:
        """The folder of the store, if it has one; journals are kept there."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def snapshot(self) -> AbstractContextManager[View]:
        """Look at the store as it is now; it may go on changing meanwhile."""

    def live_runs(self) -> list[str]:
        """List the runs of which some process is still at it."""

    def verify(self, step: Step) -> Damages:
        """Check all entries against each other; `step` gets how many more were looked at."""

    def repair(self, damages: Damages) -> None:
        """Remove what can't be right; raise StoreError while a run is alive."""

    def commit_run(self, run: str) -> None:
        """Let the pages of a run count for others, however it ended."""

    def discard_run(self, run: str) -> None:
        """Withdraw the pages of a run: they pass again."""

    def forget(self, chosen: Selection, *, dry_run: bool = False) -> Forgotten:
        """Remove pages, the URLs that were copies of them, and old decisions; or only count."""

    def close(self) -> None: ...


class Store(Protocol):
    """An open store and the run that uses it. Threads may share it; a forked child may not."""

    run: str
    spider: str

    @property
    def name(self) -> str:
        """How people know it: its folder, or its URL without the password."""

    @property
    def path(self) -> Path | None: ...

    @property
    def run_number(self) -> int:
        """The number by which records name this run."""

    def snapshot(self, wanted: Wanted | None = None) -> AbstractContextManager[View]:
        """Look at the store as it is now; it may go on changing meanwhile."""

    def listen(self, listener: Callable[[list[bytes]], object]) -> None:
        """Let somebody hear each line of this run's journal, once a crash can't undo it."""

    def commit(self, change: Change, seen: Seen) -> Committed | Arrived:
        """Make a change, unless something came since that was not seen."""

    def settle(
        self,
        delivered: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        met: Iterable[int] = (),
        superseded: Iterable[int] = (),
    ) -> None:
        """Write down what became of pages.

        Delivered: an item of the page has left all pipelines; it may be an original in this run,
        and in others when `Run.commit` says.
        Withdrawn: its items were lost; it matches no more, and its URL passes again. Met: seen
        again, at its own URL or as a copy. Superseded: its text is part of a later page.
        """

    def flush(self) -> None:
        """Write what waits to be written together; the journal has all decisions then."""

    def check_method(self, label: str) -> None:
        """Raise SchemeMismatch if another method has indexed the pages; label a new store."""

    def dead_runs(self) -> list[str]:
        """Return the runs that ended without closing; their journals may lack lines."""

    def finish_run(self, run: str) -> None:
        """Note that a run that died has ended and its journal is complete."""

    def close(self, *, well: bool = True, revoke: bool = False, requests_saved: int = 0) -> None:
        """End this process of the run; `well` if what it delivered is safe.

        `revoke` if that is known to be lost: pages that counted at once count no more.
        """
