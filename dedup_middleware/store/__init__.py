"""Known pages, kept for look-up and for comparison."""

from .reader import Editor, Reader
from .store import Store
from .view import Lookup, View
from .writer import Writer

__all__ = ["Editor", "Lookup", "Reader", "Store", "View", "Writer"]
