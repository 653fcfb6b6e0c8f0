"""A copy of web archives, in which pages that are there already become `revisit` records.

All other records are copied byte for byte, as they are on the disk. A page becomes a revisit only
if it was judged to be the same as an earlier one of these archives, and the bytes of both are equal
when the copy is written: whatever the verdict was, nothing is lost.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
from array import array
from base64 import b32encode
from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.judgement import IDENTICAL

from .compression import BROKEN
from .sources import is_source, plain_suffix
from .warc import MAGIC, WARCS, Chunks, iterate, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import BinaryIO

    from dedup_middleware.deduplicator import Receipt

_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_PIECE = 1 << 20
_LONGEST_HEAD = 1 << 20
_FIRST = b"WARC/"
_REPLACED = {
    "warc-type",
    "warc-profile",
    "warc-payload-digest",
    "warc-block-digest",
    "warc-truncated",
    "warc-refers-to",
    "warc-refers-to-target-uri",
    "warc-refers-to-date",
    "content-length",
}


class Copies:
    """Which units of the input repeat which, in a few bytes each."""

    def __init__(self) -> None:
        self._numbers, self._units = array("Q"), array("Q")  # of pages that may be originals
        self._copies, self._originals = array("Q"), array("Q")

    def add(self, unit: int, receipt: Receipt) -> None:
        """Note what became of the page of a unit."""
        if receipt.verdict.kind in IDENTICAL and receipt.original is not None:
            at = bisect_left(self._numbers, receipt.original)
            if at < len(self._numbers) and self._numbers[at] == receipt.original:
                self._copies.append(unit)
                self._originals.append(self._units[at])
        if receipt.number is not None:
            self._numbers.append(receipt.number)
            self._units.append(unit)

    def original(self, unit: int) -> int | None:
        """Return the unit that a unit repeats."""
        at = bisect_left(self._copies, unit)
        found = at < len(self._copies) and self._copies[at] == unit
        return self._originals[at] if found else None

    @property
    def originals(self) -> frozenset[int]:
        return frozenset(self._originals)


@dataclass(frozen=True, slots=True)
class _Response:
    """A response in an archive."""

    headers: tuple[tuple[str, str], ...]
    """The headers of the record."""
    head: bytes
    """The head of the HTTP message, as it came."""
    content: tuple[bytes, str, str]
    """The hash of its body, and how that is encoded."""
    sha1: bytes
    """Another hash of the body, for archives that declare none."""

    def header(self, name: str) -> str:
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


@dataclass(slots=True)
class Written:
    """What was written."""

    records: int = 0
    revisits: int = 0


def check_copy(path: Path, files: Iterable[Path]) -> None:
    """Raise an error if a copy can't be written there, or not of all archives among the files."""
    suffix = next((one for one in (".warc", ".warc.gz") if path.name.lower().endswith(one)), None)
    if suffix is None:
        raise DedupError(f"{path}: a web archive is named .warc or .warc.gz")
    if path.exists():
        raise DedupError(f"{path}: there is such a file already")
    for file in files:
        if plain_suffix(file) in WARCS and not file.name.lower().endswith(suffix):
            raise DedupError(f"{file}: can't be copied to a file that is named {suffix}")
        if plain_suffix(file) in WARCS:
            with suppress(OSError):  # reported when it is read
                _check_compression(file)


def _check_compression(file: Path) -> None:
    first = b""
    if is_source(file):  # a pipe would be used up
        with file.open("rb") as opened:
            first = opened.read(len(MAGIC))
    named = file.name.lower().endswith(".gz")
    if first and named and first != MAGIC:
        raise DedupError(f"{file}: is not compressed by gzip, as its name says; can't be copied")
    if first == MAGIC and not named:
        raise DedupError(f"{file}: is compressed by gzip, but not named .gz; can't be copied")


