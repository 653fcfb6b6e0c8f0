"""Passes of a method over the pages of a set: reading, scoring, timing.

All pages become known to the method, also those that it would call redundant. A store leaves them
out, and so does the simulation: at each threshold those that are redundant there.
"""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.methods import Document
from dedup_middleware.read import UnreadablePage
from dedup_middleware.settings import Settings
from lab.measure import cpu_timed, parse, peak_memory
from lab.peers import Peer
from lab.synthesis import read_manifest

from .sets import batches_of
from .simulate import LEAST, NEAR, NONE, Found, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dedup_middleware.methods import Match, Method

    from .sets import PageSet, Row
    from .simulate import Thresholds

MAIN, RAW = "main", "raw"
TEXTS = {MAIN: "main text", RAW: "raw page text"}
_ROW = np.dtype([("page", "<i4"), ("earlier", "<i4"), ("forward", "<f8"), ("backward", "<f8")])
_MOST_REPORTED = 3  # failures


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that has been read; its number is the name of its document."""

    number: int
    url: str
    document: Document
    comparable: bool


@dataclass(slots=True)
class Pages:
    """The pages of a set as they are read, and what that took."""

    page_set: PageSet
    text: str
    problems: list[str]
    urls: list[str] = field(default_factory=list)
    equal: list[tuple[int, ...]] = field(default_factory=list)
    """For each page, the earlier ones with the same visible text."""
    words: list[int] = field(default_factory=list)
    parsing: float = 0.0
    """Milliseconds of `lxml.html` for all of them."""
    reading: float = 0.0

    def batches(self) -> Iterator[Iterator[ReadPage]]:
        """Yield the pages that share a store, batch by batch."""
        for batch in batches_of(self.page_set, self.problems):
            yield self._read(batch)

    def _read(self, rows: Iterator[Row]) -> Iterator[ReadPage]:
        fewest, seen = Settings().min_words, dict[bytes, list[int]]()
        for row in rows:
            number, body = len(self.urls), row["html"].encode("utf-8", "surrogatepass")
            page = Page(url=row["url"], html=body, encoding="utf-8")
            self.parsing += cpu_timed(partial(parse, body))[0]
            took, document = cpu_timed(partial(self._document, page))
            self.reading += took
            made = fingerprint(page, document.outline)
            comparable = made.words >= fewest and not document.outline.cut
            # for short pages the text is not enough; a page without words equals nothing
            key = made.digest + (b"" if comparable else made.body)
            same = seen.setdefault(key, []) if made.words else []
            self.urls.append(page.url)
            self.equal.append(tuple(same))
            self.words.append(made.words)
            same.append(number)
            yield ReadPage(number, page.url, document.named(str(number)), comparable)

    def _document(self, page: Page) -> Document:
        try:
            return Document.of(page, boilerplate=self.text == RAW)
        except UnreadablePage as error:
            self.problems.append(f"{self.page_set.name}: {error}; counted as unique")
            return Document.of_text(page.url, "")


class Scores:
    """The scores of a method, page by page; on disk, so that the memory is the method's own."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        weakref.finalize(self, self._file.close)

    def add(self, number: int, matches: Sequence[Match]) -> None:
        """Add the scores of the next page."""
        rows = [
            (number, int(match.name), match.forward, match.backward)
            for match in matches
            if max(match.forward, match.backward) >= LEAST
        ]
        np.array(sorted(rows), _ROW).tofile(self._file)

    def found(self, thresholds: Thresholds, pages: int) -> Iterator[Found]:
        """Yield what was found for each page, in order."""
        self._file.seek(0)
        rows = np.fromfile(self._file, _ROW)
        ends = np.searchsorted(rows["page"], np.arange(pages), "right").tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            part = rows[start:end]
            kinds = thresholds.kinds(part["forward"], part["backward"])
            yield Found(part["earlier"].tolist(), part["forward"][:, None], kinds)


