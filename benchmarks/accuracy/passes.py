"""Passes of a method over a set: one that is timed, and one for all thresholds of a peer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.peers import Peer
from dedup_middleware.lab.synthesis import read_manifest

from .cpu import cpu_timed
from .memory import peak_memory
from .points import NEAR, NONE
from .simulate import Found, Simulation
from .stream import Pages, Scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dedup_middleware.methods import Document, Match, Method

    from .sets import PageSet

_MOST_TOLD = 3


@dataclass(slots=True)
class Watch:
    """Does what may fail, and adds up how long it took."""

    what: str
    problems: list[str]
    milliseconds: float = 0.0
    failures: int = 0

    def do(self, url: str, work: Callable[[], list[Match]]) -> list[Match]:
        """Give what came of it; nothing if it failed."""
        try:
            took, matches = cpu_timed(work)
        except Exception as error:  # noqa: BLE001 - one page must not end the run
            self.failures += 1
            if self.failures <= _MOST_TOLD:
                reason = f"{type(error).__name__}: {error}"
                self.problems.append(f"{self.what}: {url}: {reason}; let through")
            return []
        self.milliseconds += took
        return matches

    def tell(self) -> None:
        """Say how many failures were not told one by one."""
        if self.failures > _MOST_TOLD:
            more = self.failures - _MOST_TOLD
            self.problems.append(f"{self.what}: {more} more pages failed; let through")


@dataclass(slots=True)
class Passed:
    """What a pass came to."""

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
        for known in batch:
            matches: list[Match] = []
            if known.comparable:
                matches = watch.do(known.url, lambda: _next(made, known.document))  # noqa: B023 - called at once
            scores.keep(known.number, matches)
            scored = {match.name: match.backward for match in matches}
            for url, expected in truths.get(known.url, {}).items():
                if url in numbers:
                    obtained.append((expected, scored.get(str(numbers[url]), 0.0)))
            numbers[known.url] = known.number
    watch.tell()
    return Passed(pages, scores, watch.milliseconds, peak_memory(), obtained)


def simulate_peer(pages: Pages, peer: Peer, watch: Watch) -> Simulation:
    """Give each document to an index for each threshold, side by side."""
    simulation = Simulation(len(peer.grid))
    for batch in pages.batches():
        indexes = [type(peer)(threshold=threshold) for threshold in peer.grid]
        for known in batch:
            found = None
            if known.comparable:
                sample = peer.sample(known.document)
                by_index = [
                    watch.do(known.url, lambda: _next_sketch(index, known.document.name, sample))  # noqa: B023 - called at once
                    for index in indexes
                ]
                found = _found(by_index)
            words, equal = pages.words[known.number], pages.equal[known.number]
            simulation.see(known.url, words, equal, found)
    return simulation


def _next(made: Method, document: Document) -> list[Match]:
    """Score a document, and make it known."""
    if isinstance(made, Peer):
        return _next_sketch(made, document.name, made.sample(document))
    found = made.candidates(document)
    made.add(document)
    return found


def _next_sketch(peer: Peer, name: str, sample: object) -> list[Match]:
    found = peer.query(sample)
    peer.insert(name, sample)
    return found


def _found(by_index: Sequence[Sequence[Match]]) -> Found:
    """Lay side by side what several indexes have found."""
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
    """Give for each document that was made how much of each of its sources stands in it."""
    if page_set.manifest is None:
        return {}
    return {
        truth.url: {source.url: source.of_source for source in truth.sources}
        for truth in read_manifest(page_set.manifest, problems)
    }
