"""Known pages, kept for look-up and for comparison."""

from .lmdb.store import Editor, Reader, Store
from .lmdb.view import Lookup, View
from .lmdb.writer import Writer

__all__ = ["Editor", "Lookup", "Reader", "Store", "View", "Writer"]
