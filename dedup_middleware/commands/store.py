"""`scrapy dedup store`: show what a store holds, check, repair or compact it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import scrapy_command, short_path, size
from dedup_middleware.urls import is_url

from . import _arguments, _stores
from ._screen import ProgressBar, Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.stores import Contents
    from dedup_middleware.store.verify import Damages

_LABEL = 12
_MOST_PASSES = 3


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("info", "verify", "compact"),
        default="info",
        help="info (default): show what the store holds; verify: check that it is consistent; "
        "compact: write it anew without gaps, while no process uses it",
    )
    _arguments.add_store(parser)
    parser.add_argument(
        "--repair", action="store_true", help="with verify: repair what can be, then check again"
    )
    _arguments.add_json(parser, "print one JSON object; of info also the size of each table")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if opts.repair and opts.action != "verify":
        opts.parser.error("--repair goes with verify")
    out = Screen.of(opts)
    path, map_size = _stores.store_of_options(opts, out), Settings.from_scrapy(settings).map_size
    if opts.action == "verify":
        return _verify(path, map_size, opts, out)
    if opts.action == "compact":
        return _compact(path, map_size, out)
    return _info(path, map_size, out)


def _info(path: Path | str, map_size: int, out: Screen) -> int:
    from dedup_middleware.inspect.stores import contents  # imports numpy
    from dedup_middleware.store import open_reader

    with open_reader(path, map_size=map_size) as store:
        held = contents(store)
    if out.json:
        tables = {name: table._asdict() for name, table in held.tables.items()}
        name = _stores.name_of(path, brief=False)
        out.answer({"store": name, **asdict(held), "tables": tables})
        return 0
    for name, value in _rows(held):
        out.beside(f"{name:<{_LABEL}} ", value)
    return 0


def _rows(held: Contents) -> Iterator[tuple[str, str]]:
    yield "Scheme", held.scheme
    yield "Method", held.method
    yield "Runs", f"{held.runs:,}{f', {held.alive:,} alive' if held.alive else ''}"
    yield "Decisions", f"{held.decisions:,}: pages judged, also again, and requests not sent"
    yield "URLs", f"{held.urls:,} known; {held.aliases:,} of them show what another page shows"
    yield "Pages", f"{held.pages:,} different ones; {held.pending:,} of them pending"
    if held.journal_size is None:
        yield "In memory", size(held.file_size)
    else:
        yield "On disk", f"{size(held.file_size)}, and {size(held.journal_size)} of journals"


def _verify(path: Path | str, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.store import open_reader  # imports numpy
    from dedup_middleware.store.lmdb.checkpoint import check_file

    if not is_url(path):
        check_file(
            Path(path)
        )  # before it is opened here: a truncated file would crash this process
    damages = _verified(path, map_size)
    repaired: list[Damages] = []
    while opts.repair and damages.repairable and len(repaired) < _MOST_PASSES:
        repaired.append(damages)
        with open_reader(path, map_size=map_size) as store:
            store.repair(damages)
        damages = _verified(path, map_size)
    if out.json:
        out.answer({**_as_json(path, damages), "repaired": [_problems(one) for one in repaired]})
    else:
        _print(path, damages, repaired, out)
    return int(bool(damages.found))


def _verified(path: Path | str, map_size: int) -> Damages:
    from dedup_middleware.inspect.stores import verify
    from dedup_middleware.store import open_reader

    with open_reader(path, map_size=map_size) as store:
        with store.snapshot() as view:
            total = sum(one.entries for one in view.sizes().values())
        with ProgressBar(total, "Checking") as bar:
            return verify(store, bar.advance)


def _print(path: Path | str, damages: Damages, repaired: list[Damages], out: Screen) -> None:
    for one in repaired:
        for finding in one.found.values():
            if finding.damage.repair:
                out.text(f"Repaired: {finding.damage.description} ({finding.count:,})")
    for finding in damages.found.values():
        text = f"{finding.damage.description} ({finding.count:,}), e.g. {finding.example}"
        out.text(f"Damage: {text}", "bold red")
        if finding.damage.repair:
            out.text(f"        Repair {finding.damage.repair}.")
        else:
            out.text("        This can't be repaired; the rest of the store is not affected.")
    for note in damages.notes:
        out.text(f"Note: {note}")
    name = _stores.name_of(path)
    if damages.repairable:
        command = f"{scrapy_command()} dedup store verify --repair --store {name}"
        out.text(f"To repair: {command}", is_whole=True)
    elif not damages.found:
        out.text(f"Consistent: {name}", "green")


def _as_json(path: Path | str, damages: Damages) -> dict[str, Any]:
    return {
        "store": _stores.name_of(path, brief=False),
        "consistent": not damages.found,
        "damage": _problems(damages),
        "notes": damages.notes,
    }


def _problems(damages: Damages) -> list[dict[str, Any]]:
    return [
        {
            "kind": finding.damage.name.lower(),
            "what": finding.damage.description,
            "count": finding.count,
            "example": finding.example,
            "repair": finding.damage.repair or None,
        }
        for finding in damages.found.values()
    ]


def _compact(path: Path | str, map_size: int, out: Screen) -> int:
    if is_url(path):
        raise SettingError("compact is for stores in folders: a server leaves no gaps")
    from dedup_middleware.store.lmdb.engine import compact

    before, after = compact(Path(path), map_size)
    facts = {"store": str(path), "before": before, "after": after}
    out.answer(facts, f"{short_path(path)}  {size(before)} -> {size(after)}")
    return 0
