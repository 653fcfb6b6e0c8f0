"""A copy of web archives, in which pages that are there already become `revisit` records.

All other records are copied byte for byte, as they are on the disk. A page becomes a revisit only
if it was judged to be the same as an earlier one of these archives, and the bytes of both are equal
when the copy is written: whatever the verdict was, nothing is lost.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically
from dedup_middleware.judgement import IDENTICAL

from .sources import plain_suffix
from .warc import LONGEST_HEADER, WARCS, codings, http_head, iterate, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.verdict import Verdict

_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_PIECE = 1 << 20
_END = b"\r\n\r\n"  # of a record
_NAMED = "Record-ID", "Date", "Target-URI", "Payload-Digest"
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
    """Which units of the input are pages that came more than once, in 16 bytes for each page."""

    def __init__(self) -> None:
        self._units, self._bodies = array("Q"), array("Q")
        self._repeated: set[int] = set()

    def add(self, unit: int, page: Subject, verdict: Verdict) -> None:
        """Note what became of the page of a unit; units ascend."""
        body = int.from_bytes(page.fingerprint.body[:8], "little")
        self._units.append(unit)
        self._bodies.append(body)
        if verdict.kind in IDENTICAL:
            self._repeated.add(body)

    def __contains__(self, unit: int) -> bool:
        at = bisect_left(self._units, unit)
        is_page = at < len(self._units) and self._units[at] == unit
        return is_page and self._bodies[at] in self._repeated


@dataclass(frozen=True, slots=True)
class _Response:
    """A response in an archive."""

    headers: tuple[tuple[str, str], ...]
    """The headers of the record."""
    head: bytes
    """The head of the HTTP message, as it came."""
    content: tuple[bytes, str, str]
    """The hash of its body, and how that is encoded."""

    def header(self, name: str) -> str:
        """Return a header of those that WARC defines."""
        wanted = f"warc-{name}".lower()
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


class ArchiveCopy:
    """Writes archives to a new file, which appears when all of it is there."""

    def __init__(
        self, copies: Copies, warn: Callable[[str], object], advance: Callable[[int], object]
    ) -> None:
        self.written = Written()
        self._copies = copies
        self._warn = warn
        self._advance = advance
        self._known: dict[tuple[bytes, str, str], _Response] = {}

    def write(self, path: Path, archives: Iterable[tuple[Path, int]]) -> None:
        """Copy archives, each with the number of its first unit, to a file that is not there."""
        write_atomically(path, (piece for one in archives for piece in self._copied(*one)))

    def _copied(self, archive: Path, unit: int) -> Iterator[bytes]:
        try:
            file = archive.open("rb")
        except OSError as error:
            self._warn(f"{archive}: left out of the copy: {error.strerror or error}")
            return
        compressed = archive.name.lower().endswith(".gz")
        done = 0
        with file:
            for span in spans(file, compressed=compressed):
                revisit = self._revisit(file, span.begin) if unit in self._copies else None
                if revisit:
                    yield gzip.compress(revisit, mtime=0) if compressed else revisit
                    self.written.revisits += 1
                else:
                    yield from _pieces(file, span.begin, span.end)
                    yield b"" if compressed else _END
                self.written.records += 1
                self._advance(span.next - done)
                unit, done = unit + 1, span.next
            left = os.fstat(file.fileno()).st_size - done
        if left:
            how = (
                "not compressed one by one"
                if compressed
                else "compressed, as its name does not say"
            )
            self._warn(
                f"{archive}: from byte {done:,} on, records are damaged, or {how}; "
                f"{left:,} bytes are left out of the copy"
            )
            self._advance(left)

    def _revisit(self, file: BinaryIO, begin: int) -> bytes | None:
        """Return the record that takes the place of one; None if it stays."""
        response = _response(file, begin)
        if response is None:
            return None
        known = self._known.setdefault(response.content, response)
        if known.header("Record-ID") == response.header("Record-ID"):
            return None  # it is the first, or can't be distinguished from it
        return _revisit_record(response, known)


def _pieces(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end and (piece := file.read(min(end - begin, _PIECE))):
        yield piece
        begin += len(piece)


def _response(file: BinaryIO, begin: int) -> _Response | None:
    """Read a response; None if it is something else, or a part of it is missing."""
    file.seek(begin)
    record = next(iterate(file))
    if record.headers.get("WARC-Type") != "response":
        return None
    start = record.reader.read(LONGEST_HEADER)
    try:
        headers, end = http_head(start)
    except ValueError:  # it is too long
        return None
    if headers is None:
        return None
    content, size = hashlib.sha256(start[end:]), len(start)
    while piece := record.reader.read(_PIECE):
        content.update(piece)
        size += len(piece)
    response = _Response(
        record.headers.to_tuples(), start[:end], (content.digest(), *codings(headers))
    )
    partial = any(response.header(name) for name in ("Truncated", "Segment-Number"))
    complete = size == record.content_length
    return response if all(map(response.header, _NAMED)) and complete and not partial else None


def _revisit_record(response: _Response, known: _Response) -> bytes:
    fields = [
        ("WARC-Type", "revisit"),
        *((name, value) for name, value in response.headers if name.lower() not in _REPLACED),
        ("WARC-Profile", _PROFILE),
        ("WARC-Refers-To", known.header("Record-ID")),
        ("WARC-Refers-To-Target-URI", known.header("Target-URI")),
        ("WARC-Refers-To-Date", known.header("Date")),
        ("WARC-Payload-Digest", known.header("Payload-Digest")),  # by which indexes know it
        ("WARC-Truncated", "length"),
        ("Content-Length", str(len(response.head))),
    ]
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return b"WARC/1.1\r\n" + lines.encode("utf-8") + b"\r\n" + response.head + _END
