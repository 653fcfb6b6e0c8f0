"""What to say of commands that a server refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.errors import NotAStore, StoreError, StoreFull

if TYPE_CHECKING:
    from collections.abc import Callable


def full(name: str, error: str) -> StoreError:
    return StoreFull(
        f"The server {name} is full: {error}. Raise its maxmemory, or move the store to a larger "
        "server; what was registered before is intact"
    )


def not_saving(name: str, error: str) -> StoreError:
    return StoreFull(
        f"The server {name} can't save its data and takes no more: {error}. See its log; what was "
        "registered before is intact"
    )


def lost(name: str, error: str) -> StoreError:  # noqa: ARG001  # as the others
    return StoreError(
        f"The server {name} has lost the store since this run began: it was emptied, or restarted "
        "without its data. Start the run again; give the server an append-only file, so that a "
        "restart costs nothing"
    )


def older(name: str, error: str) -> StoreError:  # noqa: ARG001  # as the others
    return StoreError(
        f"The server {name} has come back with older data than this run has seen: from a snapshot, "
        "or as a replica that lagged behind. Start the run again: pages that were lost pass again. "
        "Give the server an append-only file, so that a restart costs nothing"
    )


def wrong_password(name: str, error: str) -> StoreError:
    return StoreError(
        f"The server {name} refuses the password or user: {error}. Write them into the URL, as in "
        "redis://USER:PASSWORD@HOST:PORT/0"
    )


def replica(name: str, error: str) -> StoreError:
    return StoreError(f"The server {name} is a read-only replica: {error}. Name its primary")


def other_program(name: str, error: str) -> StoreError:
    return NotAStore(
        f"Keys of another program stand in {name} where the store should be: {error}. Choose "
        "another prefix, as in redis://HOST:PORT/0?prefix=NAME"
    )


def other(name: str, error: str) -> StoreError:
    return StoreError(f"Can't use the server {name}: {error}")


_BY_MARK: dict[str, Callable[[str, str], StoreError]] = {
    "OOM": full,
    "maxmemory": full,
    "MISCONF": not_saving,
    "DEDUPGONE": lost,
    "DEDUPOLD": older,
    "NOAUTH": wrong_password,
    "WRONGPASS": wrong_password,
    "NOPERM": wrong_password,
    "READONLY": replica,
    "WRONGTYPE": other_program,
}


def refusal(name: str, error: str) -> StoreError:
    """Return the error to raise; a script's refusal contains that of the command."""
    return next((say for mark, say in _BY_MARK.items() if mark in error), other)(name, error)
