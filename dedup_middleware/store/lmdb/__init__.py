"""The embedded store, in LMDB."""

from .store import LmdbReader, LmdbStore

__all__ = ["LmdbReader", "LmdbStore"]
