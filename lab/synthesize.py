"""`python -m lab.synthesize`: make documents with known shares of your pages, to measure with."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.commands._arguments import add_paths, check_paths
from dedup_middleware.commands._screen import progress
from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.read.decode import to_utf8
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, scrapy_command
from lab.command import main
from lab.copies import OTHER, REWORDED, CopyPlan, load, make_copies
from lab.page_reader import PageReader
from lab.synthesis import (
    Plan,
    SeriesPlan,
    SetFolder,
    Source,
    SourceCollection,
    label_sources,
    make_series,
    source_of_outline,
)
from lab.synthesis.document import to_html
from lab.synthesis.plan import parse_range, parse_shares, parse_whole

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.page import Page

_MOST_SOURCES, _MOST_DOCUMENTS = 1_000, 1_000_000
_OWN_FROM = ("pages", "generated")
_DETAILS = "changes.jsonl.gz"
# options of documents, with what they are if not given
_SHARES_ONLY = {
    "sources": None,
    "shares": "0.1-1",
    "own": "0",
    "own_from": "pages",
    "edits": "0",
    "edit_kinds": "replace,insert,delete",
    "reorder": "paragraphs",
}


def add_arguments(parser: ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="write pages, labels and manifest into this folder, which must be new or empty",
    )
    parser.add_argument(
        "--count", metavar="N", default="100", help="documents to make, or copies of a kind (100)"
    )
    parser.add_argument(
        "--copies",
        metavar="KIND,…",
        help="instead, make copies of pages that say the same in other words (reworded), that were "
        "revised (revised), or falsified (negated, one-fact), and pages of the same template about "
        "other things (other)",
    )
    parser.add_argument(
        "--wordnet",
        type=Path,
        metavar="DIR",
        default=Path("/usr/share/wordnet"),
        help="where WordNet's files are, for reworded copies (/usr/share/wordnet)",
    )
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
    if opts.copies is not None:
        return _run_copies(opts, chosen)
    plan = _plan(opts, chosen)
    check_paths(opts.paths)

    started = time.monotonic()
    with SetFolder(opts.output) as folder:
        collection, problems = _read_sources(
            opts, chosen, folder, hold_out=_holds_out(opts, plan), seed=plan.seed
        )
        _make_documents(opts, plan, collection, folder)
        counts = {
            "sources": len(collection.sources),
            "documents": plan.count,
            "held_out": len(collection.held_out),
        }
        folder.finish({**counts, "made_by": _made_by(opts, plan)})
    seconds = time.monotonic() - started
    _print_facts(opts, {"documents": plan.count}, collection, folder, problems, plan.seed, seconds)
    return 0


def _make_documents(
    opts: Namespace, plan: SeriesPlan, collection: SourceCollection, folder: SetFolder
) -> None:
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
        count=_whole_number("count", opts.count, 1, _MOST_DOCUMENTS),
        sources=sources,
        plan=plan,
        seed=_whole_number("seed", opts.seed, 0, 2**63),
        min_terms=settings.min_words,
    )


def _run_copies(opts: Namespace, settings: Settings) -> int:
    plan = _copy_plan(opts)
    check_paths(opts.paths)

    started = time.monotonic()
    lexicon = load(opts.wordnet) if REWORDED in plan.kinds else None
    made = Counter(dict.fromkeys(plan.kinds, 0))
    with SetFolder(opts.output, details=_DETAILS) as folder:
        collection, problems = _read_sources(
            opts, settings, folder, hold_out=OTHER in plan.kinds, seed=plan.seed
        )
        if not collection.sources:
            raise DedupError("Copies can't be made from 0 pages; name some with more text")
        for label in label_sources(collection.sources, settings.min_words):
            folder.add_label(label)
        copies = make_copies(collection.sources, plan, lexicon, collection.held_out)
        for copy in progress(copies, None, "Making copies"):
            made[copy.label.group] += 1
            folder.add_page(copy.html, copy.label, copy.row())
        made_by = {"copies": list(plan.kinds), "count": plan.count, "seed": plan.seed}
        counts = {"sources": len(collection.sources), "held_out": len(collection.held_out)}
        folder.finish({**counts, "copies": made, "made_by": made_by})
    seconds = time.monotonic() - started
    _print_facts(opts, {"copies": made}, collection, folder, problems, plan.seed, seconds)
    return 0


def _copy_plan(opts: Namespace) -> CopyPlan:
    """Parse the options; SettingError names the one that is wrong."""
    for name, default in _SHARES_ONLY.items():
        if getattr(opts, name) != default:
            raise SettingError(f"--{name.replace('_', '-')} has no meaning for --copies")
    return CopyPlan(
        kinds=tuple(dict.fromkeys(kind.strip() for kind in opts.copies.split(","))),
        count=_whole_number("count", opts.count, 1, _MOST_DOCUMENTS),
        seed=_whole_number("seed", opts.seed, 0, 2**63),
    )


def _read_sources(
    opts: Namespace, settings: Settings, folder: SetFolder, *, hold_out: bool, seed: int
) -> tuple[SourceCollection, int]:
    """Write the sources into the folder; return them and the number of unreadable pages."""
    collection = SourceCollection(min_terms=settings.min_words, hold_out=hold_out, seed=seed)
    reader = PageReader(opts.paths, settings, leave_out=[opts.output])
    for page, outline in reader.pages(lambda: f"{len(collection.sources):,} sources"):
        source = source_of_outline(page.url, outline)
        if collection.add(source):
            folder.add_source(page.url, _html(page, source, settings.max_html))
    return collection, reader.problems


def _html(page: Page, source: Source, max_html: int) -> str:
    if page.html is None:
        return to_html(source.paragraphs)
    return to_utf8(page.html, page.encoding, max_html)[0].decode()


def _whole_number(name: str, text: str, low: int, high: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise SettingError(f"{name} must be a whole number, not {text!r}") from None
    if not low <= value <= high:
        raise SettingError(f"{name} must lie from {low:,} to {high:,}, not {value:,}")
    return value


def _print_facts(
    opts: Namespace,
    made: dict[str, Any],
    collection: SourceCollection,
    folder: SetFolder,
    problems: int,
    seed: int,
    seconds: float,
) -> None:
    """Print what was made, as a table or as JSON."""
    facts = {
        **made,
        "gold": dict(folder.gold),
        "sources": len(collection.sources),
        "held_out": len(collection.held_out),
        "left_out": dict(collection.left_out),
        "problems": problems,
        "seed": seed,
        "seconds": round(seconds, 3),
        "output": str(folder.path),
    }
    sys.stdout.write(f"{json.dumps(facts)}\n" if opts.json else _table(facts))


def _table(facts: dict[str, Any]) -> str:
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in facts["left_out"].items())
    held_out, problems = facts["held_out"], facts["problems"]
    pages = shlex.quote(str(Path(facts["output"], "pages.jsonl.gz")))
    copies = ", ".join(f"{count:,} {kind}" for kind, count in facts.get("copies", {}).items())
    made = (
        ("Copies", copies or "0") if "copies" in facts else ("Documents", f"{facts['documents']:,}")
    )
    rows = [
        (made[0], f"{made[1]} made in {facts['seconds']:.1f} s"),
        ("Sources", f"{facts['sources']:,} pages"),
        *(
            [("Held out", f"{held_out:,} pages, for {'other pages' if copies else 'own text'}")]
            if held_out
            else []
        ),
        ("Left out", left_out or "0"),
        ("Problems", f"{problems:,}{', reported on stderr' if problems else ''}"),
        ("Labels", ", ".join(f"{count:,} {gold}" for gold, count in facts["gold"].items())),
        ("Output", facts["output"]),
        ("Next", f"{scrapy_command()} dedup scan {pages}"),
    ]
    return "".join(f"{name:<12} {escape(value)}\n" for name, value in rows)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
