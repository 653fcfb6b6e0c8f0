"""What LMDB and the file system raise, as errors that say what to do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import lmdb

from dedup_middleware.errors import NotAStore, StoreError, StoreFull, store_error

if TYPE_CHECKING:
    from collections.abc import Iterator


def translation(path: str, error: Exception) -> StoreError:
    """Return the error to raise in place of one of LMDB or of the file system."""
    if isinstance(error, lmdb.MapFullError):
        return StoreFull(
            f"The store {path} has reached its map limit; raise DEDUP_MAP_SIZE. "
            "What was registered before is intact"
        )
    if isinstance(error, lmdb.CorruptedError | lmdb.PageNotFoundError | lmdb.BadValsizeError):
        return StoreError(f"The store {path} is damaged ({error}); start a new one")
    if isinstance(error, lmdb.InvalidError | lmdb.VersionMismatchError):
        return NotAStore(f"{path} is not a dedup store: {error}")
    return store_error(path, error)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what LMDB and the file system raise into errors that say what to do."""
    try:
        yield
    except (lmdb.Error, OSError) as error:
        raise translation(path, error) from error
