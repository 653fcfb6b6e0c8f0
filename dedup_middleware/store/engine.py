"""The protocol of engines: tables of bytes, a search in postings, and batches of changes.

Everything that a store knows of pages, URLs, runs and hosts is written once, above this protocol.
An engine keeps tables, gives numbers to pages and decisions, and applies a `Batch` as a whole or
not at all: the batch says what it expects to find, and which look-up keys it watches.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.fingerprint.scheme import PAIR, SHINGLE, SIMHASH

from .packing import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.rarity import SiteCounts
    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.fingerprint.volatile import RevisitCounts

    from .runs import Run

    Step = Callable[[int], object]
    """Gets how many more entries were looked at."""
    Listener = Callable[[list[bytes]], object]
    Tables = Mapping[str, dict[bytes, bytes | None]]
    """Values by table and key."""
    Pages = NDArray[np.int64]
    Found = NDArray[np.uint32]
    """The place of a key and a page that it leads to in each row, by ascending place and page."""


FORMAT = 12
HEADER = f"{SCHEME} format-{FORMAT}"
"""What a store is labelled with; one of another scheme or format is refused."""
TABLES = (
    *("meta", "runs", "urls", "pages", "outlines", "pending", "decisions"),
    "redundant",  # what near and contained pages said, by URL; for people who compare
    *("sites", "site_counts", "site_pages", "site_texts", "arrivals"),  # by host
    *("site_books", "site_forms"),  # what is learned of whole sites
    *("index", "index_postings"),  # of a method other than the cascade
)
LONG = frozenset({"outlines", "redundant", "site_books"})
"""Tables whose values may be long."""
NUMBER = struct.Struct(">I")
"""Numbers of pages, runs and decisions as keys, counters and parts of values."""
AT_ONCE = 500
"""Entries that are read or changed before others may write."""
_T = TypeVar("_T")
PRESENT = b"present"
_SECOND, _THIRD = itemgetter(1), itemgetter(2)
"""In place of the value that a batch expects: any value will do. Compared by identity."""


def number_of(data: bytes | None) -> int:
    """Return a counter; 0 if it is not there.

    >>> number_of(NUMBER.pack(7)), number_of(None)
    (7, 0)
    """
    return int.from_bytes(data or b"", "big")


def portions(things: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield some at a time: others may want to write.

    >>> [len(some) for some in portions(range(1100))]
    [500, 500, 100]
    """
    for first in range(0, len(things), AT_ONCE):
        yield things[first : first + AT_ONCE]


@dataclass(slots=True)
class Batch:
    """A write batch: changes that are applied together, if what they rest on has not changed."""

    version: int | None = None
    """If the store still has this version, nothing that is expected or watched is looked at."""
    expect: list[tuple[str, bytes, bytes | None]] = field(default_factory=list)
    """Entries that must have these values, be there (`PRESENT`), or not be there (None)."""
    alive: list[Run] = field(default_factory=list)
    """Processes of runs that must be alive."""
    bound: tuple[bytes, int] | None = None
    """A log of a host, and how many entries it must have at least fewer than."""
    last_page: int | None = None
    """The page that must be the last one."""
    watch: Keys | None = None
    """Keys of which no page above `after` may share as many as make it a candidate."""
    after: int = 0

    puts: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    deletes: list[tuple[str, bytes]] = field(default_factory=list)
    appends: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    """What is added at the end of values."""
    keys: Keys | None = None
    """The look-up keys of a new page, which gets the next number; None: there is no new page."""
    page: list[tuple[str, bytes]] = field(default_factory=list)
    """Tables and values of entries whose key is the number of the new page."""
    named: list[tuple[str, bytes, bytes, int]] = field(default_factory=list)
    """Entries in whose values the number of the new page is written, at an offset."""
    withdrawn: list[int] = field(default_factory=list)
    """Pages to which postings must lead no more."""
    arrival: tuple[bytes, bytes] | None = None
    """A log of a host, and its next entry."""
    line: bytes = b""
    """A decision as JSON without its number."""
    packed_line: bytes = b""
    listener: Listener | None = None
    """Gets the line with its number, once a crash can't undo it."""
    published: tuple[bytes, SiteCounts | RevisitCounts] | None = None
    """A log of a host whose next generation is written, and the counts that it is made of."""

    @property
    def size(self) -> int:
        """Bytes of the values that it puts into tables."""
        values = [self.packed_line, self.arrival[1] if self.arrival else b""]
        values += map(_THIRD, (*self.puts, *self.appends, *self.named))
        values += map(_SECOND, self.page)
        return sum(map(len, values))


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that was made, and the numbers that were given."""

    number: int | None = None
    """Of the page, if one was registered."""
    line: bytes = b""
    """The decision as JSON, in ASCII; empty if there was none."""
    sequence: int | None = None
    arrival: int = field(default=0, compare=False)
    """The number of the entry in the log of a host; 0 if there was none."""
    published: bytes = field(default=b"", compare=False)
    """The key of the host of which a new generation is known since."""
    withdrew: bool = field(default=False, compare=False)
    """Whether known pages were withdrawn."""


class Conflict(NamedTuple):
    """A change that was not made: what it rests on has changed, or pages have come."""

    pages: tuple[int, ...] = ()
    """New pages under the keys that it watches; empty if something else has changed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a judgement will ask of a view, so that a server can send it in one round trip."""

    urls: Sequence[bytes]
    """The keys of the page's URL, and of others that it declares as its own."""
    host: bytes
    fingerprint: Fingerprint
    alike: bool
    """Whether pages that are like it will be looked up, and not only equal ones."""


