"""One method on one set, from its pages to its figures."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.peers import Peer
from dedup_middleware.methods import Document

from .measured import Measured
from .memory import peak_memory
from .output import as_error
from .passes import Passed, Watch, pass_over, simulate_peer
from .points import points_of
from .run import run
from .scoring import NOTHING, score
from .sets import labels_of
from .simulate import Simulation
from .stream import MAIN, TEXTS, Pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dedup_middleware.methods import Method

    from .methods import Entry
    from .scoring import Label, Said
    from .sets import PageSet

_WARMING = "The tide of day {} came at noon and lifted all boats in the harbour. Nobody saw it. "


@dataclass(frozen=True, slots=True)
class Task:
    """What a process of its own does."""

    entry: Entry
    page_set: PageSet
    text: str
    data: str
    code: str

    def __str__(self) -> str:
        return f"{self.entry.name} on {self.page_set.name} ({TEXTS[self.text]})"


@dataclass(frozen=True, slots=True)
class _Shipped:
    """What a method says as it ships, and what that takes."""

    said: Mapping[str, Said]
    milliseconds: float
    peak: int


def measure(task: Task) -> Measured:
    """Do a task: the method as it ships, with time and memory, then at all thresholds."""
    started, problems = time.process_time(), list[str]()
    labels = labels_of(task.page_set, problems)
    made = task.entry.make()
    _warm_up(task.entry.make())
    before = peak_memory()
    # the deduplicator itself says what the cascade gives as it ships; it reads main text only
    if task.entry.is_cascade and task.text == MAIN:
        shipped = _deduplicated(task, problems)
        passed = _passed(task, task.entry.make_loosest, [])
        thresholds, simulation = _simulated(made, passed)
    else:
        passed = _passed(task, task.entry.make, problems)
        thresholds, simulation = (
            _simulated_peer(task, made) if isinstance(made, Peer) else _simulated(made, passed)
        )
        took = passed.pages.reading + passed.milliseconds
        shipped = _Shipped(simulation.said(thresholds.index(made.threshold)), took, passed.peak)
        if task.entry.has_looser:
            passed = _passed(task, task.entry.make_loosest, [])
            thresholds, simulation = _simulated(made, passed)
    right = score(labels, shipped.said)
    pages = max(1, len(passed.pages.urls))
    return Measured(
        method=task.entry.key,
        set=task.page_set.name,
        text=task.text,
        data=task.data,
        code=task.code,
        label=task.entry.label,
        knob=made.knob if isinstance(made, Peer) else "threshold",
        thresholds=list(thresholds),
        default=thresholds.index(made.threshold),
        figures=simulation.figures(labels),
        shipped=right,
        confusion=confusion(labels, shipped.said),
        pages=len(passed.pages.urls),
        ms_parsing=passed.pages.parsing / pages,
        ms_reading=passed.pages.reading / pages,
        ms=shipped.milliseconds / pages,
        peak=shipped.peak,
        peak_before=before,
        seconds=time.process_time() - started,
        errors=[as_error(one) for one in right.mistakes] if task.entry.is_cascade else [],
        obtained=passed.obtained,
        problems=problems,
    )


def confusion(labels: Iterable[Label], said: Mapping[str, Said]) -> dict[str, dict[str, int]]:
    """Count how often each verdict was given to pages of each gold.

    Where a right original was named, the gold is the kinds that are right for it, else those of
    the first one.

    >>> from benchmarks.accuracy.scoring import Label, Said
    >>> labels = [Label("b", "positive", {"a": ["near", "contained"]}), Label("c", "negative", {})]
    >>> confusion(labels, {"b": Said("near", "a")})
    {'near/contained': {'near': 1}, 'negative': {'unique': 1}}
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for label in labels:
        if label.gold == "skip":
            continue
        verdict = said.get(label.url, NOTHING)
        gold = {"ignore": "left open"}.get(label.gold, label.gold)
        if label.gold == "positive":
            right = label.positives.get(verdict.original or "")
            gold = "/".join(right or next(iter(label.positives.values()), ()))
        counts[gold]["unique" if verdict.kind == "updated" else verdict.kind] += 1
    return {gold: dict(of_gold) for gold, of_gold in counts.items()}


def _deduplicated(task: Task, problems: list[str]) -> _Shipped:
    result = run(task.page_set, {}, quiet=True)
    problems += [problem for problem in result.problems if problem not in problems]
    return _Shipped(result.said, sum(result.milliseconds), result.peak_memory)


def _passed(task: Task, make: Callable[[], Method], problems: list[str]) -> Passed:
    pages = Pages(task.page_set, task.text, problems)
    return pass_over(pages, make, Watch(str(task), problems))


def _simulated(made: Method, passed: Passed) -> tuple[tuple[float, ...], Simulation]:
    """Tell what a store would say at all thresholds of a method."""
    points = points_of(made)
    simulation = Simulation(len(points.thresholds))
    pages = passed.pages
    found = passed.scores.found(points, len(pages.urls))
    for url, words, equal, one in zip(pages.urls, pages.words, pages.equal, found, strict=True):
        simulation.see(url, words, equal, one)
    return points.thresholds, simulation


def _simulated_peer(task: Task, made: Peer) -> tuple[tuple[float, ...], Simulation]:
    pages = Pages(task.page_set, task.text, [])  # what is wrong with them has been told
    return made.grid, simulate_peer(pages, made, Watch(str(task), []))


def _warm_up(made: Method) -> None:
    """Compare two documents: what is loaded or built once is no cost of a page."""
    for day in ("one", "two"):
        text = _WARMING.format(day) * 9
        made.candidates(Document.of_text(day, text))
        made.add(Document.of_text(day, text))