class ArchiveCopy:
    """Writes archives to a new file, which appears when all of it is there."""

    def __init__(
        self, copies: Copies, warn: Callable[[str], object], advance: Callable[[int], object]
    ) -> None:
        self.written = Written()
        self._copies = copies
        self._warn = warn
        self._advance = advance
        self._wanted = copies.originals
        self._known: dict[int, _Response] = {}

    def write(self, path: Path, archives: Iterable[tuple[Path, int]]) -> None:
        """Copy archives, each with the number of its first unit, to a file that is not there."""
        new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with new.open("xb") as out:
                for archive, unit in archives:
                    try:
                        file = archive.open("rb")
                    except OSError as error:
                        why = error.strerror or error
                        self._warn(f"{archive}: left out of the copy: {why}")
                        continue
                    with file:
                        self._copy(archive, file, unit, out)
                out.flush()
                os.fsync(out.fileno())
            new.replace(path)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise

    def _copy(self, archive: Path, file: BinaryIO, unit: int, out: BinaryIO) -> None:
        compressed = archive.name.lower().endswith(".gz")
        done = 0
        with archive.open("rb") as walked:
            for span in spans(walked):
                revisit = self._revisit(file, unit, span.begin) if span.sound else None
                if revisit:
                    out.write(gzip.compress(revisit, mtime=0) if compressed else revisit)
                    self.written.revisits += 1
                else:
                    _copy_bytes(file, span.begin, span.end, out)
                    out.write(span.missing)
                self.written.records += 1
                self._advance(span.end - span.begin)
                unit, done = unit + 1, span.end
        if done < os.fstat(file.fileno()).st_size:
            self._copy_rest(archive, file, done, out)

    def _copy_rest(self, archive: Path, file: BinaryIO, done: int, out: BinaryIO) -> None:
        """Copy what can't be divided into records, unless what follows would become unreadable."""
        size = os.fstat(file.fileno()).st_size
        if archive.name.lower().endswith(".gz") and _is_stream(file, done):
            self._warn(
                f"{archive}: records can't be separated from byte {done:,} on; copied as they are"
            )
            _copy_bytes(file, done, size, out)
        else:
            self._warn(
                f"{archive}: damaged from byte {done:,} on; {size - done:,} bytes are left out of "
                "the copy"
            )
        self._advance(size - done)

    def _revisit(self, file: BinaryIO, unit: int, begin: int) -> bytes | None:
        """Return the record that takes the place of a unit; None if it stays."""
        original = self._copies.original(unit)
        if original is None and unit not in self._wanted:
            return None
        response = _response(file, begin)
        if response is None:
            return None
        known = self._known.get(original) if original is not None else None
        if known and known.content != response.content:
            known = None
        if unit in self._wanted:  # a revisit never refers to another one
            self._known[unit] = known or response
        if known is None or known.header("WARC-Record-ID") == response.header("WARC-Record-ID"):
            return None  # a record can't refer to itself
        return _revisit_record(response, known)


def _copy_bytes(file: BinaryIO, begin: int, end: int, out: BinaryIO) -> None:
    file.seek(begin)
    while begin < end and (piece := file.read(min(end - begin, _PIECE))):
        out.write(piece)
        begin += len(piece)


def _is_stream(file: BinaryIO, begin: int) -> bool:
    """Return True if the rest of a file is records that are compressed together, undamaged."""
    file.seek(begin)
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            is_archive = unpacked.read(len(_FIRST)) == _FIRST
            while unpacked.read(_PIECE):
                pass
    except BROKEN:
        return False
    return is_archive


def _response(file: BinaryIO, begin: int) -> _Response | None:
    """Read a response; None if it is something else, or a part of it is missing."""
    from warcio.statusandheaders import StatusAndHeadersParser

    file.seek(begin)
    record = next(iterate(file, no_record_parse=True), None)
    if record is None or record.rec_type != "response" or record.rec_headers.is_too_long:
        return None
    head = _head(record.raw_stream)
    if not head.startswith(b"HTTP/"):
        return None
    http = StatusAndHeadersParser([], verify=False).parse(BytesIO(head))
    transfer, coding = (
        (http.get_header(name) or "").strip().lower()
        for name in ("Transfer-Encoding", "Content-Encoding")
    )
    chunks = Chunks(record.raw_stream) if transfer == "chunked" else None
    content, sha1 = hashlib.sha256(), hashlib.sha1(usedforsecurity=False)
    while piece := (chunks or record.raw_stream).read(_PIECE):
        content.update(piece)
        sha1.update(piece)
    if chunks and not chunks.sound:
        return None
    response = _Response(
        tuple(record.rec_headers.headers),
        head,
        (content.digest(), transfer, coding),
        sha1.digest(),
    )
    named = all(response.header(f"WARC-{name}") for name in ("Record-ID", "Date", "Target-URI"))
    partial = any(response.header(f"WARC-{name}") for name in ("Truncated", "Segment-Number"))
    # without a Content-Length there is no limit, and nothing says where the body ends
    complete = getattr(record.raw_stream, "limit", None) == 0
    return response if named and complete and not partial else None


def _head(stream: Any) -> bytes:
    """Read the head of an HTTP message, with the blank line that ends it."""
    lines, size = [], 0
    while size < _LONGEST_HEAD and (line := stream.readline(_LONGEST_HEAD)):
        lines.append(line)
        size += len(line)
        if not line.strip():
            return b"".join(lines)
    return b""


def _revisit_record(response: _Response, known: _Response) -> bytes:
    fields = [
        ("WARC-Type", "revisit"),
        *((name, value) for name, value in response.headers if name.lower() not in _REPLACED),
        ("WARC-Profile", _PROFILE),
        ("WARC-Refers-To", known.header("WARC-Record-ID")),
        ("WARC-Refers-To-Target-URI", known.header("WARC-Target-URI")),
        ("WARC-Refers-To-Date", known.header("WARC-Date")),
        # the digest by which indexes know it
        ("WARC-Payload-Digest", known.header("WARC-Payload-Digest") or _sha1(known.sha1)),
        ("WARC-Block-Digest", _sha1(hashlib.sha1(response.head, usedforsecurity=False).digest())),
        ("WARC-Truncated", "length"),
        ("Content-Length", str(len(response.head))),
    ]
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return b"WARC/1.1\r\n" + lines.encode("utf-8") + b"\r\n" + response.head + b"\r\n\r\n"


def _sha1(digest: bytes) -> str:
    return f"sha1:{b32encode(digest).decode()}"
