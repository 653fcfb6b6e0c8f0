"""The names of runs, what is known of them, and whose pages count."""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from dedup_middleware.errors import StoreError

from .engine import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .engine import Batch, Snapshot

_RUN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{6}", re.ASCII)
_BAD_NAME = re.compile(r"^\.|[/\\\0-\x1f]")
MOST_NAME = 200  # files are named after runs
RUNS_VERSION = b"runs"
"""In `meta`: a random value that changes with every change of a run."""
_DONE = frozenset({"committed", "discarded"})


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
class Ending:
    """How a process of a run ends."""

    succeeded: bool = True
    """Whether what it delivered is safe, so that others may rely on it."""
    revoke: bool = False
    """Whether that is known to be lost: pages that counted at once count no more."""
    requests_saved: int = 0
    sites: Mapping[str, Any] = field(default_factory=dict)
    """What was found out about whole sites."""

    def as_values(self, now: float) -> dict[str, object]:
        """Return what is kept of it with the run."""
        values: dict[str, object] = {
            "finished": now,
            "succeeded": self.succeeded and not self.revoke,
            "requests_saved": self.requests_saved,
        }
        if self.sites:
            values["sites"] = self.sites
        if self.revoke:  # as if its pages had waited for its end: they can be committed yet
            values["commit"] = "finish"
        return values


def checked_name(name: str) -> str:
    """Return the name of a run; raise StoreError if no file can have it.

    >>> checked_name("night-1")
    'night-1'
    """
    if not name or len(name.encode("utf-8", "surrogatepass")) > MOST_NAME or _BAD_NAME.search(name):
        raise StoreError(
            f"A run can't have the name {name!r}: files are named after it. It must not begin with "
            f"a dot nor contain slashes or line breaks, and have at most {MOST_NAME} bytes"
        )
    return name


def new_run_id() -> str:
    """Name a run so that names sort by time, also those of one second."""
    seconds, fraction = divmod(time.time(), 1)
    begun = time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
    return f"{begun}-{int(fraction * 0x1000):03x}{secrets.randbelow(0x1000):03x}"


def is_run_id(name: str) -> bool:
    """Return True for names that `new_run_id` gives."""
    return bool(_RUN_ID.fullmatch(name))


def unpacked_run(data: bytes) -> Run | None:
    """Read what a store has of a run; None if it can't be read."""
    try:
        run: Run = json.loads(data)
        return run if isinstance(run["run"], str) else None
    except (ValueError, TypeError, KeyError):
        return None


def may_be_original(
    run: Run | None, own: str, is_alive: Callable[[Run], bool], *, delivered: bool
) -> bool:
    """Return True if a page of another process of a run may be an original in the run `own`.

    Whether a run succeeded whose record can't be read is unknown: its pages pass again.
    """
    if run is None or "discarded" in run:
        return False
    if "committed" in run:
        return delivered
    at_once = run.get("commit") != "finish"
    if not at_once and run["run"] != own:
        return False
    if delivered and (at_once or run.get("succeeded")):
        return True
    return is_alive(run)


def is_waiting(run: Run) -> bool:
    """Return True if the pages of a process do not count for other runs yet."""
    return run.get("commit") == "finish" and not _DONE & run.keys()


class Runs:
    """What a process remembers of the runs of a store, until one of them changes."""

    def __init__(self) -> None:
        self._known: tuple[bytes | None, dict[int, Run]] = (None, {})

    def of(self, snapshot: Snapshot) -> dict[int, Run]:
        """Return the runs of a store that can be read, by number."""
        version = snapshot.get("meta", (RUNS_VERSION,))[0]
        known, runs = self._known
        if version is None or version != known:
            runs = {
                NUMBER.unpack(key)[0]: run
                for key, data in snapshot.scan("runs")
                if (run := unpacked_run(data or b""))
            }
            self._known = version, runs
        return runs


def put_run(batch: Batch, number: int, run: Run) -> None:
    """Add what is known of a process of a run to a batch."""
    batch.puts += (
        ("runs", NUMBER.pack(number), json.dumps(run).encode()),
        ("meta", RUNS_VERSION, secrets.token_bytes(8)),
    )
