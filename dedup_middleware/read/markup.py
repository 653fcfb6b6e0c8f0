"""Markup as the compiled core reads it: the tokens of a page, and its elements."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from dedup_middleware import core

from .decode import utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT: Final = 0
START: Final = 1
EMPTY: Final = 2  # a start tag that ends with "/>"
END: Final = 3
_WORK = Struct("<Q")
_HEAD = Struct("<BI")
_NUMBER = Struct("<I")


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
