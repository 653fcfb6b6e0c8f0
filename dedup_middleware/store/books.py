"""What is kept of whole hosts: a book by host, and the forms in which its URLs were fetched.

A book is JSON, compressed; the room `sites` knows what it says. Forms are in buckets, a fixed
number of them for each host and a bounded number of forms in each, of which those that were written
first make room for others: so a host can fill its own buckets only.
"""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from dedup_middleware.urls import host_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .engine import Snapshot

BUCKETS, MOST_FORMS = 1024, 60
"""Of a host, and in a bucket: as many as LMDB keeps in half a page."""
_FORM = struct.Struct(">QBHIIQI")
_BUCKET = struct.Struct(">H")
_MAX_UNPACKED = 1 << 24


class Form(NamedTuple):
    """A form of a URL that was fetched, and the page that it showed."""

    key: int
    """A hash of the form."""
    flags: int
    port: int
    detail: int
    """How the URL was written."""
    value: int
    """A hash of what was left out of the URL to get the form."""
    page: int
    """A hash of the URL of the page."""
    crawl: int
    """A hash of the name of the crawl; 0 if the page was lost."""


def book_key(host: str) -> bytes:
    """Return the key of the book of a host."""
    return host_key(f"https://{host}")


def bucket_key(host: str, form: int) -> bytes:
    """Return the key of the bucket of a host that a form is in."""
    return book_key(host) + _BUCKET.pack(form % BUCKETS)


def bucket_keys(host: bytes) -> Iterator[bytes]:
    """Yield the keys of all buckets of a host, whose book has a key."""
    return (host + _BUCKET.pack(number) for number in range(BUCKETS))


def pack_book(book: dict[str, Any]) -> bytes:
    """Compress a book."""
    return zstandard.compress(json.dumps(book, separators=(",", ":")).encode(), 1)


def unpack_book(data: bytes) -> dict[str, Any]:
    """Restore a book; raise ValueError or ZstdError if it can't be read."""
    book = json.loads(zstandard.decompress(data, _MAX_UNPACKED))
    if not isinstance(book, dict) or not isinstance(book.get("host"), str):
        raise ValueError("not a book")  # noqa: TRY004 - as what else can't be read
    return book


def books(snapshot: Snapshot) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield all books that can be read, with their keys."""
    for key, data in snapshot.scan("site_books"):
        with suppress(ValueError, zstandard.ZstdError):
            yield key, unpack_book(data or b"")


def find_form(bucket: bytes | None, key: int) -> Form | None:
    """Return a form in a bucket.

    >>> form = Form(7, 0, 0, 0, 1, 2, 3)
    >>> find_form(add_forms(None, [form]), 7) == form, find_form(None, 7)
    (True, None)
    """
    at = _place(bucket or b"", key)
    return None if at < 0 else Form(*_FORM.unpack_from(bucket or b"", at))


def add_forms(bucket: bytes | None, forms: list[Form]) -> bytes:
    """Return a bucket with some more forms, each in place of one of the same key."""
    data = bucket or b""
    for form in forms:
        at = _place(data, form.key)
        if at >= 0:
            data = data[:at] + data[at + _FORM.size :]
        data += _FORM.pack(*form)
    return data[-MOST_FORMS * _FORM.size :]


def count_forms(bucket: bytes) -> int:
    """Count the forms in a bucket; raise ValueError if it can't be read."""
    forms, rest = divmod(len(bucket), _FORM.size)
    if rest:
        raise ValueError("not a bucket of forms")
    return forms


def _place(bucket: bytes, key: int) -> int:
    """Return where a form begins; -1 if it is not there."""
    packed = key.to_bytes(8, "big")
    at = bucket.find(packed)
    while at % _FORM.size and at >= 0:  # a part of another form that looks like it
        at = bucket.find(packed, at + 1)
    return at
