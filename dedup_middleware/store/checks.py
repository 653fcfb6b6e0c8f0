"""Checks of entries that all stores have."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import zstandard

from dedup_middleware.fingerprint.scheme import text_digest
from dedup_middleware.urls import url_key

from . import packing
from .damage import Damage
from .records import UrlRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.read import Outline

    from .damage import Damages
    from .records import PageRecord

UNREADABLE = (struct.error, zstandard.ZstdError, ValueError, IndexError, OverflowError)
_COUNTED = {"run": "runs", "page": "pages", "sequence": "decisions"}


def damage_of(
    record: PageRecord, url: Callable[[bytes], UrlRecord | None], text: bytes | None
) -> Damage | None:
    """Return the first thing that is wrong with a page: its address or its text."""
    try:
        known = url(record.key)
    except struct.error:
        known = None
    own = UrlRecord(alias=False, number=record.number, digest=record.digest)
    if known != own or url_key(record.url) != record.key:
        return Damage.ADDRESS
    outline = unpacked_text(text or b"")
    if outline is None:
        return Damage.TEXT
    return Damage.DIGEST if text_digest(outline, record.body) != record.digest else None


def unpacked_text(data: bytes) -> Outline | None:
    """Restore an outline; None if it can't be read."""
    try:
        outline = packing.unpack(data)
        _ = outline.nodes  # as many kinds, parents and texts as nodes
    except UNREADABLE:
        return None
    return outline


def url_record(data: bytes | None) -> UrlRecord | None:
    """Restore the record of a URL; None if it can't be read."""
    try:
        return UrlRecord.unpack(data or b"")
    except struct.error:
        return None


def is_decision(line: bytes, sequence: int) -> bool:
    """Return True for the line of a journal that has a number."""
    try:
        entry = json.loads(line)
        texts = [entry[name] for name in ("url", "verdict", "action")]
        return entry["seq"] == sequence and all(isinstance(text, str) for text in texts)
    except (*UNREADABLE, TypeError, LookupError, RecursionError):
        return False


def note_withdrawn(found: Damages, urls: int) -> None:
    """Note URLs that are copies of pages which are gone; that is no damage."""
    if urls:
        found.notes.append(
            f"{urls:,} URLs repeat pages that were withdrawn since; they pass when they are seen "
            "again"
        )


def check_counter(found: Damages, name: str, counter: int, highest: int) -> None:
    """Note a counter that is behind what it has counted."""
    if counter < highest:
        found.add(Damage.COUNTER, f"that of {_COUNTED[name]}")
        found.counters[name] = highest
