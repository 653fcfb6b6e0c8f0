"""Pages of web archives (WARC), with bodies decoded; neither headers nor bodies are unlimited."""

from __future__ import annotations

import gzip
import logging
import re
import zlib
from importlib import import_module
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from w3lib.encoding import http_content_type_encoding
from zstandard import ZstdDecompressor, ZstdError

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page
from dedup_middleware.text import beginning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

WARCS = (".warc",)
WETS = (".wet",)  # the same, with text in place of pages
HTML = frozenset({"text/html", "application/xhtml+xml"})
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, ZstdError)
LONGEST_HEADER = 1 << 19  # browsers take URLs of 2 MB, but servers hardly any above 16 kB
_PIECE = 1 << 14
_GZIP, _RAW = 16 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_SIP = 64
_LARGEST_WINDOW = 8 << 20  # what browsers take
MAGIC = b"\x1f\x8b"  # of gzip
_LINE_END = b"\r\n"
_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;.*)?\r\n")  # of a chunk
_LONGEST_SIZE = 64
_LONGEST_TOLD = 200  # characters of what an archive says
_ZLIB = 8, 31  # the method deflate, and the divisor of the first two bytes


def decoded(pieces: Iterator[bytes], coding: str, most: int) -> bytes:
    """Decode a body by its Content-Encoding, up to `most` bytes; raise ValueError if it is damaged.

    >>> decoded(iter([zlib.compress(b"page" * 9)]), "deflate", 8)
    b'pagepage'
    """
    first = next(pieces, b"")
    decoder, body = _decoder(coding.strip().lower(), first), bytearray()
    for piece in chain((first,), pieces):
        rest = piece
        while rest and len(body) < most and not decoder.eof:
            try:
                body += decoder.decompress(rest, most - len(body))
            except BROKEN as error:
                raise ValueError(f"can't be decoded: {error}") from error
            rest = decoder.unconsumed_tail
        if len(body) >= most:  # else all is read, so that what is missing is noticed
            break
    if len(body) < most and not (decoder.eof or isinstance(decoder, _Plain)):
        raise ValueError("breaks off")
    return bytes(body)


def _decoder(coding: str, first: bytes) -> Any:
    """Return what decodes a body that begins so, with the interface of zlib's decoders."""
    is_gzip = coding in {"gzip", "x-gzip"}
    if coding in {"", "identity"} or (is_gzip and first[:2] != MAGIC):
        return _Plain()  # some archives store it decoded
    if is_gzip:
        return zlib.decompressobj(_GZIP)
    if coding == "deflate":
        return zlib.decompressobj(zlib.MAX_WBITS if _has_head(first) else _RAW)
    if coding == "br":
        return _Brotli()
    if coding == "zstd":
        return _Zstd()
    raise ValueError(f"is encoded as {coding}, which can't be read here")


class _Plain:
    """A decoder for what is not encoded."""

    unconsumed_tail, eof = b"", False

    def decompress(self, data: bytes, most: int) -> bytes:
        return data[:most]


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


