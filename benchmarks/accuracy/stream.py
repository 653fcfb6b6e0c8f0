"""One pass over a set: pages as they are read, and what a method scores.

All pages become known to the method, those too that it would call redundant. A store leaves them
out, and so does the simulation: at each threshold those that are redundant there.
"""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import parse
from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.methods import Document
from dedup_middleware.read import UnreadablePage
from dedup_middleware.settings import Settings

from .cpu import cpu_timed
from .points import LEAST
from .sets import batches_of
from .simulate import Found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.methods import Match

    from .points import Points
    from .sets import PageSet, Row

MAIN, RAW = "main", "raw"
TEXTS = {MAIN: "main text", RAW: "raw page text"}
_ROW = np.dtype([("page", "<i4"), ("earlier", "<i4"), ("forward", "<f8"), ("backward", "<f8")])


@dataclass(frozen=True, slots=True)
class Known:
    """A page that has been read; its number is the name of its document."""

    number: int
    url: str
    document: Document
    comparable: bool


@dataclass(slots=True)
class Pages:
    """The pages of a set as they pass by, and what it took to read them."""

    page_set: PageSet
    text: str
    problems: list[str]
    urls: list[str] = field(default_factory=list)
    equal: list[tuple[int, ...]] = field(default_factory=list)
    """For each page, the earlier ones of the same visible text."""
    words: list[int] = field(default_factory=list)
    parsing: float = 0.0
    """Milliseconds that `lxml.html` needs for all of them."""
    reading: float = 0.0

    def batches(self) -> Iterator[Iterator[Known]]:
        """Read the pages, those together that share a store."""
        for batch in batches_of(self.page_set, self.problems):
            yield self._read(batch)

    def _read(self, rows: Iterator[Row]) -> Iterator[Known]:
        fewest, seen = Settings().min_words, dict[bytes, list[int]]()
        for row in rows:
            number, body = len(self.urls), row["html"].encode("utf-8", "surrogatepass")
            page = Page(url=row["url"], html=body, encoding="utf-8")
            self.parsing += cpu_timed(lambda: parse(body))[0]  # noqa: B023 - called at once
            took, document = cpu_timed(lambda: self._document(page))  # noqa: B023 - called at once
            self.reading += took
            made = fingerprint(page, document.outline)
            comparable = made.words >= fewest and not document.outline.cut
            # of short pages text alone says too little; what has no words is like nothing
            key = made.digest + (b"" if comparable else made.body)
            same = seen.setdefault(key, []) if made.words else []
            self.urls.append(page.url)
            self.equal.append(tuple(same))
            self.words.append(made.words)
            same.append(number)
            yield Known(number, page.url, document.named(str(number)), comparable)

    def _document(self, page: Page) -> Document:
        try:
            return Document.of(page, boilerplate=self.text == RAW)
        except UnreadablePage as error:
            self.problems.append(f"{self.page_set.name}: {error}; let through")
            return Document.of_text(page.url, "")


class Scores:
    """What a method scores, page by page; on the disk, so that memory is the method's own."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        weakref.finalize(self, self._file.close)

    def keep(self, number: int, matches: Sequence[Match]) -> None:
        """Keep the scores of the next page."""
        rows = [
            (number, int(match.name), match.forward, match.backward)
            for match in matches
            if max(match.forward, match.backward) >= LEAST
        ]
        np.array(sorted(rows), _ROW).tofile(self._file)

    def found(self, points: Points, pages: int) -> Iterator[Found]:
        """Give what was found for each page, one after the other."""
        self._file.seek(0)
        rows = np.fromfile(self._file, _ROW)
        ends = np.searchsorted(rows["page"], np.arange(pages), "right").tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            part = rows[start:end]
            kinds = points.kinds(part["forward"], part["backward"])
            yield Found(part["earlier"].tolist(), part["forward"][:, None], kinds)
