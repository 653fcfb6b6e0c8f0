"""Which runs are alive, and whose pages count.

Each process of a run holds a lock on a file that the kernel frees when it ends, however it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sys
import time
from typing import TYPE_CHECKING, BinaryIO
from weakref import WeakSet

from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder, open_private

from .engine import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .engine import Batch, Snapshot
    from .protocol import EndedRun, Run

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

    def _try_lock(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _try_lock(file: BinaryIO) -> bool:
        try:
            # shared, so that two who look at a dead run don't take each other for it
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


_RUN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{6}", re.ASCII)
_BAD_NAME = re.compile(r"^\.|[/\\\0-\x1f]")
MOST_NAME = 200  # files are named after runs
RUNS_VERSION = b"runs"
"""In `meta`: a random value that changes with every change of a run."""
_DONE = frozenset({"committed", "discarded"})


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


def new_run(name: str, spider: str, commit: str) -> Run:
    """Return what is known of a process of a run that begins now."""
    return {
        "run": name,
        "spider": spider,
        "started": time.time(),
        "process": secrets.token_hex(3),  # several may be in one run
        "commit": commit,
    }


def ended_run(well: bool, requests_saved: int, *, revoke: bool) -> EndedRun:
    """Return what is known of a process of a run that ends now."""
    end: EndedRun = {
        "finished": time.time(),
        "well": well and not revoke,
        "requests_saved": requests_saved,
    }
    if revoke:  # as if its pages had waited for its end, so that they can still be committed
        end["commit"] = "finish"
    return end


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

    Of a run that can't be read nobody knows whether it succeeded: its pages pass again.
    """
    if run is None or "discarded" in run:
        return False
    if "committed" in run:
        return delivered
    at_once = run.get("commit") != "finish"
    if not at_once and run["run"] != own:
        return False
    if delivered and (at_once or run.get("well")):
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
        self._path = _lock_path(folder, run, process)
        self._file = open_private(self._path, "ab")
        _live.add(self)
        _lock(self._file)  # waits only for somebody who is just looking

    def forget(self) -> None:
        """Leave the lock to the parent, in a forked child."""
        self._file.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()


def is_alive(folder: Path, run: Run) -> bool:
    """Return True if a process of a run is still at it."""
    return _is_locked(_lock_path(folder, run["run"], run.get("process", "")))


def live_runs(folder: Path) -> list[str]:
    """List the runs of which some process is still at it."""
    locks = folder.glob("*.lock")
    return sorted({path.stem.rpartition(".")[0] for path in locks if _is_locked(path)})


def _lock_path(folder: Path, run: str, process: str) -> Path:
    return folder / f"{run}.{process}.lock"


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return not _try_lock(file)
    except OSError:
        return False
