"""Tasks, each in a process of its own, with their results in files."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqdm import tqdm

from .measured import Measured, read, write
from .measuring import Task, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Work:
    """Where results are kept, and how tasks are done."""

    folder: Path
    jobs: int = 1
    patience: float = 3600.0
    """Seconds after which a task is given up."""
    again: Collection[str] = ()
    """Methods whose results are not taken from files: their names, or `all`."""

    def path(self, task: Task) -> Path:
        name = f"{task.page_set.name}.{task.text}.json"
        return self.folder / "results" / task.entry.key / name

    def kept(self, task: Task) -> Measured | None:
        """Give the result of an earlier run, if the data are the same."""
        if "all" in self.again or task.entry.name in self.again:
            return None
        found = read(self.path(task))
        return found if found and found.data == task.data else None


def do_all(tasks: Sequence[Task], work: Work, problems: list[str]) -> list[Measured]:
    """Do all tasks that were not done before; what fails is told, and the rest goes on."""
    results: dict[Task, Measured] = {
        task: kept for task in tasks if (kept := work.kept(task)) is not None
    }
    left = [task for task in tasks if task not in results]
    total = sum(task.page_set.size or 1 for task in tasks)
    done = total - sum(task.page_set.size or 1 for task in left)
    with tqdm(total=total, initial=done, unit="page", disable=None, smoothing=0) as progress:

        def do(task: Task) -> None:
            progress.set_description(str(task))
            result, told = _do(task, work)
            for problem in told:
                progress.write(problem, file=sys.stderr)
            problems.extend(told)
            if result:
                results[task] = result
            progress.update(task.page_set.size or 1)

        _each(left, do, work.jobs)
    return [results[task] for task in tasks if task in results]


def _each(tasks: Sequence[Task], do: Callable[[Task], None], jobs: int) -> None:
    if jobs == 1:  # in this thread, which Ctrl-C interrupts
        for task in tasks:
            do(task)
        return
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(do, tasks))


def _do(task: Task, work: Work) -> tuple[Measured | None, list[str]]:
    """Do a task in a process of its own; give its result and what is wrong with it."""
    path = work.path(task)
    path.unlink(missing_ok=True)
    ours, theirs = _spawn.Pipe(duplex=False)
    process = _spawn.Process(target=_work, args=(task, path, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(work.patience):
            return None, [f"{task}: not finished after {work.patience:g} s; given up"]
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
    result = None if failure else read(path)
    if result is None:
        return None, [f"{task}: {failure or f'{path} can not be read'}"]
    return result, result.problems


def _work(task: Task, path: Path, done: Connection) -> None:
    failure = ""
    try:
        write(measure(task), path)
    except KeyboardInterrupt:
        failure = "interrupted"
    except Exception as error:  # noqa: BLE001 - told by the process that waits
        failure = f"{type(error).__name__}: {error}"
    with suppress(BrokenPipeError):
        done.send(failure)
