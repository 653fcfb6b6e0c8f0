"""`scrapy dedup report`: write a page to look at, with all decisions and what speaks for them."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import Journals
from dedup_middleware.settings import Settings
from dedup_middleware.text import complain, duration, safe, scrapy_command, short_path, size

from . import _journals

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.viewer.evidence import Gathered

EVIDENCE, MOST_EVIDENCE = 500, 100_000
LARGE = 64 << 20  # bytes; browsers take it, but slowly


def add_arguments(parser: ArgumentParser) -> None:
    _journals.add_arguments(parser)
    runs = parser.add_mutually_exclusive_group()
    runs.add_argument("--run", metavar="RUN", help="a run of the store, instead of the newest")
    runs.add_argument("--all-runs", action="store_true", help="all runs of the store")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the HTML file to write"
    )
    parser.add_argument(
        "--evidence",
        type=int,
        default=EVIDENCE,
        metavar="N",
        help=f"put the texts of so many decisions into it, the closest calls first ({EVIDENCE})",
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not 0 <= opts.evidence <= MOST_EVIDENCE:
        opts.parser.error(f"--evidence must be from 0 to {MOST_EVIDENCE:,}, not {opts.evidence}")
    chosen = Settings.from_scrapy(settings)
    found = _journals.chosen(opts)
    _check(opts.output, found)
    began = time.monotonic()
    report = _Report(found, chosen, opts.evidence)
    written = _write(opts.output, report.page())
    told = {**report.told(), "output": str(opts.output), "bytes": written}
    if opts.json:
        sys.stdout.write(f"{json.dumps(told)}\n")
    else:
        _tell(report, opts.output, written, time.monotonic() - began)
    return 0


class _Report:
    def __init__(self, paths: list[Path], settings: Settings, most: int) -> None:
        self._paths = paths
        self._settings = settings
        self._most = most
        self._journals = Journals(paths, complain)
        self._problems: list[str] = []
        self._spiders: dict[str, None] = {}
        self.store = _journals.store_of(paths[-1])
        self.decisions = 0
        self.gathered: Gathered | None = None

    def page(self) -> str:
        # numpy, lmdb and their kind: not before they are needed
        from dedup_middleware.inspect.overrides import restored_in
        from dedup_middleware.viewer.report_page import About, report_page
        from dedup_middleware.viewer.rows import Thresholds, rows_of

        restored = restored_in(self.store)
        self._problems += restored.damaged
        rows = rows_of(
            self._noted(self._journals.decisions()),
            Thresholds.of(self._settings),
            restored=((one.url, one.original) for one in restored.all),
        )
        self.decisions = len(rows["columns"].get("url", ()))
        if not self.decisions:
            where = self._paths[0] if len(self._paths) == 1 else f"{len(self._paths)} journals"
            raise DedupError(f"There is no decision in {where}: nothing to report")
        if self.store is None:
            complain("The store is not there, only its journal: the report has no texts")
        elif self._most:
            self.gathered = self._gather(self.store, rows)
        about = About(
            title=self._title(),
            command=scrapy_command(),
            store=short_path(self.store) if self.store else None,
            made=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            problems=(*self._journals.problems, *self._problems),
        )
        return report_page(rows, self.gathered.html if self.gathered else {}, about)

    def told(self) -> dict[str, Any]:
        return {
            "store": str(self.store) if self.store else None,
            "journals": list(map(str, self._paths)),
            "decisions": self.decisions,
            "evidence": self.gathered.shown if self.gathered else 0,
            "forgotten": self.gathered.forgotten if self.gathered else 0,
            "problems": [*self._journals.problems, *self._problems],
        }

    def _noted(self, decisions: Iterable[Decision]) -> Iterator[Decision]:
        for one in decisions:
            if one.spider:
                self._spiders.setdefault(one.spider)
            yield one

    def _title(self) -> str:
        """Name what was crawled."""
        few = 3
        if 0 < len(self._spiders) <= few:
            return ", ".join(self._spiders)
        return short_path(self.store or self._paths[-1])

    def _gather(self, store: Path, rows: dict[str, Any]) -> Gathered | None:
        from dedup_middleware.inspect.texts import Texts
        from dedup_middleware.viewer.evidence import gather

        try:
            with Texts(store, self._settings.map_size) as texts, _progress(self._most) as step:
                again = Journals(self._paths).decisions()
                gathered = gather(
                    rows, again, texts, self._settings, most=self._most, progress=step
                )
        except DedupError as error:
            problem = f"The texts can't be read: {error}"
            self._problems.append(problem)
            complain(problem)
            return None
        if gathered.timed_out:
            complain(
                f"Comparing takes long here: the report has the texts of {gathered.shown:,} "
                f"decisions, not of {self._most:,}; see others with `scrapy dedup serve`"
            )
        return gathered


def _check(output: Path, sources: list[Path]) -> None:
    """Refuse to overwrite what is read, and to begin what can't be ended."""
    if output.is_dir():
        raise DedupError(f"{output} is a folder; name a file in it, as {output / 'report.html'}")
    if not output.absolute().parent.is_dir():
        raise DedupError(f"There is no folder {output.absolute().parent} to write {output.name} in")
    with suppress(OSError):
        if output.exists() and any(output.samefile(source) for source in sources):
            raise DedupError(f"{output} is the journal itself; name another file")


def _write(output: Path, page: str) -> int:
    """Write the page beside its place, then put it there: whoever looks sees the old or the new."""
    data = page.encode("utf-8", "replace")
    try:
        if output.exists() and not output.is_file():  # /dev/stdout and its like
            with output.open("wb") as file:
                return file.write(data)
        handle, name = tempfile.mkstemp(dir=output.absolute().parent, prefix=f".{output.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(output)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DedupError(f"Can't write {output}: {error.strerror}") from error
    return len(data)


def _tell(report: _Report, output: Path, written: int, seconds: float) -> None:
    gathered = report.gathered
    texts = f"texts of {gathered.shown:,}" if gathered else "no texts"
    if gathered and gathered.forgotten:
        texts += f" ({gathered.forgotten:,} more are of pages since forgotten)"
    sys.stdout.write(
        f"{safe(str(output))}: {report.decisions:,} decisions, {texts}; "
        f"{size(written)}, in {duration(seconds)}\n"
    )
    if written > LARGE:
        complain(
            "That is a lot for a browser: choose fewer runs with --run, or look at it with "
            "`scrapy dedup serve`"
        )


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], object]]:
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm  # only where somebody watches

    with tqdm(total=total, desc="Comparing", unit=" pairs", leave=False) as bar:
        yield bar.update
