"""Files that arguments name: pages to read, output to write."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def check_output(path: Path, sources: Iterable[str | Path] = ()) -> None:
    """Raise an error if a file can't be written, or is one of those that are read."""
    if path.is_dir():
        raise DedupError(f"{path} is a folder; name a file in it")
    if not path.absolute().parent.is_dir():
        raise DedupError(f"Can't write {path}: there is no folder {path.absolute().parent}")
    for source in sources:
        with suppress(OSError, ValueError):  # it may be gone, or be a URL
            if path.samefile(source):
                raise DedupError(f"{path} is a file that is read; name another one")


def write_output(path: Path, content: str | bytes) -> int:
    """Write a file, as a whole or not at all; return its size."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # /dev/stdout and the like
            path.write_bytes(data)
        else:
            write_atomically(path, data)
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
    return len(data)
