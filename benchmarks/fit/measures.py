"""The pairs of a set that may be alike, each measured once, so that any weights can be tried."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.accuracy.sets import batches_of, labels_of
from benchmarks.progress import progress_bar
from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.judge import relation as judge
from dedup_middleware.read import UnreadablePage, read
from dedup_middleware.settings import Settings
from dedup_middleware.similarity import (
    Pair,
    Prepared,
    SentenceTest,
    compare_deeply,
    compare_hashes,
    compare_shingles,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from benchmarks.accuracy.scoring import Label
    from benchmarks.accuracy.sets import PageSet, Row
    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity import Deep

    Numbers = NDArray[np.int64]
    Values = NDArray[np.float64]
    Flags = NDArray[np.bool_]

MEASURES = ("covered", "aligned", "sentence_share", "tree")
AGAINST = ("swapped", "subject", "replaced", "doubt")
"""What is subtracted: for facts that differ, and for few words."""
KINDS = ("none", "exact", "near", "contained", "contains")
"""Verdicts by number; whether a page is unique or updated makes no difference here."""
LOWEST_NEAR = 0.5
"""No lower threshold is tried, so pairs that the judge would not compare are left out."""


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A set: its labels, and all about its pairs, in the order of their later page."""

    name: str
    mode: str
    urls: list[str]
    labels: list[Label | None]
    page: Numbers
    earlier: Numbers
    exact: Flags
    """Whether all visible text is equal."""
    small: Flags
    """Whether the later page is a small part of the earlier one, if it is contained."""
    reach: Values
    """The greater of the two shares of common shingles, which the judge looks at first."""
    first: Values
    """Each measure of the later page, a row for each pair."""
    second: Values
    against: Values
    """What speaks against a pair, before it is weighted, a row for each pair."""
    right: Flags
    """Whether each kind is right, a row for each pair."""
    listed: Flags
    """Whether the earlier page is a right original."""
    neutral: Flags
    """Whether the labels leave the earlier page open."""


class _Known(NamedTuple):
    """A page that has been read."""

    url: str
    outline: Outline
    found: Fingerprint
    batch: int

    @property
    def comparable(self) -> bool:
        return self.found.words >= Settings().min_words and not self.outline.cut

    def equals(self, other: _Known) -> bool:
        """Return True if the judge calls the pages equal."""
        return self.found.digest == other.found.digest and (
            self.comparable or bool(self.found.body and self.found.body == other.found.body)
        )


@dataclass(slots=True)
class _Pairs:
    """Two pages each, by number, and whether they are equal."""

    page: list[int] = field(default_factory=list)
    earlier: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)


def measure(page_set: PageSet, problems: list[str], processes: int = 2) -> MeasuredSet:
    """Read the pages of a set and compare all that have enough shingles in common."""
    labels = {label.url: label for label in labels_of(page_set, problems)}
    pages = list(_read(page_set, problems))
    pairs = _pairs(pages)
    values = _compare_all(pages, pairs, page_set.name, processes)
    count, width = len(values), len(MEASURES)
    listed, neutral = np.zeros(count, bool), np.zeros(count, bool)
    right = np.zeros((count, len(KINDS)), bool)
    sizes = np.array([page.found.words for page in pages], np.int64)
    longer = sizes[pairs.earlier] / sizes[pairs.page]
    for row, (page, earlier) in enumerate(zip(pairs.page, pairs.earlier, strict=True)):
        label = labels.get(pages[page].url)
        if label:
            url = pages[earlier].url
            listed[row], neutral[row] = url in label.positives, url in label.neutral
            right[row] = [kind in label.positives.get(url, ()) for kind in KINDS]
    return MeasuredSet(
        page_set.name,
        page_set.mode,
        [page.url for page in pages],
        [labels.get(page.url) for page in pages],
        np.array(pairs.page, np.int64),
        np.array(pairs.earlier, np.int64),
        np.array(pairs.exact, bool),
        longer > Settings().contained_ratio,
        values[:, 0],
        values[:, 1 : 1 + width],
        values[:, 1 + width : 1 + 2 * width],
        values[:, 1 + 2 * width :],
        right,
        listed,
        neutral,
    )


def lowest_gate() -> float:
    """Return the share of common shingles below which no point compares a pair."""
    return LOWEST_NEAR - judge.MARGIN


def _read(page_set: PageSet, problems: list[str]) -> Iterator[_Known]:
    with progress_bar(page_set.size, f"{page_set.name}: read") as advance:
        for number, batch in enumerate(batches_of(page_set, problems)):
            for row in batch:
                yield from _read_one(row, number, page_set.name, problems)
                advance(1)


