"""What LMDB and the file system raise, as errors that say what to do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import lmdb

from dedup_middleware.errors import NotAStore, StoreError, StoreFull, store_error

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what LMDB and the file system raise into errors that say what to do."""
    try:
        yield
    except lmdb.MapFullError as error:
        raise StoreFull(
            f"The store {path} has reached its map limit; raise DEDUP_MAP_SIZE. "
            "What was registered before is intact"
        ) from error
    except (lmdb.CorruptedError, lmdb.PageNotFoundError) as error:
        raise StoreError(f"The store {path} is damaged ({error}); start a new one") from error
    except (lmdb.InvalidError, lmdb.VersionMismatchError) as error:
        raise NotAStore(f"{path} is not a dedup store: {error}") from error
    except (lmdb.Error, OSError) as error:
        raise store_error(path, error) from error
