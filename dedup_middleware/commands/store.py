"""`scrapy dedup store`: tell what a store holds, or check that it is whole."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import Settings
from dedup_middleware.text import safe, scrapy_command, short_path, size

from . import _journals
from ._progress import progress_bar
from ._screen import Column, screen
from ._screen import add_arguments as add_output_arguments

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.runs import Contents
    from dedup_middleware.store.damage import Damages

    from ._screen import Screen

_LABEL = 12
_MOST_PASSES = 3


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("info", "verify"), help="what it holds; whether it is whole"
    )
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="folder of the store, instead of the newest"
    )
    parser.add_argument(
        "--mend", action="store_true", help="with verify: put right what can be, then check again"
    )
    add_output_arguments(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    path, map_size = opts.store or _journals.newest_store(), Settings.from_scrapy(settings).map_size
    if opts.mend and opts.what != "verify":
        opts.parser.error("--mend goes with verify")
    with screen(opts) as out:
        return (_info if opts.what == "info" else _verify)(path, map_size, opts, out)


def _info(path: Path, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.runs import contents  # brings numpy and its kind
    from dedup_middleware.store import open_reader

    with open_reader(path, map_size=map_size) as store:
        held = contents(store)
    if opts.json:
        tables = {name: table._asdict() for name, table in held.tables.items()}
        out.write(f"{json.dumps({'store': str(path), **asdict(held), 'tables': tables})}\n")
        return 0
    for name, value in _rows(path, held):
        out.write(f"{out.paint(f'{name:<{_LABEL}}', 'bold')} {safe(value)}\n")
    out.title("Tables")
    out.table(
        (Column("table"), Column("entries", right=True), Column("size", right=True)),
        ([name, f"{one.entries:,}", size(one.size)] for name, one in held.tables.items()),
    )
    return 0


def _rows(path: Path, held: Contents) -> Iterator[tuple[str, str]]:
    yield "Store", short_path(path)
    yield "Scheme", held.scheme
    yield "Method", held.method
    yield "Runs", f"{held.runs:,}{f', {held.alive:,} alive' if held.alive else ''}"
    yield "Pages", f"{held.pages:,}, {held.pending:,} of them pending"
    yield "URLs", f"{held.urls:,}, {held.aliases:,} of them show what another page shows"
    yield "Decisions", f"{held.decisions:,}"
    yield "On disk", f"{size(held.file_size)}, and {size(held.journal_size)} of journals"


def _verify(path: Path, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.verify import repair  # brings numpy and its kind

    findings = _checked(path, map_size)
    mended: list[Damages] = []
    while opts.mend and findings.repairable and len(mended) < _MOST_PASSES:
        mended.append(findings)
        repair(path, findings, map_size)
        findings = _checked(path, map_size)
    if opts.json:
        told = {**_as_json(path, findings), "mended": [_problems(one) for one in mended]}
        out.write(f"{json.dumps(told)}\n")
    else:
        _tell(path, findings, mended, out)
    return int(bool(findings.found))


def _checked(path: Path, map_size: int) -> Damages:
    from dedup_middleware.inspect.verify import verify
    from dedup_middleware.store import open_reader

    with open_reader(path, map_size=map_size) as store:
        with store.snapshot() as view:
            total = sum(one.entries for one in view.sizes().values())
        with progress_bar(total, "Checking") as bar:
            return verify(store, bar.advance)


def _tell(path: Path, findings: Damages, mended: list[Damages], out: Screen) -> None:
    for one in mended:
        for finding in one.found.values():
            if finding.damage.repair:
                out.write(f"Mended: {safe(finding.damage.description)} ({finding.count:,})\n")
    for finding in findings.found.values():
        line = f"{finding.damage.description} ({finding.count:,}), as {finding.example}"
        out.write(f"{out.paint('Damage', 'bold red')}: {safe(line)}\n")
        if finding.damage.repair:
            out.write(f"        Mending {finding.damage.repair}.\n")
        else:
            out.write("        This can't be mended; the rest of the store is not concerned.\n")
    for note in findings.notes:
        out.write(f"Note: {safe(note)}\n")
    if findings.repairable:
        command = f"{scrapy_command()} dedup store verify --mend --store {short_path(path)}"
        out.write(f"To mend: {safe(command)}\n")
    elif not findings.found:
        out.write(f"{out.paint('Whole', 'bold green')}: {safe(short_path(path))}\n")


def _as_json(path: Path, findings: Damages) -> dict[str, Any]:
    return {
        "store": str(path),
        "whole": not findings.found,
        "damage": _problems(findings),
        "notes": findings.notes,
    }


def _problems(findings: Damages) -> list[dict[str, Any]]:
    return [
        {
            "kind": finding.damage.name.lower(),
            "what": finding.damage.description,
            "count": finding.count,
            "example": finding.example,
            "mending": finding.damage.repair or None,
        }
        for finding in findings.found.values()
    ]
