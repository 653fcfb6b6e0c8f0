"""Main text by other parsers: what our tree shows that libxml2's or html.parser's does not.

Command: `python -m benchmarks.html5.parsers FOLDER…` with labelled sets. Each page is read three
times by the same rules, from our own tree, from that of libxml2 and from the tags of html.parser.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from benchmarks.accuracy.sets import batches_of, find_sets
from benchmarks.progress import progress
from benchmarks.table import table
from dedup_middleware.read.boilerplate import mark_boilerplate
from dedup_middleware.read.build import Builder
from dedup_middleware.read.hiding.hidden import hide
from dedup_middleware.read.identity import declared
from dedup_middleware.read.tags import VOID
from dedup_middleware.read.tree import Element, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FEW = 0.02  # of the words


class _Events(HTMLParser):
    """Builds a tree of the tags as they come: an end tag ends what is open by its name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = self.at = Element("", {}, None, 0)
        self.count = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.count += 1
        inner = Element(tag, {k: v or "" for k, v in reversed(attrs)}, self.at, self.count)
        self.at.children.append(inner)
        if tag not in VOID:
            self.at = inner

    def handle_endtag(self, tag: str) -> None:
        at: Element | None = self.at
        while at is not None and at.tag != tag:
            at = at.parent
        if at is not None and at.parent is not None:
            self.at = at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def by_html_parser(html: str) -> Element:
    """Return the tree of html.parser."""
    events = _Events()
    events.feed(html)
    events.close()
    return events.page


def by_lxml(html: str) -> Element:
    """Return the tree of libxml2."""
    page = at = Element("", {}, None, 0)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(html.encode("utf-8", "replace"), parser)
    count = 0
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            count += 1
            inner = Element(str(node.tag), dict(node.attrib), at, count)
            at.children.append(inner)
            at = inner
            if node.text:
                at.children.append(node.text)
            continue
        if event == "end":
            at = at.parent or page
        if node.tail:
            at.children.append(node.tail)
    return page


def main_text(page: Element) -> Counter[str]:
    """Return how often each word stands in the main text of a page."""
    hide(page)
    builder = Builder()
    builder.walk(page)
    nodes = builder.columns
    marks = mark_boilerplate(nodes, declared(page).title)
    shown = (text for text, mark in zip(nodes.texts, marks, strict=True) if not mark)
    return Counter(chain.from_iterable(map(str.split, shown)))


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
    parser = argparse.ArgumentParser("python -m benchmarks.html5.parsers", description=__doc__)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path)
    parser.add_argument("--every", metavar="N", type=int, default=1, help="read each Nth page only")
    parser.add_argument("--list", action="store_true", help="name the pages that differ")
    options = parser.parse_args(arguments)
    problems: list[str] = []
    others: dict[str, Callable[[str], Element]]
    others = {"libxml2": by_lxml, "html.parser": by_html_parser}
    counts = {name: Counter[str]() for name in others}
    for page_set in find_sets(options.folders, problems):
        rows = list(chain.from_iterable(batches_of(page_set, problems)))[:: options.every]
        for row in progress(rows, page_set.name):
            ours = main_text(tree(row["html"]))
            for name, parse in others.items():
                found = kind(ours, main_text(parse(row["html"] or " ")))
                counts[name][found] += 1
                if options.list and found not in ("same", f"up to {FEW:.0%} differ"):
                    print(name, found, row["url"])
    kinds = sorted(set(chain.from_iterable(counts.values())))
    print(table(["parser", *kinds], [[name, *map(counts[name].get, kinds)] for name in counts]))
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
