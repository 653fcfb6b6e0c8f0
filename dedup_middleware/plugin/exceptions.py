"""Exceptions that drop items and skip requests; Scrapy counts drops by the name of the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem, IgnoreRequest

from dedup_middleware.text import printable
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from dedup_middleware.verdict import Verdict

_LONGEST_URL = 200


class SkippedRequest(IgnoreRequest):
    """A request was not sent: its page is known under another URL, or shows nothing new."""


class DroppedPage(DropItem):
    """An item was dropped because of the verdict on its page."""

    verdict: Verdict


class ExactDuplicate(DroppedPage):
    """All its text is known from another URL."""


class NearDuplicate(DroppedPage):
    """Nearly the same page is known."""


class ContainedDuplicate(DroppedPage):
    """Its text is part of another page."""


class UnchangedPage(DroppedPage):
    """The URL shows what it showed last time."""


class ContainingPage(DroppedPage):
    """It contains earlier pages; dropped only if the settings say so."""


class UpdatedPage(DroppedPage):
    """The URL shows something new; dropped only if the settings say so."""


class UniquePage(DroppedPage):
    """Nothing like it is known; dropped only if the settings say so."""


_CLASSES: dict[Kind, tuple[type[DroppedPage], str]] = {
    Kind.EXACT: (ExactDuplicate, "exact copy of"),
    Kind.NEAR: (NearDuplicate, "near copy of"),
    Kind.CONTAINED: (ContainedDuplicate, "contained in"),
    Kind.UNCHANGED: (UnchangedPage, "unchanged, known from"),
    Kind.CONTAINS: (ContainingPage, "contains"),
    Kind.UPDATED: (UpdatedPage, "updated"),
    Kind.UNIQUE: (UniquePage, "unique"),
}


def make_drop(verdict: Verdict, log_level: str) -> DroppedPage:
    """Make the exception for a verdict; its message is short, for the log adds the whole item."""
    made_of, words = _CLASSES[verdict.kind]
    url = printable(verdict.original or "")
    shown = url if len(url) <= _LONGEST_URL else url[:_LONGEST_URL] + "…"
    error = made_of(f"{words} {shown}".strip(), log_level=log_level)
    error.verdict = verdict
    return error
