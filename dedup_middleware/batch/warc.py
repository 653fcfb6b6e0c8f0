"""Pages of web archives (WARC), with bodies decoded; neither headers nor bodies are unlimited."""

from __future__ import annotations

import os
import re
import zlib
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from w3lib.encoding import http_content_type_encoding

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page
from dedup_middleware.text import beginning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

WARCS = (".warc",)
WETS = (".wet",)  # the same, with text in place of pages
HTML = frozenset({"text/html", "application/xhtml+xml"})
LONGEST_HEADER = 32 << 10  # FastWARC's own limit; Node.js takes 16 kB, servers send less
_PIECE = 1 << 16
_DEFLATE = 8  # the method, in the first half of the first byte of zlib's format
_LINE_END = b"\r\n"
_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\n]*)?\r\n")  # of a chunk
_LONGEST_TOLD = 200  # characters of what an archive says


class MissingExtra(DedupError):
    """The package that reads such files is not installed."""


def fastwarc() -> Any:
    """Return the package that reads archives; raise MissingExtra if it is not installed."""
    try:
        return import_module("fastwarc.warc")
    except ImportError as error:
        raise MissingExtra(
            "web archives are read with fastwarc, the extra `warc`: "
            "pip install 'scrapy-dedup[warc]'"
        ) from error


def records(file: BinaryIO) -> Iterator[Any]:
    """Yield all records of an archive; raise ValueError where the rest of it can't be read."""
    begin, found = 0, iterate(file)
    while True:
        try:
            record = next(found, None)
        except OSError as error:
            if error.errno is not None:  # of the disk, not of the archive
                raise
            message = beginning(" ".join(str(error).split()), _LONGEST_TOLD)
            where = f"from the record at byte {begin:,} on" if begin else "from its beginning"
            raise ValueError(f"damaged, or no web archive, {where}: {message}") from error
        if record is None:
            break
        begin = record.stream_pos
        yield record


def iterate(file: BinaryIO) -> Iterator[Any]:
    """Yield the records of an archive from where a file is read."""
    found: Iterator[Any] = fastwarc().ArchiveIterator(file, parse_http=False)
    return found


def http_head(start: bytes) -> tuple[Any, int]:
    """Parse the head of an HTTP response, and return where it ends; None if there is none."""
    if not start.startswith(b"HTTP/"):
        return None, 0
    headers = fastwarc().HeaderMap()
    try:
        end: int = headers.parse(BytesIO(start))
    except OSError as error:
        raise ValueError("has a header that is too long") from error
    return headers, end


def page_of(record: Any, max_html: int) -> Page | None:
    """Return the page of a record; None if it is not an HTML response with status 200.

    Raise ValueError if it is truncated, can't be decoded or has too long a header. At most
    `max_html` + 1 bytes are decoded.
    """
    if record.headers.get("WARC-Type") != "response":
        return None
    url = _url(record)
    try:
        start = record.reader.read(LONGEST_HEADER)
        headers, end = http_head(start)
        if headers is None or headers.status_code != 200:  # noqa: PLR2004  # OK
            return None
        content_type = headers.get("Content-Type") or ""
        if content_type.partition(";")[0].strip().lower() not in HTML:
            return None
        if not url:
            raise ValueError("has no WARC-Target-URI")  # noqa: TRY301  # told as all else
        if record.headers.get("WARC-Truncated"):
            raise ValueError("is truncated, as the archive says")  # noqa: TRY301  # likewise
        rest = record.reader.read(2 * max_html)  # what is coded is hardly twice as long
        html = decoded(start[end:] + rest, headers, max_html + 1)
        if len(html) <= max_html and len(start) + len(rest) < record.content_length:
            raise ValueError("breaks off")  # noqa: TRY301  # likewise
    except ValueError as error:
        raise ValueError(f"{beginning(url, _LONGEST_TOLD) or 'a response'} {error}") from error
    return Page(url=url, html=html, encoding=http_content_type_encoding(content_type))


def text_of(record: Any, most: int) -> Page | None:
    """Return the text that a record has of a page; None if it has none."""
    url = _url(record)
    if record.headers.get("WARC-Type") != "conversion" or not url:
        return None
    return Page(url=url, text=record.reader.read(most + 1).decode("utf-8", "replace"))


def _url(record: Any) -> str:
    return (record.headers.get("WARC-Target-URI") or "").strip()


