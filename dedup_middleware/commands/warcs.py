"""Pages from web archives: WARC files, read with warcio."""

from __future__ import annotations

import gzip
import logging
import zlib
from typing import TYPE_CHECKING, Any

from w3lib.encoding import http_content_type_encoding

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page

from .decoding import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

WARCS = (".warc",)
HTML = frozenset({"text/html", "application/xhtml+xml"})
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)


class MissingExtra(DedupError):
    """What reads such files is not installed."""


def warc_pages(
    file: BinaryIO, max_html: int, damaged: Callable[[str], object]
) -> Iterator[Page | None]:
    """Go through the HTML responses with status 200; None for records of any other kind.

    A record that is truncated or can't be decoded is told to `damaged`. ValueError if the rest of
    the file can't be read. No more than `max_html` + 1 bytes of a page are decoded.
    """
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError as error:
        raise MissingExtra(
            "web archives are read with warcio, the extra `warc`: pip install 'scrapy-dedup[warc]'"
        ) from error
    # what it warns of quotes strangers as they are
    logging.getLogger("warcio").setLevel(logging.CRITICAL)
    whole = _Whole(file)
    records = ArchiveIterator(whole)
    records.INC_RECORD = ""  # else it is printed; the record before has told already
    while True:
        try:
            record = next(records, None)
        except Exception as error:  # it breaks in many ways on what is no archive
            said = " ".join(str(error).split())
            raise ValueError(f"no web archive from byte {whole.tell():,} on: {said}") from error
        if record is None:
            break
        try:
            yield _page(record, max_html)
        except ValueError as error:
            damaged(str(error))
            yield None
    if whole.error:
        raise ValueError(f"broken gzip: {whole.error}") from whole.error


class _Whole:
    """A file that ends where it can't be read on: what stands before that is not lost."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._offset = 0
        self.error: Exception | None = None

    def read(self, size: int) -> bytes:
        try:
            # `read` would lose what comes before the break
            piece: bytes = self._file.read1(size)  # type: ignore[attr-defined]  # all files have it
        except _BROKEN_GZIP as error:
            self.error = error
            return b""
        self._offset += len(piece)
        return piece

    def tell(self) -> int:
        return self._offset


def _page(record: Any, max_html: int) -> Page | None:
    """Read a record; None if it is no HTML page, ValueError if it is damaged."""
    headers = record.http_headers
    if record.rec_type != "response" or headers is None or headers.get_statuscode() != "200":
        return None
    content_type = headers.get_header("Content-Type") or ""
    if content_type.partition(";")[0].strip().lower() not in HTML:
        return None
    url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip()
    if not url:
        raise ValueError("a response has no WARC-Target-URI")
    if record.rec_headers.get_header("WARC-Truncated"):
        raise ValueError(f"{url} is truncated, as the archive says")
    return Page(
        url=url,
        html=_body(record, url, max_html + 1),
        encoding=http_content_type_encoding(content_type),
    )


def _body(record: Any, url: str, most: int) -> bytes:
    from warcio.bufferedreaders import ChunkedDataReader

    stream, headers = record.raw_stream, record.http_headers
    if (headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked":
        stream = ChunkedDataReader(stream)
    try:
        body = decoded(stream.read, headers.get_header("Content-Encoding") or "", most)
    except ValueError as error:
        raise ValueError(f"{url} {error}") from error
    if len(body) < most and getattr(record.raw_stream, "limit", False):
        raise ValueError(f"{url} breaks off")
    return body