@dataclass(slots=True)
class Watch:
    """Runs what may fail, and adds up how long it took."""

    what: str
    problems: list[str]
    milliseconds: float = 0.0
    failures: int = 0

    def run(self, url: str, work: Callable[[], list[Match]]) -> list[Match]:
        """Return the matches; none if the method failed."""
        try:
            took, matches = cpu_timed(work)
        except Exception as error:  # noqa: BLE001 - one page must not end the run
            self.failures += 1
            if self.failures <= _MOST_REPORTED:
                reason = f"{type(error).__name__}: {error}"
                self.problems.append(f"{self.what}: {url}: {reason}; counted as unique")
            return []
        self.milliseconds += took
        return matches

    def finish(self) -> None:
        """Report how many failures were not reported one by one."""
        if self.failures > _MOST_REPORTED:
            more = self.failures - _MOST_REPORTED
            self.problems.append(f"{self.what}: {more} more pages failed; counted as unique")


@dataclass(slots=True)
class Passed:
    """The scores of a pass, and its cost."""

    pages: Pages
    scores: Scores
    milliseconds: float
    peak: int
    obtained: list[tuple[float, float]] = field(default_factory=list)


def pass_over(pages: Pages, make: Callable[[], Method], watch: Watch) -> Passed:
    """Score all pages, each against those before it."""
    scores, truths = Scores(), _truths(pages.page_set, pages.problems)
    obtained: list[tuple[float, float]] = []
    for batch in pages.batches():
        made, numbers = make(), dict[str, int]()
        for page in batch:
            matches: list[Match] = []
            if page.comparable:
                matches = watch.run(page.url, partial(_next, made, page.document))
            scores.add(page.number, matches)
            scored = {match.name: match.backward for match in matches}
            for url, expected in truths.get(page.url, {}).items():
                if url in numbers:
                    obtained.append((expected, scored.get(str(numbers[url]), 0.0)))
            numbers[page.url] = page.number
    watch.finish()
    return Passed(pages, scores, watch.milliseconds, peak_memory(), obtained)


def simulate_peer(pages: Pages, peer: Peer, watch: Watch, grid: Sequence[float]) -> Simulation:
    """Add each document to an index for each threshold."""
    simulation = Simulation(len(grid))
    for batch in pages.batches():
        indexes = [type(peer)(threshold=threshold) for threshold in grid]
        for page in batch:
            found = None
            if page.comparable:
                sample = peer.sample(page.document)
                by_index = [
                    watch.run(page.url, partial(_next_sample, index, page.document.name, sample))
                    for index in indexes
                ]
                found = _found(by_index)
            words, equal = pages.words[page.number], pages.equal[page.number]
            simulation.judge(page.url, words, equal, found)
    return simulation


def _next(made: Method, document: Document) -> list[Match]:
    """Score a document, then add it."""
    if isinstance(made, Peer):
        return _next_sample(made, document.name, made.sample(document))
    found = made.candidates(document)
    made.add(document)
    return found


def _next_sample(peer: Peer, name: str, sample: object) -> list[Match]:
    found = peer.query(sample)
    peer.insert(name, sample)
    return found


def _found(by_index: Sequence[Sequence[Match]]) -> Found:
    """Put together what the indexes for all thresholds have found."""
    earlier = sorted({int(match.name) for matches in by_index for match in matches})
    rows = {number: row for row, number in enumerate(earlier)}
    score = np.zeros((len(earlier), len(by_index)))
    kinds = np.full(score.shape, NONE, np.int8)
    for column, matches in enumerate(by_index):
        for match in matches:
            row = rows[int(match.name)]
            score[row, column], kinds[row, column] = match.forward, NEAR
    return Found(earlier, score, kinds)


def _truths(page_set: PageSet, problems: list[str]) -> Mapping[str, Mapping[str, float]]:
    """Return for each synthetic document how much of each of its sources it holds."""
    if page_set.manifest is None:
        return {}
    return {
        truth.url: {source.url: source.of_source for source in truth.sources}
        for truth in read_manifest(page_set.manifest, problems)
    }
