"""Tasks: one method on one set, each measured in a process of its own, its result in a file."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.methods import Document
from lab.measure import fresh_processes, peak_memory
from lab.peers import Peer
from lab.progress import progress_bar

from .actions import action_rows, actions
from .cascade import as_error, run
from .passes import MAIN, TEXTS, Pages, Passed, Watch, pass_over, simulate_peer
from .results import Measured, read_measured, write_measured
from .scoring import UNIQUE, Figures, score
from .sets import labels_of
from .simulate import Simulation, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from dedup_middleware.methods import Method

    from .methods import Entry
    from .scoring import Judgement, Label
    from .sets import PageSet

_WARMING = "The tide of day {} came at noon and lifted all boats in the harbour. Nobody saw it. "
_fresh = fresh_processes()


@dataclass(frozen=True, slots=True)
class Task:
    """A method, a set and a text, measured together."""

    entry: Entry
    page_set: PageSet
    text: str
    data: str
    code: str
    shipped: bool = False
    """Whether it is measured as it ships only, without passes that other thresholds need."""

    def __str__(self) -> str:
        return f"{self.entry.name} on {self.page_set.name} ({TEXTS[self.text]})"


@dataclass(frozen=True, slots=True)
class Work:
    """Where results are kept, and how tasks are run."""

    folder: Path
    jobs: int = 1
    patience: float = 3600.0
    """Seconds after which a task is stopped."""
    minutes: float | None = None
    """Of the clock, after which no task is started."""
    again: Collection[str] = ()
    """Methods that are measured even if there is a result: their names, or `all`."""

    def path(self, task: Task) -> Path:
        name = f"{task.page_set.name}.{task.text}.json"
        return self.folder / "results" / task.entry.key / name

    def kept(self, task: Task) -> Measured | None:
        """Return the result of an earlier run of the same program on the same data."""
        if "all" in self.again or task.entry.name in self.again:
            return None
        found = read_measured(self.path(task))
        if found is None or (found.data, found.code) != (task.data, task.code):
            return None
        return found if task.shipped or len(found.thresholds) > 1 else None


def run_all(tasks: Sequence[Task], work: Work, problems: list[str]) -> list[Measured]:
    """Run all tasks without a result; report what fails, and go on."""
    results: dict[Task, Measured] = {
        task: kept for task in tasks if (kept := work.kept(task)) is not None
    }
    left = [task for task in tasks if task not in results]
    total = sum(task.page_set.size or 1 for task in left)
    end = time.monotonic() + 60 * work.minutes if work.minutes else None
    with progress_bar(total, "pages of all tasks") as advance:

        def run_one(task: Task) -> None:
            if end and time.monotonic() > end:
                result, found = None, [f"{task}: not measured, there was no time left"]
            else:
                result, found = _run(task, work)
            for problem in found:
                print(problem, file=sys.stderr)
            problems.extend(found)
            if result:
                results[task] = result
            advance(task.page_set.size or 1)

        _run_each(left, run_one, work.jobs)
    return [results[task] for task in tasks if task in results]


def _run_each(tasks: Sequence[Task], run_one: Callable[[Task], None], jobs: int) -> None:
    if jobs == 1:  # in this thread, which Ctrl-C interrupts
        for task in tasks:
            run_one(task)
        return
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_one, tasks))


def _run(task: Task, work: Work) -> tuple[Measured | None, list[str]]:
    """Run a task in a process of its own; return its result and its problems."""
    path = work.path(task)
    path.unlink(missing_ok=True)
    ours, theirs = _fresh.Pipe(duplex=False)
    process = _fresh.Process(target=_measure_in_process, args=(task, path, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(work.patience):
            return None, [f"{task}: not finished after {work.patience:g} s; stopped"]
        try:
            failure: str = ours.recv()
        except EOFError:
            process.join()
            return None, [f"{task}: its process died with code {process.exitcode}"]
    finally:
        if process.is_alive():
            process.join(1)
        if process.is_alive():
            process.kill()
        process.join()
    result = None if failure else read_measured(path)
    if result is None:
        return None, [f"{task}: {failure or f'{path} can not be read'}"]
    return result, result.problems


def _measure_in_process(task: Task, path: Path, done: Connection) -> None:
    failure = ""
    try:
        write_measured(measure(task), path)
    except KeyboardInterrupt:
        failure = "interrupted"
    except Exception as error:  # noqa: BLE001 - reported by the process that waits
        failure = f"{type(error).__name__}: {error}"
    with suppress(BrokenPipeError):
        done.send(failure)


@dataclass(frozen=True, slots=True)
class _Shipped:
    """The verdicts of a method as it ships, and their cost."""

    verdicts: Mapping[str, Judgement]
    milliseconds: float
    peak: int


def measure(task: Task) -> Measured:
    """Measure a method as it ships, with time and memory, then at all thresholds."""
    started, problems = time.process_time(), list[str]()
    labels = labels_of(task.page_set, problems)
    made = task.entry.make()
    _warm_up(task.entry.make())
    before = peak_memory()
    # as it ships, the cascade is the deduplicator itself, which reads main text only
    if task.entry.is_cascade and task.text == MAIN:
        shipped, pages = _deduplicated(task, problems)
        passed = None if task.shipped else _passed(task, task.entry.make_loosest, [])
        pages = passed.pages if passed else pages
        simulated = _simulated(made, passed) if passed else None
    else:
        passed = _passed(task, task.entry.make, problems)
        pages = passed.pages
        thresholds, simulation = simulated = (
            _simulated_peer(task, made) if isinstance(made, Peer) else _simulated(made, passed)
        )
        took = pages.reading + passed.milliseconds
        shipped = _Shipped(simulation.verdicts(thresholds.index(made.threshold)), took, passed.peak)
        if task.entry.has_looser and not task.shipped:
            passed = _passed(task, task.entry.make_loosest, [])
            simulated = _simulated(made, passed)
    scored = score(labels, shipped.verdicts)
    thresholds = simulated[0] if simulated else (made.threshold,)
    count = max(1, len(pages.urls))
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
        figures=simulated[1].figures(labels) if simulated else Figures.of(scored),
        shipped=scored,
        confusion=confusion(labels, shipped.verdicts),
        actions=action_rows(actions(labels, shipped.verdicts)),
        pages=len(pages.urls),
        ms_parsing=pages.parsing / count,
        ms_reading=pages.reading / count,
        ms=shipped.milliseconds / count,
        peak=shipped.peak,
        peak_before=before,
        seconds=time.process_time() - started,
        errors=[as_error(one) for one in scored.mistakes] if task.entry.is_cascade else [],
        obtained=passed.obtained if passed else [],
        problems=problems,
    )


def confusion(
    labels: Iterable[Label], verdicts: Mapping[str, Judgement]
) -> dict[str, dict[str, int]]:
    """Count how often pages of each label got each verdict.

    A positive page counts by the kinds that are right for the original that was named, or for the
    first one if that is wrong.

    >>> from lab.accuracy.scoring import Judgement, Label
    >>> labels = [Label("b", "positive", {"a": ["near", "contained"]}), Label("c", "negative", {})]
    >>> confusion(labels, {"b": Judgement("near", "a")})
    {'near/contained': {'near': 1}, 'negative': {'unique': 1}}
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for label in labels:
        if label.gold == "skip":
            continue
        verdict = verdicts.get(label.url, UNIQUE)
        gold = {"ignore": "left open"}.get(label.gold, label.gold)
        if label.gold == "positive":
            right = label.positives.get(verdict.original or "")
            gold = "/".join(right or next(iter(label.positives.values()), ()))
        counts[gold]["unique" if verdict.kind == "updated" else verdict.kind] += 1
    return {gold: dict(of_gold) for gold, of_gold in counts.items()}


