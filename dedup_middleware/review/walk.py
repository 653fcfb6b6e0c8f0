"""Reading all of a store's file, to see whether that can be done."""

from __future__ import annotations

import sys

from dedup_middleware.errors import DedupError
from dedup_middleware.store import Reader


def walk(path: str) -> None:
    """Go through every entry; end the process with 1 and the reason if there is an error."""
    try:
        with Reader(path) as store, store.snapshot() as view:
            for name in view.sizes():
                for _ in view.entries(name):
                    pass
    except DedupError as error:
        sys.exit(str(error))