class TableSize(NamedTuple):
    """What a table holds."""

    entries: int
    size: int
    """On disk, in bytes."""


class Snapshot(Protocol):
    """What was there at one moment, or a little later; pages that come later are not found."""

    @property
    def last_page(self) -> int: ...

    @property
    def last_sequence(self) -> int: ...

    @property
    def version(self) -> int | None:
        """A number that changes with the store; None if there is none."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def get(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys; None for those that are not there, or damaged."""

    def scan(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes | None]]:
        """Yield the entries of a table from a key on; None in place of values that are damaged.

        Tables whose keys are numbers come in order; elsewhere each entry comes once.
        """

    def search(self, keys: Keys) -> Found:
        """Return the pages that keys lead to."""

    def sizes(self) -> dict[str, TableSize]:
        """Return how much each table holds."""

    def unreadable_index(self) -> Iterator[str]:
        """Yield the parts of the index that can't be read."""


class Engine(Protocol):
    """Where a store keeps its tables. Threads may share it; a forked child may not."""

    is_remote: bool
    """Whether each read is a round trip, so that what was read to judge a page is used again, and
    a lease may expire though its process is alive."""

    @property
    def name(self) -> str:
        """How people know it: its folder, or its URL without the password."""

    @property
    def path(self) -> Path | None:
        """The folder of the store, if it has one; journals are kept there."""

    def snapshot(self, wanted: Sequence[Wanted] = ()) -> Snapshot:
        """Look at the store as it is now; `wanted` says what will be asked for."""

    def apply(self, batches: Sequence[Batch]) -> list[Committed | Conflict]:
        """Apply batches in their order, each as a whole or not at all, up to the first conflict."""

    def take_lease(self, run: Run) -> None:
        """Show other processes that this one is alive, until `release_lease` or until it ends."""

    def release_lease(self) -> None:
        """Show other processes that this one has ended."""

    def alive(self, run: Run) -> bool:
        """Return True if a process of a run is alive."""

    def check(self) -> None:
        """Raise StoreError if what the tables are kept in can't be read."""

    def flush(self) -> None:
        """Write the changes that are buffered."""

    def close(self) -> None: ...


def conflict_of(batch: Batch, snapshot: Snapshot, alive: Callable[[Run], bool]) -> Conflict | None:
    """Return why a batch can't be applied to what is there now; None if it can."""
    if not all(map(alive, batch.alive)):
        return Conflict()
    if batch.version is not None and batch.version == snapshot.version:
        return None
    if batch.last_page not in (None, snapshot.last_page) or not _is_as_expected(batch, snapshot):
        return Conflict()
    new = arrived(batch, snapshot)
    return Conflict(new) if new else None


