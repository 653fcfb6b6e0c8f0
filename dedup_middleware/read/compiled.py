"""Pages read by the compiled core: equal to what `tokens`, `elements` and `reading` give."""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import TYPE_CHECKING

from dedup_middleware import core

from .hiding.hidden import Hidden
from .identity import Declared
from .reading import Reading
from .tokens import EMPTY, START, Event, Events, joined_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORK = Struct("<Q")
_HEAD = Struct("<BI")
_NUMBER = Struct("<I")
_READING = Struct("<2I2Q")  # nodes, flags; hidden characters, work to find them
_HIDDEN = Struct("<Qq?")  # characters, work, whole
_PARENT = 4  # bytes


def tokens(html: str) -> Events:
    """Return the text and the tags of a page."""
    return _unpacked(core.call("tokens", joined_surrogates(html).encode()))


def elements(html: str) -> Events:
    """Return the elements and the text of a page, each start with its end."""
    return _unpacked(core.call("elements", joined_surrogates(html).encode()))


def reading(source: bytes, max_text: int, *, styles: bool = True, scripts: bool = True) -> Reading:
    """Read a page in UTF-8; without its styles if asked, or as a browser without scripts."""
    data = core.call("reading", source, max_text << 2 | scripts << 1 | styles)
    count, flags, hidden, work = _READING.unpack_from(data)
    kinds = _READING.size + _PARENT * count
    marks = kinds + count
    texts = _strings(data, marks + count)
    text, heading, title, language, canonical, base, og_url, og_title, *headlines = texts
    return Reading(
        kinds=data[kinds:marks],
        parents=unpack_from(f"<{count}i", data, _READING.size),
        marks=data[marks : marks + count],
        texts=tuple(text.split("\n")[:-1]),
        cut=bool(flags & 1),
        heading=heading,
        declared=Declared(title, language, canonical, base, og_url, og_title, tuple(headlines)),
        hidden=Hidden(hidden, bool(flags & 2), work),
        has_noscript=bool(flags & 4),
    )


def hidden(html: str, *, styles: bool = True) -> tuple[Hidden, bytes]:
    """Return how much of a page is hidden, and whether each of its elements and texts is."""
    data = core.call("hidden", joined_surrogates(html).encode(), int(styles))
    characters, work, whole = _HIDDEN.unpack_from(data)
    return Hidden(characters, whole, work), data[_HIDDEN.size :]


def _strings(data: bytes, at: int) -> Iterator[str]:
    while at < len(data):
        text, at = _string(data, at)
        yield text


def _unpacked(data: bytes) -> Events:
    (work,) = _WORK.unpack_from(data)
    return Events(list(_events(data, _WORK.size)), work)


def _events(data: bytes, at: int) -> Iterator[Event]:
    while at < len(data):
        kind, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        text = data[at : at + length].decode()
        at += length
        attributes: list[tuple[str, str]] = []
        if kind in (START, EMPTY):
            (count,) = _NUMBER.unpack_from(data, at)
            at += _NUMBER.size
            for _ in range(count):
                name, at = _string(data, at)
                value, at = _string(data, at)
                attributes.append((name, value))
        yield Event(kind, text, tuple(attributes))


def _string(data: bytes, at: int) -> tuple[str, int]:
    (length,) = _NUMBER.unpack_from(data, at)
    at += _NUMBER.size
    return data[at : at + length].decode(), at + length
