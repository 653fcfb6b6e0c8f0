"""Errors that a user can cause; each says what was wrong, where, and what to do."""

from __future__ import annotations


class DedupError(Exception):
    """Anything that this package refuses to do."""


class SettingError(DedupError, ValueError):
    """A setting has an unknown name or a bad value."""


class StoreError(DedupError):
    """The store can't be used."""


class NotAStore(StoreError):
    """The path holds something else, or nothing."""


class SchemeMismatch(StoreError):
    """The store was made by another hash scheme or format."""


class StoreFull(StoreError):
    """Disk or map limit reached; what was stored before is intact."""
