"""`scrapy dedup doctor`: check the installation, the store, and what would be judged."""

from __future__ import annotations

import platform
import shutil
import tempfile
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.project import inside_project

from dedup_middleware import core
from dedup_middleware.errors import CoreError, DedupError, NotAStore
from dedup_middleware.settings import Settings
from dedup_middleware.text import quantity, short_path, size, warn
from dedup_middleware.urls import Address
from dedup_middleware.verdict import Action, Kind

from . import _arguments
from ._listing import Column, Listing
from ._screen import Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings

PACKAGES = ("scrapy-dedup", "Scrapy", "lmdb", "lxml")
PACKAGE = "dedup_middleware"
LEAST_FREE = 1 << 30
SPIDER, RUN = "SPIDER", "RUN"  # placeholders in the path of a store


class Check(NamedTuple):
    """One line of the answer."""

    what: str
    found: str
    problem: str = ""
    """What is wrong, and what to do; empty if all is well."""


_COLUMNS: Sequence[Column[Check]] = (
    Column("what", lambda check: check.what),
    Column(
        "found",
        lambda check: check.found,
        text=lambda check: f"{check.found} (!)" if check.problem else check.found,
        is_long=True,
    ),
    Column("problem", lambda check: check.problem, is_data=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_json(parser, "print each finding as a line of JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    checks = [*_versions(), *_core(), *_store(settings), *_judged(settings)]
    problems = [check.problem for check in checks if check.problem]
    Listing(_COLUMNS, checks).write(Screen.of(opts))
    for problem in problems or ["All is well"]:
        warn(problem)
    return 1 if problems else 0


def _versions() -> Iterator[Check]:
    yield Check("Python", platform.python_version())
    for package in PACKAGES:
        try:
            yield Check(package, version(package))
        except PackageNotFoundError:
            yield Check(package, "not installed", f"{package} is not installed: use pip")


def _core() -> Iterator[Check]:
    try:
        core.load()
    except CoreError as error:
        yield Check("core", "can't be used", f"No page can be judged: {error}")
        return
    path = core.library_file()
    where = f"version {core.VERSION}, {short_path(path) if path else ''}"
    yield Check("core", where)
    yield Check("compiler", core.call("compiler", b"").decode())
    from dedup_middleware.fingerprint import SCHEME  # numpy comes with it

    yield Check("scheme", SCHEME)


def _store(settings: BaseSettings) -> Iterator[Check]:
    from dedup_middleware.plugin.store_location import locate_store

    own = Settings.from_scrapy(settings)
    place = locate_store(own, settings, SPIDER, RUN)
    name = Address.parse(place.url).name if place.url else short_path(place.path)
    try:
        state = _try(place.url or place.path, own.map_size)
    except (DedupError, OSError) as error:
        yield Check("store", name, f"The store can't be used: {error}")
        return
    yield Check("store", f"{name}, {state}")
    if not place.url:
        yield _disk(place.path)


def _disk(path: Path) -> Check:
    free = shutil.disk_usage(_existing(path)).free
    problem = f"The disk of the store is nearly full: {size(free)} free" * (free < LEAST_FREE)
    return Check("disk", f"{size(free)} free", problem)


def _judged(settings: BaseSettings) -> Iterator[Check]:
    """Check which pages a crawl of this project would judge, and what it would do with them."""
    own = Settings.from_scrapy(settings)
    if not inside_project():
        yield Check("judged", "nothing here: this folder is in no Scrapy project")
    elif not any(map(_is_ours, _components(settings))):
        problem = (
            "This project judges no page: write "
            'ADDONS = {"dedup_middleware.Addon": 500} in its settings'
        )
        yield Check("judged", "nothing", problem)
    elif not own.enabled:
        yield Check("judged", "nothing: DEDUP_ENABLED is False")
    else:
        errors = "" if own.http_errors else " below status 400"
        fields = f"{own.url_field} and {own.html_field} or {own.text_field}"
        yield Check("judged", f"HTML{errors}, and items with {fields}")
    loss = f"{own.strictness}, at most {own.max_loss:.1%} of a page may be lost"
    yield Check("strictness", loss)
    for name, action in (("dropped", Action.DROP), ("tagged", Action.TAG), ("passed", Action.PASS)):
        kinds = [str(kind) for kind, one in _actions(own).items() if one is action]
        if action is Action.TAG and not own.dry_run:
            kinds.append("near and contained pages that would lose something, or of other sites")
        yield Check(name, ", ".join(kinds) or "none")


def _components(settings: BaseSettings) -> Iterator[object]:
    for name in ("ADDONS", "ITEM_PIPELINES", "SPIDER_MIDDLEWARES"):
        enabled = settings.getdict(name)
        yield from (one for one, order in enabled.items() if order is not None)


def _is_ours(component: object) -> bool:
    name = component if isinstance(component, str) else getattr(component, "__module__", "")
    return str(name).partition(".")[0] == PACKAGE


def _actions(own: Settings) -> Mapping[Kind, Action]:
    return dict.fromkeys(own.actions, Action.TAG) if own.dry_run else own.actions


def _try(place: Path | str, map_size: int) -> str:
    """Open a store, or make one beside its place for a moment; say which."""
    from dedup_middleware.store import open_reader, open_store

    if isinstance(place, str) or place.exists():
        try:
            with open_reader(place, map_size=map_size) as reader, reader.snapshot() as view:
                return quantity(view.sizes()["pages"].entries, "different page")
        except NotAStore:
            if not isinstance(place, str):
                raise
    else:
        with tempfile.TemporaryDirectory(prefix=".dedup-", dir=_existing(place)) as folder:
            open_store(folder, map_size=map_size).close()
    return "can be made"


def _existing(path: Path) -> Path:
    """Return the folder that exists and is nearest to where a path would be made."""
    return next(parent for parent in path.absolute().parents if parent.exists())
