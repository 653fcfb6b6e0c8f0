"""A page that was read and fingerprinted: all that judging needs of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dedup_middleware.read import Identity, Outline, UnreadablePage, read
from dedup_middleware.urls import host_key, url_key

from .scheme import fingerprint, fingerprint_of
from .site import arrival_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.page import Page

    from .scheme import Fingerprint
    from .site import Arrival


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page as it was read, here or in another process."""

    url: str
    key: bytes
    """Of the URL."""
    host: bytes
    """The key of its host."""
    outline: Outline
    fingerprint: Fingerprint
    arrival: Arrival
    """What it tells about its host."""
    size: int
    """Of the page as it came, in bytes."""
    redirected_from: tuple[str, ...] = ()
    readable: bool = True

    def __reduce__(self) -> tuple[Callable[..., ReadPage], tuple[object, ...]]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.outline.packed:  # the core's answer holds the fingerprint, too
            values["fingerprint"] = self.fingerprint.body
        return _unpickled, (values,)


def _unpickled(values: dict[str, Any]) -> ReadPage:
    if isinstance(values["fingerprint"], bytes):
        values["fingerprint"] = fingerprint_of(values["outline"], values["fingerprint"])
    return ReadPage(**values)


def read_page(page: Page, *, max_html: int, max_text: int) -> ReadPage:
    """Read and fingerprint a page; one that can't be read is empty."""
    readable = True
    try:
        outline = read(page, max_html=max_html, max_text=max_text)
    except UnreadablePage:
        readable = False
        outline = Outline(Identity(), b"", (), b"", (), cut=("could not be read",))
    made = fingerprint(page, outline)
    return ReadPage(
        page.url,
        url_key(page.url),
        host_key(page.url),
        outline,
        made,
        arrival_of(outline, made.digest, page.url),
        page.size,
        page.redirected_from,
        readable,
    )
