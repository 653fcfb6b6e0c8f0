"""Command: `python -m benchmarks.fuzz --minutes N [FOLDER…]`."""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import resource
import signal
import time
import traceback
import zlib
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core
from dedup_middleware.errors import CoreError

from .checks import check
from .inputs import random_page, seeds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

PATIENCE = 10  # seconds of CPU time for an input: a busy machine is no failure
MOST_MEMORY = 3 << 30
SLOW = 0.1  # seconds in the core


class Job(NamedTuple):
    """What a process of its own does, until its time is over or an input breaks it."""

    folder: Path
    pages: list[bytes]
    seed: int
    until: float

    @property
    def current(self) -> Path:
        return self.folder / f"current-{self.seed}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was run and what failed; return 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="pages to begin with")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--output", type=Path, default=Path("output/fuzz"), help="failed inputs")
    parser.add_argument("--again", action="store_true", help="run the files that are given, once")
    options = parser.parse_args(arguments)
    try:
        core.load()
    except CoreError as error:
        parser.error(str(error))
    if options.again:
        for path in options.folders:
            _run(path.read_bytes())
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    pages = list(seeds(options.folders))
    until = time.monotonic() + 60 * options.minutes
    seed, failures = options.seed, 0
    print(f"{len(pages)} pages to begin with; first seed {seed}")
    jobs = [Job(options.output, pages, seed + job, until) for job in range(options.jobs)]
    running = [_started(job) for job in jobs]
    seed += options.jobs
    while running:
        job, process, reports = running.pop(0)
        process.join(1)
        while reports.poll():
            try:
                print(f"seed {job.seed}: {reports.recv()}", flush=True)
            except EOFError:
                break
        if process.is_alive():
            running.append((job, process, reports))
            continue
        if process.exitcode:
            failures += 1
            _keep(job, process.exitcode)
            if time.monotonic() < until:
                running.append(_started(job._replace(seed=seed)))
                seed += 1
        job.current.unlink(missing_ok=True)
    print(f"{failures} failed" if failures else "nothing failed")
    return int(failures > 0)


def _started(job: Job) -> tuple[Job, multiprocessing.process.BaseProcess, Connection]:
    reports, send = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_work, args=(job, send))
    process.start()
    send.close()
    return job, process, reports


def _work(job: Job, send: Connection) -> None:
    """Run one input after the other; each is in a file while it runs."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    random = Random(job.seed)
    runs, total = 0, 0
    begin = time.process_time()
    while time.monotonic() < job.until:
        data = random_page(random, job.pages)
        job.current.write_bytes(data)
        try:
            elapsed = _run(data)
        except Exception:  # noqa: BLE001 - whatever it is, it is a find
            send.send(traceback.format_exc())
            send.send(f"{runs} runs before")
            raise SystemExit(1) from None
        if elapsed > SLOW:
            send.send(f"{elapsed:.2f} s in the core for {len(data):,} bytes")
        runs, total = runs + 1, total + len(data)
    spent = time.process_time() - begin
    send.send(f"{runs:,} runs, {total:,} bytes, {spent:.0f} s of CPU time")


def _run(data: bytes) -> float:
    """Check an input; end this process, and say where it was, if that takes too long."""
    faulthandler.enable()
    faulthandler.register(signal.SIGVTALRM, chain=True)  # then the signal ends the process
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        return check(Random(zlib.crc32(data)), data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _keep(job: Job, code: int) -> None:
    data = job.current.read_bytes()
    path = job.folder / f"failed-{zlib.crc32(data):08x}"
    path.write_bytes(data)
    print(f"seed {job.seed}: ended with {code}; its input of {len(data):,} bytes is {path}")


if __name__ == "__main__":
    raise SystemExit(main())
