"""What a page says it is, and its hierarchy: sections, blocks and their text, in reading order."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from struct import pack, unpack
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from dedup_middleware import core

from .decode import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .core_reading import Packed

LONGEST = 1_000  # characters of a name that are kept
LONGEST_URL = 4_000  # a longer one names nothing
_LONGEST_VALUE = 4 * LONGEST  # characters that are looked at
_PLAIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?:/[\w.~%+,=&:@/-]*)?", re.ASCII)
KINDS = (
    "heading",
    "text",
    "item",
    "cell",
    "term",
    "definition",
    "code",
    "address",
    "quote",
    "caption",
    "control",
    "list",
    "table",
    "row",
    "head",
    "label",
)
CONTAINERS = frozenset({"list", "table", "row"})
"""Kinds of nodes that have no text of their own."""

PLAIN = bytes(8)
"""The presentation of pages that have only ordinary text markup, and show all of their text."""

MOSTLY_HIDDEN = "its styles hide most of its text"
"""As those of pages do that wait for a script: they are compared, but nothing is dropped for it."""

# Marks of nodes that are not main text.
BY_STRUCTURE = 1  # boilerplate by how the page is built
BY_MEMORY = 2  # boilerplate by what the pages of its site share
COMMENT = 3  # what readers wrote
VOLATILE = 4  # what changes by itself on the pages of its site
_IS_MAIN = bytes((1, *bytes(255)))


@dataclass(frozen=True, slots=True)
class Identity:
    """What names a page. Nothing of it is checked, and all of it is cut to a bounded length."""

    title: str = ""
    heading: str = ""
    """The main heading: the first of rank 1 in the main text, else the first of any rank."""
    language: str = ""
    canonical: str | None = None
    og_url: str | None = None
    og_title: str = ""
    headline: str = ""
    """Of the first article in JSON-LD."""

    @property
    def address(self) -> str | None:
        """What the page says its URL is."""
        return self.canonical or self.og_url


_NAMELESS = Identity()


class Declared(NamedTuple):
    """What a page declares about itself; names are bounded, URLs and JSON as they were found."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    og_url: str = ""
    og_title: str = ""
    headlines: tuple[str, ...] = ()
    """In JSON."""

    def identity(self, url: str, heading: str) -> Identity:
        """Return the identity of the page at a URL with a main heading."""
        canonical, og_url = self._absolute(url, self.canonical), self._absolute(url, self.og_url)
        headline = bounded(next(filter(None, map(_from_json, self.headlines)), ""))
        names = self.title, heading, self.language, canonical, og_url, self.og_title, headline
        return Identity(*names)

    def _absolute(self, url: str, target: str) -> str | None:
        target = target.strip()
        if not target or len(target) > LONGEST_URL:
            return None
        if not self.base and _PLAIN.fullmatch(target) and _PLAIN.fullmatch(url):
            return target  # as nearly all are: absolute, with nothing to change
        try:
            target = urljoin(urljoin(url, self.base.strip()), target)
            valid = urlsplit(target).scheme in ("http", "https") and len(target) <= LONGEST_URL
        except ValueError:
            return None
        return target if valid else None


def title_parts(title: str) -> list[str]:
    """Split a title at what usually divides the name of a page from that of its site.

    >>> title_parts("Tides - The Sea | Example.org")
    ['Tides', 'The Sea', 'Example.org']
    """
    found = core.call("title_parts", utf8(title)).decode() if title else ""
    return found.split("\n") if found else []


