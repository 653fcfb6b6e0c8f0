"""Survivors: which of two URLs that show the same page is to stand for it, by URL or by length.

What a page declares about itself is a hint, and anybody can declare anything. So between sites only
words against one's own interest count: a page that names another one as the original, a URL that
redirects. Within a site the URLs are its own matter, and what it declares counts as it is.

The order is strict: no page takes the place of one that has taken its own place, or of one that is
as good, so that nothing goes back and forth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.text import printable
from dedup_middleware.urls import host_of, is_within, same_site, url_key

from .url_quality import flaws, has_fewer_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint.subject import Subject

    from .match import KnownPage

NAMES_ANOTHER, NAMES_NONE, NAMES_ITSELF = range(3)


@dataclass(frozen=True, slots=True)
class Claim:
    """What speaks for a URL."""

    url: str
    canonical: str | None = None
    """What its page declares to be its address; None if that was refuted."""
    redirected_from: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        if self.canonical is None:
            return NAMES_NONE
        return NAMES_ITSELF if self.names(self.url) else NAMES_ANOTHER

    def names(self, url: str) -> bool:
        return self.canonical is not None and url_key(self.canonical) == url_key(url)


def why_better(page: Claim, known: Claim, preferred_hosts: Sequence[str] = ()) -> str | None:
    """Return why a page is to take the place of a known one; None if that is to stay."""
    mine, theirs = (_place(one.url, preferred_hosts) for one in (page, known))
    if mine != theirs:
        return f"{printable(host_of(page.url))} is a preferred host" if mine < theirs else None
    own_matter = same_site(page.url, known.url)
    if page.rank != known.rank and (own_matter or known.names(page.url) or page.names(known.url)):
        return _why_canonical(page, known) if page.rank > known.rank else None
    if url_key(known.url) in map(url_key, page.redirected_from):
        return "that URL redirects to this one"
    return _why_cleaner(page.url, known.url) if own_matter else None


def why_longer(page: Subject, known: KnownPage) -> str | None:
    """Return why a page is to take the place of a known one of its site by their lengths."""
    mine, theirs = page.fingerprint.words, known.words
    if mine <= theirs or not same_site(page.url, known.url):
        return None
    return f"it has {mine:,} words, and that page {theirs:,}"


def _place(url: str, preferred_hosts: Sequence[str]) -> int:
    """Return the place of a URL's host in a list, the first that it belongs to."""
    host = host_of(url)
    places = (at for at, name in enumerate(preferred_hosts) if is_within(host, name))
    return next(places, len(preferred_hosts))


def _why_canonical(page: Claim, known: Claim) -> str:
    if known.names(page.url):
        return "that page names this URL as its canonical one"
    if page.rank == NAMES_ITSELF:
        return "this is the canonical URL by its own page, and that is not"
    return "that page names another URL as its canonical one"


def _why_cleaner(url: str, known: str) -> str | None:
    mine, theirs = flaws(url), flaws(known)
    if mine != theirs:
        return f"that URL has {theirs.beyond(mine)}" if mine < theirs else None
    if has_fewer_parameters(url, known):
        return "that URL has parameters that make no difference"
    return None
