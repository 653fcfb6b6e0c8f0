"""Whole sites: shapes of URLs, rules, traps, mirrors and walls, learned from judged pages."""

from __future__ import annotations

from .sites import Sites
from .tally import SiteTally
from .values import Decision, Fetched, Mirror, Notice, Rule, Shape, Site, Wall

__all__ = [
    "Decision",
    "Fetched",
    "Mirror",
    "Notice",
    "Rule",
    "Shape",
    "Site",
    "SiteTally",
    "Sites",
    "Wall",
]
