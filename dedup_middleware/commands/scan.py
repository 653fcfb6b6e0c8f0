"""`scrapy dedup scan`: judge pages from files, folders, feeds and web archives, without a crawl."""

from __future__ import annotations

import sys
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.utils.project import data_path

from dedup_middleware.batch.sources import Sources
from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import Decision, doubt
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, scrapy_command, short_path, warn
from dedup_middleware.verdict import Kind

from . import INTERRUPTED, _arguments
from ._listing import Listing
from ._screen import Facts, ProgressBar, Screen
from .drops import decision_columns

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.batch.archive_copy import Copies, Written
    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.fingerprint.subject import Subject

MOST = 10
"""Decisions that are listed, the others are counted."""
_LABEL = 13
_COUNTED = frozenset({Kind.UNIQUE, Kind.UNCHANGED})
"""What is counted and not listed."""


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_paths(parser)
    _arguments.add_store(
        parser,
        "folder of the store, a new one or one with known pages (default: a new one in "
        ".scrapy/dedup/scan)",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="write the journal to this file (default: one in the store)",
    )
    parser.add_argument(
        "--warc",
        type=Path,
        metavar="FILE",
        help="copy the web archives to this new file, with revisit records in the place of pages "
        "that repeat an earlier one byte for byte (.warc or .warc.gz, as they are)",
    )
    _arguments.add_json(
        parser,
        f"print all decisions as lines of JSON (default: a table of the first {MOST} pages that "
        "are like others)",
    )


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    try:
        _arguments.check_paths(opts.paths)
        if opts.warc:
            from dedup_middleware.batch.archive_copy import check_copy

            check_copy(opts.warc, Sources(opts.paths, warn, max_html=0).files())
    except DedupError as error:
        opts.parser.error(escape(str(error)))
    # these import numpy and lmdb
    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.inspect.overrides import project_list
    from dedup_middleware.plugin.store_location import note_last_store
    from dedup_middleware.store.runs import new_run_id

    run_id = new_run_id()
    store = opts.store or Path(data_path(f"dedup/scan/{run_id}"))
    decisions: list[dict[str, Any]] = []
    with Deduplicator(
        store,
        run=run_id,
        journal=opts.journal,
        on_decision=decisions.append,
        overrides=project_list(),
        is_sole=not opts.store,  # a named one may be in use
        settings=chosen,
    ) as dedup:
        note = partial(note_last_store, Path(data_path("dedup")), store)
        return _Scan(opts, dedup, decisions, note).run()


