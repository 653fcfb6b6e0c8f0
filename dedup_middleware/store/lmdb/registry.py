"""What this process has open: one environment for each path, shared by whoever opens it."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from .environment import Environment

if TYPE_CHECKING:
    from pathlib import Path


class _Registry:
    """What this process has open."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: dict[str, Environment] = {}

    def close_inherited(self) -> None:
        """Close, in a forked child, what the parent has open: LMDB must not cross a fork."""
        inherited = list(self.open.values())
        self.lock, self.open = threading.Lock(), {}  # the parent may have held the lock
        for environment in inherited:
            environment.env.close()  # in a child this frees the path, and leaves the parent's alone
            environment.open_lock.close()


_registry = _Registry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.close_inherited)


def acquire(path: Path, map_size: int, *, write: bool = False, sole: bool = False) -> Environment:
    """Open the environment at a path, or share the one that is open."""
    real = os.path.realpath(path)
    with _registry.lock:
        known = _registry.open.get(real)
        if known is None:
            new = Environment(real, map_size, write=write, sole=sole)
            return _registry.open.setdefault(real, new)
        known.share(write=write)
        known.users += 1
        return known


def release(environment: Environment) -> None:
    """Give an environment back; the last user closes it."""
    with _registry.lock:
        environment.users -= 1
        if environment.users == 0 and environment.pid == os.getpid():
            del _registry.open[environment.path]
            environment.close()
