"""The embedded engine, in LMDB."""

from .engine import LmdbEngine, make_engine, read_engine

__all__ = ["LmdbEngine", "make_engine", "read_engine"]
