"""`scrapy dedup store`: show, check, repair, compact, export or import a store; remove old ones."""

from __future__ import annotations

import argparse
import gzip
import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, quantity, scrapy_command, short_path, size, warn
from dedup_middleware.urls import is_url

from . import _arguments, _stores
from ._listing import Column, Listing
from ._screen import SOON, ProgressBar, progress, screen

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.stores import Contents
    from dedup_middleware.store.engine import TableSize
    from dedup_middleware.store.verify import Damages

    from ._screen import Screen

_LABEL = 12
_MOST_PASSES = 3
_TABLES: Sequence[Column[tuple[str, TableSize]]] = (
    Column("table", lambda row: row[0]),
    Column("entries", lambda row: row[1].entries),
    Column("size", lambda row: row[1].size, size),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("info", "verify", "compact", "export", "import", "prune"),
        default="info",
        help="info (default): show what the store holds; verify: check that it is consistent; "
        "compact: write it anew without gaps, while no process uses it; export: write what it "
        "knows to FILE, as lines of JSON; import: enter what FILE holds, into a new store or one "
        "that is there; prune: remove the stores of old runs of spiders from .scrapy/dedup (never "
        "those of DEDUP_SCOPE, JOBDIR and scan, nor any in use)",
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="with export and import: file of an exported store; compressed if it ends in .gz",
    )
    _arguments.add_store(
        parser, "folder of the store (default: the one used last; import needs it; not with prune)"
    )
    parser.add_argument(
        "--repair", action="store_true", help="with verify: repair what can be, then check again"
    )
    parser.add_argument(
        "--keep", type=_count, metavar="N", help="with prune: keep the newest N of each spider"
    )
    parser.add_argument(
        "--older-than",
        type=_arguments.age,
        metavar="TIME",
        help="with prune: keep what was written to within this time: 30d, 12h, 2w",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with prune: print what would be removed"
    )
    _arguments.add_output(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    _check(opts)
    if opts.action == "prune":
        with screen(opts) as out:
            return _prune(opts, out)
    with screen(opts) as out:
        path = _stores.store_of_options(opts, out)
        return _ACTIONS[opts.action](path, Settings.from_scrapy(settings), opts, out)


def _check(opts: Namespace) -> None:
    options = {
        "FILE": ("export import", opts.file),
        "--store": ("info verify compact export import", opts.store),
        "--repair": ("verify", opts.repair),
        "--keep": ("prune", opts.keep),
        "--older-than": ("prune", opts.older_than),
        "--dry-run": ("prune", opts.dry_run),
    }
    for name, (actions, value) in options.items():
        if value is not None and value is not False and opts.action not in actions.split():
            opts.parser.error(f"{name} goes with {', '.join(actions.split())}")
    if opts.action in ("export", "import") and opts.file is None:
        opts.parser.error(f"{opts.action} needs FILE")
    if opts.action == "import" and opts.store is None:
        opts.parser.error("import needs --store DIR|URL")
    if opts.action == "prune" and opts.keep is None and opts.older_than is None:
        opts.parser.error("prune needs --keep N, --older-than TIME, or both")


def _info(path: Path | str, settings: Settings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.stores import contents  # imports numpy
    from dedup_middleware.store import open_reader

    with open_reader(path, map_size=settings.map_size) as store:
        held = contents(store)
    if opts.json:
        tables = {name: table._asdict() for name, table in held.tables.items()}
        facts = {"store": _stores.name_of(path, brief=False), **asdict(held), "tables": tables}
        out.write(f"{json.dumps(facts)}\n")
        return 0
    for name, value in _rows(held):
        out.write(f"{out.paint(f'{name:<{_LABEL}}', 'bold')} {escape(value)}\n")
    out.title("Tables")
    Listing(_TABLES, held.tables.items()).write(out)
    return 0


def _rows(held: Contents) -> Iterator[tuple[str, str]]:
    yield "Scheme", held.scheme
    yield "Method", held.method
    yield "Runs", f"{held.runs:,}{f', {held.alive:,} alive' if held.alive else ''}"
    yield "Pages", f"{held.pages:,}, {held.pending:,} of them pending"
    yield "URLs", f"{held.urls:,}, {held.aliases:,} of them copies of other pages"
    yield "Decisions", f"{held.decisions:,}"
    if held.journal_size is None:
        yield "In memory", size(held.file_size)
    else:
        yield "On disk", f"{size(held.file_size)}, and {size(held.journal_size)} of journals"


def _verify(path: Path | str, settings: Settings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.store import open_reader  # imports numpy
    from dedup_middleware.store.lmdb.checkpoint import check_file

    if not is_url(path):
        check_file(
            Path(path)
        )  # before it is opened here: a truncated file would crash this process
    damages = _verified(path, settings.map_size)
    repaired: list[Damages] = []
    while opts.repair and damages.repairable and len(repaired) < _MOST_PASSES:
        repaired.append(damages)
        with open_reader(path, map_size=settings.map_size) as store:
            store.repair(damages)
        damages = _verified(path, settings.map_size)
    if opts.json:
        facts = {**_as_json(path, damages), "repaired": [_problems(one) for one in repaired]}
        out.write(f"{json.dumps(facts)}\n")
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
                out.write(f"Repaired: {escape(finding.damage.description)} ({finding.count:,})\n")
    for finding in damages.found.values():
        line = f"{finding.damage.description} ({finding.count:,}), e.g. {finding.example}"
        out.write(f"{out.paint('Damage', 'bold red')}: {escape(line)}\n")
        if finding.damage.repair:
            out.write(f"        Repair {finding.damage.repair}.\n")
        else:
            out.write("        This can't be repaired; the rest of the store is not affected.\n")
    for note in damages.notes:
        out.write(f"Note: {escape(note)}\n")
    if damages.repairable:
        name = _stores.name_of(path)
        command = f"{scrapy_command()} dedup store verify --repair --store {name}"
        out.write(f"To repair: {escape(command)}\n")
    elif not damages.found:
        out.write(f"{out.paint('Consistent', 'bold green')}: {escape(_stores.name_of(path))}\n")


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


def _compact(path: Path | str, settings: Settings, _: Namespace, out: Screen) -> int:
    if is_url(path):
        raise SettingError("compact is for stores in folders: a server leaves no gaps")
    from dedup_middleware.store.lmdb.engine import compact

    before, after = compact(Path(path), settings.map_size)
    facts = {"store": str(path), "before": before, "after": after}
    out.answer(facts, [f"{escape(short_path(path))}  {size(before)} -> {size(after)}"])
    return 0


def _export(path: Path | str, settings: Settings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.stores import export
    from dedup_middleware.store import open_reader

    entry: dict[str, Any] = {}
    with (
        open_reader(path, map_size=settings.map_size) as reader,
        reader.snapshot() as view,
        _opened(opts.file, "wb") as file,
    ):
        for entry in progress(export(view), None, "Exporting", delay=SOON):
            file.write(json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n")
    _tell_counts(entry["end"], "Exported", out)
    return 0


def _import(path: Path | str, settings: Settings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.stores import enter
    from dedup_middleware.store import open_store

    store = open_store(path, map_size=settings.map_size, spider="import", is_sole=True)
    with closing(store):
        store.check_method("cascade")  # others have an index of their own, which is not exported
        with _opened(opts.file, "rb") as file:
            counts = enter(progress(file, None, "Importing", delay=SOON), store, settings)
    _tell_counts(asdict(counts), "Imported", out)
    return 0


def _tell_counts(counts: dict[str, int], verb: str, out: Screen) -> None:
    known = f"; {counts['known']:,} known already" if counts["known"] else ""
    out.answer(counts, [f"{verb} {counts['pages']:,} pages, {counts['copies']:,} copies{known}"])


def _opened(path: Path, mode: str) -> BinaryIO:
    try:
        if path.suffix == ".gz":
            return cast("BinaryIO", gzip.open(path, mode))
        return cast("BinaryIO", path.open(mode))
    except OSError as error:
        raise DedupError(f"{path}: {error.strerror}") from error


def _prune(opts: Namespace, out: Screen) -> int:
    from dedup_middleware.plugin.store_location import disk_size, old_stores, prune, spider_folders

    limits = opts.keep or 0, opts.older_than
    sizes: dict[Path, int] = {}
    failed: list[Path] = []
    for folder in spider_folders(_stores.project_data()):
        old = {store: disk_size(store) for store in old_stores(folder, *limits)}
        removed = old if opts.dry_run else prune(folder, *limits)
        sizes |= {store: old.get(store, 0) for store in removed}
        failed += [store for store in old if store not in removed]
    facts = {
        "dry_run": opts.dry_run,
        "removed": [{"store": str(store), "bytes": count} for store, count in sizes.items()],
        "bytes": sum(sizes.values()),
        "failed": list(map(str, failed)),
    }
    rows = [f"{escape(short_path(store))}  {size(count)}" for store, count in sizes.items()]
    verb = "Would remove" if opts.dry_run else "Removed"
    rows.append(f"{verb} {quantity(len(sizes), 'store')}, {size(sum(sizes.values()))}")
    out.answer(facts, rows)
    for store in failed:
        warn(f"Can't remove {store}")
    return int(bool(failed))


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of stores")
    return int(text)


_ACTIONS = {
    "info": _info,
    "verify": _verify,
    "compact": _compact,
    "export": _export,
    "import": _import,
}