def arrived(batch: Batch, snapshot: Snapshot) -> tuple[int, ...]:
    """Return the pages above `after` that share enough of the keys that a batch watches."""
    new: set[int] = set()
    if batch.watch is not None and batch.after < snapshot.last_page:
        for keys, least in groups(batch.watch):
            pages = snapshot.search(keys)[:, 1]
            numbers, counts = np.unique(pages[pages > batch.after], return_counts=True)
            new.update(numbers[counts >= least].tolist())
    return tuple(sorted(new))


def _is_as_expected(batch: Batch, snapshot: Snapshot) -> bool:
    for table, key, value in batch.expect:
        (known,) = snapshot.get(table, (key,))
        if (known is None) if value is PRESENT else (known != value):
            return False
    if batch.bound is None:
        return True
    host, end = batch.bound
    return number_of(snapshot.get("site_pages", (host,))[0]) + bool(batch.arrival) < end


def enter(
    batch: Batch, tables: Mapping[str, dict[bytes, bytes | None]], now: Snapshot
) -> Committed:
    """Enter the changes of a batch into tables, in which None stands for what is deleted.

    Return the numbers that they got. Postings are left to the engine.
    """
    page = now.last_page + 1 if batch.keys is not None else None
    sequence = now.last_sequence + 1 if batch.line else None
    for table, key in batch.deletes:
        tables[table][key] = None
    for table, key, value in batch.appends:
        tables[table][key] = (now.get(table, (key,))[0] or b"") + value
    for table, key, value in batch.puts:
        tables[table][key] = value
    if page is not None:
        packed = NUMBER.pack(page)
        tables["meta"][b"page"] = packed
        for table, value in batch.page:
            tables[table][packed] = value
        for table, key, value, at in batch.named:
            tables[table][key] = value[:at] + packed + value[at + NUMBER.size :]
    arrival = 0
    if batch.arrival:
        host, value = batch.arrival
        arrival = number_of(now.get("site_pages", (host,))[0]) + 1
        tables["site_pages"][host] = packed = NUMBER.pack(arrival)
        tables["arrivals"][host + packed] = value
    if sequence is None:
        return Committed(page, arrival=arrival)
    packed = NUMBER.pack(sequence)
    tables["meta"][b"sequence"] = packed
    tables["decisions"][packed] = batch.packed_line
    return Committed(page, numbered(batch.line, sequence), sequence, arrival)


LEAST_PAIRS, MOST_BY_PAIRS = 2, 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """The numbers of pages that share look-up keys with a page."""

    same_digest: list[int]
    alike: list[int]
    keys: Keys
    full: NDArray[np.bool_]
    """Which keys have so many pages already that no more are added."""

    @property
    def capped(self) -> int:
        """The number of keys that lead to more pages than are kept."""
        return int(self.full.sum())


def limits(most: int) -> tuple[tuple[int, int, int], ...]:
    """Return for each kind of key how many must be shared, and how many pages are chosen by it."""
    return (
        (SHINGLE, 1, most),
        (SIMHASH, 1, most),
        (PAIR, LEAST_PAIRS, min(most, MOST_BY_PAIRS)),
    )


def groups(keys: Keys) -> tuple[tuple[Keys, int], ...]:
    """Return keys in groups, each with the number of them that a candidate must share."""
    end = int(keys.searchsorted(np.uint64(PAIR << 56)))
    return (keys[:end], 1), (keys[end:], LEAST_PAIRS)


def choose(keys: Keys, found: Found, *, cap: int, most: int) -> Candidates:
    """Return the pages that share the rarest keys, at most `most` of each kind of key."""
    if not len(found):  # most pages share a key with no other
        return Candidates([], [], keys, np.full(len(keys), cap <= 0))
    data = core.call("candidates", keys.tobytes() + found.tobytes(), len(keys), most)
    numbers = np.frombuffer(data, "<u4")
    pages = numbers[len(keys) + 1 :].tolist()
    same = int(numbers[len(keys)])
    return Candidates(pages[:same], pages[same:], keys, numbers[: len(keys)] >= cap)
