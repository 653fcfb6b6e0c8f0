"""What the store keeps for a page and for a URL, and how it is packed."""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.sketch import Sketch

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint

_PAGE = struct.Struct("<BBIdd16s32sQIIHBH")  # scripts of the server store know its first fields
_URL = struct.Struct("<BI32s")


@dataclass(frozen=True)
class PageRecord:
    """A registered page without its text."""

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
    first_seen: float
    last_seen: float

    def pack(self) -> bytes:
        url = self.url.encode("utf-8", "surrogatepass")
        head = _PAGE.pack(
            self.delivered,
            self.superseded,
            self.run,
            self.first_seen,
            self.last_seen,
            self.key,
            self.digest,
            self.simhash,
            self.words,
            self.sketch.limit,
            self.sketch.sampled,
            len(self.sketch.hashes) // 4 - self.sketch.sampled,
            len(self.body),
        )
        return head + self.sketch.hashes + self.body + url

    @classmethod
    def unpack(cls, number: int, data: bytes) -> PageRecord:
        head = _PAGE.unpack_from(data)
        delivered, superseded, run, first, last, key, digest, simhash, words = head[:9]
        limit, count, pairs, size = head[9:]
        at = _PAGE.size + 4 * (count + pairs)
        record = cls.__new__(cls)
        record.__dict__.update(  # quicker: a page has dozens of candidates
            number=number,
            url=data[at + size :].decode("utf-8", "surrogatepass"),
            key=key,
            digest=digest,
            body=data[at : at + size],
            simhash=simhash,
            words=words,
            sketch=Sketch(limit, count, data[_PAGE.size : at]),
            run=run,
            delivered=bool(delivered),
            superseded=bool(superseded),
            first_seen=first,
            last_seen=last,
        )
        return record


def new_record(
    number: int,
    url: str,
    key: bytes,
    fingerprint: Fingerprint,
    *,
    run: int,
    delivered: bool,
    seen: tuple[float, float] | None = None,
) -> PageRecord:
    """Make the record of a page; it is seen for the first time now unless `seen` says when."""
    first, last = seen or (time.time(),) * 2
    return PageRecord(
        number=number,
        url=url,
        key=key,
        digest=fingerprint.digest,
        body=fingerprint.body,
        simhash=fingerprint.simhash,
        words=fingerprint.words,
        sketch=fingerprint.sketch,
        run=run,
        delivered=delivered,
        superseded=False,
        first_seen=first,
        last_seen=last,
    )


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
