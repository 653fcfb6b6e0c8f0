"""Errors that a user can cause; each says what was wrong, where, and what to do."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# LMDB reports a write that went in only in part, as on a full disk, as an I/O error
_NO_ROOM = tuple(map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)))


class DedupError(Exception):
    """Anything that this package refuses to do."""


class SettingError(DedupError, ValueError):
    """A setting has an unknown name or a bad value."""


class CoreError(DedupError):
    """The compiled core is missing, or could not do what it was asked for."""


class StoreError(DedupError):
    """The store can't be used."""


class NotAStore(StoreError):
    """The path holds something else, or nothing."""


class SchemeMismatch(StoreError):
    """The store was made by another hash scheme or format."""


class StoreFull(StoreError):
    """Disk or map limit reached; what was stored before is intact."""


def store_error(path: str, error: Exception) -> StoreError:
    """Return the error to raise for what went wrong with the files of a store."""
    if any(text in str(error) for text in _NO_ROOM):
        return StoreFull(
            f"{path} can't grow, the disk is full or failing: {error}. "
            "Free some space; what was registered before is intact"
        )
    return StoreError(f"Can't use the store {path}: {error}")


@contextmanager
def translated_os_errors(path: str) -> Iterator[None]:
    """Turn what the file system raises into errors that say what to do."""
    try:
        yield
    except OSError as error:
        raise store_error(path, error) from error
