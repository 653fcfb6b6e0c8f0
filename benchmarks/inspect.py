"""Command: `python -m benchmarks.inspect`: search a big journal for hosts, compared to `grep`."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lab.measure import spread
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SITES = 1_000
HOSTS = {"rare.example": 0.001, "common.example": 0.01, "half.example": 0.5}
"""Hosts to search for, with their shares of the lines; other sites have the rest."""
VERDICTS = {"unique": 0.6, "near": 0.2, "exact": 0.15, "contained": 0.05}
_SEED = 1
_PIECE = 1 << 20


class Times(NamedTuple):
    """Times of a process, in seconds."""

    wall: float
    cpu: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a journal, search it for each host with both commands, print the ratios."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        journal = Path(folder, "journal.jsonl")
        with journal.open("wb") as file:
            file.writelines(lines(options.lines))
        size = journal.stat().st_size
        print(f"{options.lines:,} lines, {size / 1e6:,.0f} MB; {options.rounds} rounds")
        rows = [_row(host, journal, options.rounds) for host in HOSTS]
    print(table(("host", "of lines", "grep s", "drops s", "wall ratio", "CPU ratio"), rows))
    print("grep -F HOST FILE against scrapy dedup drops --host HOST; median [quartiles]")
    return 0


def lines(count: int) -> Iterator[bytes]:
    """Yield the lines of a journal, with verdicts and hosts as in a crawl of many sites.

    >>> entry = json.loads(next(lines(1)))
    >>> entry["seq"], entry["action"] in {"pass", "drop"}
    (1, True)
    """
    rng = random.Random(_SEED)
    sites = [*HOSTS, *(f"site{number}.example" for number in range(SITES))]
    rest = (1 - sum(HOSTS.values())) / SITES
    weights = [*HOSTS.values(), *[rest] * SITES]
    kinds = list(VERDICTS)
    hosts = rng.choices(sites, weights, k=count)
    verdicts = rng.choices(kinds, list(VERDICTS.values()), k=count)
    for sequence, (host, verdict) in enumerate(zip(hosts, verdicts, strict=True), 1):
        entry = _entry(sequence, host, verdict, rng.random())
        yield json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _entry(sequence: int, host: str, verdict: str, chance: float) -> dict[str, object]:
    url = f"https://www.{host}/articles/{sequence % 977}/a-page-about-{sequence}.html"
    known = verdict != "unique"
    original = f"https://www.{host}/articles/a-page-about-{sequence // 2}.html" if known else None
    share = round(0.72 + 0.28 * chance, 4)
    scores = {
        "simhash_distance": 2,
        "resemblance": share,
        "containment": share,
        "known": [share, 1],
    }
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_700_000_000 + sequence // 50))
    return {
        "v": 1,
        "seq": sequence,
        "time": f"{seconds}.{sequence % 1000:03}+00:00",
        "run": "20231114T221320-000000",
        "spider": "news",
        "url": url,
        "verdict": verdict,
        "action": "drop" if known else "pass",
        "original": original,
        "swallowed": [],
        "stage": "sentences" if known else "lookup",
        "model": 0,
        "scores": scores if known else {},
        "reason": (
            f"40 of 42 sentences (95%) also appear in {original} in the same order; 2 are new."
            if known
            else "Nothing like it is known."
        ),
        "ms": round(5 + 20 * chance, 2),
        "bytes": 20_000 + sequence % 50_000,
    }


def _row(host: str, journal: Path, rounds: int) -> list[str]:
    grep = ["grep", "-F", host, str(journal)]
    drops = [sys.executable, "-m", "scrapy", "dedup", "drops", "--host", host]
    drops += ["--journal", str(journal)]
    pairs = [(_run(grep), _run(drops)) for _ in range(rounds)]
    return [
        host,
        f"{HOSTS[host]:.1%}",
        str(spread([one.wall for one, _ in pairs])),
        str(spread([other.wall for _, other in pairs])),
        str(spread([other.wall / one.wall for one, other in pairs])),
        str(spread([other.cpu / one.cpu for one, other in pairs])),
    ]


def _run(command: Sequence[str]) -> Times:
    """Run a command and read its output: grep stops at once if nobody does."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout
    while process.stdout.read(_PIECE):
        pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Times(time.perf_counter() - started, usage.ru_utime + usage.ru_stime)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.inspect",
        description="Time searches in a big journal, compared with grep.",
    )
    parser.add_argument("--lines", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="make the journal here")
    return parser


if __name__ == "__main__":
    sys.exit(main())
