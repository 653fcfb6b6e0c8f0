"""What the compiled core says of a page: one reading with its fingerprint; or its markup.

Most pages are like nothing that is known, so that little of the answer is ever looked at: what is
not needed for each page is unpacked when somebody asks for it.
"""

from __future__ import annotations

import hashlib
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from dedup_middleware import core

from .decode import utf8
from .outline import MOSTLY_HIDDEN, PLAIN, Declared, HiddenText

if TYPE_CHECKING:
    from collections.abc import Iterator

# nodes, flags; hidden characters, work to find them, characters of text, begin of columns
# and of the page itself; digest
_HEAD = Struct("<2I5Q32s")
_LENGTHS = Struct("<11I")
_LENGTH = Struct("<I")
_KEY = 8  # bytes
_CUT, _WHOLE, _WAITS, _UNCERTAIN, _PLAIN = 1, 2, 4, 8, 16
_PAGE = Struct("<Q")
TEXT: Final = 0
START: Final = 1
EMPTY: Final = 2  # a start tag that ends with "/>"
END: Final = 3
_WORK = Struct("<Q")
_EVENT = Struct("<BI")


class Hidden(NamedTuple):
    """How much of a page visitors can't see."""

    characters: int = 0
    whole: bool = True
    """All styles were read, and what they hide could be found."""
    work: int = 0
    """Elements that were looked at for the sake of styles."""

    def note(self, shown: int) -> str:
        """Say why a page that shows so many characters can't be compared; empty if it can."""
        if not self.whole:
            return "its styles were not read to their end"
        return MOSTLY_HIDDEN if self.characters > shown else ""


class Packed:
    """What the core answers for a page."""

    fingerprint = _HEAD.size
    """Where the fingerprint of the main text begins."""

    def __init__(self, data: bytes, presentation: bytes, body: bytes) -> None:
        self.data = data
        self.presentation = presentation
        """A hash of all in the page that can have a say in whether its text is seen."""
        self.body = body
        """A hash of the page."""
        count, flags, hidden, work, self.size, at, _, self.digest = _HEAD.unpack_from(data)
        (units,) = _LENGTH.unpack_from(data, at)
        self._keys = slice(at := at + _LENGTH.size, at := at + _KEY * units)
        self._nodes = slice(at, kinds := at + _LENGTH.size * units)
        marks, links = kinds + count, kinds + 2 * count
        grid, lengths = links + count, links + 2 * count
        self.kinds, self.marks = data[kinds:marks], data[marks:links]
        self.links, self.grid = data[links:grid], data[grid:lengths]
        self.cut = bool(flags & _CUT)
        """Whether there is more text."""
        self.hidden = Hidden(hidden, bool(flags & _WHOLE), work)
        self.waits_for_scripts = bool(flags & _WAITS)
        """Whether it has next to no main text, but some for browsers without scripts."""
        self.uncertain = bool(flags & _UNCERTAIN)
        """Whether nobody can be sure that visitors see all of its text."""
        at = lengths + _LENGTHS.size
        parents, lines, *others = _LENGTHS.unpack_from(data, lengths)
        self._parents = slice(at, at := at + parents)
        self._lines = slice(at, at := at + lines)
        names = []
        for length in others:
            names.append(data[at : at + length].decode() if length else "")
            at += length
        # the main heading is the first of rank 1 in the main text, else the first of any rank
        self.heading, self.first_heading, title, language, canonical, *rest, texts = names
        self.hidden_texts = tuple(map(HiddenText.of, filter(None, texts.split("\n"))))
        """The beginning of what visitors can't see."""
        base, url, og_title = rest
        headlines = tuple(_headlines(data, at)) if at < len(data) else ()
        self.declared = Declared(title, language, canonical, base, url, og_title, headlines)

    @classmethod
    def of(cls, answer: bytes) -> Packed:
        """Return what an answer says; the page itself stands at its end, to be hashed."""
        _, flags, *_, end, _ = _HEAD.unpack_from(answer)
        # first what can have a say in how the page looks: all of it is hashed once
        (presented,) = _PAGE.unpack_from(answer, end)
        page = memoryview(answer)[end + _PAGE.size :]
        hashed = hashlib.sha256(page[:presented])  # twice as fast as BLAKE2 where processors help
        presentation = PLAIN if flags & _PLAIN else hashed.digest()[: len(PLAIN)]
        hashed.update(page[presented:])
        return cls(answer[:end], presentation, hashed.digest())

    @property
    def lines(self) -> bytes:
        """The texts of all nodes, a line each."""
        return self.data[self._lines]

    @property
    def packed_parents(self) -> bytes:
        return self.data[self._parents]

    @property
    def units(self) -> tuple[bytes, bytes]:
        """The keys of its units, eight bytes each, and their nodes, four bytes each."""
        return self.data[self._keys], self.data[self._nodes]


def reading(
    source: bytes,
    max_text: int,
    *,
    styles: bool = True,
    scripts: bool = True,
    is_certain: bool = True,
) -> Packed:
    """Read a page in UTF-8; without its styles if asked, or as a browser without scripts.

    If its encoding is not certain, raise CoreError for bytes that may be in another one.
    """
    options = max_text << 3 | (not is_certain) << 2 | scripts << 1 | styles
    return Packed.of(core.call("reading", source, options))


def _headlines(data: bytes, at: int) -> Iterator[str]:
    while at < len(data):
        text, at = _text_at(data, at)
        yield text


class Event(NamedTuple):
    """A run of text, a start tag or an end tag."""

    kind: int
    text: str
    """The text, or the name of the element in lower case."""
    attributes: tuple[tuple[str, str], ...] = ()


class Events(NamedTuple):
    """What a page consists of, and how much work it was to find out."""

    events: list[Event]
    work: int
    """Characters looked at and steps taken."""


def tokens(html: str) -> Events:
    """Return the text and the tags of a page; comments and the like vanish."""
    return _unpacked(core.call("tokens", utf8(html)))


def elements(html: str) -> Events:
    """Return the elements and the text of a page, each start with its end."""
    return _unpacked(core.call("elements", utf8(html)))


def _unpacked(data: bytes) -> Events:
    (work,) = _WORK.unpack_from(data)
    return Events(list(_events(data, _WORK.size)), work)


def _events(data: bytes, at: int) -> Iterator[Event]:
    while at < len(data):
        kind, length = _EVENT.unpack_from(data, at)
        at += _EVENT.size
        text = data[at : at + length].decode()
        at += length
        attributes: list[tuple[str, str]] = []
        if kind in (START, EMPTY):
            (count,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size
            for _ in range(count):
                name, at = _text_at(data, at)
                value, at = _text_at(data, at)
                attributes.append((name, value))
        yield Event(kind, text, tuple(attributes))


def _text_at(data: bytes, at: int) -> tuple[str, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    return data[at : at + length].decode(), at + length
