"""Items of the spiders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class PageItem:
    """A fetched page."""

    url: str
    html: str
    title: str
    language: str
    """As the page or the server declares it, else empty."""
    fetched: str
    """When, in UTC."""
    verdict: dict[str, Any] | None = None
    """Kind, original, score, reason and action; filled in by the pipeline."""
