"""Pereira & Ziviani, Table 1: the difference between expected and found similarity."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dedup_middleware.methods import Document, make_method
from lab.charts import OURS, PUBLISHED, dress, legend, panels
from lab.markdown import caption, joined, percent, table
from lab.progress import progress
from lab.published.bit_tree import Branch, bit_tree, drawn
from lab.synthesis import Plan, Range, synthesize

from . import pereira_queries
from .material import document_of_lines, of_sets, read_pools

if TYPE_CHECKING:
    from pathlib import Path

    from lab.synthesis import Source

    from .run import Run

TITLE = "Pereira & Ziviani: shingles and the Patricia tree"
WIDTHS = tuple(range(2, 11))
PATRICIA = "patricia"
PUBLISHED_DIFFERENCES = {  # Table 1
    "2": 0.0897,
    "3": 0.0672,
    "4": 0.0413,
    "5": 0.0504,
    "6": 0.0734,
    "7": 0.0967,
    "8": 0.1142,
    "9": 0.1271,
    "10": 0.1378,
    PATRICIA: 0.0750,
}
SOURCES = 10
"""Pages that a document is made of."""
SHARES = (0.1, 0.9)
SHOWN = ("2", "4", "10", PATRICIA)
POINTS = 600
QUERIES = 140
"""Documents by which fingerprints are compared."""


def section(run: Run) -> str:
    """Make the counterpart of Table 1."""

    def measured(problems: list[str]) -> Any:
        return measure(run.data, run.queries, problems)

    found = run.result("pereira", measured, queries=run.queries, shares=SHARES)
    if not found["pairs"]:
        return ""

    def queried(problems: list[str]) -> Any:
        return pereira_queries.measure(run.data, min(run.queries, QUERIES), problems)

    queries = run.result("pereira-queries", queried, queries=min(run.queries, QUERIES))
    return joined(
        caption("Table 1: mean absolute difference between expected and found similarity"),
        _table(found),
        run.picture(
            "pereira-widths", "Difference by width of shingles", lambda path: _draw(path, found)
        ),
        run.picture(
            "pereira-expected",
            "Expected against found similarity",
            lambda path: _scatter(path, found),
        ),
        _comment(found),
        caption("Figure 4: the Patricia tree of “uma rosa é uma rosa.”"),
        "```text\n" + "\n".join(drawn(bit_tree("uma rosa é uma rosa."))) + "\n```",
        run.picture("pereira-tree", "The tree of Figure 4", _tree),
        caption("Which fingerprint to query with: sources among the first ten answers"),
        pereira_queries.shown(queries),
        _queries_comment(),
    )


def measure(data: Path, queries: int, problems: list[str]) -> dict[str, Any]:
    """Mix documents of ten pages each; compare what was taken with what each method finds."""
    found = read_pools(data, problems)
    pools = {name: sources for name, sources in found.items() if len(sources) >= SOURCES}
    if not pools:
        problems.append(f"{data}: fewer than {SOURCES} different pages in each set; no Table 1")
    methods = _methods(problems)
    known: dict[str, _Text] = {}
    expected: list[float] = []
    obtained: dict[str, list[float]] = defaultdict(list)
    count = queries if pools else 0
    for number in progress(range(count), "Table 1 of P"):
        # of one set, as the pages that answer one query share a topic
        rng, pool = random.Random(number), list(pools.values())[number % len(pools)]
        sources = rng.sample(pool, SOURCES)
        made = synthesize(sources, Plan(shares=Range(*SHARES)), rng)
        expected += [taken.of_source for taken in made.truth.sources]
        for source in sources:
            if source.url not in known:
                known[source.url] = _Text(document_of_lines(source.url, source.text))
        document = _Text(document_of_lines(made.url, made.text))
        for name, method in methods.items():
            obtained[name] += method(document, [known[one.url] for one in sources])
    return _figures(expected, obtained, pools)


def _figures(
    expected: Sequence[float], obtained: dict[str, list[float]], pools: dict[str, list[Source]]
) -> dict[str, Any]:
    step = max(1, len(expected) // POINTS)
    shown = {name: obtained[name][::step] for name in SHOWN if name in obtained}
    return {
        "pairs": len(expected),
        "pages": {name: len(sources) for name, sources in pools.items()},
        "expected": fmean(expected) if expected else 0,
        "differences": {name: _mean(expected, values, abs) for name, values in obtained.items()},
        "bias": {name: _mean(expected, values, float) for name, values in obtained.items()},
        "points": {"expected": expected[::step], **shown},
    }


def _mean(expected: Sequence[float], found: Sequence[float], of: Any) -> float:
    """Average the differences.

    >>> _mean([0.5, 0.25], [0.25, 0.5], abs), _mean([0.5, 0.25], [0.25, 0.5], float)
    (0.25, 0.0)
    """
    return fmean(of(theirs - ours) for ours, theirs in zip(expected, found, strict=True))


class _Text:
    """A document whose shingles are cached."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.shingles = cache(document.shingles)


_Method = Callable[[_Text, Sequence[_Text]], list[float]]
"""Returns which share of each source a document holds."""


