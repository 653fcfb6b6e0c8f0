"""Sets of reworded, revised and falsified copies, as `scrapy dedup synthesize --copies` makes."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, SettingError

from ._arguments import check_paths
from ._progress import progress
from ._synthesis import MOST_DOCUMENTS, print_facts, read_sources, whole_number

if TYPE_CHECKING:
    from argparse import Namespace

    from dedup_middleware.lab.copies import CopyPlan
    from dedup_middleware.settings import Settings

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


def run_copies(opts: Namespace, settings: Settings) -> int:
    plan = _plan(opts)
    check_paths(opts.paths)
    from dedup_middleware.lab.copies import OTHER, REWORDED, load, make_copies
    from dedup_middleware.lab.synthesis import SetFolder, label_sources

    started = time.monotonic()
    lexicon = load(opts.wordnet) if REWORDED in plan.kinds else None
    made = Counter(dict.fromkeys(plan.kinds, 0))
    with SetFolder(opts.output, details=_DETAILS) as folder:
        collection, problems = read_sources(
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
    print_facts(opts, {"copies": made}, collection, folder, problems, plan.seed, seconds)
    return 0


def _plan(opts: Namespace) -> CopyPlan:
    """Parse the options; SettingError names the one that is wrong."""
    from dedup_middleware.lab.copies import CopyPlan

    for name, default in _SHARES_ONLY.items():
        if getattr(opts, name) != default:
            raise SettingError(f"--{name.replace('_', '-')} has no meaning for --copies")
    return CopyPlan(
        kinds=tuple(dict.fromkeys(kind.strip() for kind in opts.copies.split(","))),
        count=whole_number("count", opts.count, 1, MOST_DOCUMENTS),
        seed=whole_number("seed", opts.seed, 0, 2**63),
    )
