"""A change of a store, in the form in which the commit script gets it."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.store import packing
from dedup_middleware.store.protocol import Copy, Registration
from dedup_middleware.store.records import UrlRecord, new_record
from dedup_middleware.urls import host_key

from .layout import NUMBER, packed_page
from .method_tables import RedisTables
from .postings import KEY

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.store.protocol import Change, Seen

    from .connection import Server

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_TIME = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the commit script gets; its own first lines say what is what."""

    seen: tuple[bytes | int, ...]
    made: tuple[bytes, ...]
    site: tuple[bytes, ...]
    line: bytes
    """The decision, without its number."""
    page: Registration | None
    server: Server

    def index(self, number: int) -> list[bytes]:
        """Return what a method writes for a page if that gets a number, and the number."""
        if self.page is None or self.page.index is None:
            return [b""]
        tables = RedisTables(self.server)
        self.page.index(tables, number)
        return [b"%d" % number, *tables.writes()]


def commit_arguments(change: Change, seen: Seen, server: Server, run: int) -> Arguments:
    """Pack a change; raise what its decision or page raises before anything is sent."""
    line, page = b"", change.page
    if change.decision is not None:
        line = _encode({**change.decision, "seq": None}).encode("ascii")
    made = (b"", b"", b"", b"")
    if isinstance(page, Registration):
        record = new_record(
            0,
            page.url,
            change.key,
            page.fingerprint,
            run=run,
            delivered=page.delivered,
            seen=page.seen,
        )
        content = packed_page(record, host_key(page.url))
        made = (b"page", content, packing.pack(page.outline), _packed(page.keys))
    elif isinstance(page, Copy):
        text = packing.pack(page.outline) if page.outline else b""
        url = UrlRecord(alias=True, number=page.original, digest=page.digest)
        made = (b"copy", url.pack(), text, b"")
    site = (b"", b"", b"")
    if change.site:
        host, arrival = change.site
        site = (host, struct.pack("<Q", arrival.text), arrival.pack())
    return Arguments(
        seen=(
            change.key,
            seen.url.pack() if seen.url else b"",
            b"" if seen.original is None else NUMBER.pack(seen.original),
            seen.last_page,
            seen.generation,
            b"" if seen.keys is None else _packed(seen.keys),
            int(seen.any_page),
        ),
        made=(
            *made,
            b"" if change.supersedes is None else NUMBER.pack(change.supersedes),
            packing.pack_line(line) if line else b"",
        ),
        site=site,
        line=line,
        page=page if isinstance(page, Registration) else None,
        server=server,
    )


def _packed(keys: Keys) -> bytes:
    return keys.astype(KEY, copy=False).tobytes()


def encoded(moment: float) -> bytes:
    """Pack a time as records have it."""
    return _TIME.pack(moment)
