"""Drawings of Yerra's thesis made again: Figures 3.1b, 3.2b, 3.3 to 3.8 and 4.3 to 4.7."""

from __future__ import annotations

import random
import textwrap
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from dedup_middleware import Page, compare
from dedup_middleware.similarity import odds_ratio
from dedup_middleware.similarity.matching import every_pair
from lab.charts import FOURTH, OURS, PUBLISHED, SECOND, THIRD, dress, legend, panels
from lab.markdown import figure, table

from .counts import Counts
from .yerra_quotes import QUOTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dedup_middleware import PageComparison

    from .material import Labelled
    from .yerra_pages import Comparer, Sentences
    from .yerra_sentences import MeasuredPair

MOST_SENTENCES = 200
"""Of a page, in the histogram; the last bar is for more."""
GAPS = tuple(round(0.0125 * step, 4) for step in range(15))
"""Variation thresholds of Figure 3.2b, from 0 to .175."""
CASES = {
    "inside": "3.3: a part",
    "inside and more": "3.4: a part and more",
    "different": "3.5: different",
    "related": "3.6: related",
    "size": "3.7: much longer",
    "versions": "3.8: versions",
}
ODDS_PAIRS, ODDS_OTHERS = 3, 4
"""Documents of Table 4.1: pairs that are alike, and others, ten in all."""


def lengths(sets: Sequence[Labelled]) -> list[int]:
    """Count the sentences of all pages."""
    return [len(one.lettered_sentences) for labelled in sets for one in labelled.documents]


def gaps(found: Sequence[MeasuredPair], least: float) -> list[list[float]]:
    """Return the errors by variation threshold, of pairs that reach the permissible one."""
    reached = [one for one in found if min(one.one_way, one.other_way) >= least]
    rows = []
    for gap in GAPS:
        counts = Counts.of((abs(one.one_way - one.other_way) <= gap, one.alike) for one in reached)
        rows.append([counts.false_positives, counts.false_negatives])
    return rows


def dots(
    cases: Mapping[str, tuple[Sentences, Sentences]], comparer: Comparer
) -> dict[str, dict[str, Any]]:
    """Return all pairs of sentences that are the same in one pair of pages a case."""
    return {
        name: {
            "sizes": [len(one), len(other)],
            **{
                method: [[pair.first, pair.second] for pair in every_pair(one, other, test)]
                for method, test in comparer.tests.items()
            },
        }
        for name, (one, other) in cases.items()
    }


def odds(sets: Sequence[Labelled], comparer: Comparer) -> list[list[float]]:
    """Return the odds among ten pages of a set: three pairs of versions and four others."""
    labelled = next((one for one in sets if one.name == "wiki"), sets[0])
    known = {one.name: one for one in labelled.documents}
    rng = random.Random("odds")
    chosen: list[str] = []
    names = [*labelled.labels]
    rng.shuffle(names)
    for name in names:
        earlier = next(
            (
                one
                for one, kinds in labelled.labels[name].positives.items()
                if one in known and "near" in kinds
            ),
            None,
        )
        if len(chosen) < 2 * ODDS_PAIRS:
            if name in known and earlier and not {name, earlier} & {*chosen}:
                chosen += [earlier, name]
        elif name in known and not labelled.labels[name].positives and len(chosen) < 10:
            chosen.append(name)
    sides = [known[name].lettered_sentences for name in chosen]
    table_ = [[100.0] * len(sides) for _ in sides]
    for one, other in combinations(range(len(sides)), 2):
        overlap = comparer.compare(sides[one], sides[other])["fuzzy set"]
        table_[one][other] = table_[other][one] = odds_ratio(*overlap)
    return table_


def odds_table(found: Sequence[Sequence[float]]) -> str:
    """Show the odds among the pages that have a version here, as Table 4.1 does."""
    shown = range(min(2 * ODDS_PAIRS, len(found)))
    rows = [
        [f"Doc{row}", *("100" if row == at else figure(found[row][at], 3) for at in shown)]
        for row in shown
    ]
    return table(["", *(f"Doc{at}" for at in shown)], rows)


def draw_dots(path: Path, found: Any) -> None:
    """Draw the dot plots, 4-grams above fuzzy sets."""
    shown = [name for name in CASES if name in found]
    with panels(path, 2 * len(shown), columns=len(shown), size=2.6) as axes:
        for row, method in enumerate(("4-grams", "fuzzy set")):
            for column, name in enumerate(shown):
                panel, one = axes[row * len(shown) + column], found[name]
                if one[method]:
                    x, y = zip(*one[method], strict=True)
                    panel.scatter(x, y, s=4, color=OURS if row else SECOND, linewidths=0)
                panel.set(xlim=(-1, one["sizes"][0]), ylim=(-1, one["sizes"][1]))
                title = CASES[name] if row == 0 else ""
                dress(panel, title, "" if row == 0 else "sentence", method if not column else "")