def decoded(body: bytes, headers: Any, most: int) -> bytes:
    """Decode a body, up to `most` bytes; raise ValueError if it is damaged.

    >>> decoded(zlib.compress(b"page" * 9), {"Content-Encoding": "deflate"}, 8)
    b'pagepage'
    """
    transfer, coding = codings(headers)
    if transfer == "chunked":
        body = unchunked(body)
    is_gzip = coding in {"gzip", "x-gzip"}
    if coding in {"", "identity"} or (is_gzip and not body.startswith(b"\x1f\x8b")):
        return body[:most]  # some archives store it decoded
    try:
        if coding in {"br", "zstd"}:
            streams = import_module("fastwarc.stream_io")
            reader = streams.BrotliReader if coding == "br" else streams.ZstdReader
            found: bytes = reader(BytesIO(body)).read(most)
            return found
        if is_gzip or coding == "deflate":
            # some servers send raw deflate instead of zlib's format
            is_raw = not is_gzip and body[:1] != b"" and body[0] & 15 != _DEFLATE
            decoder = zlib.decompressobj(-zlib.MAX_WBITS if is_raw else 32 + zlib.MAX_WBITS)
            found = decoder.decompress(body, most)
            if len(found) < most and not decoder.eof:
                raise ValueError("breaks off")
            return found
    except (OSError, zlib.error) as error:
        raise ValueError(f"can't be decoded: {error}") from error
    raise ValueError(f"is encoded as {beginning(coding, 40)}, which can't be read here")


def codings(headers: Any) -> tuple[str, str]:
    """Return how a body is sent and encoded."""
    transfer, coding = (
        (headers.get(name) or "").strip().lower()
        for name in ("Transfer-Encoding", "Content-Encoding")
    )
    return transfer, coding


def unchunked(body: bytes) -> bytes:
    """Join a body that came in chunks; from where it is not in chunks on, it is as it came."""
    parts, at = [], 0
    while found := _SIZE.match(body, at):
        size, begin = int(found[1], 16), found.end()
        parts.append(body[begin : begin + size])
        at = begin + size
        if body[at : at + len(_LINE_END)] != _LINE_END:
            break
        at += len(_LINE_END)
        if not size:
            return b"".join(parts)
    return b"".join(parts) + body[at:]


class Span(NamedTuple):
    """Where a record is in its file, as it is on the disk, and where the next one begins."""

    begin: int
    end: int
    next: int


def spans(file: BinaryIO, *, compressed: bool) -> Iterator[Span]:
    """Yield the records of an archive, up to the first damage.

    Records that are compressed together are damage, too, as others can't follow one of them.
    """
    begin = 0
    while span := (_member if compressed else _plain)(file, begin):
        yield span
        begin = span.next


def _plain(file: BinaryIO, begin: int) -> Span | None:
    file.seek(begin)
    size = _size(file.read(LONGEST_HEADER))
    whole = os.fstat(file.fileno()).st_size
    if size is None or begin + size > whole:
        return None
    end = begin + size
    file.seek(end)
    after = file.read(_PIECE)
    following = end + len(after) - len(after.lstrip(_LINE_END))
    return Span(begin, end, following) if following > end or end == whole else None


def _member(file: BinaryIO, begin: int) -> Span | None:
    """Return the span of a record that is compressed by itself."""
    file.seek(begin)
    decoder, start, total = zlib.decompressobj(16 + zlib.MAX_WBITS), b"", 0
    while not decoder.eof:
        piece = decoder.unconsumed_tail or file.read(_PIECE)
        try:
            data = decoder.decompress(piece, LONGEST_HEADER)
        except zlib.error:
            return None
        if not piece:
            return None
        start = start or data
        total += len(data)
    size, end = _size(start), file.tell() - len(decoder.unused_data)
    is_one = size is not None and size <= total <= size + 2 * len(_LINE_END)
    return Span(begin, end, end) if is_one else None


def _size(start: bytes) -> int | None:
    """Return the size of a record that begins so; None if that is not known."""
    if not start.startswith(b"WARC/"):
        return None
    headers = fastwarc().HeaderMap()
    try:
        end: int = headers.parse(BytesIO(start))
    except OSError:
        return None
    length = (headers.get("Content-Length") or "").strip()
    return end + int(length) if length.isascii() and length.isdigit() else None