def _from_json(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return ""


def bounded(text: str) -> str:
    """Fold the white space of a name, and cut it."""
    return " ".join(text[:_LONGEST_VALUE].split())[:LONGEST].rstrip()


class Node(NamedTuple):
    """One block of text; containers (list, table, row) have none of their own."""

    kind: str
    parent: int
    boilerplate: bool
    text: str


class HiddenText(NamedTuple):
    """Text that visitors can't see, and the node before which it stands."""

    node: int
    text: str

    @property
    def line(self) -> str:
        return f"{self.node} {self.text}"

    @classmethod
    def of(cls, line: str) -> HiddenText:
        node, _, text = line.partition(" ")
        return cls(int(node), text)


@dataclass(frozen=True)
class Outline:
    """A page as a tree of text blocks, in columns of bytes, because most are never read again.

    `parents[i]` is the index of the parent of node i, -1 at the top: the heading or label above it,
    the list of an item, the term of a definition, the table of a row, the row of a cell. Texts are
    visible text with white space folded. `boilerplate[i]` is 0 for main text, else a mark that says
    why it is not. `links[i]` is the share of the text that is in links, of 255. `grid[i]` is the
    column of the cell, from 1 on, if the parent is a row, else 0: cells without text are no nodes.
    """

    identity: Identity = _NAMELESS
    kinds: bytes = b""
    packed_parents: bytes = b""
    """The parents as the core keeps them; native/src/parents.rs says how."""
    boilerplate: bytes = b""
    lines: bytes = b""
    """The texts of all nodes in UTF-8, a line each: white space inside of them is folded."""
    cut: tuple[str, ...] = ()
    links: bytes = b""
    """All 0 if they are not given; the same is true of the grid."""
    grid: bytes = b""
    hidden: tuple[HiddenText, ...] = ()
    """The beginning of what visitors can't see, which the report shows."""
    uncertain: bool = field(default=False, compare=False)
    """Whether nobody can be sure that visitors see all of its text; it is kept in its record."""
    presentation: bytes = field(default=PLAIN, compare=False)
    """A hash of all in the page that can have a say in whether its text is seen."""
    source: Packed | None = field(default=None, compare=False, repr=False)
    """What the core made of the page; not there if it was made of text, or comes from a store."""

    def __post_init__(self) -> None:
        for name in ("links", "grid"):
            if not self.__dict__[name]:
                self.__dict__[name] = bytes(len(self.kinds))

    @classmethod
    def of(cls, source: Packed, identity: Identity, cut: tuple[str, ...]) -> Outline:
        """Return the outline of a page that the core has read."""
        parents, lines = source.packed_parents, source.lines
        columns = source.kinds, parents, source.marks, lines, cut, source.links, source.grid
        about = source.hidden_texts, source.uncertain, source.presentation
        return cls(identity, *columns, *about, source)

    @classmethod
    def of_nodes(
        cls,
        identity: Identity,
        kinds: bytes,
        parents: Sequence[int],
        boilerplate: bytes,
        texts: Iterable[str],
        cut: tuple[str, ...] = (),
        links: bytes = b"",
        grid: bytes = b"",
        hidden: tuple[HiddenText, ...] = (),
    ) -> Outline:
        """Return an outline of nodes that the core has not made."""
        packed = core.call("pack_parents", pack(f"<{len(parents)}i", *parents))
        lines = utf8("\n".join(texts))
        return cls(identity, kinds, packed, boilerplate, lines, cut, links, grid, hidden)

    def __reduce__(self) -> tuple[Callable[..., Outline], tuple[object, ...]]:
        if self.source is None:
            return Outline, tuple([getattr(self, one.name) for one in fields(self)])
        # what the core answered has nearly all of it
        changed = self.identity, self.boilerplate, self.cut, self.uncertain
        source = self.source
        about = source.data, source.presentation, source.body
        return _unpickled, (type(source), about, *changed)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        count = len(self.kinds)
        return unpack(f"<{count}i", core.call("parents", self.packed_parents, count))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.lines.decode().split("\n")) if self.kinds else ()

    def marked(self, marks: bytes) -> Outline:
        """Return the same page with other marks of boilerplate."""
        return self if marks == self.boilerplate else replace(self, boilerplate=marks)

    def has_main_of(self, other: Outline) -> bool:
        """Return True if the same nodes of the same page are main text."""
        return self.boilerplate.translate(_IS_MAIN) == other.boilerplate.translate(_IS_MAIN)

    @property
    def packed(self) -> Packed | None:
        """What the core made of the page, if all of it still holds."""
        return self.source if self.source and self.boilerplate == self.source.marks else None

    @property
    def is_comparable(self) -> bool:
        """Whether all of its text was read, be it that its styles hide most of it."""
        return not self.cut or self.cut == (MOSTLY_HIDDEN,)

    @property
    def title(self) -> str:
        return self.identity.title

    @property
    def language(self) -> str:
        """As the page declares it."""
        return self.identity.language

    @property
    def canonical(self) -> str | None:
        return self.identity.canonical

    @property
    def nodes(self) -> list[Node]:
        return [
            Node(KINDS[kind], parent, bool(boilerplate), text)
            for kind, parent, boilerplate, text in zip(
                self.kinds, self.parents, self.boilerplate, self.texts, strict=True
            )
        ]

    @cached_property
    def text(self) -> str:
        """All visible text, boilerplate included."""
        return " ".join(filter(None, self.texts))

    @cached_property
    def main(self) -> str:
        """The visible text without boilerplate and comments."""
        return self._marked(0)

    @cached_property
    def comments(self) -> str:
        """What readers wrote about the main text."""
        return self._marked(COMMENT)

    def _marked(self, wanted: int) -> str:
        pairs = zip(self.texts, self.boilerplate, strict=True)
        return " ".join([text for text, mark in pairs if text and mark == wanted])


def _unpickled(
    source: type[Packed],
    about: tuple[bytes, bytes, bytes],
    identity: Identity,
    marks: bytes,
    cut: tuple[str, ...],
    uncertain: bool,
) -> Outline:
    outline = Outline.of(source(*about), identity, cut)
    return replace(outline, boilerplate=marks, uncertain=uncertain)
