"""Command: `python -m benchmarks.torture [KIND…] --minutes N`, or none of them for the totals."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from .kinds import KINDS, OUTPUT, ROOT, fuzz_figures
from .ledger import Entry, append, next_seed, read, totals

if TYPE_CHECKING:
    from collections.abc import Sequence

LEDGER = Path(__file__).with_name("ledger.jsonl")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run kinds in turn, each from its next seed, until the time is over; return 1 on a failure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"all, or some of {', '.join(KINDS)}"
    )
    parser.add_argument("--minutes", type=float, default=10, help="a run that has begun ends")
    parser.add_argument("--ledger", type=Path, default=LEDGER)
    options = parser.parse_args(arguments)
    kinds = [*KINDS] if options.kinds == ["all"] else options.kinds
    if unknown := {*kinds} - {*KINDS}:
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * options.minutes
    failures, turn = 0, 0
    while kinds and time.monotonic() < until:
        kind = kinds[turn % len(kinds)]
        entry = run(kind, next_seed(read(options.ledger), kind))
        append(options.ledger, entry)
        print(entry, flush=True)
        failures += not entry.passed
        turn += 1
    print(totals(read(options.ledger)))
    return int(failures > 0)


def run(kind: str, seed: int) -> Entry:
    """Run a kind from one seed; what a failure printed is kept in the output folder."""
    commit = _commit()
    work = KINDS[kind](seed)
    figures = OUTPUT.absolute() / f"figures-{os.getpid()}"
    figures.unlink(missing_ok=True)
    before = _cpu()
    done = subprocess.run(
        work.command,
        cwd=work.folder,
        env={**os.environ, **work.environment, "FAULTS_FIGURES": str(figures)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    cpu = round(_cpu() - before)
    sums = Counter(fuzz_figures(done.stdout) if kind == "fuzz" else {})
    for line in figures.read_text().splitlines() if figures.exists() else ():
        sums.update(json.loads(line))
    figures.unlink(missing_ok=True)
    if done.returncode:
        (OUTPUT / f"{kind}-{seed}.log").write_text(done.stdout)
    return Entry(kind, seed, commit, done.returncode == 0, cpu, dict(sums))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _commit() -> str:
    """Return the last commit of what is tested; it ends in `+` if files differ from it."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words, "--", "dedup_middleware", "native"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    return git("log", "-1", "--format=%h") + "+" * bool(git("status", "--porcelain"))


if __name__ == "__main__":
    raise SystemExit(main())
