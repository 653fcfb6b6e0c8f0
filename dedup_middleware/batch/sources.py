"""Pages from files: HTML, feeds of JSON lines, web archives, and folders of these."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.jsonl import bounded_lines
from dedup_middleware.page import Page

from .warc import WARCS, MissingExtra, warc_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

PAGES = (".html", ".htm", ".xhtml")
FEEDS = (".jsonl", ".jl", ".ndjson")
LONGEST_LINE = 32 << 20
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_BOM = b"\xef\xbb\xbf"


class Sources:
    """The pages under some paths, in an order that does not change.

    What can't be read is reported to `complain`, counted and skipped. One page is in memory at a
    time, and of that no more than `max_html` bytes of a file or one line of a feed.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        complain: Callable[[str], object],
        *,
        max_html: int,
        leave_out: Iterable[Path] = (),
    ) -> None:
        self.problems = 0
        self.skipped = 0
        """Files that are neither pages nor feeds nor archives."""
        self.bytes_read = 0
        """Bytes on the disk, which may be compressed."""
        self._paths = tuple(paths)
        self._complain = complain
        self._max_html = max_html
        self._longest_line = max(LONGEST_LINE, 4 * max_html)
        self._leave_out = {str(path.resolve()) for path in leave_out}

    def __iter__(self) -> Iterator[Page]:
        for path in self._files(self._paths, self._problem):
            before = self.bytes_read
            try:
                if not is_source(path):
                    self.skipped += 1
                    continue
                yield from self._reader(path)(path)
                self.bytes_read = before + path.stat().st_size
            except OSError as error:
                self._problem(f"{path}: {error.strerror or error}")

    def size(self) -> int:
        """Return how many bytes there are to read."""
        sizes = 0
        for path in self._files(self._paths, lambda _: None):
            with suppress(OSError):  # reported when it is read
                sizes += path.stat().st_size if is_source(path) else 0
        return sizes

    def _problem(self, text: str, what: str = "skipped") -> None:
        self.problems += 1
        self._complain(f"{text}; {what}")

    def _files(self, paths: Iterable[Path], problem: Callable[[str], object]) -> Iterator[Path]:
        def report(error: OSError) -> None:
            problem(f"{error.filename}: {error.strerror}")

        for path in paths:
            if not path.is_dir():
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
                yield from (Path(folder, name) for name in sorted(names) if name in kept)

    def _reader(self, path: Path) -> Callable[[Path], Iterator[Page]]:
        suffix = _plain_suffix(path)
        if suffix in WARCS:
            return self._archive
        return self._feed if suffix in FEEDS else self._page

    def _archive(self, path: Path) -> Iterator[Page]:
        before, damaged = self.bytes_read, list[str]()
        with ExitStack() as stack:
            raw, file = _open(path, stack)
            try:
                for page in warc_pages(file, self._max_html, damaged.append):
                    self.bytes_read = before + raw.tell()
                    if page:
                        yield page
            except MissingExtra as error:
                self._problem(f"{path}: {error}")
            except ValueError as error:
                self._problem(f"{path}: {error}", "the rest is skipped")
        if damaged:
            more = f", and {len(damaged) - 1:,} more records" if len(damaged) > 1 else ""
            self._problem(f"{path}: {damaged[0]}{more}")

    def _page(self, path: Path) -> Iterator[Page]:
        with ExitStack() as stack:
            _, file = _open(path, stack)
            try:
                html = file.read(self._max_html + 1)  # one more shows that it was cut
            except _BROKEN_GZIP as error:
                self._problem(f"{path}: broken gzip: {error}")
                return
        yield Page(url=path.resolve().as_uri(), html=html)

    def _feed(self, path: Path) -> Iterator[Page]:
        number, before = 0, self.bytes_read
        with ExitStack() as stack:
            raw, file = _open(path, stack)
            try:
                for number, line in bounded_lines(file, self._longest_line):
                    self.bytes_read = before + raw.tell()
                    try:
                        page = self._from_line(line, number)
                    except ValueError as error:
                        self._problem(f"{path}:{number}: {error}")
                        continue
                    if page:
                        yield page
            except _BROKEN_GZIP as error:
                self._problem(f"{path}:{number + 1}: broken gzip: {error}", "the rest is skipped")

    def _from_line(self, line: bytes | None, number: int) -> Page | None:
        """Parse a line of a feed; return None if it is blank."""
        if line is None:
            raise ValueError(f"longer than {self._longest_line >> 20:,} MiB")
        if number == 1:
            line = line.removeprefix(_BOM)
        line = line.strip()
        return _page_of(_item(line)) if line else None


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
    if isinstance(html, str):
        return Page(url=url, html=html)
    if isinstance(text, str):
        return Page(url=url, text=text)
    raise ValueError("neither html nor text")


def is_source(path: Path) -> bool:
    """Return True if a file is regular and named as a page, a feed or an archive."""
    known = (*PAGES, *FEEDS, *WARCS)
    return _plain_suffix(path) in known and (path.is_file() or not path.exists())


def _plain_suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return os.path.splitext(name)[1]  # noqa: PTH122  # a second Path for each file is slow


def _open(path: Path, stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Open a file; return it as it is on the disk, and decompressed."""
    raw = stack.enter_context(path.open("rb"))
    if path.name.lower().endswith(".gz"):
        return raw, stack.enter_context(gzip.GzipFile(fileobj=raw))  # type: ignore[return-value]  # read() is all
    return raw, raw
