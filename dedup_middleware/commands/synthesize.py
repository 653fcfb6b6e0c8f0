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

from ._arguments import add_paths, check_paths
from ._progress import progress

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.lab.synthesis import SeriesPlan, SetFolder, Source, SourceCollection
    from dedup_middleware.page import Page

_MOST_DOCUMENTS, _MOST_SOURCES = 1_000_000, 1_000
_OWN_FROM = ("pages", "generated")


def add_arguments(parser: ArgumentParser) -> None:
    add_paths(parser)
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
        help="least share of each source that is taken, in whole paragraphs: one for all, a range "
        "to draw from, or one for each source (0.1-1)",
    )
    parser.add_argument(
        "--own",
        metavar="X|X-X",
        default="0",
        help="share of a document that is in none of its sources (0)",
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
    plan = _plan(opts, chosen)
    check_paths(opts.paths)
    from dedup_middleware.lab.synthesis import SetFolder

    started = time.monotonic()
    with SetFolder(opts.output) as folder:
        collection, problems = _read_sources(opts, chosen, plan, folder)
        _make_documents(opts, plan, collection, folder)
        counts = {
            "sources": len(collection.sources),
            "documents": plan.count,
            "held_out": len(collection.held_out),
        }
        folder.finish({**counts, "made_by": _made_by(opts, plan)})
    facts = {
        "documents": plan.count,
        "gold": dict(folder.gold),
        "sources": counts["sources"],
        "held_out": counts["held_out"],
        "left_out": dict(collection.left_out),
        "problems": problems,
        "seed": plan.seed,
        "seconds": round(time.monotonic() - started, 3),
        "output": str(folder.path),
    }
    sys.stdout.write(f"{json.dumps(facts)}\n" if opts.json else _table(facts))
    return 0


def _read_sources(
    opts: Namespace, settings: Settings, plan: SeriesPlan, folder: SetFolder
) -> tuple[SourceCollection, int]:
    """Write the sources into the folder; return them and the number of unreadable pages."""
    from dedup_middleware.lab.synthesis import SourceCollection, source_of_outline

    from ._reading import PageReader

    collection = SourceCollection(
        min_terms=settings.min_words, hold_out=_holds_out(opts, plan), seed=plan.seed
    )
    reader = PageReader(opts.paths, settings, leave_out=[opts.output])
    for page, outline in reader.pages(lambda: f"{len(collection.sources):,} sources"):
        source = source_of_outline(page.url, outline)
        if collection.add(source):
            folder.add_source(page.url, _html(page, source, settings.max_html))
    return collection, reader.problems


def _make_documents(
    opts: Namespace, plan: SeriesPlan, collection: SourceCollection, folder: SetFolder
) -> None:
    from dedup_middleware.lab.synthesis import label_sources, make_series

    if _holds_out(opts, plan) and not collection.held_out:
        raise DedupError(
            "No page is left to be held out for own text; name at least five, or give "
            "--own-from generated"
        )
    series = make_series(collection.sources, plan, collection.held_out)
    for label in label_sources(collection.sources, plan.min_terms):
        folder.add_label(label)
    for labelled in progress(series, plan.count, "Making documents"):
        folder.add_made(labelled)


def _holds_out(opts: Namespace, plan: SeriesPlan) -> bool:
    return plan.plan.own.high > 0 and opts.own_from == "pages"


def _html(page: Page, source: Source, max_html: int) -> str:
    from dedup_middleware.lab.synthesis.document import to_html
    from dedup_middleware.read.decode import to_utf8

    if page.html is None:
        return to_html(source.paragraphs)
    return to_utf8(page.html, page.encoding, max_html)[0].decode()


def _made_by(opts: Namespace, plan: SeriesPlan) -> dict[str, Any]:
    return {
        "count": plan.count,
        "sources": str(plan.sources),
        "shares": opts.shares,
        "own": opts.own,
        "own_from": opts.own_from,
        "edits": opts.edits,
        "edit_kinds": list(plan.plan.edit_kinds),
        "reorder": opts.reorder,
        "seed": plan.seed,
    }


def _plan(opts: Namespace, settings: Settings) -> SeriesPlan:
    """Parse the options; SettingError names the one that is wrong."""
    from dedup_middleware.lab.synthesis import Plan, SeriesPlan
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
    return SeriesPlan(
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
        ("Problems", f"{problems:,}{', reported on stderr' if problems else ''}"),
        ("Labels", ", ".join(f"{count:,} {gold}" for gold, count in facts["gold"].items())),
        ("Output", facts["output"]),
        ("Next", f"{scrapy_command()} dedup scan {pages}"),
    ]
    return "".join(f"{name:<12} {safe(value)}\n" for name, value in rows)
