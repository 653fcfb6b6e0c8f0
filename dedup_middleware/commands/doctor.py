"""`scrapy dedup doctor`: check the installation, what a page costs, and the store's place."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from dedup_middleware import core
from dedup_middleware.address import Address
from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.settings import Settings
from dedup_middleware.text import short_path

from . import _arguments
from ._cost import measured
from ._screen import screen
from ._table import Column

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.settings import BaseSettings

PACKAGES = ("scrapy-dedup", "Scrapy", "lmdb", "lxml")
SPIDER, RUN = "SPIDER", "RUN"  # stand for names in the place of a store


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the answer."""

    name: str
    value: str
    problem: str = ""
    """What is wrong, and what to do; empty if all is well."""
    data: Any = None
    """The value in JSON, if it is not its text."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-timing", action="store_true", help="don't measure what a page costs: a second or two"
    )
    _arguments.add_output(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    checks = [*_versions(), *_core(timing=not opts.no_timing), *_store(settings)]
    problems = [check.problem for check in checks if check.problem]
    with screen(opts) as out:
        if opts.json:
            found = {
                check.name: check.value if check.data is None else check.data for check in checks
            }
            out.write(f"{json.dumps({**found, 'problems': problems})}\n")
        else:
            out.table((Column("what"), Column("found", least=40)), map(_cells, checks))
            for problem in problems:
                out.complain(problem)
            if not problems:
                out.complain("All is well")
    return 1 if problems else 0


def _cells(check: Check) -> list[str]:
    return [check.name, f"{check.value} (!)" if check.problem else check.value]


def _versions() -> Iterator[Check]:
    yield Check("Python", platform.python_version())
    for package in PACKAGES:
        try:
            yield Check(package, version(package))
        except PackageNotFoundError:
            yield Check(package, "not installed", f"{package} is not installed: use pip")


def _core(*, timing: bool) -> Iterator[Check]:
    has_core, chosen = core.available(), os.environ.get(core.VARIABLE) == "python"
    if has_core:
        number, path = core.version(), core.library_file()
        where = f"version {number}, {short_path(path) if path else ''}"
        yield Check("core", where, data={"version": number, "path": str(path)})
    elif chosen:
        yield Check("core", f"not used: {core.VARIABLE} is 'python'", data=False)
    else:
        problem = f"Pages are judged without the compiled core, so slower: {core.missing()}"
        yield Check("core", "missing", problem, data=False)
    for with_core in (True, False) if timing else ():
        if with_core and not has_core:
            continue
        name = "a page with core" if with_core else "a page without"
        try:
            cost = measured(with_core=with_core)
        except DedupError as error:
            yield Check(name, "failed", str(error))
            continue
        yield Check(
            name,
            f"{cost.milliseconds:.2f} ms to read and fingerprint, {cost.ratio:.2f} × lxml's parse",
            data={"ms": round(cost.milliseconds, 3), "parse_ratio": round(cost.ratio, 3)},
        )


def _store(settings: BaseSettings) -> Iterator[Check]:
    from dedup_middleware.plugin.place import place_of

    own = Settings.from_scrapy(settings)
    place = place_of(own, settings, SPIDER, RUN)
    name, whole = short_path(place.path), str(place.path)
    if place.url:
        name = whole = Address.parse(place.url).name
    try:
        state = _try_server(place.url) if place.url else _try(place.path, own.map_size)
    except (DedupError, OSError) as error:
        yield Check("store", name, f"The store can't be used: {error}", data=whole)
        return
    yield Check("store", f"{name}, {state}", data=whole)


def _try_server(url: str) -> str:
    from dedup_middleware.store import open_reader

    try:
        with open_reader(url) as reader, reader.snapshot() as view:
            return f"{view.last_page:,} pages"
    except NotAStore:
        return "can be made"


def _try(path: Path, map_size: int) -> str:
    """Open a store, or make one beside its place for a moment; say which."""
    from dedup_middleware.store import open_reader, open_store

    if path.exists():
        with open_reader(path, map_size=map_size) as reader, reader.snapshot() as view:
            return f"{view.last_page:,} pages"
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    with tempfile.TemporaryDirectory(prefix=".dedup-", dir=parent) as folder:
        open_store(folder, map_size=map_size).close()
    return "can be made"
