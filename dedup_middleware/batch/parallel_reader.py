"""Pages that other processes read ahead, in the order of the input.

Verdicts depend on the order in which pages arrive, so one process judges them all. Reading and
fingerprinting depend on nothing, and are half of the work. Each reader goes through the whole
input and takes a handful of units in turn, so that no process has to hand out the input: to skip a
unit costs next to nothing. What they send comes through pipes, which make them wait when they are
too far ahead.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.fingerprint.subject import Subject, read_subject

from .sources import Problem, Problems, Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    _Place = tuple[int, int]  # the number of the next unit, and the trail up to it

HANDFUL = 8
_SECONDS = 1.0  # that a reader may take to end
_PIPE = 1 << 20  # bytes that may wait in a pipe, where the system allows it
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from dedup_middleware.batch.parallel_reader import main; main()"
)


class ReaderDied(DedupError):
    """A process that reads pages ahead ended before its time."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What a reader is to do."""

    paths: tuple[Path, ...]
    leave_out: tuple[Path, ...]
    max_html: int
    max_text: int
    number: int
    of: int


@dataclass(frozen=True, slots=True)
class _TurnEnd:
    """Where a reader was when its turn began and ended, and what it has counted in all."""

    began: _Place
    ended: _Place
    bytes_read: int
    skipped: int
    revisits: int
    archives: tuple[tuple[Path, int], ...] | None = None
    """All archives, if this is the end of the input."""


class ParallelReader:
    """The pages under some paths, read by `workers` processes; otherwise as `Sources`."""

    def __init__(
        self,
        paths: Iterable[Path],
        warn: Callable[[str], object],
        *,
        max_html: int,
        max_text: int,
        workers: int,
        leave_out: Iterable[Path] = (),
    ) -> None:
        self.bytes_read = 0
        self.unit = 0
        self.archives: Sequence[tuple[Path, int]] = ()
        self._problems = Problems(warn)
        named, left_out = tuple(paths), tuple(leave_out)
        self._sources = Sources(named, warn, max_html=max_html, leave_out=left_out)
        self._jobs = [
            _Job(named, left_out, max_html, max_text, number, workers) for number in range(workers)
        ]
        self._ends: list[_TurnEnd | None] = [None] * workers

    @property
    def problems(self) -> int:
        return self._problems.count

    @property
    def skipped(self) -> int:
        return sum(end.skipped for end in self._ends if end)

    @property
    def revisits(self) -> int:
        return sum(end.revisits for end in self._ends if end)

    def size(self) -> int:
        return self._sources.size()

    def __iter__(self) -> Iterator[Subject]:
        return self.pages()

    def pages(self) -> Generator[Subject, None, None]:
        with ExitStack() as stack:
            readers = [stack.enter_context(closing(_Reader(job))) for job in self._jobs]
            place = (0, 0)
            for number in cycle(range(len(readers))):
                yield from self._turn(readers[number])
                end = self._ends[number] = readers[number].end
                if end.began != place:
                    raise DedupError("The input has changed while it was read; scan it again")
                place = end.ended
                self.bytes_read = end.bytes_read
                if end.archives is not None:
                    self.archives = end.archives
                    break
        self._problems.flush()

    def _turn(self, reader: _Reader) -> Iterator[Subject]:
        for answer in reader.turn():
            if isinstance(answer, Problem):
                self._problems.add(answer)
            else:
                self.unit, page = answer
                yield page


class _Reader:
    """A process that reads, and what it has sent."""

    def __init__(self, job: _Job) -> None:
        with _without_ctrl_c():
            self._process = subprocess.Popen(  # noqa: S603  # this same Python
                [sys.executable, "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=_PIPE,
            )
        assert self._process.stdin  # noqa: S101  # for mypy
        assert self._process.stdout  # noqa: S101  # likewise
        self._sent: BinaryIO = self._process.stdout  # type: ignore[assignment]  # a buffered one
        self.end = _TurnEnd((0, 0), (0, 0), 0, 0, 0)
        """The report of its last turn."""
        _widen(self._sent.fileno())
        with suppress(BrokenPipeError), self._process.stdin as stdin:
            pickle.dump(job, stdin)

    def turn(self) -> Iterator[Problem | tuple[int, Subject]]:
        """Yield what it sends up to the end of its turn: problems, and pages with their units."""
        while True:
            try:
                answer = pickle.load(self._sent)  # noqa: S301  # from a process of ours
            except Exception:  # noqa: BLE001  # of what is no pickle, it raises anything
                raise ReaderDied(
                    f"A process that read pages ended too early ({self._how()}). What was judged "
                    "so far is kept; with the same --store, a new scan finds it again"
                ) from None
            if isinstance(answer, _TurnEnd):
                self.end = answer
                return
            yield answer

    def _how(self) -> str:
        try:
            code = self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:  # it lives, and waits itself: something else was sent
            self._process.kill()
            self._process.wait()
            return "something else was in what it sent"
        if code < 0:
            return f"killed by {signal.Signals(-code).name}; perhaps there is too little memory"
        return f"exit code {code}"

    def close(self) -> None:
        self._process.kill()  # it only reads
        self._sent.close()
        self._process.wait()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Start processes that do not hear of Ctrl-C: it is for this one, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _widen(pipe: int) -> None:
    """Let more wait in a pipe than the usual 64 kB: pages are larger than that."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


class _Shared(Sources):
    """Sources of which this process takes a handful of units in turn."""

    def __init__(self, job: _Job, send: Callable[[object], object]) -> None:
        super().__init__(job.paths, send, max_html=job.max_html, leave_out=job.leave_out)
        self._job = job
        self._send = send

    def wants(self) -> bool:
        return self.unit // HANDFUL % self._job.of == self._job.number

    def report(self, problem: Problem) -> None:
        self._send(problem)


def main() -> None:
    """Read what the parent asks for, and send it."""
    job: _Job = pickle.load(sys.stdin.buffer)  # noqa: S301  # from our parent
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=_PIPE)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # so that a stray print does no harm
    try:
        _read(job, out)
    except BrokenPipeError:  # the parent has ended
        os._exit(0)


def _read(job: _Job, out: BinaryIO) -> None:
    def send(answer: object) -> None:
        pickle.dump(answer, out, pickle.HIGHEST_PROTOCOL)

    def end_turn(end: _Place, archives: Iterable[tuple[Path, int]] | None = None) -> None:
        counts = (sources.bytes_read, sources.skipped, sources.revisits)
        send(_TurnEnd(began, end, *counts, None if archives is None else tuple(archives)))
        out.flush()

    sources, began = _Shared(job, send), (0, 0)
    for page in sources.each_unit():
        if page:
            made = read_subject(page, max_html=job.max_html, max_text=job.max_text)
            send((sources.unit, made))
        following = sources.unit + 1
        if following % HANDFUL == 0:
            place = (following, sources.trail)
            if sources.wants():
                end_turn(place)
            began = place
    end_turn((sources.unit, sources.trail), sources.archives)
