"""`scrapy dedup synthesize`: make documents with known shares of your pages, to measure with."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import Settings

from ._arguments import add_paths, check_paths
from ._copies import run_copies
from ._progress import progress
from ._synthesis import MOST_DOCUMENTS, print_facts, read_sources, whole_number

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.lab.synthesis import SeriesPlan, SetFolder, SourceCollection

_MOST_SOURCES = 1_000
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
        return run_copies(opts, chosen)
    plan = _plan(opts, chosen)
    check_paths(opts.paths)
    from dedup_middleware.lab.synthesis import SetFolder

    started = time.monotonic()
    with SetFolder(opts.output) as folder:
        collection, problems = read_sources(
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
    print_facts(opts, {"documents": plan.count}, collection, folder, problems, plan.seed, seconds)
    return 0


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
        count=whole_number("count", opts.count, 1, MOST_DOCUMENTS),
        sources=sources,
        plan=plan,
        seed=whole_number("seed", opts.seed, 0, 2**63),
        min_terms=settings.min_words,
    )
