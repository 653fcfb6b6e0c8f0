"""What to say of commands that a server refuses."""

from __future__ import annotations

from typing import NamedTuple

from dedup_middleware.errors import NotAStore, StoreError, StoreFull

GONE, OLD, PASSWORD = "DEDUPGONE", "DEDUPOLD", "NOAUTH"


class _Refusal(NamedTuple):
    marks: tuple[str, ...]
    """What the server's error contains; a script's refusal contains that of the command."""
    kind: type[StoreError]
    text: str


_REFUSALS = (
    _Refusal(
        ("OOM", "maxmemory"),
        StoreFull,
        "The server {name} is full: {error}. Raise its maxmemory, or move the store to a larger "
        "server; what was registered before is intact",
    ),
    _Refusal(
        ("MISCONF",),
        StoreFull,
        "The server {name} can't save its data and takes no more: {error}. See its log; what was "
        "registered before is intact",
    ),
    _Refusal(
        (GONE,),
        StoreError,
        "The server {name} has lost the store since this run began: it was emptied, or restarted "
        "without its data. Start the run again; give the server an append-only file, so that a "
        "restart costs nothing",
    ),
    _Refusal(
        (OLD,),
        StoreError,
        "The server {name} has come back with older data than this run has seen: from a snapshot, "
        "or as a replica that lagged behind. Start the run again: pages that were lost pass again. "
        "Give the server an append-only file, so that a restart costs nothing",
    ),
    _Refusal(
        (PASSWORD, "WRONGPASS", "NOPERM"),
        StoreError,
        "The server {name} refuses the password or user: {error}. Write them into the URL, as in "
        "redis://USER:PASSWORD@HOST:PORT/0",
    ),
    _Refusal(
        ("READONLY",),
        StoreError,
        "The server {name} is a read-only replica: {error}. Name its primary",
    ),
    _Refusal(
        ("WRONGTYPE",),
        NotAStore,
        "Keys of another program stand in {name} where the store should be: {error}. Choose "
        "another prefix, as in redis://HOST:PORT/0?prefix=NAME",
    ),
)


def refusal(name: str, error: str, mark: str = "") -> StoreError:
    """Return the error to raise, by a mark or by that which the server's error contains."""
    for marks, kind, text in _REFUSALS:
        if any(one in (mark or error) for one in marks):
            return kind(text.format(name=name, error=error))
    return StoreError(f"Can't use the server {name}: {error}")