def draw_odds(path: Path, found: Sequence[Sequence[float]]) -> None:
    """Draw the odds of Figure 4.3; those of a page with itself count as 0, as there."""
    with panels(path, 1, size=4.6) as (axes,):
        for row, values in enumerate(found):
            shown = [0.0 if row == at else value for at, value in enumerate(values)]
            axes.plot(range(len(shown)), shown, marker="o", ms=4, linewidth=1, label=f"Doc{row}")
        axes.set_xticks(range(len(found)))
        dress(axes, "Odds ratios among ten pages", "document", "odds")
        legend(axes, outside=True)


def draw_lengths(path: Path, found: Any) -> None:
    """Draw how long pages are, and the errors by variation threshold."""
    with panels(path, 2, size=4.2) as (pages, variation):
        capped = [min(length, MOST_SENTENCES) for length in found["lengths"]]
        pages.hist(capped, bins=40, color=OURS)
        pages.axvline(60, color=PUBLISHED, linewidth=1, label="the thesis' mean, below 60")
        dress(pages, "Sentences of a page (3.1b)", "sentences", "pages")
        legend(pages)
        for column, colour, label in ((0, OURS, "false positives"), (1, SECOND, "false negatives")):
            values = [100 * row[column] for row in found["gaps"]]
            variation.plot(GAPS, values, color=colour, marker="o", ms=3, label=label)
        variation.axvline(0.15, color=PUBLISHED, linewidth=1, label="the thesis' threshold")
        variation.set_ylim(0, 102)
        dress(variation, "Variation threshold (3.2b)", "difference of both similarities", "%")
        legend(variation)


def draw_groups(path: Path, published: Sequence[Counts], ours: Sequence[Counts]) -> None:
    """Draw correct and wrong decisions (4.5), precision and recall (4.6, 4.7) of two groups."""
    sides = [*published, *ours]
    names = [f"{who}\ngroup {number}" for who in ("published", "ours") for number in (1, 2)]
    with panels(path, 2, size=4.6) as (counts, shares):
        bottoms = [0] * len(sides)
        for label, colour, values in (
            ("correct", THIRD, [one.found + one.passed for one in sides]),
            ("false positives", OURS, [one.alarms for one in sides]),
            ("false negatives", SECOND, [one.missed for one in sides]),
        ):
            counts.bar(names, values, bottom=bottoms, color=colour, label=label)
            bottoms = [low + value for low, value in zip(bottoms, values, strict=True)]
        dress(counts, "Decisions (4.5)", "", "pairs of sentences")
        legend(counts, outside=True)
        for shift, colour, label, heights in (
            (-0.2, OURS, "precision", [one.precision for one in sides]),
            (0.2, FOURTH, "recall", [one.recall for one in sides]),
        ):
            places = [place + shift for place in range(len(sides))]
            shares.bar(places, heights, 0.38, color=colour, label=label)
        shares.set_xticks(range(len(sides)), names)
        shares.set_ylim(0, 1)
        dress(shares, "Standard precision and recall (4.6, 4.7)", "", "")
        legend(shares)


def draw_nodes(path: Path) -> None:
    """Draw matched nodes and sentences (4.4) of two pages made of the quotes of Example 5."""
    pairs = QUOTED["Example 5"]
    first = "".join(f"<p>{pair.first}" for pair in pairs)
    second = f"<h2>Cleric</h2><p>{pairs[1].second}<p>{pairs[0].second} {pairs[2].second}"
    pages = (
        Page(url=f"sistani{number}.html", html=f"<title>Sistani {number}</title><body>{body}")
        for number, body in enumerate((first, second), 1)
    )
    from matplotlib.colors import to_rgba

    found = compare(*pages, method_options={"sentences": "thesis"}, min_words=1)
    with panels(path, 1, size=8) as (axes,):
        axes.set_axis_off()
        axes.set_title("Nodes, shaded by the share of their sentences that match", loc="left")
        for x, align, side, shades in zip(
            (0, 1), ("right", "left"), (found.first, found.second), shading(found), strict=True
        ):
            for node, share in shades.items():
                text = textwrap.fill(side.outline.texts[node], 46)
                box = {"facecolor": to_rgba(OURS, share / 2), "edgecolor": PUBLISHED}
                axes.text(x, -node, text, ha=align, va="center", fontsize=8, bbox=box)
        for pair in found.pairs:
            places = found.sentences[0][pair.first].node, found.sentences[1][pair.second].node
            axes.plot((0.03, 0.97), [-place for place in places], color=OURS, linewidth=1.5)
        axes.set_xlim(-1.2, 2.2)
        axes.set_ylim(-2.4, 0.4)


def shading(found: PageComparison) -> list[dict[int, float]]:
    """Return the share of the sentences of each node that match, for both pages (4.3)."""
    matched = {pair.first for pair in found.pairs}, {pair.second for pair in found.pairs}
    shades: list[dict[int, float]] = []
    for sentences, places in zip(found.sentences, matched, strict=True):
        totals = Counter(sentence.node for sentence in sentences)
        hits = Counter(sentences[place].node for place in places)
        shades.append({node: hits[node] / total for node, total in totals.items()})
    return shades
