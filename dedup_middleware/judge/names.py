"""Names: what names a page in the eyes of the judge, and whether two pages have names of their own.

Pages of one host with different names (title, main heading) or in different languages are rarely
copies, however much they share: a manual says nearly the same of each of its commands. What names a
page is its title and its main heading, without what the titles of its host share. That some other
block of a page shows a name says nothing: a sidebar shows the names of all pages.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dedup_middleware import core
from dedup_middleware.fingerprint.site import block_hash, is_true_address, main_heading
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.outline import KINDS, title_parts
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Identity, Outline

LONGEST_NAME = 24  # words; a first block that is longer is text
MOST_BLOCKS = 4000
FIRST_WORDS = 4  # that a name has in common with the beginning of the text, if it is cut from it
_HEADING = KINDS.index("heading")
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Names:
    """The names of a page, and all that it shows as title or heading."""

    def __init__(self, outline: Outline, site: SiteMemory) -> None:
        title, heading = _title(outline), main_heading(outline)
        parts = title_parts(title)
        named = _named(outline, site, title, parts, heading)
        heads = (title, heading, *parts, *_headings(outline))
        normal = normal_names((*named, *heads))
        names, shown = normal[: len(named)], normal[len(named) :]
        if not title and not heading:  # the first block, unless it is text
            names = [name for name in names if name.count(" ") < LONGEST_NAME]
        self.names = frozenset(names) - {""}
        """In normal form; empty if nothing names the page."""
        self.shown = self.names.union(shown)
        """Its names, its title and the parts of it, its headings."""
        self._heads = {*shown[:2]} - {""}

    def agree(self, other: Names) -> bool:
        """Return True if title or main heading are the same."""
        return not self._heads.isdisjoint(other._heads)

    def differ(self, other: Names) -> bool:
        """Return True if each page has a name that the other shows neither as title nor heading."""
        return not (self.names <= other.shown or other.names <= self.shown)


def normal_names(texts: Iterable[str]) -> list[str]:
    """Return names as they are compared: their words, and the signs that make others of them.

    >>> normal_names(["Bindings for C++", "Lens -5", "operator!=", "Oh, no!"])
    ['bindings for c + +', 'lens 5 -', 'operator ! =', 'oh no']
    """
    lines = "\n".join([text.replace("\n", " ") for text in texts])
    return core.call("names", utf8(lines)).decode().split("\n")


def name_each_other(
    url: str, one: Identity, other_url: str, other: Identity, site: SiteMemory
) -> bool:
    """Return True if pages declare one address: that of either, or the same third one.

    It takes an address of a page: many sites declare their home page, or another, on all of them.
    """
    mine, theirs = _addresses(one, site), _addresses(other, site)
    return url_key(url) in theirs or url_key(other_url) in mine or not mine.isdisjoint(theirs)


def _addresses(identity: Identity, site: SiteMemory) -> set[bytes]:
    found = {*filter(None, (identity.canonical, identity.og_url))}
    own = (url for url in found if urlsplit(url).path.strip("/"))
    return {url_key(url) for url in own if is_true_address(url, site)}


def _named(
    outline: Outline, site: SiteMemory, title: str, parts: list[str], heading: str
) -> list[str]:
    """Return what may name a page."""
    if not title and not heading:
        return _first_block(outline)
    text = _first_words(outline)
    rest, heading = _without_first_words(title, text), _without_first_words(heading, text)
    if rest != title:
        title, parts = rest, title_parts(rest)
    own = [part for part in parts if block_hash(part) not in site.shared_names]
    # where other pages have each part, only all of them together may name the page
    return [*(own or [title]), "" if block_hash(heading) in site.shared_names else heading]


def _title(outline: Outline) -> str:
    identity = outline.identity
    return (identity.title or identity.og_title or identity.headline)[:1000]


def _headings(outline: Outline) -> list[str]:
    """Return the headings of a page."""
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    return [
        text
        for kind, boilerplate, text in islice(columns, MOST_BLOCKS)
        if kind == _HEADING and text and not boilerplate
    ]


def _first_block(outline: Outline) -> list[str]:
    """Return the first block of the main text."""
    columns = zip(outline.boilerplate, outline.texts, strict=True)
    return next(([text] for boilerplate, text in columns if text and not boilerplate), [])


def _first_words(outline: Outline) -> list[str]:
    """Return the first words and signs of the main text; a line feed ends a block."""
    found: list[str] = []
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    for kind, boilerplate, text in columns:
        if text and not boilerplate and kind != _HEADING:
            found += (*_TOKEN.findall(text[:400].lower()), "\n")
            if len(found) > LONGEST_NAME:
                break
    return found


def _without_first_words(name: str, text: Sequence[str]) -> str:
    """Return a name without the first words of the text, which name an untitled post.

    These end within a sentence. Where a dash, a colon or the end of a block follows, the text
    shows the name, or explains it, as in many manuals.
    """
    end = count = at = 0
    for at, token in enumerate(_TOKEN.finditer(name)):
        if at >= len(text) or token[0].lower() != text[at]:
            break
        end = token.end()
        count += token[0].isalnum()
    else:
        at += 1
    goes_on = at < len(text) and text[at].isalnum()
    return name[end:] if count >= FIRST_WORDS and goes_on else name
