"""HTML pages of web archives (WARC), with their bodies decoded."""

from __future__ import annotations

import logging
import re
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from w3lib.encoding import http_content_type_encoding
from zstandard import ZstdDecompressor

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page
from dedup_middleware.text import beginning

from .compression import BROKEN
from .warc_headers import limit_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

WARCS = (".warc",)
WETS = (".wet",)  # the same, with text in place of pages
HTML = frozenset({"text/html", "application/xhtml+xml"})
_PIECE = 1 << 14
_GZIP, _RAW = 16 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_SIP = 64
_LARGEST_WINDOW = 8 << 20  # what browsers take
MAGIC = b"\x1f\x8b"  # of gzip
_END = b"\r\n\r\n"  # of a record
_LINE_END = b"\r\n"
_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;.*)?\r\n")  # of a chunk
_LONGEST_SIZE = 64
_LONGEST_TOLD = 200  # characters of what an archive says
_ZLIB = 8, 31  # the method deflate, and the divisor of the first two bytes


def decoded(read: Callable[[int], bytes], coding: str, most: int) -> bytes:
    """Decode a body by its Content-Encoding, up to `most` bytes; raise ValueError if it is damaged.

    >>> import io
    >>> decoded(io.BytesIO(zlib.compress(b"page" * 9)).read, "deflate", 8)
    b'pagepage'
    """
    coding = coding.strip().lower()
    first = read(_PIECE)
    if coding in {"", "identity"} or (coding in {"gzip", "x-gzip"} and first[:2] != MAGIC):
        return first[:most] + _rest(read, most - len(first))  # some archives store it decoded
    decoder: Any
    if coding in {"gzip", "x-gzip"}:
        decoder = zlib.decompressobj(_GZIP)
    elif coding == "deflate":
        decoder = zlib.decompressobj(zlib.MAX_WBITS if _has_head(first) else _RAW)
    elif coding == "br":
        decoder = _Brotli()
    elif coding == "zstd":
        decoder = _Zstd()
    else:
        raise ValueError(f"is encoded as {coding}, which can't be read here")
    body, piece = bytearray(), first
    while piece and len(body) < most and not decoder.eof:
        try:
            body += decoder.decompress(piece, most - len(body))
        except BROKEN as error:
            raise ValueError(f"can't be decoded: {error}") from error
        piece = decoder.unconsumed_tail or read(_PIECE)
    if len(body) < most and not decoder.eof:
        raise ValueError("breaks off")
    return bytes(body)


