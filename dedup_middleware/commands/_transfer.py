"""What `scrapy dedup store` does to whole stores: compact, export, import."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from dedup_middleware.address import is_url
from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, short_path, size

from ._progress import SOON, progress

if TYPE_CHECKING:
    from argparse import Namespace

    from scrapy.settings import BaseSettings

    from ._screen import Screen


def compact(path: Path | str, settings: BaseSettings, _: Namespace, out: Screen) -> int:
    if is_url(path):
        raise SettingError("compact is for stores in folders: a server leaves no gaps")
    from dedup_middleware.store.lmdb.engine import compact

    before, after = compact(Path(path), Settings.from_scrapy(settings).map_size)
    facts = {"store": str(path), "before": before, "after": after}
    out.answer(facts, f"{escape(short_path(path))}  {size(before)} -> {size(after)}")
    return 0


def export(path: Path | str, settings: BaseSettings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.transfer import export
    from dedup_middleware.store import open_reader

    entry: dict[str, Any] = {}
    map_size = Settings.from_scrapy(settings).map_size
    with (
        open_reader(path, map_size=map_size) as reader,
        reader.snapshot() as view,
        _opened(opts.file, "wb") as file,
    ):
        for entry in progress(export(view), None, "Exporting", delay=SOON):
            file.write(json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n")
    _tell(entry["end"], "Exported", out)
    return 0


def enter(path: Path | str, settings: BaseSettings, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.inspect.transfer import enter
    from dedup_middleware.store import open_store

    chosen = Settings.from_scrapy(settings)
    store = open_store(path, map_size=chosen.map_size, spider="import", is_sole=True)
    with closing(store):
        store.check_method("cascade")  # others have an index of their own, which is not exported
        with _opened(opts.file, "rb") as file:
            counts = enter(progress(file, None, "Importing", delay=SOON), store, chosen)
    _tell(asdict(counts), "Imported", out)
    return 0


def _tell(counts: dict[str, int], verb: str, out: Screen) -> None:
    known = f"; {counts['known']:,} known already" if counts["known"] else ""
    out.answer(counts, f"{verb} {counts['pages']:,} pages, {counts['copies']:,} copies{known}")


def _opened(path: Path, mode: str) -> BinaryIO:
    try:
        if path.suffix == ".gz":
            return cast("BinaryIO", gzip.open(path, mode))
        return cast("BinaryIO", path.open(mode))
    except OSError as error:
        raise DedupError(f"{path}: {error.strerror}") from error