class _Scan:
    def __init__(
        self,
        opts: Namespace,
        dedup: Deduplicator,
        decisions: list[dict[str, Any]],
        note_store: Callable[[], None],
    ) -> None:
        from dedup_middleware.batch.archive_copy import Copies
        from dedup_middleware.journal import Tally

        self._dedup = dedup
        self._decisions = decisions
        self._note_store = note_store
        """To be called before the first page is judged: nobody wants to see a store without any."""
        self._tally = Tally()
        self._unreadable = 0
        self._started = time.monotonic()
        self._out = Screen.of(opts)
        self._listed: list[Decision] = []
        self._warc: Path | None = opts.warc
        self._copies = Copies() if opts.warc else None
        self._redundant = 0
        self._written: Written | None = None
        left_out = [path for path in (dedup.store.path, dedup.journal.path) if path]
        self._sources = Sources(
            opts.paths, warn, max_html=dedup.settings.max_html, leave_out=left_out
        )

    def run(self) -> int:
        try:
            self._judge_all()
            if self._warc and self._copies is not None:
                self._copy(self._warc, self._copies)
        except KeyboardInterrupt:
            self._print_summary("Interrupted; what was judged so far is kept.")
            return INTERRUPTED
        except DedupError:
            self._print_summary("Stopped by an error; what was judged so far is kept.")
            raise
        self._print_summary()
        if self._tally.pages:
            return 0
        warn("No page was judged")
        return 1

    def _judge_all(self) -> None:
        total = self._sources.size() if sys.stderr.isatty() else None
        # beside a bar lines would be broken, which are whole in JSON
        beside = not (self._out.json and sys.stdout.isatty())
        with (
            ProgressBar(total, "Judging", in_bytes=True, shown=beside) as bar,
            closing(self._sources.read_ahead(self._dedup.settings.max_text)) as pages,
        ):
            for page in pages:
                self._judge(page)
                bar.reach(self._sources.bytes_read, self._so_far())

    def _judge(self, page: Subject) -> None:
        dedup = self._dedup
        verdict = dedup.judge(page, pending=False).verdict
        if self._copies is not None:
            self._copies.add(self._sources.unit, page, verdict)
            self._redundant += verdict.redundant
        if not self._tally.pages:
            self._note_store()
        self._tally.count(verdict, page.url)
        if dedup.counts["unreadable"] > self._unreadable:
            self._unreadable = dedup.counts["unreadable"]
            warn(f"{page.url}: can't be read as HTML; passed")
        for entry in self._decisions:
            decision = Decision.of(entry)
            if decision and self._out.json:
                self._out.stream.write(f"{decision.json}\n")
            elif decision and verdict.kind not in _COUNTED and len(self._listed) < MOST:
                self._listed.append(decision)
        self._decisions.clear()

    def _copy(self, path: Path, copies: Copies) -> None:
        """Copy the archives, with revisit records in the place of what they have twice."""
        from dedup_middleware.batch.archive_copy import ArchiveCopy

        archives, total = self._sources.archives, 0
        for archive, _ in archives:
            with suppress(OSError):  # reported when it is opened
                total += archive.stat().st_size
        with ProgressBar(total, "Writing", in_bytes=True) as bar:
            copy = ArchiveCopy(copies, warn, bar.advance)
            try:
                copy.write(path, archives)
            except OSError as error:
                raise DedupError(f"Can't write {path}: {error.strerror or error}") from error
        self._written = copy.written

    def _so_far(self) -> str:
        pages, seconds = self._tally.pages, time.monotonic() - self._started
        drops = self._tally.drops
        return f"{pages:,} pages ({pages / max(seconds, 1e-3):,.0f}/s), {drops:,} dropped"

    def _print_summary(self, why: str = "") -> None:
        from dedup_middleware.journal import OTHER_SITES

        seconds, tally = time.monotonic() - self._started, self._tally
        pages, problems = tally.pages, self._sources.problems + self._unreadable
        store, journal = self._dedup.store, self._dedup.journal.path
        rows: Facts = [
            ("Pages", f"{pages:,} in {seconds:.1f} s ({pages / max(seconds, 1e-3):,.0f} a second)"),
            *((f"  {kind}", f"{tally.verdicts[kind]:,}") for kind in Kind if tally.verdicts[kind]),
            ("Dropped", f"{tally.drops:,}"),
            *([("Lost", tally.loss())] * bool(tally.words)),
            *([("Other sites", f"{tally.other_sites:,} {OTHER_SITES}")] * bool(tally.other_sites)),
            ("Problems", f"{problems:,}{', each printed on stderr' if problems else ''}"),
            ("Skipped", f"{self._sources.skipped:,} (neither pages nor feeds nor archives)"),
            *self._archive_rows(),
            ("Store", short_path(store.name)),
            ("Journal", short_path(journal) if journal else f"in the store, run {store.run}"),
        ]
        out = Screen(sys.stderr) if self._out.json else self._out
        Listing(decision_columns(doubt, actions=True), self._listed).write(out)
        out.text(why)
        for name, value in rows:
            out.beside(f"{name:<{_LABEL}}", value)
        if pages > tally.verdicts[Kind.UNIQUE]:
            which = "" if tally.drops else " --action all"
            out.text(f"{'Next':<{_LABEL}}{scrapy_command()} dedup drops{which}", is_whole=True)

    def _archive_rows(self) -> Iterator[tuple[str, str]]:
        if self._sources.revisits:
            yield "Revisits", f"{self._sources.revisits:,} records without a page, not judged"
        if self._warc and not self._written:
            yield "Archive", f"{self._warc} was not written"
        elif self._written:
            records, revisits = self._written.records, self._written.revisits
            rest = f"{self._redundant - revisits:,} redundant pages left as they were"
            yield (
                "Archive",
                f"{self._warc}: {records:,} records, {revisits:,} made revisits; {rest}",
            )