def _deduplicated(task: Task, problems: list[str]) -> tuple[_Shipped, Pages]:
    result = run(task.page_set, {}, quiet=True)
    problems += [problem for problem in result.problems if problem not in problems]
    pages = Pages(task.page_set, task.text, [], urls=[*result.verdicts])
    pages.parsing = sum(result.parsing)
    return _Shipped(result.verdicts, sum(result.milliseconds), result.peak_memory), pages


def _passed(task: Task, make: Callable[[], Method], problems: list[str]) -> Passed:
    pages = Pages(task.page_set, task.text, problems)
    return pass_over(pages, make, Watch(str(task), problems))


def _simulated(made: Method, passed: Passed) -> tuple[tuple[float, ...], Simulation]:
    """Simulate a store at all thresholds of a method."""
    thresholds = thresholds_of(made)
    simulation = Simulation(len(thresholds.values))
    pages = passed.pages
    found = passed.scores.found(thresholds, len(pages.urls))
    for url, words, equal, one in zip(pages.urls, pages.words, pages.equal, found, strict=True):
        simulation.judge(url, words, equal, one)
    return thresholds.values, simulation


def _simulated_peer(task: Task, made: Peer) -> tuple[tuple[float, ...], Simulation]:
    pages = Pages(task.page_set, task.text, [])  # their problems were reported before
    grid = (made.threshold,) if task.shipped else made.grid
    return grid, simulate_peer(pages, made, Watch(str(task), []), grid)


def _warm_up(made: Method) -> None:
    """Compare two documents: what is loaded or built once must not count as cost of a page."""
    for day in ("one", "two"):
        text = _WARMING.format(day) * 9
        made.candidates(Document.of_text(day, text))
        made.add(Document.of_text(day, text))
