"""The report of a run, in Markdown: a page to read, and pages with the details."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from lab import charts
from lab.markdown import figure, joined, percent, table
from lab.peers import PEERS, peer_class
from lab.provenance import PACKAGES, SHORT, commit, cores, versions

from . import ablation, plots, sections
from .errors import error_list
from .methods import PEER
from .passes import MAIN, RAW, TEXTS
from .results import OURS
from .tables import (
    actions_table,
    best_table,
    champions_table,
    confusion_table,
    for_all_table,
    reading_table,
    set_table,
    shipped_table,
    short_table,
)
from .variations import ORDERS, as_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .results import Results
    from .sections import SetNote
    from .sets import PageSet

ALL = "(nothing left out)"
_CELLS = "F1 / negatives that were dropped"
_HOW_TO_RUN = """\
In a clone of the project:

```
pip install '.[peers,bench]'
python -m lab.accuracy DATA --report docs/evaluation.md
```

`DATA` is a folder with sets. Their form, and how to measure some methods or the cascade alone, is
described in `lab/README.md`. To measure on pages of your own, label some pairs with
`python -m lab.judge`, or make documents with known shares with `python -m lab.synthesize`: both
write sets of this form, which then appear in all tables."""


@dataclass(frozen=True, slots=True)
class Run:
    """All that a report is made from."""

    results: Results
    sets: Mapping[str, PageSet]
    digests: Mapping[str, str]
    folders: Sequence[Path]
    command: str
    work: Path
    report: Path
    variations: Mapping[str, Mapping[str, dict[str, int]]] = field(default_factory=dict)
    """Counts of the cascade in other orders and without parts, by set."""
    published: bool = True
    """Whether the counterparts of published tables are made."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What replaces the paths of data folders in the report."""
    problems: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Where the pages with details and the pictures lie."""
        return self.report.parent / charts.FOLDER


@dataclass(frozen=True, slots=True)
class Detail:
    """A page with details, beside the pictures."""

    name: str
    title: str
    about: str
    """What it shows, for the list of these pages."""
    parts: Sequence[str]


def write_report(run: Run) -> None:
    """Write the page that people read, and the pages with details in a folder beside it."""
    run.folder.mkdir(parents=True, exist_ok=True)
    details = [detail for detail in _details(run) if detail.parts]
    for detail in details:
        back = f"Part of [the evaluation](../{run.report.name})."
        text = joined(f"# {detail.title}", back, *detail.parts)
        # pictures lie in the same folder
        _write(run, run.folder / f"{detail.name}.md", text.replace(f"]({charts.FOLDER}/", "]("))
    _write(run, run.report, joined(*_overview(run, details)))  # last: it lists all problems


def _write(run: Run, path: Path, text: str) -> None:
    for folder, name in sorted(run.names.items(), reverse=True):  # inner folders first
        text = text.replace(folder, name)
    path.write_text(f"{text}\n", encoding="utf-8")


def _overview(run: Run, details: Sequence[Detail]) -> Iterator[str]:
    results = run.results
    notes = sections.set_notes(run.sets, run.problems)
    yield "# Evaluation"
    yield (
        "How well this project, published methods and other libraries find copies among labelled "
        "pages. Labels come from aligned words or from how pages were made; only those of "
        f"`gov-pairs` are of people. All figures were measured on {datetime.now(UTC):%Y-%m-%d}"
        f"{_from_commit()}:"
    )
    yield f"```\n{run.command}\n```"
    yield "## In short"
    yield (
        "All sets together, each method as it ships, on the main text of pages. A find is right "
        "if it names an original that the labels name or leave open. The cascade tags what it "
        "is not sure of, and keeps it; other methods drop what they call near or contained. "
        "`contains` is a find, and no drop. Time is CPU time with reading the page, in brackets as "
        "a multiple of parsing it with `lxml.html`."
    )
    yield sections.what_was_fitted(notes)
    yield short_table(results)
    missing = [name for name in results.sets if name not in results.complete]
    if missing:
        yield f"Without {', '.join(missing)}, where not all methods were measured."
    yield "## Drops, tags and contains"
    yield (
        "What the cascade does with copies (left) and with different pages (right), set by set; "
        "sets on which nothing was fitted stand first."
    )
    yield actions_table(results, {name: note.fitted for name, note in notes.items()})
    yield "## As they ship, set by set"
    yield (
        f"On the main text of pages: {_CELLS}. In bold: the best F1 with at most "
        f"{percent(results.limit, 0)} of the negatives dropped."
    )
    yield shipped_table(results, MAIN)
    yield from _dots(run)
    if not results.shipped:
        yield "## At the best threshold"
        yield from _in_short(results)
    yield from _variations(run)
    yield "## The sets"
    yield _sets(run, notes)
    yield (
        "Positive: a copy of an earlier page, by its label. Negative: different from all earlier "
        "pages. The others are left open, and don't count. In a `stream` pages are judged one "
        "after the other with one store; of `pairs` each is judged with an empty store."
    )
    yield "## More"
    yield "\n".join(
        f"- [{detail.title}]({charts.FOLDER}/{detail.name}.md): {detail.about}."
        for detail in details
    )
    yield "## Run it"
    yield _HOW_TO_RUN
    if run.problems:
        yield "## Problems of this run"
        yield "\n".join(f"- {problem}" for problem in dict.fromkeys(run.problems))


def _from_commit() -> str:
    found = commit()
    return f", of commit `{found}`" if found else ""


def _variations(run: Run) -> Iterator[str]:
    found = run.variations
    if not found:
        return
    yield "## What each part is worth"
    yield (
        "The cascade without one of its parts: drops that are right / wrong, tags that are right / "
        "wrong. A drop counts as right if the labels name the two pages as copies, whichever came "
        "first, and as neither if they leave that open."
    )
    measured = {name for rows in found.values() for name in rows}
    missing = [f"`{name}`" for name in run.results.sets if name not in measured]
    if missing:
        yield f"Here and in the next table without {', '.join(missing)}."
    parts = [ALL, *(part for part in ablation.PARTS if part in found)]
    named = {ALL: found.get(next(iter(ORDERS)), {}), **found}
    yield as_table(named, parts, "without")
    yield "## Three orders"
    yield "The same for pages as they come, and shuffled:"
    yield as_table(found, ORDERS, "order")


def _details(run: Run) -> Iterator[Detail]:
    results = run.results
    yield Detail(
        "measurement",
        "How it is measured",
        "the rules, what each library was given, versions, and the time it takes to read pages",
        [
            sections.rules(results),
            _versions(run),
            joined("## Reading", "All times include reading the page, which takes:"),
            reading_table(results),
        ],
    )
    yield Detail(
        "thresholds",
        "Other thresholds",
        "the best threshold for each set, one for all sets, and curves",
        [] if results.shipped else list(_thresholds(run)),
    )
    yield Detail(
        "raw-text",
        "Raw page text",
        "all visible text of a page, with menus and footers, instead of its main text",
        list(_raw(results)),
    )
    yield Detail(
        "sets",
        "Set by set",
        "precision, recall, wrong originals, time and memory of each method on each set",
        [*_set_by_set(results), *sections.judged(results, run.sets, run.problems)],
    )
    yield Detail(
        "verdicts",
        "Verdicts by label",
        "which kinds the cascade names, and how the shares that methods find agree with known ones",
        [*_confusion(results), *_synthetic(run)],
    )
    yield Detail(
        "sentences",
        "Pairs of sentences",
        "how well each way to compare sentences agrees with people",
        list(sections.sentences(run.folders, run.work, run.problems)),
    )
    if run.published:
        yield Detail(
            "published",
            "Counterparts of published tables",
            "the tables of the documents that describe the methods, made again on open data",
            list(sections.published(run.folders[0], run.work, run.folder, run.problems)),
        )
    yield Detail(
        "errors",
        "All errors of the cascade",
        "each with its scores, its cause, and the command that shows the two pages",
        list(_errors(run)),
    )


def _versions(run: Run) -> str:
    results = run.results
    shown = [peer_class(name) for name in PEERS if f"{PEER}/{name}" in results.labels]
    peers = [peer.package for peer in shown if peer.package]
    packages = ", ".join(f"{name} {which}" for name, which in versions([*PACKAGES, *peers]))
    minutes = sum(one.seconds for one in results.measured) / 60
    return (
        f"{packages}. {cores()} cores; all tasks together took {minutes:.0f} minutes of CPU time."
    )


def _sets(run: Run, notes: Mapping[str, SetNote]) -> str:
    rows = []
    for name in run.results.sets:
        one = next(one for one in run.results.measured if one.set == name)
        figures, mode = one.figures, run.sets[name].mode
        digest = f"`{run.digests[name][:SHORT]}`"
        counts = [one.pages, figures.positives, figures.negatives, mode]
        rows.append([name, notes[name].about, *counts, digest])
    head = ["set", "what it is", "pages", "positive", "negative", "mode", "sha256 of its content"]
    return table(head, rows, texts=2)


def _in_short(results: Results) -> Iterator[str]:
    yield (
        "Whether the cascade is the best within the limit of false drops, ties included; all "
        "others on the text that is better for them, as they ship and at the best threshold for "
        f"the set ({_CELLS} @ threshold):"
    )
    yield champions_table(results)
    means = {
        f"{results.labels[method]} on {called}": _mean(results, method, text)
        for method in results.labels
        for text, called in TEXTS.items()
        if method != OURS or text == MAIN
    }
    ranked = sorted(
        ((mean, name) for name, mean in means.items() if mean is not None), reverse=True
    )
    best = ", ".join(f"{name} {figure(mean, 3)}" for mean, name in ranked[:3])
    if best:
        yield f"With one threshold for all sets, the highest means of F1 are: {best}."


def _mean(results: Results, method: str, text: str) -> float | None:
    found = results.for_all(method, text)
    shares = [one.score.f1 for one in found.values() if one.score.positives] if found else []
    return sum(shares) / len(shares) if shares else None


def _raw(results: Results) -> Iterator[str]:
    if not any(one.text == RAW for one in results.measured):
        return
    yield (
        "All visible text of a page, with menus and footers, instead of its main text. The "
        'cascade is `make_method("cascade")` here: the deduplicator itself always reads main text.'
    )
    yield joined("## As they ship", shipped_table(results, RAW))
    yield joined("## Best threshold for each set", best_table(results, RAW))


def _thresholds(run: Run) -> Iterator[str]:
    results = run.results
    yield "## Best threshold for each set"
    yield (
        f"On main text: {_CELLS} @ threshold; of simhash's index, bits that may differ, of "
        "TextProfile the rate. A dash: no threshold is within the limit."
    )
    yield best_table(results, MAIN)
    yield "## One threshold for all sets"
    yield (
        f"{_CELLS}, at the threshold of the highest mean F1 that is within the limit on every set; "
        "none if there is no such threshold."
    )
    yield for_all_table(results)
    yield from _curves(run)


def _curves(run: Run) -> Iterator[str]:
    results = run.results
    if not results.with_positives:
        return
    kinds = {method.startswith(PEER) for method in results.labels if method != OURS}
    wanted = {"methods": kinds != {True}, "peers": True in kinds}
    drawn = [
        _picture(
            run,
            f"curves-{which}",
            f"Precision over recall of all {which}",
            partial(plots.curves, results, peers=which == "peers"),
        )
        for which, there in wanted.items()
        if there
    ]
    if any(drawn):
        yield "## Curves"
        yield (
            "Main text. Dots: as shipped; pale where more is dropped than the limit allows; what "
            "lies below .4 is cut off."
        )
        yield from drawn


def _dots(run: Run) -> Iterator[str]:
    if not run.results.with_positives:
        return
    drawn = _picture(run, "f1", "F1 of all methods and peers", partial(plots.dots, run.results))
    if drawn:
        yield drawn
        best = "" if run.results.shipped else ", full dot at the best threshold within the limit"
        yield f"F1 for each set: ring as shipped (cross: drops more than the limit allows){best}."


def _picture(run: Run, name: str, about: str, draw: Callable[[Path], None]) -> str:
    return charts.show(run.folder, name, about, draw, run.problems)


def _set_by_set(results: Results) -> Iterator[str]:
    more = "" if results.shipped else ", then at the best threshold within the limit"
    yield f"On main text, as they ship{more}."
    for name in results.sets:
        yield joined(f"## {name}", set_table(results, name, MAIN))


def _confusion(results: Results) -> Iterator[str]:
    found = [one for name in results.sets if (one := results.of(OURS, name))]
    if found:
        yield (
            "Pages by the kinds that their labels accept, and by the verdict of the cascade as it "
            "ships."
        )
    for one in found:
        yield joined(f"## {one.set}", confusion_table(one))


def _synthetic(run: Run) -> Iterator[str]:
    results = run.results
    for name in results.sets:
        found = [
            one
            for method in results.labels
            if not method.startswith(PEER)
            and (one := results.of(method, name, MAIN))
            and one.obtained
        ]
        if not found:
            continue
        yield f"## Expected and obtained similarity: {name}"
        yield (
            "Documents made by `python -m lab.synthesize`: which share of a source the document "
            "holds according to its manifest, and which share of it the method finds there; for a "
            "symmetric method its score. Peers only decide, and are left out."
        )
        rows = sorted((plots.difference(one), one.label, len(one.obtained)) for one in found)
        yield table(
            ["", "pairs", "mean absolute difference"],
            [[label, count, f"{100 * off:.2f} %"] for off, label, count in rows],
        )
        yield _picture(
            run,
            f"expected-{name}",
            f"Obtained over expected similarity on {name}",
            partial(plots.expected, found),
        )


def _errors(run: Run) -> Iterator[str]:
    found = [one for name in run.results.sets if (one := run.results.of(OURS, name))]
    if found:
        yield (
            "As shipped, on main text, grouped by cause. The commands show each pair of pages side "
            f"by side; the run has written the pages to `{run.work / 'pages'}`."
        )
        yield error_list(found, run.sets, run.work / "pages", run.problems)
