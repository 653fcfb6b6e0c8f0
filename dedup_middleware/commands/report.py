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
from ._arguments import check_output, write_output
from ._screen import ProgressBar

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings


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
    # these import numpy and lmdb
    from dedup_middleware.inspect.overrides import restored_in
    from dedup_middleware.inspect.runs import ends_of
    from dedup_middleware.viewer.report_page import (
        About,
        RunThresholds,
        report_page,
        rows_of,
        sites_section,
    )

    chosen = Settings.from_scrapy(settings)
    found = _stores.decisions_of(opts)
    check_output(opts.output)
    began = time.monotonic()
    restored = restored_in(found.place)
    with _stores.reading(found):
        rows = rows_of(found, RunThresholds(chosen.level), restored=restored.all)
    decisions = len(rows["columns"].get("url", ()))
    if not decisions:
        raise DedupError(f"There is no decision in {_stores.name_of(found.place)} to report")
    evidence, forgotten = _gather(rows, found.place, chosen, opts.evidence)
    about = About(
        title=_stores.title_of(found),
        command=scrapy_command(),
        store=_stores.name_of(found.place),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        problems=tuple(restored.damaged),
        ends=ends_of(found.place, rows["runs"]),
        sites=sites_section(found.place, rows["runs"]),
        dry_runs=tuple(found.dry_runs),
    )
    written = write_output(opts.output, report_page(rows, evidence, about))
    if opts.json:
        facts = {
            "store": _stores.name_of(found.place, brief=False),
            "decisions": decisions,
            "evidence": len(evidence) - forgotten,
            "forgotten": forgotten,
            "problems": restored.damaged,
            "output": str(opts.output),
            "bytes": written,
        }
        sys.stdout.write(f"{json.dumps(facts)}\n")
        return 0
    texts = f"texts of {len(evidence) - forgotten:,}" if opts.evidence else "no texts"
    sys.stdout.write(
        f"{escape(str(opts.output))}: {decisions:,} decisions, {texts}; "
        f"{size(written)}, in {duration(time.monotonic() - began)}\n"
    )
    if forgotten:
        sys.stdout.write(f"{forgotten:,} more are of pages that the store no longer has\n")
    if written > LARGE:
        warn(
            "This is large for a browser: choose fewer runs with --run,",
            "or use `scrapy dedup serve`",
        )
    return 0


def _gather(
    rows: dict[str, Any], store: Path | str, settings: Settings, most: int
) -> tuple[dict[int, str], int]:
    from dedup_middleware.inspect.texts import Texts
    from dedup_middleware.viewer.api import LiveDecisions
    from dedup_middleware.viewer.evidence import gather

    decision_of = LiveDecisions(store).decision
    with Texts(store, settings.map_size) as texts, ProgressBar(most, "Comparing") as bar:
        return gather(rows, decision_of, texts, settings, most=most, progress=bar.advance)
