"""What the spiders bring home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class PageItem:
    """A page, as it was fetched."""

    url: str
    html: str
    title: str
    language: str
    """As the page or the server says, empty if they don't."""
    fetched: str
    """When, in UTC."""
    verdict: dict[str, Any] | None = None
    """Kind, original, score, reason and action; filled in by the pipeline."""
