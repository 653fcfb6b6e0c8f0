"""Pages in files that arguments name, and files that commands write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import warn

if TYPE_CHECKING:
    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings


def page_in_file(name: str | Path, settings: Settings, url: str = "") -> Page:
    """Return the page in a file, at a URL or at its own name."""
    from dedup_middleware.page import Page

    try:
        with Path(name).open("rb") as file:
            data = file.read(settings.max_html + 1)
    except OSError as error:
        raise DedupError(f"{name}: {error.strerror}") from error
    if str(name).lower().endswith(".txt"):
        return Page(url=url or str(name), text=data.decode("utf-8", "replace"))
    return Page(url=url or str(name), html=data)


def outline_of(page: Page, settings: Settings) -> Outline:
    """Read a page."""
    from dedup_middleware.read import UnreadablePage, read

    try:
        return read(page, max_html=settings.max_html, max_text=settings.max_text)
    except UnreadablePage as error:
        raise DedupError(f"{page.url}: can't be read as HTML") from error


def write(path: Path, content: str | bytes) -> None:
    """Write a file, and say so."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
    warn(f"Written: {path}")
