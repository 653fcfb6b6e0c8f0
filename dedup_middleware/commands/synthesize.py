"""`scrapy dedup synthesize`: make documents with known shares of your pages, to measure with."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import Settings
from dedup_middleware.text import safe, scrapy_command

from ._sources import FEEDS, PAGES, Sources

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.lab.synthesis import Order, Source
    from dedup_middleware.lab.synthesis.files import SetFolder
    from dedup_middleware.lab.synthesis.sources import Gathering
    from dedup_middleware.page import Page

_MOST_DOCUMENTS, _MOST_SOURCES = 1_000_000, 1_000
_OWN_FROM = ("pages", "generated")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help=f"pages ({' '.join(PAGES)}), feeds ({' '.join(FEEDS)}; objects with url and html, "
        "or url and text), each also with .gz, or folders of them; hidden folders are left out",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="write pages, labels and manifest into this folder, which must be new or empty",
    )
    parser.add_argument("--count", metavar="N", default="100", help="documents to make (100)")
    parser.add_argument(
        "--sources",
        metavar="N|N-N",
        help="pages that each document is made of (1-3, or as many as there are shares)",
    )
    parser.add_argument(
        "--shares",
        metavar="X|X-X|X,X…",
        default="0.1-1",
        help="share of each source that is taken at least, in whole paragraphs: for all sources "
        "the same, drawn from a range, or one for each (0.1-1)",
    )
    parser.add_argument(
        "--own",
        metavar="X|X-X",
        default="0",
        help="share of a document that is text of none of its sources (0)",
    )
    parser.add_argument(
        "--own-from",
        choices=_OWN_FROM,
        default=_OWN_FROM[0],
        help="where own text comes from: every fifth page, which then is no source, or random "
        "words (pages)",
    )
    parser.add_argument(
        "--edits",
        metavar="X|X-X",
        default="0",
        help="share of the words taken that are edited (0)",
    )
    parser.add_argument(
        "--edit-kinds",
        metavar="KIND,…",
        default="replace,insert,delete",
        help="how they are edited (replace,insert,delete)",
    )
    parser.add_argument(
        "--reorder",
        choices=("paragraphs", "sentences", "nothing"),
        default="paragraphs",
        help="what is shuffled: paragraphs, sentences in them too, or nothing (paragraphs)",
    )
    parser.add_argument(
        "--seed", metavar="N", default="1", help="the same pages and seed make the same set (1)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print what was made as JSON, instead of a table"
    )


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    order = _order(opts, chosen)
    for path in opts.paths:
        try:
            path.stat()
        except OSError as error:
            raise DedupError(f"{path}: {error.strerror}") from error
    from dedup_middleware.lab.synthesis.files import SetFolder

    with SetFolder(opts.output) as folder:
        synthesis = _Synthesis(opts, chosen, order, folder)
        try:
            synthesis.run()
        finally:
            synthesis.close_bar()
    facts = synthesis.facts()
    sys.stdout.write(f"{json.dumps(facts)}\n" if opts.json else _table(facts))
    return 0


class _Synthesis:
    def __init__(
        self, opts: Namespace, settings: Settings, order: Order, folder: SetFolder
    ) -> None:
        from dedup_middleware.lab.synthesis.sources import Gathering

        self._opts = opts
        self._settings = settings
        self._order = order
        self._folder = folder
        self._gathering: Gathering = Gathering(
            min_terms=settings.min_words,
            hold_out=order.plan.own.high > 0 and opts.own_from == "pages",
            seed=order.seed,
        )
        self._unreadable = 0
        self._made = 0
        self._started = time.monotonic()
        self._bar: Any = None

    def run(self) -> None:
        self._gather()
        self._make()
        self._folder.finish(self._meta())

    def facts(self) -> dict[str, Any]:
        gathering = self._gathering
        return {
            "documents": self._made,
            "gold": dict(self._folder.gold),
            "sources": len(gathering.sources),
            "held_out": len(gathering.held_out),
            "left_out": dict(gathering.left_out),
            "problems": self._unreadable,
            "seed": self._order.seed,
            "seconds": round(time.monotonic() - self._started, 3),
            "output": str(self._folder.path),
        }

    def close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _gather(self) -> None:
        from dedup_middleware.lab.synthesis.sources import source_from
        from dedup_middleware.read import UnreadablePage, read

        limits = {"max_html": self._settings.max_html, "max_text": self._settings.max_text}
        sources = Sources(
            self._opts.paths,
            complain=self._complain,
            max_html=self._settings.max_html,
            leave_out=[self._opts.output],
        )
        if sys.stderr.isatty():
            size = sources.size()
            self._open_bar(total=size, unit="B", unit_scale=True, unit_divisor=1024)
        for page in sources:
            try:
                source = source_from(page.url, read(page, **limits))
            except UnreadablePage:
                self._unreadable += 1
                self._complain(f"{page.url}: can't be read as HTML; skipped")
                continue
            if self._gathering.add(source):
                self._folder.add_source(page.url, self._html(page, source))
            if self._bar is not None:
                known = f"{len(self._gathering.sources):,} sources"
                self._bar.set_postfix_str(known, refresh=False)
                self._bar.update(sources.bytes_read - self._bar.n)
        self._unreadable += sources.problems
        self.close_bar()

    def _make(self) -> None:
        from dedup_middleware.lab.synthesis import label_sources, make_series

        gathering, order = self._gathering, self._order
        if order.plan.own.high > 0 and self._opts.own_from == "pages" and not gathering.held_out:
            raise DedupError(
                "No page is left to be held out for own text; name at least five, or give "
                "--own-from generated"
            )
        series = make_series(gathering.sources, order, gathering.held_out)
        for label in label_sources(gathering.sources, order.min_terms):
            self._folder.add_label(label)
        if sys.stderr.isatty():
            self._open_bar(total=order.count, unit=" documents")
        for labelled in series:
            self._folder.add_made(labelled)
            self._made += 1
            if self._bar is not None:
                self._bar.update()
        self.close_bar()

    def _html(self, page: Page, source: Source) -> str:
        from dedup_middleware.lab.synthesis.make import to_html
        from dedup_middleware.read.decode import to_utf8

        if page.html is None:
            return to_html(source.paragraphs)
        return to_utf8(page.html, page.encoding, self._settings.max_html)[0].decode()

    def _meta(self) -> dict[str, Any]:
        opts, gathering = self._opts, self._gathering
        return {
            "sources": len(gathering.sources),
            "documents": self._made,
            "held_out": len(gathering.held_out),
            "made_by": {
                "count": self._order.count,
                "sources": str(self._order.sources),
                "shares": opts.shares,
                "own": opts.own,
                "own_from": opts.own_from,
                "edits": opts.edits,
                "edit_kinds": list(self._order.plan.edit_kinds),
                "reorder": opts.reorder,
                "seed": self._order.seed,
            },
        }

    def _complain(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(safe(text), file=sys.stderr)
        else:
            sys.stderr.write(f"{safe(text)}\n")

    def _open_bar(self, **options: Any) -> None:
        from tqdm import tqdm  # only where somebody watches

        self._bar = tqdm(leave=False, **options)


def _order(opts: Namespace, settings: Settings) -> Order:
    """Read the options; SettingError names the one that is wrong."""
    from dedup_middleware.lab.synthesis import Order, Plan
    from dedup_middleware.lab.synthesis.plan import parse_range, parse_shares, parse_whole

    shares = parse_shares(opts.shares)
    wanted = len(shares) if isinstance(shares, tuple) else None
    text = opts.sources or (str(wanted) if wanted else "1-3")
    sources = parse_whole("sources", text, 1, _MOST_SOURCES)
    if wanted and (sources.low, sources.high) != (wanted, wanted):
        raise SettingError(
            f"shares names {wanted} figures, so each document has {wanted} sources, not {sources}"
        )
    plan = Plan(
        shares=shares,
        own=parse_range("own", opts.own),
        edits=parse_range("edits", opts.edits),
        edit_kinds=tuple(dict.fromkeys(kind.strip() for kind in opts.edit_kinds.split(","))),
        reorder=opts.reorder,
    )
    return Order(
        count=_whole("count", opts.count, 1, _MOST_DOCUMENTS),
        sources=sources,
        plan=plan,
        seed=_whole("seed", opts.seed, 0, 2**63),
        min_terms=settings.min_words,
    )


def _whole(name: str, text: str, low: int, high: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise SettingError(f"{name} must be a whole number, not {text!r}") from None
    if not low <= value <= high:
        raise SettingError(f"{name} must lie from {low:,} to {high:,}, not {value:,}")
    return value


def _table(facts: dict[str, Any]) -> str:
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in facts["left_out"].items())
    held_out, problems = facts["held_out"], facts["problems"]
    pages = shlex.quote(str(Path(facts["output"], "pages.jsonl.gz")))
    rows = [
        ("Documents", f"{facts['documents']:,} made in {facts['seconds']:.1f} s"),
        ("Sources", f"{facts['sources']:,} pages"),
        *([("Held out", f"{held_out:,} pages, for own text")] if held_out else []),
        ("Left out", left_out or "0"),
        ("Problems", f"{problems:,}{', each told on stderr' if problems else ''}"),
        ("Labels", ", ".join(f"{count:,} {gold}" for gold, count in facts["gold"].items())),
        ("Output", facts["output"]),
        ("Next", f"{scrapy_command()} dedup scan {pages}"),
    ]
    return "".join(f"{name:<12} {safe(value)}\n" for name, value in rows)
