"""The names of runs, what is known of them, whose pages count, and who has a store open.

Who lives is told by locks on files, which the kernel frees when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict
from weakref import WeakSet

from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder, open_private

from .engine import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, *, alone: bool, wait: bool = False) -> None:  # noqa: ARG001  # it always is
        msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int, *, alone: bool, wait: bool = False) -> None:
        """Take a lock, or change how it is held; raise OSError if others hold it otherwise."""
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)


OPEN_LOCK = "open.lock"
PATIENCE = 5.0  # seconds, while another process is opening the store


class OpenLock:
    """A lock that every process holds that has a store open: many share it, or one has it alone."""

    def __init__(self, folder: Path) -> None:
        path = folder / OPEN_LOCK
        flags = os.O_CREAT | os.O_RDWR if os.access(folder, os.W_OK) else os.O_RDONLY
        try:
            self._file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except FileNotFoundError:  # in a folder that can't be written
            self._file = -1

    def take(self, *, alone: bool) -> bool:
        """Take the lock, or change how it is held; return False if others hold it otherwise."""
        if self._file >= 0 and sys.platform != "win32":
            try:
                _lock(self._file, alone=alone)
            except OSError:
                return False
        return True

    def take_soon(self, *, alone: bool, patience: float = PATIENCE) -> bool:
        """Take the lock; wait a little for those who hold it only while they open the store."""
        end = time.monotonic() + patience
        while not self.take(alone=alone):
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def close(self) -> None:
        """Release the lock; a forked child leaves it to its parent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_live: WeakSet[LiveRun] = WeakSet()


def _leave_to_parent() -> None:
    for run in _live:
        run.forget()


if hasattr(os, "register_at_fork"):  # or a child would hold the lock when its parent has died
    os.register_at_fork(after_in_child=_leave_to_parent)


class LiveRun:
    """Show others that this process of a run is alive, until closed or until it ends."""

    def __init__(self, folder: Path, run: str, process: str) -> None:
        make_private_folder(folder)
        self._path = folder / f"{run}.{process}.lock"
        self._file = open_private(self._path, "ab")
        _live.add(self)
        _lock(self._file.fileno(), alone=True, wait=True)  # for a process that is just looking

    def forget(self) -> None:
        """Leave the lock to the parent, in a forked child."""
        self._file.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()


def is_alive(folder: Path, run: Run) -> bool:
    """Return True if a process of a run is alive."""
    return _is_locked(folder / f"{run['run']}.{run.get('process', '')}.lock")


def live_runs(folder: Path) -> list[str]:
    """List the runs of which some process is alive."""
    locks = folder.glob("*.lock")
    return sorted({path.stem.rpartition(".")[0] for path in locks if _is_locked(path)})


def _is_locked(path: Path) -> bool:
    try:
        file = path.open("rb")
    except OSError:
        return False
    with file:
        try:
            # shared, so that two who look at a dead run don't take each other for it
            _lock(file.fileno(), alone=False)
        except OSError:
            return True
    return False