def _rest(read: Callable[[int], bytes], most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _has_head(data: bytes) -> bool:
    """Return True for zlib's format; some servers send raw deflate instead."""
    method, divisor = _ZLIB
    return (
        data[:1] != b"" and data[0] & 15 == method and not int.from_bytes(data[:2], "big") % divisor
    )


class _Brotli:
    """A brotli decoder with the interface of zlib's, if brotli is installed."""

    unconsumed_tail = b""

    def __init__(self) -> None:
        try:
            brotli = import_module("brotli")  # optional, and without types
        except ImportError as error:
            raise ValueError("is encoded as br, which needs the package brotli") from error
        self._decoder = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    @property
    def eof(self) -> bool:
        return bool(self._decoder.is_finished())

    def decompress(self, data: bytes, most: int) -> bytes:
        try:
            piece: bytes = self._decoder.process(data, output_buffer_limit=most)
            while len(piece) < most and not self._decoder.can_accept_more_data():
                piece += self._decoder.process(b"", output_buffer_limit=most - len(piece))
        except TypeError as error:  # without a limit, a few bytes may become a gigabyte
            raise ValueError("is encoded as br, which needs brotli 1.2 or newer") from error
        except self._error as error:
            raise zlib.error(str(error)) from error
        return piece[:most]


class _Zstd:
    """A zstd decoder with the interface of zlib's."""

    def __init__(self) -> None:
        self._decoder = ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
        self.unconsumed_tail = b""

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    def decompress(self, data: bytes, most: int) -> bytes:
        body, at = bytearray(), 0
        # it has no limit of its own, and a few bytes become 128 kB
        while at < len(data) and len(body) < most and not self._decoder.eof:
            body += self._decoder.decompress(data[at : at + _SIP])
            at += _SIP
        self.unconsumed_tail = data[at:]
        return bytes(body[:most])


class Chunks:
    """A body that came in chunks, joined; from where it is not in chunks on, it is as it came."""

    def __init__(self, stream: Any) -> None:
        self.sound = True
        """False as soon as something is not as chunks must be."""
        self._stream = stream
        self._left = 0  # of this chunk
        self._ended = False
        self._no_chunk = b""

    def read(self, size: int) -> bytes:
        pieces = []
        while size and (piece := self._piece(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        if self.sound and not self._left and not self._ended:
            self._begin()
        if self._no_chunk:
            begin, self._no_chunk = self._no_chunk[:most], self._no_chunk[most:]
            return begin
        if self._ended:
            return b""
        piece: bytes = self._stream.read(min(most, self._left) if self.sound else most)
        if self.sound:
            self._left -= len(piece)
            self.sound = bool(piece)
            if not self._left:
                self._end_line()
        return piece

    def _begin(self) -> None:
        line = self._stream.readline(_LONGEST_SIZE)
        found = _SIZE.fullmatch(line)
        self._left = int(found[1], 16) if found else 0
        self.sound = bool(found)
        if not found:
            self._no_chunk = line
        elif not self._left:
            self._end_line()
            self._ended = self.sound

    def _end_line(self) -> None:
        end = self._stream.read(len(_LINE_END))
        if end != _LINE_END:
            self.sound, self._no_chunk = False, end


class MissingExtra(DedupError):
    """The package that reads such files is not installed."""


def records(file: BinaryIO) -> Iterator[Any]:
    """Yield all records of an archive; raise ValueError where the rest of it can't be read."""
    source = _UntilBroken(file)
    found = iterate(source)
    while True:
        try:
            record = next(found, None)
        except Exception as error:  # it fails in many ways on other files
            message = beginning(" ".join(str(error).split()), _LONGEST_TOLD)
            raise ValueError(
                f"not a web archive from byte {source.tell():,} on: {message}"
            ) from error
        if record is None:
            break
        yield record
    if source.error:
        raise ValueError(f"broken compression: {source.error}") from source.error


class Span(NamedTuple):
    """Where a record begins and ends in its file, as it is on the disk."""

    begin: int
    end: int
    missing: bytes = b""
    """What the end of the record lacks."""
    sound: bool = True
    """False if something is between this record and the next one."""


def spans(file: BinaryIO) -> Iterator[Span]:
    """Yield the records of an archive that others can follow, up to the first damage.

    That ends where records are compressed together, too.
    """
    compressed = file.read(len(MAGIC)) == MAGIC
    file.seek(0)
    found, begin = iterate(file, no_record_parse=True), 0
    while True:
        try:
            record = next(found, None)
            span = _span(found, record, file, begin) if record else None
        except OSError:  # of the disk, not of the archive
            raise
        except Exception:  # noqa: BLE001  # it fails in many ways
            return
        if span is None or compressed != bool(found.reader.decompressor):
            return
        yield span
        if span.end != found.offset:
            return
        begin = span.end


def _span(found: Any, record: Any, file: BinaryIO, begin: int) -> Span | None:
    """Return where a record is; None if a part of it is missing, or its end is not known."""
    while record.raw_stream.read(_PIECE):
        pass
    end = file.tell() - found.reader.rem_length()
    found.read_to_end()
    decoder = found.reader.decompressor
    if decoder:
        return Span(begin, found.offset) if decoder.eof and not found.next_line else None
    length = (record.rec_headers.get_header("Content-Length") or "").strip()
    if not length.isdecimal() or record.raw_stream.limit:
        return None
    after = _between(file, end, found.offset)
    if not after.strip():
        cut = found.next_line is None and _END.startswith(after)
        return Span(begin, found.offset, _END[len(after) :] if cut else b"")
    if (found.next_line or b"").startswith(b"WARC/"):
        return Span(begin, found.offset, sound=False)
    return Span(begin, end, _END)


def _between(file: BinaryIO, begin: int, end: int) -> bytes:
    """Read a part of a file that is read elsewhere."""
    place = file.tell()
    file.seek(begin)
    part = file.read(end - begin)
    file.seek(place)
    return part


def archive_iterator() -> Any:
    """Return the class of warcio that reads archives; raise MissingExtra if it is not installed."""
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError as error:
        raise MissingExtra(
            "web archives are read with warcio, the extra `warc`: pip install 'scrapy-dedup[warc]'"
        ) from error
    return ArchiveIterator


def iterate(file: Any, **options: bool) -> Any:
    """Return warcio's iterator over the records of an archive, with limits on their headers."""
    reader = archive_iterator()
    # its warnings quote the file without escaping
    logging.getLogger("warcio").setLevel(logging.CRITICAL)
    found = reader(file, **options)
    parse = found.loader.load_http_headers
    # without a URL it fails, and all later records would be lost
    found.loader.load_http_headers = lambda kind, url, *rest: parse(kind, url or "http:", *rest)
    limit_headers(found)
    found.INC_RECORD = ""  # would be printed; the record before is reported already
    return found


class _UntilBroken:
    """A file that ends where its compression is broken, so that what comes before is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._offset = 0
        self.error: Exception | None = None

    def read(self, size: int) -> bytes:
        try:
            # `read` would lose what comes before the damage
            piece: bytes = self._file.read1(size)  # type: ignore[attr-defined]  # all files have it
        except BROKEN as error:
            self.error = error
            return b""
        self._offset += len(piece)
        return piece

    def tell(self) -> int:
        return self._offset


def page_of(record: Any, max_html: int) -> Page | None:
    """Return the page of a record; None if it is not an HTML response with status 200.

    Raise ValueError if it is truncated or can't be decoded. At most `max_html` + 1 bytes are
    decoded.
    """
    _check_headers(record)
    headers = record.http_headers
    if record.rec_type != "response" or headers is None or headers.get_statuscode() != "200":
        return None
    content_type = headers.get_header("Content-Type") or ""
    if content_type.partition(";")[0].strip().lower() not in HTML:
        return None
    url = _url(record)
    if not url:
        raise ValueError("a response has no WARC-Target-URI")
    if record.rec_headers.get_header("WARC-Truncated"):
        raise ValueError(f"{url} is truncated, as the archive says")
    return Page(
        url=url,
        html=_body(record, url, max_html + 1),
        encoding=http_content_type_encoding(content_type),
    )


def text_of(record: Any, most: int) -> Page | None:
    """Return the text that a record has of a page; None if it has none."""
    _check_headers(record)
    url = _url(record)
    if record.rec_type != "conversion" or not url:
        return None
    return Page(url=url, text=record.raw_stream.read(most + 1).decode("utf-8", "replace"))


def _check_headers(record: Any) -> None:
    """Raise ValueError if a header was cut: it may say another URL, or lack what matters."""
    url = _url(record)
    for headers in (record.rec_headers, record.http_headers):
        if headers is not None and headers.is_too_long:
            raise ValueError(
                f"{beginning(url, _LONGEST_TOLD) or 'a record'} has a header that is too long"
            )


def _url(record: Any) -> str:
    return (record.rec_headers.get_header("WARC-Target-URI") or "").strip()


def _body(record: Any, url: str, most: int) -> bytes:
    stream, headers = record.raw_stream, record.http_headers
    if (headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked":
        stream = Chunks(stream)
    try:
        body = decoded(stream.read, headers.get_header("Content-Encoding") or "", most)
    except ValueError as error:
        raise ValueError(f"{url} {error}") from error
    if len(body) < most and getattr(record.raw_stream, "limit", False):
        raise ValueError(f"{url} breaks off")
    return body
