"""Pages from files: HTML, feeds of JSON lines, tables, web archives, and folders of these."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import zstandard

from dedup_middleware.files import bounded_lines
from dedup_middleware.page import Page

from .warc import WARCS, WETS, MissingExtra, page_of, records, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Future
    from typing import BinaryIO

    from dedup_middleware.fingerprint.subject import Subject

COMPRESSED = (".gz", ".zst")
_LARGEST_WINDOW = 128 << 20
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError)
TABLES = (".parquet",)
_COLUMNS = ("url", "html", "text")
_ROWS = 64  # of a table at a time: pages can be large
PAGES = (".html", ".htm", ".xhtml")
FEEDS = (".jsonl", ".jl", ".ndjson")
LONGEST_LINE = 32 << 20
AHEAD = 8
"""Pages that are read while one is judged."""
_BOM = b"\xef\xbb\xbf"


class Sources:
    """The pages under some paths, in an order that does not change.

    The input is made of units: a file, a line of a feed, a row of a table, a record of an archive.
    What can't be read is reported to `warn`, counted and skipped. Of a file no more than `max_html`
    bytes are in memory, or one line of a feed.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        warn: Callable[[str], object],
        *,
        max_html: int,
        leave_out: Iterable[Path] = (),
    ) -> None:
        self.problems = 0
        """How much was reported."""
        self.skipped = 0
        """Files that are neither pages nor feeds nor archives."""
        self.revisits = 0
        """Records that say that a page was the same as another one, and don't have its text."""
        self.bytes_read = 0
        """Bytes on the disk, which may be compressed."""
        self.unit = 0
        """The number of the unit of the last page, from 0."""
        self.archives: list[tuple[Path, int]] = []
        """The archives so far, each with the number of its first unit."""
        self._paths = tuple(paths)
        self._warn = warn
        self._max_html = max_html
        self._longest_line = max(LONGEST_LINE, 4 * max_html)
        self._leave_out = {str(path.resolve()) for path in leave_out}
        self._units = 0  # that were read

    def __iter__(self) -> Iterator[Page]:
        for page in self._each_unit():
            if page:
                self.unit = self._units
                yield page

    def read_ahead(self, max_text: int) -> Generator[Subject, None, None]:
        """Yield the pages as a thread has read them, while the caller judges those before.

        Nearly all of the reading is done in the core, which does not hold Python's lock.
        """
        from dedup_middleware.fingerprint.subject import read_subject  # imports numpy

        limits = {"max_html": self._max_html, "max_text": max_text}
        read: deque[tuple[int, Future[Subject]]] = deque()
        thread = ThreadPoolExecutor(1)
        try:
            for page in chain(self, repeat(None, AHEAD)):
                if page:
                    read.append((self.unit, thread.submit(read_subject, page, **limits)))
                if len(read) > AHEAD or (read and not page):
                    self.unit, found = read.popleft()
                    yield found.result()
        finally:
            thread.shutdown(cancel_futures=True)

    def files(self) -> Iterator[Path]:
        """Yield all files in order, sources or not; each once, though links may lead to it."""

        def report(error: OSError) -> None:
            self._problem(error.filename, error.strerror or str(error))

        return self._files(report)

    def size(self) -> int:
        """Return how many bytes there are to read."""
        sizes = 0
        for path in self._files(lambda _: None):
            with suppress(OSError):  # reported when it is read
                sizes += path.stat().st_size if is_source(path) else 0
        return sizes

    def _each_unit(self) -> Iterator[Page | None]:
        """Yield the page of each unit; None for one that has none."""
        for path in self.files():
            before, reader = self.bytes_read, self._reader(path)
            try:
                for page in reader(path):
                    yield page
                    self._units += 1
            except OSError as error:
                self._problem(str(path), error.strerror or str(error))
            if reader != self._other:
                with suppress(OSError):  # reported already
                    self.bytes_read = before + path.stat().st_size

    def _problem(self, where: str, text: str, what: str = "skipped") -> None:
        self.problems += 1
        self._warn(f"{where}: {text}; {what}")

    def _files(self, report: Callable[[OSError], object]) -> Iterator[Path]:
        seen: set[int] = set()  # hashes are enough: there may be millions of files
        for path in self._paths:
            if not path.is_dir():
                if _is_new(os.path.realpath(path), seen):
                    yield path
                continue
            for folder, folders, names in os.walk(path, onerror=report):
                real = os.path.realpath(folder)
                kept = {
                    one
                    for one in (*folders, *names)
                    if f"{real}{os.sep}{one}" not in self._leave_out
                }
                # hidden folders belong to tools, as `.scrapy` with our journals
                folders[:] = sorted(name for name in folders if name in kept and name[0] != ".")
                for name in sorted(kept.intersection(names)):
                    file = f"{real}{os.sep}{name}"
                    is_link = os.path.islink(file)  # noqa: PTH114  # a Path for each is slow
                    if _is_new(os.path.realpath(file) if is_link else file, seen):
                        yield Path(folder, name)

    def _reader(self, path: Path) -> Callable[[Path], Iterator[Page | None]]:
        if not is_source(path):
            return self._other
        suffix = plain_suffix(path)
        if suffix in (*WARCS, *WETS):
            return self._archive
        if suffix in TABLES:
            return self._table
        return self._feed if suffix in FEEDS else self._page

    def _other(self, _: Path) -> Iterator[None]:
        self.skipped += 1
        yield None

    def _archive(self, path: Path) -> Iterator[Page | None]:
        before, damaged = self.bytes_read, list[str]()
        is_text = plain_suffix(path) in WETS
        if not is_text:
            self.archives.append((path, self._units))
        try:
            with path.open("rb") as raw:
                for record in records(raw):
                    self.bytes_read = before + raw.tell()
                    self.revisits += record.headers.get("WARC-Type") == "revisit"
                    page = None
                    try:
                        page = (text_of if is_text else page_of)(record, self._max_html)
                    except ValueError as error:
                        damaged.append(str(error))
                    yield page
        except (MissingExtra, ValueError) as error:
            self._problem(str(path), str(error), "the rest is skipped")
        if damaged:  # there may be many, so that they are reported together
            more = f", and {len(damaged) - 1:,} more records" if len(damaged) > 1 else ""
            self._problem(str(path), f"{damaged[0]}{more}")

    def _table(self, path: Path) -> Iterator[Page | None]:
        try:
            for number, row in enumerate(rows_of(path), 1):
                yield self._from_row(row, f"{path}:{number}")
        except (MissingExtra, ValueError) as error:
            self._problem(str(path), str(error), "the rest is skipped")

    def _from_row(self, row: dict[str, Any], where: str) -> Page | None:
        try:
            return _page_of(row)
        except ValueError as error:
            self._problem(where, str(error))
            return None

    def _page(self, path: Path) -> Iterator[Page | None]:
        with ExitStack() as stack:
            try:
                _, file = open_decompressed(path, stack)
                html = file.read(self._max_html + 1)  # one more shows that it was cut
            except BROKEN as error:
                self._problem(str(path), f"broken compression: {error}")
                return
        yield Page(url=path.resolve().as_uri(), html=html)

    def _feed(self, path: Path) -> Iterator[Page | None]:
        number, before = 0, self.bytes_read
        with ExitStack() as stack:
            try:
                raw, file = open_decompressed(path, stack)
                for number, line in bounded_lines(file, self._longest_line):
                    self.bytes_read = before + raw.tell()
                    yield self._from_line(line, path, number)
            except BROKEN as error:
                where = f"{path}:{number + 1}"
                self._problem(where, f"broken compression: {error}", "the rest is skipped")

    def _from_line(self, line: bytes | None, path: Path, number: int) -> Page | None:
        """Parse a line of a feed; return None if it is blank or wrong."""
        try:
            if line is None:
                raise ValueError(f"longer than {self._longest_line >> 20:,} MiB")  # noqa: TRY301  # told as all else
            line = (line.removeprefix(_BOM) if number == 1 else line).strip()
            return _page_of(_item(line)) if line else None
        except ValueError as error:
            self._problem(f"{path}:{number}", str(error))
            return None


