"""What the store keeps for a page and for a URL, and how it is packed."""

from __future__ import annotations

import hashlib
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from w3lib.url import canonicalize_url

from dedup_middleware.fingerprint.sketch import Sketch

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint

_PAGE = struct.Struct("<BBIdd16s32sQIQHH")
_URL = struct.Struct("<BI32s")


def url_key(url: str) -> bytes:
    """Name a URL as Scrapy's request fingerprinter sees it, in 16 bytes."""
    with suppress(ValueError):  # not a URL that can be taken apart still names the page
        url = canonicalize_url(url)
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
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
            len(self.sketch.hashes),
            len(self.body),
        )
        return head + self.sketch.hashes.astype("<u8").tobytes() + self.body + url

    @classmethod
    def unpack(cls, number: int, data: bytes) -> PageRecord:
        head = _PAGE.unpack_from(data)
        delivered, superseded, run, first, last, key, digest, simhash, words, limit, count, size = (
            head
        )
        hashes = np.frombuffer(data, "<u8", count, _PAGE.size).astype(np.uint64, copy=False)
        at = _PAGE.size + 8 * count
        return cls(
            number=number,
            url=data[at + size :].decode("utf-8", "surrogatepass"),
            key=key,
            digest=digest,
            body=data[at : at + size],
            simhash=simhash,
            words=words,
            sketch=Sketch(hashes, limit),
            run=run,
            delivered=bool(delivered),
            superseded=bool(superseded),
            first_seen=first,
            last_seen=last,
        )


def new_record(
    number: int,
    url: str,
    key: bytes,
    fingerprint: Fingerprint,
    *,
    run: int,
    delivered: bool,
    now: float,
) -> PageRecord:
    """Make the record of a page that is registered now."""
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
        first_seen=now,
        last_seen=now,
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
