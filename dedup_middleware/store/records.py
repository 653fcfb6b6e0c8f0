"""What the store keeps for a page and for a URL, and how it is packed."""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.sketch import Sketch

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint

_PAGE = struct.Struct("<BIdd16s32s8sQIHH")
_URL = struct.Struct(">BI32s")
_SUPERSEDED, _UNCERTAIN = 1, 2
PAGE_IN_URL = 1
"""Where the number of a page is in the packed record of a URL."""


@dataclass(frozen=True)
class PageRecord:
    """A registered page without its text.

    Whether it is delivered is not part of what is packed: pending pages are in a table of theirs.
    """

    number: int
    url: str
    key: bytes
    digest: bytes
    body: bytes
    simhash: int
    words: int
    sketch: Sketch
    run: int
    delivered: bool
    superseded: bool
    uncertain: bool
    """Whether nobody can be sure that visitors see all of its text."""
    presentation: bytes
    """A hash of all in the page that can have a say in whether its text is seen."""
    first_seen: float
    last_seen: float

    def pack(self) -> bytes:
        seen = self.first_seen, self.last_seen
        return packed_page(self.url, self.key, self, self.run, seen, superseded=self.superseded)

    @classmethod
    def unpack(cls, number: int, data: bytes, *, delivered: bool = True) -> PageRecord:
        flags, run, first, last, key, digest, presentation, *rest = _PAGE.unpack_from(data)
        simhash, words, sketch, body = rest
        end = _PAGE.size + sketch
        record = cls.__new__(cls)
        record.__dict__.update(  # quicker: a page has dozens of candidates
            number=number,
            url=data[end + body :].decode("utf-8", "surrogatepass"),
            key=key,
            digest=digest,
            body=data[end : end + body],
            simhash=simhash,
            words=words,
            sketch=Sketch(data[_PAGE.size : end]),
            run=run,
            delivered=delivered,
            superseded=bool(flags & _SUPERSEDED),
            uncertain=bool(flags & _UNCERTAIN),
            presentation=presentation,
            first_seen=first,
            last_seen=last,
        )
        return record


def packed_page(
    url: str,
    key: bytes,
    page: Fingerprint | PageRecord,
    run: int,
    seen: tuple[float, float] | None = None,
    *,
    superseded: bool = False,
) -> bytes:
    """Pack the record of a page; it is seen for the first time now unless `seen` says when."""
    sketch, body = page.sketch.packed, page.body
    head = _PAGE.pack(
        superseded * _SUPERSEDED | page.uncertain * _UNCERTAIN,
        run,
        *(seen or (time.time(),) * 2),
        key,
        page.digest,
        page.presentation,
        page.simhash,
        page.words,
        len(sketch),
        len(body),
    )
    return head + sketch + body + url.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """What was last seen at a URL: a registered page, or the copy of another one (alias)."""

    alias: bool
    number: int
    """The page that stands for the URL's text: its own, or the original."""
    digest: bytes

    def pack(self) -> bytes:
        return _URL.pack(self.alias, self.number, self.digest)

    @classmethod
    def unpack(cls, data: bytes) -> UrlRecord:
        alias, number, digest = _URL.unpack(data)
        return cls(bool(alias), number, digest)
