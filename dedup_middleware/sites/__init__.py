"""Whole sites: shapes of URLs, rules, traps, mirrors and walls, learned from judged pages."""

from __future__ import annotations

from .book import Book
from .sites import Sites
from .tally import SiteTally
from .values import Decision, Fetched, Notice, Rule

__all__ = ["Book", "Decision", "Fetched", "Notice", "Rule", "SiteTally", "Sites"]