def _read_one(row: Row, batch: int, name: str, problems: list[str]) -> Iterator[_Known]:
    body = row["html"].encode("utf-8", "surrogatepass")
    page = Page(url=row["url"], html=body, encoding="utf-8")
    try:
        outline = read(page)
    except UnreadablePage as error:
        problems.append(f"{name}: {page.url}: {error}; page skipped")
        return
    yield _Known(page.url, outline, fingerprint(page, outline), batch)


def _pairs(pages: Sequence[_Known]) -> _Pairs:
    """Find the pairs of a page and an earlier one that are equal or share enough shingles."""
    batches: dict[int, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        if page.found.words:
            batches[page.batch].append(number)
    found = _Pairs()
    for batch in batches.values():
        sets = [
            Prepared(pages[number].outline).shingles
            if pages[number].comparable
            else np.empty(0, np.uint64)
            for number in batch
        ]
        shares = _shares(sets)
        for place, number in enumerate(batch):
            alike = set(np.flatnonzero(next(shares) >= lowest_gate()).tolist())
            for other, earlier in enumerate(batch[:place]):
                exact = pages[number].equals(pages[earlier])
                if exact or other in alike:
                    found.page.append(number)
                    found.earlier.append(earlier)
                    found.exact.append(exact)
    return found


def _shares(sets: Sequence[NDArray[Any]]) -> Iterator[Values]:
    """Yield for each set the greater share that it and each earlier one have in common."""
    sizes = np.array([len(one) for one in sets], np.int64)
    keys = np.unique(np.concatenate(sets), return_inverse=True)[1]
    # all pages that have a key are in one run, from its start on
    members = np.repeat(np.arange(len(sets)), sizes)[np.argsort(keys, kind="stable")]
    counts = np.bincount(keys, minlength=1)
    starts = np.cumsum(counts) - counts
    ends = np.cumsum(sizes)
    for number, size in enumerate(sizes.tolist()):
        mine = keys[ends[number] - size : ends[number]]
        lengths = counts[mine]
        shifts = starts[mine] - (np.cumsum(lengths) - lengths)
        places = np.repeat(shifts, lengths) + np.arange(lengths.sum())
        shared = np.bincount(members[places], minlength=len(sets))[:number]
        yield shared / np.maximum(1, np.minimum(size, sizes[:number]))


def _compare_all(pages: Sequence[_Known], pairs: _Pairs, name: str, processes: int) -> Values:
    """Return a row for each pair; equal pages are not measured, as nothing more is needed."""
    rows = np.ones((len(pairs.page), 1 + 2 * len(MEASURES) + len(AGAINST)))
    todo: dict[int, list[int]] = defaultdict(list)
    for row, (page, exact) in enumerate(zip(pairs.page, pairs.exact, strict=True)):
        if not exact:
            todo[page].append(row)
    tasks = [
        (pages[page].outline, [pages[pairs.earlier[row]].outline for row in of_page])
        for page, of_page in todo.items()
    ]
    total = sum(map(len, todo.values()))
    with progress_bar(total, f"{name}: compare") as advance:
        for of_page, done in zip(todo.values(), _mapped(tasks, processes), strict=True):
            rows[of_page] = done
            advance(len(done))
    return rows


def _mapped(
    tasks: Sequence[tuple[Outline, list[Outline]]], processes: int
) -> Iterable[list[list[float]]]:
    if processes < 2:
        yield from map(_compare, tasks)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        yield from pool.map(_compare, tasks)


def _compare(task: tuple[Outline, list[Outline]]) -> list[list[float]]:
    """Compare a page with earlier ones: reach, measures of both, what speaks against each pair."""
    outline, others = task
    page, test = Prepared(outline), SentenceTest()
    rows: list[list[float]] = []
    for other in others:
        pair = Pair(page, Prepared(other))
        hashes, shingles = compare_hashes(pair), compare_shingles(pair)
        deep = compare_deeply(shingles, pair, test).deep
        assert deep  # just made
        reach = min(max(hashes.overlap[1:]), max(shingles.overlap[1:]))
        both = [[getattr(deep, name)[side] for name in MEASURES] for side in (0, 1)]
        rows.append([reach, *both[0], *both[1], *_against(deep)])
    return rows


def _against(deep: Deep) -> tuple[float, float, float, float]:
    """Return what the judge subtracts, each part alone and without its weight."""
    none = replace(deep, swapped=0, subject=0, replaced=0)
    return (
        judge.other_facts(replace(none, swapped=deep.swapped)) / judge.SWAPPED_WEIGHT,
        judge.other_facts(replace(none, subject=deep.subject)) / judge.SUBJECT_WEIGHT,
        judge.other_facts(replace(none, replaced=deep.replaced)) / judge.REPLACED_WEIGHT,
        1 / max(1, min(deep.words)),
    )