def _is_new(file: str, seen: set[int]) -> bool:
    before = len(seen)
    seen.add(hash(file))
    return len(seen) > before


def _item(line: bytes) -> dict[str, Any]:
    try:
        item = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start:,}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno:,}") from None
    except RecursionError:
        raise ValueError("not readable as JSON: nested too deep") from None
    if not isinstance(item, dict):
        raise ValueError("not an object with url and html or text")  # noqa: TRY004 - bad data
    return item


def _page_of(item: dict[str, Any]) -> Page:
    url, html, text = (item.get(key) for key in ("url", "html", "text"))
    if not (isinstance(url, str) and url.strip()):
        raise ValueError("no url")
    if isinstance(html, str | bytes):
        return Page(url=url, html=html)
    if isinstance(text, str):
        return Page(url=url, text=text)
    raise ValueError("neither html nor text")


def is_source(path: Path) -> bool:
    """Return True if a file is regular and named as a page, a feed, a table or an archive."""
    known = (*PAGES, *FEEDS, *TABLES, *WARCS, *WETS)
    return plain_suffix(path) in known and (path.is_file() or not path.exists())


def plain_suffix(path: Path) -> str:
    """Return what a file is by its name, compressed or not."""
    return os.path.splitext(without_suffix(path.name))[1].lower()  # noqa: PTH122  # a second Path for each file is slow


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; raise ValueError if it is none of Parquet."""
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra(
            "Parquet is read with pyarrow, of the extra `spark`: pip install 'scrapy-dedup[spark]'"
        ) from error
    with pq.ParquetFile(path) as file:
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        for batch in file.iter_batches(_ROWS, columns=columns):
            yield from batch.to_pylist()


def without_suffix(name: str) -> str:
    """Return the name of a file without that of its compression.

    >>> without_suffix("pages.WARC.GZ"), without_suffix("pages.html")
    ('pages.WARC', 'pages.html')
    """
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def open_decompressed(path: Path, stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Open a file; return it as it is on the disk, and decompressed."""
    raw = stack.enter_context(path.open("rb"))
    name = path.name.lower()
    if name.endswith(".gz"):
        return raw, cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=raw)))
    if name.endswith(".zst"):
        decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        reader = decompressor.stream_reader(raw, read_across_frames=True, closefd=False)
        return raw, stack.enter_context(io.BufferedReader(reader))
    return raw, raw
