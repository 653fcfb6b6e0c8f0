"""`scrapy dedup drops`: list which pages were dropped, in favour of which, and why."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dedup_middleware.errors import NotAStore
from dedup_middleware.review.decisions import Journals, escaped
from dedup_middleware.verdict import Action, Kind

from . import journals
from .terminal import Table, complain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.review.decisions import Decision


def add_arguments(parser: argparse.ArgumentParser) -> None:
    journals.add_arguments(parser)
    runs = parser.add_mutually_exclusive_group()
    runs.add_argument("--run", metavar="RUN", help="a run of the store, instead of the newest")
    runs.add_argument("--all-runs", action="store_true", help="all runs of the store")
    parser.add_argument(
        "--verdict",
        type=_kinds,
        metavar="KIND,…",
        help="decisions of these kinds, whatever was done, instead of all that was dropped",
    )
    parser.add_argument("--host", type=_host, help="pages of this host and its sub-domains")
    parser.add_argument("--original", metavar="PREFIX", help="originals whose URL begins so")
    parser.add_argument("--json", action="store_true", help="print the lines of the journal")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    found = _of_run(journals.find(opts), opts)
    tests, needles = _filters(opts)
    table, shown = Table(sys.stdout), 0
    for decision in Journals(found, complain).decisions(*needles):
        if all(test(decision) for test in tests):
            shown += 1
            if opts.json:
                sys.stdout.write(f"{decision.json}\n")
            else:
                table.add(decision)
    if not shown:
        where = found[0] if len(found) == 1 else f"{len(found)} journals"
        complain(f"No decision matches in {where}")
    return 0


def _of_run(found: list[Path], opts: argparse.Namespace) -> list[Path]:
    if opts.all_runs or opts.journal:
        return found
    if opts.run is None:
        return found[-1:]
    chosen = [path for path in found if path.stem == opts.run]
    if not chosen:
        known = ", ".join(path.stem for path in found[-5:])
        raise NotAStore(f"There is no journal of a run {opts.run}; the newest runs are {known}")
    return chosen


def _filters(
    opts: argparse.Namespace,
) -> tuple[list[Callable[[Decision], bool]], list[list[bytes]]]:
    """Turn the options into tests of a decision, and what its line must hold for them."""
    tests: list[Callable[[Decision], bool]] = []
    needles: list[list[bytes]] = []
    if opts.verdict:
        tests.append(lambda decision: decision.verdict in opts.verdict)
        needles.append([f'"{kind}"'.encode() for kind in opts.verdict])
    else:
        tests.append(lambda decision: decision.action == Action.DROP)
        needles.append([f'"{Action.DROP}"'.encode()])
    if opts.run:
        tests.append(lambda decision: decision.entry.get("run") == opts.run)
    if opts.original:
        tests.append(lambda decision: (decision.original or "").startswith(opts.original))
        needles.append([escaped(opts.original)])
    if opts.host:
        tests.append(lambda decision: _is_of_host(decision.url, opts.host))
    return tests, needles


def _kinds(text: str) -> list[str]:
    kinds = [kind.strip() for kind in text.lower().split(",") if kind.strip()]
    unknown = [kind for kind in kinds if kind not in set(map(str, Kind))]
    if unknown or not kinds:
        raise argparse.ArgumentTypeError(
            f"{', '.join(unknown) or 'nothing'}: name some of {', '.join(map(str, Kind))}"
        )
    return kinds


def _host(text: str) -> str:
    """Read a host as people write it, and a URL for the host that it names."""
    host = urlsplit(text).hostname if "://" in text else text
    return _ascii(host or text)


def _is_of_host(url: str, host: str) -> bool:
    try:
        name = urlsplit(url).hostname
    except ValueError:
        return False
    name = _ascii(name or "")
    return name == host or name.endswith(f".{host}")


def _ascii(host: str) -> str:
    host = host.lower().strip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host
