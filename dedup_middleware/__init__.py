"""Recognise, while a crawl runs, pages that are already known."""

from .deduplicator import Deduplicator
from .errors import DedupError, NotAStore, SchemeMismatch, SettingError, StoreError, StoreFull
from .page import Page
from .verdict import Action, Evidence, Kind, Scores, Verdict

__all__ = [
    "Action",
    "DedupError",
    "Deduplicator",
    "Evidence",
    "Kind",
    "NotAStore",
    "Page",
    "SchemeMismatch",
    "Scores",
    "SettingError",
    "StoreError",
    "StoreFull",
    "Verdict",
]
