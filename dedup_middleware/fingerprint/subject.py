"""The subject: what a page is from its reading to its commit. Store and judge both take it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dedup_middleware.read import Outline, UnreadablePage, read
from dedup_middleware.text import printable
from dedup_middleware.urls import host_key, url_key

from .hashing import text_hashes
from .scheme import fingerprint, fingerprint_of
from .site import UNKNOWN_SITE, arrival_of, without_and_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.page import Page

    from .scheme import Fingerprint
    from .site import Arrival, SiteMemory


class PageOverrides(NamedTuple):
    """What people said of one page."""

    excluded: frozenset[bytes] = frozenset()
    """The keys of the URLs that it never matches."""
    restored: bool = False
    """Whether it was dropped wrongly, and must not be dropped again."""


NO_OVERRIDES = PageOverrides()


class KnownPage(Protocol):
    """A page of the store, as far as a subject looks at it."""

    @property
    def number(self) -> int: ...

    @property
    def url(self) -> str: ...

    @property
    def key(self) -> bytes: ...


@dataclass(frozen=True, eq=False)
class Subject:
    """A page that was read, here or in another process, and is to be judged."""

    url: str
    key: bytes
    """The key of the URL."""
    host: bytes
    """The key of its host."""
    outline: Outline
    """The outline as it was read."""
    fingerprint: Fingerprint
    arrival: Arrival
    """What it tells about its host."""
    size: int
    """The size of the page as it came, in bytes."""
    redirected_from: tuple[str, ...] = ()
    readable: bool = True
    site: SiteMemory = UNKNOWN_SITE
    """What is known of its host."""
    own: Outline = field(default=None)  # type: ignore[assignment]  # the outline, until `on`
    """The outline with the blocks marked that it shares with its host; the rest is its own."""
    words: int = -1
    """The number of words of its own main text."""
    comparable: bool = True
    """Whether there is enough text of its own, and all of it, to compare."""
    overrides: PageOverrides = NO_OVERRIDES
    superseded: frozenset[int] = frozenset()
    """Known pages whose places others are about to take: these are known, too."""
    excluded: dict[str, None] = field(default_factory=dict)
    """The URLs of known pages that overrides have excluded, in order."""

    def __post_init__(self) -> None:
        if self.own is None:
            self.__dict__.update(own=self.outline, words=self.fingerprint.words)

    def on(
        self,
        site: SiteMemory,
        *,
        min_words: int,
        overrides: PageOverrides = NO_OVERRIDES,
        superseded: frozenset[int] = frozenset(),
    ) -> Subject:
        """Return the page as it is judged: given its host, what people said, what is replaced."""
        own, shared = without_and_count(self.outline, site)
        words = self.fingerprint.words - shared
        if own is not self.outline and not (shared and words):
            # where a text has no words its symbols count as words
            same = own.has_main_of(self.outline)
            words = self.fingerprint.words if same else len(text_hashes(own.main))
        judged = Subject.__new__(Subject)  # quicker than `replace`, for each page
        judged.__dict__.update(
            self.__dict__,
            site=site,
            own=own,
            words=words,
            comparable=words >= min_words and own.is_comparable,
            overrides=overrides,
            superseded=superseded,
            excluded={},
        )
        return judged

    def admits(self, known: KnownPage) -> bool:
        """Return True if a known page may be its original: another URL, and not overridden."""
        if known.key == self.key or known.number in self.superseded:
            return False
        if known.key in self.overrides.excluded:
            self.excluded[known.url] = None
            return False
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """The overrides that counted."""
        return tuple([f"a person said it is not {printable(url)}" for url in self.excluded])

    def __reduce__(self) -> tuple[Callable[..., Subject], tuple[object, ...]]:
        values = {one.name: getattr(self, one.name) for one in fields(self)[:_READ]}
        if self.outline.packed:  # the core's answer holds the fingerprint, too
            values["fingerprint"] = self.fingerprint.body
        return _unpickled, (values,)


_READ = [one.name for one in fields(Subject)].index("site")  # what was read of it comes before


def _unpickled(values: dict[str, Any]) -> Subject:
    if isinstance(values["fingerprint"], bytes):
        values["fingerprint"] = fingerprint_of(values["outline"], values["fingerprint"])
    return Subject(**values)


def read_subject(page: Page, *, max_html: int, max_text: int) -> Subject:
    """Read and fingerprint a page; one that can't be read is empty."""
    readable = True
    try:
        outline = read(page, max_html=max_html, max_text=max_text)
    except UnreadablePage:
        readable = False
        outline = Outline(cut=("could not be read",))
    made = fingerprint(page, outline)
    return Subject(
        page.url,
        url_key(page.url),
        host_key(page.url),
        outline,
        made,
        arrival_of(outline, made, page.url),
        page.size,
        page.redirected_from,
        readable,
    )
