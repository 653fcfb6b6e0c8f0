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

from dedup_middleware.fingerprint.site import block_hash, main_heading, title_parts
from dedup_middleware.read.outline import KINDS
from dedup_middleware.read.words import fold, words
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Identity, Outline

LONGEST_NAME = 24  # words; a first block that is longer is text
HEADLINE_WORDS = 4
MOST_BLOCKS = 4000
FEWEST_WORDS = 20  # in passages of a page that is dropped for one with another name
PASSAGE_WORDS = 12  # of a block that is text
FIRST_WORDS = 4  # that a name has in common with the beginning of the text, if it is cut from it
_HEADING, _ITEM = KINDS.index("heading"), KINDS.index("item")
_TOKEN = re.compile(r"\w+|[^\w\s]")  # signs count, too: the index of "$" is not that of "/"


class Names:
    """The names of a page, and all that it shows as title or heading."""

    def __init__(self, outline: Outline, site: SiteMemory) -> None:
        self.names = frozenset(_names(outline, site))
        """In normal form; empty if nothing names the page."""
        self.shown = self.names.union(map(_normal, _shown(outline)))
        """Its names, the parts of its title, its headings."""

    def differ(self, other: Names) -> bool:
        """Return True if each page has a name that the other shows neither as title nor heading."""
        return not (self.names <= other.shown or other.names <= self.shown)


def only_name_differs(page: Outline, known: Outline, names: Names, known_names: Names) -> bool:
    """Return True if all that a page says is said by a known one, but for the names of both.

    A block must be there, sign by sign, whatever is left of it without the words that only the
    name of its own page has. Numbers are never left out: versions and chapters differ by these.
    """
    mine, theirs = _main_blocks(page), _main_blocks(known)
    if _prose(page) < FEWEST_WORDS:  # a menu that both pages show says nothing
        return False
    new = mine - theirs
    own, its = _words_of(names), _words_of(known_names)
    there = {_without(text, its - own) for text in theirs - mine}
    return all(_without(text, own - its) in there for text in new)


def name_each_other(url: str, one: Identity, other_url: str, other: Identity) -> bool:
    """Return True if pages declare one address: that of either, or the same third one.

    It takes an address of a page: many sites declare their home page on all of them.
    """
    mine, theirs = _addresses(one), _addresses(other)
    return url_key(url) in theirs or url_key(other_url) in mine or not mine.isdisjoint(theirs)


def _addresses(identity: Identity) -> set[bytes]:
    found = filter(None, (identity.canonical, identity.og_url))
    return {url_key(url) for url in found if urlsplit(url).path.strip("/")}


def _names(outline: Outline, site: SiteMemory) -> Iterator[str]:
    title, heading = _title(outline), main_heading(outline)
    if not title and not heading:
        yield from filter(None, [_first_block(outline)])
        return
    text = _first_words(outline)
    title, heading = (_without_first_words(one, text) for one in (title, heading))
    own = [part for part in title_parts(title) if block_hash(part) not in site.shared_names]
    yield from filter(None, map(_normal, own))
    heading = "" if block_hash(heading) in site.shared_names else _normal(heading)
    if heading and _names_page(heading, _normal(" ".join(own))):
        yield heading


def _names_page(heading: str, title: str) -> bool:
    """Return True if a heading names its page: one such as Summary or Quick links does not.

    One that has a word of the title does, and so does a whole headline.
    """
    long = heading.count(" ") + 1 >= HEADLINE_WORDS
    return not title or long or not {*title.split()}.isdisjoint(heading.split())


def _title(outline: Outline) -> str:
    identity = outline.identity
    return (identity.title or identity.og_title or identity.headline)[:1000]


def _shown(outline: Outline) -> Iterator[str]:
    """Yield what a page shows as title or heading."""
    yield _title(outline)
    yield from title_parts(_title(outline))
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    for kind, boilerplate, text in islice(columns, MOST_BLOCKS):
        if kind == _HEADING and text and not boilerplate:
            yield text


def _first_block(outline: Outline) -> str:
    """Return the first block of the main text, if it is as short as a name."""
    for boilerplate, text in zip(outline.boilerplate, outline.texts, strict=True):
        if text and not boilerplate:
            return _normal(text) if text.count(" ") < LONGEST_NAME else ""
    return ""


def _first_words(outline: Outline) -> list[str]:
    """Return the first words and signs of the main text; a line feed ends a block."""
    found: list[str] = []
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    for kind, boilerplate, text in columns:
        if text and not boilerplate and kind != _HEADING:
            found += (*_TOKEN.findall(text[:400]), "\n")
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
        if at >= len(text) or token[0] != text[at]:
            break
        end = token.end()
        count += token[0].isalnum()
    else:
        at += 1
    goes_on = at < len(text) and text[at].isalnum()
    return name[end:] if count >= FIRST_WORDS and goes_on else name


def _main_blocks(outline: Outline) -> set[str]:
    columns = zip(outline.boilerplate, outline.texts, strict=True)
    return {text for boilerplate, text in columns if text and not boilerplate}


def _prose(outline: Outline) -> int:
    """Count the words in blocks that are text, not entries of a menu or another list."""
    columns = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    counts = (
        len(words(text))
        for kind, boilerplate, text in columns
        if kind != _ITEM and not boilerplate and text.count(" ") + 1 >= PASSAGE_WORDS
    )
    return sum(counts)


def _words_of(names: Names) -> frozenset[str]:
    """Return the words of the names of a page, but for numbers."""
    found = {word for name in names.names for word in name.split()}
    return frozenset(word for word in found if not any(map(str.isdigit, word)))


def _without(text: str, name: frozenset[str]) -> tuple[str, ...]:
    return tuple(token for token in _TOKEN.findall(fold(text)) if token not in name)


def _normal(text: str) -> str:
    """Return a name as it is compared; one of signs alone stays as it is."""
    return " ".join(words(text[:1000])[: LONGEST_NAME * 2]) or text.strip(" .…")
