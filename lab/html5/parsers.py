"""Main text by another parser: what our tree shows that libxml2's does not.

Command: `python -m lab.html5.parsers FOLDER…` with labelled sets. Each page is read twice by
the same rules, as it is and as libxml2 writes its tree of it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from dedup_middleware import Page
from dedup_middleware.read import read
from lab.accuracy.sets import batches_of, find_sets
from lab.progress import progress
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

FEW = 0.02  # of the words


def by_lxml(html: str) -> str:
    """Return the tree of libxml2 as HTML, each element with its end."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(html.encode("utf-8", "replace"), parser)
    return etree.tostring(root, method="html", encoding="unicode")


def main_text(html: str) -> Counter[str]:
    """Return how often each word stands in the main text of a page."""
    return Counter(read(Page(url="https://example.org/", html=html)).main.split())


def kind(ours: Counter[str], theirs: Counter[str]) -> str:
    """Say how two main texts differ."""
    if ours == theirs:
        return "same"
    more, less = (ours - theirs).total(), (theirs - ours).total()
    if more + less <= FEW * max(ours.total(), theirs.total()):
        return f"up to {FEW:.0%} differ"
    return "more" if not less else "less" if not more else "other words"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how often main texts agree, and pages on which they don't."""
    parser = argparse.ArgumentParser("python -m lab.html5.parsers", description=__doc__)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path)
    parser.add_argument("--every", metavar="N", type=int, default=1, help="read each Nth page only")
    parser.add_argument("--list", action="store_true", help="name the pages that differ")
    options = parser.parse_args(arguments)
    problems: list[str] = []
    counts = Counter[str]()
    for page_set in find_sets(options.folders, problems):
        rows = list(chain.from_iterable(batches_of(page_set, problems)))[:: options.every]
        for row in progress(rows, page_set.name):
            found = kind(main_text(row["html"]), main_text(by_lxml(row["html"] or " ")))
            counts[found] += 1
            if options.list and found not in ("same", f"up to {FEW:.0%} differ"):
                print(found, row["url"])
    print(table(sorted(counts), [[counts[one] for one in sorted(counts)]]))
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
