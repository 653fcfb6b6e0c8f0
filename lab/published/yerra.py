"""Yerra's thesis: its tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dedup_middleware.similarity.model import shipped
from lab.charts import OURS, PUBLISHED, SECOND, dress, legend, panels
from lab.markdown import caption, figure, joined, percent, table

from . import yerra_examples, yerra_figures, yerra_quotes
from .counts import Counts
from .material import read_pages, read_sets, sentence_pairs
from .yerra_pages import ALIKE, METHODS, Comparer, cases, decided, examples, versions
from .yerra_sentences import THRESHOLDS, growth, judged, worth_comparing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .run import Run

TITLE = "Yerra: 4-grams and fuzzy sets"
PUBLISHED_PAIRS = {"4-grams": (0.0, 0.22), "fuzzy set": (0.055, 0.055)}  # Table 3.5: FP, FN of all
PUBLISHED_GROWTH = {500: "below 2 %, below 2 %", 5_000: "16 %, 12 %"}  # 3.2.1: FP, FN
PUBLISHED_CASES: dict[str, tuple[str, str, dict[str, tuple[float, float]]]] = {
    # Tables 3.6 and 3.7: sentences, overlap of the first and of the second page
    "inside": (
        "the second is part of the first",
        "35 / 21",
        {"4-grams": (0.60, 1.00), "fuzzy set": (0.60, 1.00)},
    ),
    "inside and more": (
        "… with unrelated sentences added",
        "35 / 31",
        {"4-grams": (0.60, 0.67), "fuzzy set": (0.60, 0.67)},
    ),
    "different": (
        "the two differ",
        "149 / 133",
        {"4-grams": (0.03, 0.03), "fuzzy set": (0.03, 0.03)},
    ),
    "related": (
        "the two are related",
        "87 / 79",
        {"4-grams": (0.54, 0.60), "fuzzy set": (0.31, 0.34)},
    ),
    "size": (
        "one is much longer",
        "425 / 50",
        {"4-grams": (0.04, 0.30), "fuzzy set": (0.05, 0.40)},
    ),
}
PUBLISHED_VERSIONS = {  # Table 3.8: overlap of both pages
    "1–2": {"4-grams": (0.42, 0.51), "fuzzy set": (0.50, 0.59)},
    "2–3": {"4-grams": (0.43, 0.40), "fuzzy set": (0.45, 0.41)},
    "3–4": {"4-grams": (0.43, 0.39), "fuzzy set": (0.48, 0.43)},
    "4–5": {"4-grams": (0.76, 0.74), "fuzzy set": (0.76, 0.74)},
    "5–6": {"4-grams": (0.92, 0.95), "fuzzy set": (0.92, 0.95)},
    "1–6": {"4-grams": (0.42, 0.42), "fuzzy set": (0.47, 0.46)},
}
PUBLISHED_GROUPS = (  # Table 4.7 by its counts, Table 4.8 has precision, recall and F beside
    (Counts(found=87, alarms=28, missed=13, passed=912), (0.97, 0.88, 0.92)),
    (Counts(found=92, alarms=37, missed=9, passed=903), (0.96, 0.91, 0.93)),
)


def section(run: Run) -> str:
    """Make the counterparts of all tables."""

    def measured(problems: list[str]) -> Any:
        return measure(run.data, problems)

    found = run.result("yerra", measured)
    return joined(
        yerra_quotes.section(),
        yerra_examples.section(found["judged"].get("types", {})),
        *_sentences_part(run, found),
        *_pages_part(run, found),
    )


def measure(data: Path, problems: list[str]) -> dict[str, Any]:
    """Learn from all pages, then compare judged sentences and labelled pages."""
    sets = read_sets(data, problems)
    streams = [one for labelled in sets if labelled.mode == "stream" for one in labelled.documents]
    documents = [*streams, *read_pages(data, problems)]
    model = shipped()
    comparer = Comparer(model)
    return {
        "model": {"documents": model.documents, "words": len(model.words)},
        "judged": judged(sentence_pairs(data, problems), model, problems),
        "growth": growth(worth_comparing(documents)),
        "cases": cases(sets, comparer),
        "versions": versions(sets, comparer),
        "pages": decided(sets, comparer),
        "lengths": yerra_figures.lengths(sets),
        "dots": yerra_figures.dots(examples(sets), comparer),
        "odds": yerra_figures.odds(sets, comparer) if sets else [],
    }


def _sentences_part(run: Run, found: Any) -> list[str]:
    parts = []
    if found["judged"]:
        parts += [
            caption("Table 3.5: wrong decisions about pairs of sentences, of all pairs"),
            _pairs_table(found["judged"]["sets"]),
            _pairs_comment(found["model"]),
            caption("Tables 4.7 and 4.8: similar and dissimilar sentences, in two groups"),
            _groups_table(found["judged"]["groups"]),
            _groups_comment(),
        ]
    if found["growth"]:
        parts += [
            caption("Figure 3.1a: errors of the 4-grams as sentences get more"),
            _growth_table(found["growth"]),
            _growth_comment(),
        ]
    if found["judged"] and found["growth"]:
        about = "Errors of 4-grams by number of sentences, of fuzzy sets by threshold"
        parts.append(run.picture("yerra-errors", about, lambda path: _draw(path, found)))
        shown = {"lengths": found["lengths"], "gaps": found["judged"]["gaps"]}
        about = "Figures 3.1b and 3.2b: sentences of a page, errors by variation threshold"
        parts.append(
            run.picture("yerra-lengths", about, lambda p: yerra_figures.draw_lengths(p, shown))
        )
        ours = [Counts(**group["fuzzy set"]) for group in found["judged"]["groups"]]
        published = [counts for counts, _ in PUBLISHED_GROUPS]
        about = "Figures 4.5 to 4.7: decisions, precision and recall of two groups"
        parts.append(
            run.picture(
                "yerra-groups", about, lambda p: yerra_figures.draw_groups(p, published, ours)
            )
        )
    return parts


def _dots_part(run: Run, dots: Any) -> list[str]:
    if not dots:  # no set has pages of these cases
        return []
    return [
        caption("Figures 3.3 to 3.8: dot plots, one pair of pages a case"),
        run.picture("yerra-dots", "Dot plots", lambda p: yerra_figures.draw_dots(p, dots)),
    ]


def _pages_part(run: Run, found: Any) -> list[str]:
    parts = []
    if found["odds"]:
        draw = yerra_figures
        parts += [
            caption("Table 4.1: odds among six of ten pages"),
            yerra_figures.odds_table(found["odds"]),
            _odds_comment(),
            run.picture(
                "yerra-odds", "Figure 4.3: odds", lambda p: draw.draw_odds(p, found["odds"])
            ),
            *_dots_part(run, found["dots"]),
            caption("Figure 4.4: matched nodes and sentences of two pages made of Example 5"),
            run.picture("yerra-nodes", "Matched nodes and sentences", draw.draw_nodes),
        ]
    if found["cases"]:
        parts += [
            caption("Tables 3.6 and 3.7: share of the sentences of both pages that match"),
            _cases_table(found["cases"]),
            _cases_comment(),
        ]
    if found["versions"]:
        pages = next(iter(found["versions"].values()))["pages"]
        parts += [
            caption("Table 3.8: six versions of a page, each with the next"),
            _versions_table(found["versions"]),
            _versions_comment(pages),
        ]
    if found["pages"]["sets"]:
        parts += [
            caption("The measures of Tables 4.7 and 4.8 on pairs of pages"),
            _decided_table(found["pages"]),
            _decided_comment(),
        ]
    return parts


def _pairs_table(sets: Mapping[str, Any]) -> str:
    rows = [
        ["published", "18", name, percent(wrong), percent(missed)]
        for name, (wrong, missed) in PUBLISHED_PAIRS.items()
    ]
    for label, methods in sets.items():
        for name, counts in ((name, Counts(**one)) for name, one in methods.items()):
            wrong, missed = (part / counts.total for part in (counts.alarms, counts.missed))
            rows.append([label, f"{counts.total:,}", name, percent(wrong), percent(missed)])
    return table(["set", "pairs", "method", "FP", "FN"], rows)


def _groups_table(groups: Any) -> str:
    rows = []
    for number, (counts, printed) in enumerate(PUBLISHED_GROUPS):
        label = f"published, group {number + 1}"
        rows.append([label, *_measures(counts), ", ".join(map(figure, printed))])
    for number, methods in enumerate(groups):
        for name, one in methods.items():
            rows.append([f"ours, group {number + 1}, {name}", *_measures(Counts(**one)), ""])
    return table(["", *_MEASURES, "P, R, F in print"], rows)


_MEASURES = (
    "similar",
    "dissimilar",
    "FP",
    "FN",
    "F by the printed formulas",
    "F of 1 − FP, 1 − FN",
    "F1",
)


def _measures(counts: Counts) -> list[str]:
    """Return all measures; only the last of them, F1, is standard."""
    return [
        f"{counts.found + counts.missed:,}",
        f"{counts.alarms + counts.passed:,}",
        percent(counts.false_positives),
        percent(counts.false_negatives),
        *map(figure, (counts.printed, counts.published, counts.f1)),
    ]


def _growth_table(rows: Any) -> str:
    keys = ("false_positives", "false_negatives")
    shown = [
        [
            f"{row['sentences']:,}",
            PUBLISHED_GROWTH.get(row["sentences"], ""),
            *(percent(row[key]) for key in keys),
            *(percent(row[f"reworded_{key}"]) for key in keys),
        ]
        for row in rows
    ]
    head = ["sentences", "published FP, FN", "ours FP", "FN", "reworded only: FP", "FN"]
    return table(head, shown)


def _cases_table(found: Any) -> str:
    rows = []
    for name, (label, sentences, theirs) in PUBLISHED_CASES.items():
        if name in found:
            one = found[name]
            ours = " / ".join(f"{count:.0f}" for count in one["sentences"])
            rows.append(
                [label, sentences, *_both(theirs), one["pairs"], ours, *_both(one["overlap"])]
            )
    head = ["case", "sentences", *(f"published {name}" for name in METHODS)]
    return table([*head, "pairs", "mean sentences", *(f"ours {name}" for name in METHODS)], rows)


def _versions_table(found: Any) -> str:
    rows = [
        [name, *_both(theirs), *_both(found[name]["overlap"])]
        for name, theirs in PUBLISHED_VERSIONS.items()
        if name in found
    ]
    head = [f"{who} {name}" for who in ("published", "ours") for name in METHODS]
    return table(["versions", *head], rows)


def _both(overlaps: Mapping[str, Any]) -> list[str]:
    return [" / ".join(percent(one, 0) for one in overlaps[name]) for name in METHODS]


def _decided_table(found: Any) -> str:
    rows = [
        [f"{label}, {name}", *_measures(Counts(**one))]
        for label, methods in found["sets"].items()
        for name, one in methods.items()
    ]
    for name, one in found["best"].items():
        counts = Counts(**{key: value for key, value in one.items() if key != "threshold"})
        rows.append([f"all, {name}, from {percent(one['threshold'], 0)} on", *_measures(counts)])
    return table(["pairs of pages", *_MEASURES], rows)


def _odds_comment() -> str:
    return (
        "Three pairs of versions of articles (0–1, 2–3, 4–5) and four other articles, drawn at "
        "random; published, for pages on switches, routers and a third subject: 8.24 to 12.4 "
        "within pairs, .1 at most across them (8.24 and 9.21 have changed places there, by the "
        "shares that the text gives). Why they differ: articles on any subject share no "
        "sentences, and versions differ as far as their editors went."
    )


def _pairs_comment(model: Mapping[str, int]) -> str:
    return (
        "Rarity of 4-grams and correlation of words are those of the model that comes with the "
        f"package ({model['documents']:,} documents, {model['words']:,} words). Why they differ: "
        "the thesis learned from 52,506 documents, and drew pairs that its author judged: it "
        "prints seven of them, and its percentages are those of 18 (4 and 1 of them wrong); ours "
        "are thousands of paraphrases (STS) and of sentences with words swapped (PAWS), judged by "
        "many people, which hardly share a run of rare 4-grams, or differ only in an order that "
        "fuzzy sets do not see."
    )


def _groups_comment() -> str:
    return (
        "Pairs are drawn from STS, as many as the thesis has. The printed formulas count different "
        "pairs that pass as correct, so that even a method that says “different” always "
        "would get .95; the figures in print are about those of 1 − FP and 1 − FN; what to "
        "believe is F1. Why they differ: of the thesis' 201 similar pairs 77 are anaphora and 62 "
        "active and passive, which have most words in common, and it prints correlations of up to "
        ".9 between other words; ours are paraphrases, which share few words, and correlations "
        "are smaller."
    )


def _growth_comment() -> str:
    return (
        "Sentences of four different words or more, as they come when pages are read in random "
        "order; those are the same that share four fifths of their words, different that share "
        "less than half, others are left open. FP: of the pairs with equal 4-grams; FN: of "
        "the pairs that are the same. Reworded only: without pairs that are equal word for word. "
        "Why they differ: its false negatives are near ours among all pairs, its false positives "
        "between ours among all pairs and among reworded ones. The thesis does not say of what "
        "its percentages are; it had people look, and its documents were no versions of each "
        "other. Among few sentences hardly any two are the same; from 5,000 on the figures of all "
        "pairs settle, as in print."
    )


def _cases_comment() -> str:
    return (
        "Means over pairs of labelled pages. Why they differ: the thesis shows one pair a case, "
        "chosen to make a point; ours differ in degree within a case, and the pages that differ "
        "are here the most alike of their set, with the stock phrases of one site in common."
    )


def _versions_comment(pages: int) -> str:
    return (
        f"Means over {pages} pages with six versions. Why they differ: the thesis follows one news "
        "story over three days, whose last reports hardly changed; versions of our pages come in "
        "random order, so that neighbours are no closer than first and last."
    )


def _decided_comment() -> str:
    return (
        f"Called alike from {percent(ALIKE, 0)} of the sentences of either page on, and by odds "
        "from 1 on, that is, where the product of both shares is a half, as the thesis gives no "
        "figure for documents; the last lines have the thresholds of share or product with the "
        "best F1. A page is paired with all that the labels name, and with the different page "
        "that shares most runs of words with it. There is nothing published to compare these with: "
        "the thesis' tables are about sentences. Odds miss pages that lie inside others, by "
        "design; people call pages of one site different that share half of their sentences."
    )


def _draw(path: Path, found: Any) -> None:
    with panels(path, 2, size=4.4) as (grown, thresholds):
        rows = found["growth"]
        sizes = [row["sentences"] for row in rows]
        for key, colour, label in (
            ("false_positives", OURS, "false positives"),
            ("false_negatives", SECOND, "false negatives"),
        ):
            for prefix, style, what in (("", "-", ""), ("reworded_", "--", ", reworded only")):
                values = [100 * row[prefix + key] for row in rows]
                grown.plot(sizes, values, style, color=colour, marker="o", ms=4, label=label + what)
        for share, label in ((16, "published FP, 16 %"), (12, "published FN, 12 %")):
            style = "-" if share == 16 else "--"
            grown.plot([5_000, sizes[-1]], [share, share], style, color=PUBLISHED, label=label)
        grown.set_xscale("log")
        dress(grown, "Three least frequent 4-grams", "sentences", "%")
        for column, colour, label in ((0, OURS, "false positives"), (1, SECOND, "false negatives")):
            values = [100 * row[column] for row in found["judged"]["thresholds"]]
            thresholds.plot(THRESHOLDS, values, color=colour, marker="o", ms=3, label=label)
        thresholds.axvline(0.825, color=PUBLISHED, linewidth=1, label="the thesis' threshold")
        dress(thresholds, "Fuzzy sets", "permissible threshold", "")
        for axes in (grown, thresholds):
            axes.set_ylim(0, 102)
            legend(axes)
