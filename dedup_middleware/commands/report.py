"""`scrapy dedup report`: write an HTML file with all decisions and the evidence for them."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import duration, escape, scrapy_command, size, warn

from . import _arguments, _stores
from ._files import check_output, write_output
from ._progress import ProgressBar

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.stored_decisions import StoredDecisions
    from dedup_middleware.viewer.evidence import Gathered, Shortlist

MOST_EVIDENCE = 100_000
LARGE = 64 << 20  # bytes; browsers take it, but slowly


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_store(parser)
    _arguments.add_runs(parser)
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the HTML file to write"
    )
    parser.add_argument(
        "--evidence",
        type=int,
        metavar="N",
        default=200,
        help="number of decisions whose texts are included, the most doubtful first (200)",
    )
    _arguments.add_json(parser, "print what was written as JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not 0 <= opts.evidence <= MOST_EVIDENCE:
        opts.parser.error(f"--evidence must be from 0 to {MOST_EVIDENCE:,}, not {opts.evidence}")
    chosen = Settings.from_scrapy(settings)
    found = _stores.decisions_of(opts)
    check_output(opts.output)
    began = time.monotonic()
    report = _Report(found, chosen, opts.evidence)
    written = write_output(opts.output, report.page())
    if opts.json:
        facts = {**report.facts(), "output": str(opts.output), "bytes": written}
        sys.stdout.write(f"{json.dumps(facts)}\n")
    else:
        _print(report, opts.output, written, time.monotonic() - began)
    return 0


class _Report:
    def __init__(self, found: StoredDecisions, settings: Settings, most: int) -> None:
        self._found = found
        self._settings = settings
        self._most = most
        self._problems: list[str] = []
        self.store = found.place
        self.decisions = 0
        self.gathered: Gathered | None = None

    def page(self) -> str:
        # these import numpy and lmdb
        from dedup_middleware.inspect.overrides import restored_in
        from dedup_middleware.inspect.runs import ends_of
        from dedup_middleware.viewer.evidence import Shortlist
        from dedup_middleware.viewer.report_page import About, report_page, sites_section
        from dedup_middleware.viewer.rows import RunThresholds, rows_of

        restored = restored_in(self.store)
        self._problems += restored.damaged
        shortlist = Shortlist(self._most)
        with _stores.reading(self._found):
            rows = rows_of(
                self._found,
                RunThresholds(self._settings.level),
                restored=((one.url, one.original) for one in restored.all),
                consider=shortlist.consider,
            )
        self.decisions = len(rows["columns"].get("url", ()))
        if not self.decisions:
            raise DedupError(
                f"There is no decision in {_stores.name_of(self.store)}: nothing to report"
            )
        if self._most:
            self.gathered = self._gather(shortlist)
        about = About(
            title=_stores.title_of(self._found),
            command=scrapy_command(),
            store=_stores.name_of(self.store),
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            problems=tuple(self._problems),
            ends=ends_of(self.store, rows["runs"]),
            sites=sites_section(self.store, rows["runs"]),
            dry_runs=tuple(self._found.dry_runs),
        )
        return report_page(rows, self.gathered.html if self.gathered else {}, about)

    def facts(self) -> dict[str, Any]:
        return {
            "store": _stores.name_of(self.store, brief=False),
            "decisions": self.decisions,
            "evidence": self.gathered.shown if self.gathered else 0,
            "forgotten": self.gathered.forgotten if self.gathered else 0,
            "problems": self._problems,
        }

    def _gather(self, shortlist: Shortlist) -> Gathered:
        from dedup_middleware.inspect.texts import Texts
        from dedup_middleware.viewer.evidence import gather

        most = self._most
        with (
            Texts(self.store, self._settings.map_size) as texts,
            ProgressBar(most, "Comparing") as bar,
        ):
            return gather(shortlist, texts, self._settings, most=most, progress=bar.advance)


def _print(report: _Report, output: Path, written: int, seconds: float) -> None:
    gathered = report.gathered
    texts = f"texts of {gathered.shown:,}" if gathered else "no texts"
    if gathered and gathered.forgotten:
        texts += f" ({gathered.forgotten:,} more are of pages that the store no longer has)"
    sys.stdout.write(
        f"{escape(str(output))}: {report.decisions:,} decisions, {texts}; "
        f"{size(written)}, in {duration(seconds)}\n"
    )
    if written > LARGE:
        warn(
            "This is large for a browser: choose fewer runs with --run, or use `scrapy dedup serve`"
        )
