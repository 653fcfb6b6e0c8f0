"""Pages read by the compiled core: equal to what `tokens`, `elements` and `reading` give."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core

from .hiding.hidden import Hidden
from .packed import Packed
from .tokens import EMPTY, START, Event, Events, joined_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORK = Struct("<Q")
_HEAD = Struct("<BI")
_NUMBER = Struct("<I")
_HIDDEN = Struct("<Qq?")  # characters, work, whole


def tokens(html: str) -> Events:
    """Return the text and the tags of a page."""
    return _unpacked(core.call("tokens", joined_surrogates(html).encode()))


def elements(html: str) -> Events:
    """Return the elements and the text of a page, each start with its end."""
    return _unpacked(core.call("elements", joined_surrogates(html).encode()))


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
    return Packed(core.call("reading", source, options))


def hidden(html: str, *, styles: bool = True) -> tuple[Hidden, bytes]:
    """Return how much of a page is hidden, and whether each of its elements and texts is."""
    data = core.call("hidden", joined_surrogates(html).encode(), int(styles))
    characters, work, whole = _HIDDEN.unpack_from(data)
    return Hidden(characters, whole, work), data[_HIDDEN.size :]


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
