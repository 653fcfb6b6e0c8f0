"""Names: what names a page in the eyes of the judge, and whether two pages have names of their own.

Pages of one site with different names (title, main heading) or in different languages are rarely
copies, however much they share. Names are evidence, not a rule: news are issued again under another
headline, and an archive page shows a whole post. So a name counts as shared if the other page shows
it anywhere as a block of its own, and a name that only repeats the first words of the text is none.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dedup_middleware.fingerprint.site import block_hash, main_heading, title_parts
from dedup_middleware.read.outline import KINDS
from dedup_middleware.read.words import words
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Identity, Outline

LONGEST_NAME = 24  # words
HEADLINE_WORDS = 4
FEWEST_WORDS = 3  # of a name that is found in other text: tags of a tag cloud have fewer
MOST_BLOCKS = 4000
FIRST_WORDS = 4  # that a name has in common with the beginning of the text, if it is cut from it
_HEADING = KINDS.index("heading")
_DASH = re.compile(r"\s[-\u2010-\u2015]+\s")


class Names:
    """The names of a page, and what it shows that may be the name of another."""

    def __init__(self, outline: Outline, site: SiteMemory) -> None:
        self._outline = outline
        self.names = frozenset(_names(outline, site))
        """In normal form; empty if nothing names the page."""

    def shows(self, other: Names) -> bool:
        """Return True if the page shows a name of the other one as a block of its own."""
        if any(_extends(mine, its) for mine in self.names for its in other.names):
            return True
        return any(name in other.names for name in self._blocks(other.names))

    def _blocks(self, names: Collection[str]) -> Iterator[str]:
        """Yield what may be one of some names: headings, and blocks of some words."""
        begins = {name.partition(" ")[0] for name in names}
        outline = self._outline
        columns = zip(outline.kinds, outline.texts, outline.boilerplate, strict=True)
        for kind, text, boilerplate in islice(columns, MOST_BLOCKS):
            if text and not boilerplate and text.count(" ") < LONGEST_NAME:
                if text.isascii():  # then its words are those of the text in lower case
                    lower = text.lower()
                    if not any(begin in lower for begin in begins):
                        continue
                name = _normal(text)
                if kind == _HEADING or name.count(" ") + 1 >= FEWEST_WORDS:
                    yield name


def name_each_other(url: str, one: Identity, other_url: str, other: Identity) -> bool:
    """Return True if pages declare one address: that of either, or the same third one.

    It takes an address of a page: many sites declare their home page on all of them.
    """
    mine, theirs = _addresses(one), _addresses(other)
    return url_key(url) in theirs or url_key(other_url) in mine or not mine.isdisjoint(theirs)


def _addresses(identity: Identity) -> set[bytes]:
    found = filter(None, (identity.canonical, identity.og_url))
    return {url_key(url) for url in found if urlsplit(url).path.strip("/")}


def _extends(name: str, other: str) -> bool:
    """Return True if a name is another one, or that with something before or behind it.

    >>> _extends("in short tides of the sea", "tides of the sea"), _extends("git diff", "git")
    (True, False)
    """
    return name == other or (other.count(" ") + 1 >= FEWEST_WORDS and f" {other} " in f" {name} ")


def _names(outline: Outline, site: SiteMemory) -> Iterator[str]:
    identity = outline.identity
    declared = identity.title or identity.og_title or identity.headline
    title, heading = _normal(_page_title(declared, site)), _normal(main_heading(outline))
    if title and not _begins_text(title, outline):
        yield title
        if _is_heading(title, outline):
            return  # another one that comes first is that of the site, or of a chapter
    # a heading such as Summary or Quick links names no page; one that repeats the title does, and
    # so does a whole headline
    long = heading.count(" ") + 1 >= HEADLINE_WORDS
    names = not title or long or not {*title.split()}.isdisjoint(heading.split())
    if heading and names and not _begins_text(heading, outline):
        yield heading


def _is_heading(name: str, outline: Outline) -> bool:
    """Return True if a page shows a name as a heading."""
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    return any(
        kind == _HEADING and not boilerplate and _normal(text) == name
        for kind, boilerplate, text in islice(columns, MOST_BLOCKS)
    )


def _page_title(title: str, site: SiteMemory) -> str:
    """Return a title without the part that names the site."""
    parts = title_parts(title[:1000])
    if site.generation:
        own = [part for part in parts if block_hash(part) not in site.site_title]
    else:
        own = parts[:1]  # the site comes last on most, as long as nothing is known of this one
    return " ".join(own)


def _begins_text(name: str, outline: Outline) -> bool:
    """Return True if a name is but the beginning of the text, as that of an untitled post.

    Where a dash follows it, as in many manuals, the text explains the name.
    """
    first = name.split()[:FIRST_WORDS]
    for kind, boilerplate, text in zip(
        outline.kinds, outline.boilerplate, outline.texts, strict=True
    ):
        if text and not boilerplate and kind != _HEADING:
            before = _DASH.split(text[:200], maxsplit=1)
            if len(before) > 1 and _normal(before[0]) == name:
                return False
            found = words(text[:200])[:FIRST_WORDS]
            return len(first) > 1 and found[: len(first)] == first
    return False


def _normal(text: str) -> str:
    return " ".join(words(text[:1000])[: LONGEST_NAME * 2])