def unchunked(stream: Any) -> Iterator[bytes]:
    """Yield a body that came in chunks; from where it is not in chunks on, it is as it came."""
    while line := stream.readline(_LONGEST_SIZE):
        found = _SIZE.fullmatch(line)
        if not found:
            yield line
            break
        left = size = int(found[1], 16)
        while left and (piece := stream.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece
        end = stream.read(len(_LINE_END))
        if end != _LINE_END:
            yield end
            break
        if not size:
            return
    yield from _pieces(stream)


def _pieces(stream: Any) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece


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
    """Where a record is in its file, as it is on the disk, and where the next one begins."""

    begin: int
    end: int
    next: int


def spans(file: BinaryIO, *, compressed: bool) -> Iterator[Span]:
    """Yield the records of an archive, up to the first damage.

    Records that are compressed together are damage, too, as others can't follow one of them.
    """
    found = iterate(file)
    while True:
        try:
            record = next(found, None)
            found.read_to_end()
        except OSError:  # of the disk, not of the archive
            raise
        except Exception:  # noqa: BLE001  # it fails in many ways
            return
        decoder = found.reader and found.reader.decompressor
        if record is None or found.err_count or compressed != bool(decoder):
            return
        left = getattr(record.raw_stream, "limit", 0 if compressed else None)
        if left != 0 or (decoder and (found.next_line or not decoder.eof)):
            return
        begin, length = found.member_info
        yield Span(begin, begin + length, found.offset)


def archive_iterator() -> Any:
    """Return the class of warcio that reads archives; raise MissingExtra if it is not installed."""
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError as error:
        raise MissingExtra(
            "web archives are read with warcio, the extra `warc`: pip install 'scrapy-dedup[warc]'"
        ) from error
    return ArchiveIterator


def iterate(file: Any) -> Any:
    """Return warcio's iterator over the records of an archive, with a limit on their headers."""
    reader = archive_iterator()
    # its warnings quote the file without escaping
    logging.getLogger("warcio").setLevel(logging.CRITICAL)
    found = reader(file, no_record_parse=True)
    parse, readline = found.loader.warc_parser.parse, found.reader.readline
    found.loader.warc_parser.parse = lambda stream, first=None: parse(HeaderLines(stream), first)
    # between records, too, it reads lines
    found.reader.readline = lambda length=None: readline(min(length or _PIECE, _PIECE))
    found.INC_RECORD = ""  # would be printed; the record before is reported already
    return found


class HeaderLines:
    """The lines of one header; raises ValueError if it is too long.

    warcio appends piece by piece to a line that does not end, which takes time by the square of its
    length, and keeps every line.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._left = LONGEST_HEADER

    def readline(self) -> bytes:
        line = b""
        while not line.endswith(b"\n") and (piece := self._stream.readline(_PIECE)):
            line += piece
            self._left -= len(piece)
            if self._left < 0:
                raise ValueError("has a header that is too long")
        return line


def http_head(record: Any) -> bytes:
    """Read the head of the HTTP response in a record, as it came; empty if there is none."""
    if record.rec_type != "response":
        return b""
    stream = HeaderLines(record.raw_stream)
    lines = [stream.readline()]
    while lines[-1].strip():
        lines.append(stream.readline())
    return b"".join(lines) if lines[0].startswith(b"HTTP/") else b""


def http_headers(head: bytes) -> Any:
    """Parse the head of an HTTP response."""
    from warcio.statusandheaders import StatusAndHeadersParser

    return StatusAndHeadersParser([], verify=False).parse(BytesIO(head))


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

    Raise ValueError if it is truncated, can't be decoded or has too long a header. At most
    `max_html` + 1 bytes are decoded.
    """
    url = _url(record)
    try:
        head = http_head(record)
        headers = http_headers(head) if head else None
        if headers is None or headers.get_statuscode() != "200":
            return None
        content_type = headers.get_header("Content-Type") or ""
        if content_type.partition(";")[0].strip().lower() not in HTML:
            return None
        if not url:
            raise ValueError("has no WARC-Target-URI")  # noqa: TRY301  # told as all else
        if record.rec_headers.get_header("WARC-Truncated"):
            raise ValueError("is truncated, as the archive says")  # noqa: TRY301  # likewise
        html = _body(record.raw_stream, headers, max_html + 1)
    except ValueError as error:
        raise ValueError(f"{beginning(url, _LONGEST_TOLD) or 'a response'} {error}") from error
    return Page(url=url, html=html, encoding=http_content_type_encoding(content_type))


def text_of(record: Any, most: int) -> Page | None:
    """Return the text that a record has of a page; None if it has none."""
    url = _url(record)
    if record.rec_type != "conversion" or not url:
        return None
    return Page(url=url, text=record.raw_stream.read(most + 1).decode("utf-8", "replace"))


def _url(record: Any) -> str:
    return (record.rec_headers.get_header("WARC-Target-URI") or "").strip()


def _body(stream: Any, headers: Any, most: int) -> bytes:
    is_chunked = (headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked"
    pieces = unchunked(stream) if is_chunked else _pieces(stream)
    body = decoded(pieces, headers.get_header("Content-Encoding") or "", most)
    if len(body) < most and getattr(stream, "limit", False):
        raise ValueError("breaks off")
    return body