def _methods(problems: list[str]) -> dict[str, _Method]:
    methods: dict[str, _Method] = {str(width): partial(by_shingles, width) for width in WIDTHS}
    try:
        make_method(PATRICIA)
        methods[PATRICIA] = _by_patricia
    except ImportError as error:
        problems.append(f"Table 1 without the Patricia tree: {error}")
    return methods


def by_shingles(width: int, document: _Text, sources: Sequence[_Text]) -> list[float]:
    """Return the containment of the method `shingles`, without an index for each document."""
    here = document.shingles(width)
    return [of_sets(one.shingles(width), here).containment for one in sources]


def _by_patricia(document: _Text, sources: Sequence[_Text]) -> list[float]:
    patricia = make_method(PATRICIA)
    for source in sources:
        patricia.add(source.document)
    shares = {match.name: match.backward for match in patricia.candidates(document.document)}
    return [shares.get(source.document.name, 0.0) for source in sources]


def _table(found: Any) -> str:
    rows = [
        [
            _label(name),
            percent(published, 2),
            percent(found["differences"].get(name), 2),
            _signed(found["bias"].get(name)),
        ]
        for name, published in PUBLISHED_DIFFERENCES.items()
    ]
    return table(["method", "published", "ours", "ours, signed"], rows)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.2f} %"


def _comment(found: Any) -> str:
    best = min(found["differences"], key=found["differences"].get)
    pages = ", ".join(f"{count} of {name}" for name, count in found["pages"].items())
    return (
        f"{found['pairs']:,} pairs of a made document and one of its {SOURCES} sources, which are "
        f"drawn from one set at a time ({pages}); of each source {percent(SHARES[0], 0)} to "
        f"{percent(SHARES[1], 0)} are taken, whole paragraphs in random order. Shares are of the "
        f"source. Best here: {_label(best)}. Why they differ: short shingles find what was not "
        "taken, long ones lose what is at the seams between paragraphs, on both sides alike; "
        "where these cancel out depends on how long paragraphs are and on how many pairs of words "
        "pages share by chance, and the paper's were search results in Portuguese, ours are English"
        " pages, many with lists and tables of short cells. The paper does not say how much of "
        "each page it took."
    )


def _queries_comment() -> str:
    return (
        "Documents made as for Table 1, looked up in an index of up to "
        f"{pereira_queries.MOST_POOL} pages of their set that ranks by idf; ten sources each. The "
        "paper queries search engines with a fingerprint that it does not describe, and leaves "
        "its choice as future work."
    )


def _tree(path: Path) -> None:
    """Draw the tree of Figure 4: 0 to the left, 1 to the right."""
    leaves = count()

    def place(tree: Any, depth: int) -> tuple[float, float]:
        if not isinstance(tree, Branch):
            spot = float(next(leaves)), -float(depth)
            axes.annotate(f"SiString {tree.number}", spot, ha="center", va="top", fontsize=8)
            return spot
        sides = [place(side, depth + 1) for side in (tree.zero, tree.one)]
        spot = sum(x for x, _ in sides) / 2, -float(depth)
        for (x, y), bit in zip(sides, "01", strict=True):
            axes.plot([spot[0], x], [spot[1], y], color=PUBLISHED, linewidth=1, zorder=0)
            axes.annotate(bit, ((spot[0] + x) / 2, (spot[1] + y) / 2), fontsize=8, color=OURS)
        axes.scatter(*spot, s=320, color=OURS)
        axes.annotate(
            tree.label, spot, ha="center", va="center", color="white", fontsize=8, weight="bold"
        )
        return spot

    with panels(path, 1, size=4.6) as (axes,):
        place(bit_tree("uma rosa é uma rosa."), 0)
        axes.set_axis_off()
        axes.margins(0.1)


def _label(method: str) -> str:
    return "Patricia" if method == PATRICIA else f"w = {method}"


def _draw(path: Path, found: Any) -> None:
    with panels(path, 1, size=5.4) as (axes,):
        for values, colour, label in (
            (PUBLISHED_DIFFERENCES, PUBLISHED, "published"),
            (found["differences"], OURS, "ours"),
        ):
            shown = [(int(name), 100 * values[name]) for name in map(str, WIDTHS) if name in values]
            axes.plot(*zip(*shown, strict=True), color=colour, marker="o", label=f"w, {label}")
            if PATRICIA in values:
                height = 100 * values[PATRICIA]
                axes.axhline(height, color=colour, linestyle="--", label=f"Patricia, {label}")
        axes.set_ylim(bottom=0)
        dress(axes, "Expected less found similarity", "words of a shingle", "mean |difference|, %")
        legend(axes)


def _scatter(path: Path, found: Any) -> None:
    points = found["points"]
    shown = [name for name in SHOWN if name in points]
    with panels(path, len(shown), size=3.2) as axes:
        for panel, name in zip(axes, shown, strict=True):
            panel.plot([0, 1], [0, 1], color=PUBLISHED, linewidth=1)
            panel.scatter(
                points["expected"], points[name], s=5, color=OURS, alpha=0.5, linewidths=0
            )
            panel.set(xlim=(0, 1.02), ylim=(0, 1.05))
            dress(panel, _label(name), "expected", "found" if name == shown[0] else "")
