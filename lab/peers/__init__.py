"""Other libraries for the same task, as they ship, behind the interface of methods.

Each is in the module of its name, and imported there when it is used: none is a dependency.
"""

from __future__ import annotations

from importlib import import_module

from .peer import MissingPeer, Peer

__all__ = ["PEERS", "MissingPeer", "Peer", "peer_class"]

PEERS = ("datasketch", "rensa", "gaoya", "simhash", "textprofile")


def peer_class(name: str) -> type[Peer]:
    """Return the adapter of a peer; MissingPeer says what to install."""
    if name not in PEERS:
        raise MissingPeer(f"there is no peer {name!r}; choose from {', '.join(PEERS)}")
    module = import_module(f".{name}", __name__)
    found = next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Peer)
        and value.__module__ == module.__name__
    )
    found.check()
    return found
