"""The report in Markdown, made from a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from benchmarks.peers import PEERS, peer_class
from benchmarks.published.markdown import joined, table

from . import plots, sections
from .errors import error_list
from .methods import PEER
from .provenance import PACKAGES, SHORT, code_digest, cores, versions
from .results import OURS
from .rules import rules
from .stream import MAIN, RAW, TEXTS
from .tables import (
    best_table,
    champions_table,
    confusion_table,
    figure,
    for_all_table,
    reading_table,
    set_table,
    shipped_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .results import Results
    from .sets import PageSet

PICTURES = "evaluation"
"""The folder beside the report that holds its pictures."""
_CELLS = "F1 / negatives that were dropped"


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
    published: bool = True
    """Whether the counterparts of published tables are made."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What stands in the report for the folders of data: where they are is nobody's business."""
    problems: list[str] = field(default_factory=list)

    @property
    def images(self) -> Path:
        return self.report.parent / PICTURES


def write_report(run: Run) -> None:
    """Write the report and its pictures."""
    run.images.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(part for part in _parts(run) if part)
    for folder, name in sorted(run.names.items(), reverse=True):  # inner folders first
        text = text.replace(folder, name)
    run.report.write_text(f"{text}\n", encoding="utf-8")


def _parts(run: Run) -> Iterator[str]:
    results = run.results
    yield "# Evaluation"
    yield _made(run)
    yield from _in_short(results)
    yield "## How it is measured"
    yield rules(results)
    yield "## As they ship, main text"
    yield f"{_CELLS}. In bold: the best F1 of those that keep within the limit of false drops."
    yield shipped_table(results, MAIN)
    yield "All times include reading the page, which takes:"
    yield reading_table(results)
    yield "## Best threshold for each set, main text"
    yield (
        f"{_CELLS} @ threshold; of simhash's index, bits that may differ, of TextProfile the rate. "
        "A dash: no threshold keeps within the limit."
    )
    yield best_table(results, MAIN)
    yield "## One threshold for all sets"
    yield (
        f"{_CELLS}, at the threshold of the highest mean F1 that keeps within the limit on every "
        "set; none if there is no such threshold."
    )
    yield for_all_table(results)
    yield from _raw(results)
    yield from _pictures(run)
    yield "## Set by set, main text"
    yield "As they ship, then at the best threshold within the limit."
    for name in results.sets:
        yield joined(f"### {name}", set_table(results, name, MAIN))
    yield from _confusion(results)
    yield from _made_documents(run)
    yield from sections.sentences(run.folders, run.work, run.problems)
    yield from sections.judged(results, run.sets, run.problems)
    if run.published:
        yield from sections.published(run.folders[0], run.work, run.images, run.problems)
    yield from _errors(run)
    if run.problems:
        yield "## What went wrong in this run"
        yield "\n".join(f"- {problem}" for problem in dict.fromkeys(run.problems))


def _made(run: Run) -> str:
    results = run.results
    shown = [peer_class(name) for name in PEERS if f"{PEER}/{name}" in results.labels]
    peers = [peer.package for peer in shown if peer.package]
    packages = ", ".join(f"{name} {which}" for name, which in versions([*PACKAGES, *peers]))
    minutes = sum(one.seconds for one in results.measured) / 60
    old = {one.code for one in results.measured} - {code_digest()}
    rows = []
    for name in results.sets:
        one = next(one for one in results.measured if one.set == name)
        figures, mode = one.figures, run.sets[name].mode
        digest = f"`{run.digests[name][:SHORT]}`"
        rows.append([name, one.pages, figures.positives, figures.negatives, mode, digest])
    return joined(
        f"Made from a run on {datetime.now(timezone.utc):%Y-%m-%d}, not written by hand:",
        f"```\n{run.command}\n```",
        f"{packages}. {cores()} cores; all tasks together took {minutes:.0f} minutes of CPU time.",
        "Some results are of an earlier state of the program: `--again` measures them anew."
        if old
        else "",
        table(["set", "pages", "positive", "negative", "mode", "sha256 of its content"], rows),
    )


def _in_short(results: Results) -> Iterator[str]:
    yield "## In short"
    yield (
        "Whether the cascade is the best of all under the limit of false drops, ties counting; all "
        "others on whichever text suits them better, as they ship and at the threshold that suits "
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
    told = ", ".join(f"{name} {figure(mean)}" for mean, name in ranked[:3])
    if told:
        yield f"With one threshold for all sets, the highest means of F1 are: {told}."


def _mean(results: Results, method: str, text: str) -> float | None:
    found = results.for_all(method, text)
    shares = [one.score.f1 for one in found.values() if one.score.positives] if found else []
    return sum(shares) / len(shares) if shares else None


def _raw(results: Results) -> Iterator[str]:
    if not any(one.text == RAW for one in results.measured):
        return
    yield "## Raw page text"
    yield (
        "All visible text of a page, menus and footers among it, instead of its main text. The "
        'cascade is `make_method("cascade")` here: the deduplicator itself always reads main text.'
    )
    yield joined("As they ship:", shipped_table(results, RAW))
    yield joined("At the best threshold for each set:", best_table(results, RAW))


def _pictures(run: Run) -> Iterator[str]:
    results = run.results
    wanted: dict[str, tuple[str, Callable[[Path], None]]] = {}
    if results.with_positives:
        kinds = {method.startswith(PEER) for method in results.labels if method != OURS}
        if kinds != {True}:
            wanted["curves-methods"] = (
                "Precision over recall of all methods",
                lambda path: plots.curves(results, path, peers=False),
            )
        if True in kinds:
            wanted["curves-peers"] = (
                "Precision over recall of all peers",
                lambda path: plots.curves(results, path, peers=True),
            )
        wanted["f1"] = (
            "F1 of all methods and peers",
            lambda path: plots.dots(results, path),
        )
    drawn = [_picture(run, name, about, draw) for name, (about, draw) in wanted.items()]
    if any(drawn):
        yield "## Curves"
        yield (
            "Main text. Dots in the curves: as shipped; pale where more is dropped than the limit "
            "allows; what lies below .4 is cut off. Then F1 for each set: ring as shipped (cross: "
            "drops more than the limit allows), full dot at the best threshold within the limit."
        )
        yield from drawn


def _picture(run: Run, name: str, about: str, draw: Callable[[Path], None]) -> str:
    """Draw a picture; give the Markdown that shows it, or nothing where it can't be drawn."""
    try:
        draw(run.images / f"{name}.png")
    except ImportError as error:
        run.problems.append(f"{name}.png: not drawn: {error}; pip install '.[bench]' helps")
        return ""
    return f"![{about}]({PICTURES}/{name}.png)"


def _confusion(results: Results) -> Iterator[str]:
    found = [one for name in results.sets if (one := results.of(OURS, name))]
    if found:
        yield "## Which kinds the cascade says"
        yield (
            "Pages by what their labels accept, which may be several kinds, and by what the "
            "shipped cascade says."
        )
    for one in found:
        yield joined(f"**{one.set}**", confusion_table(one))


def _made_documents(run: Run) -> Iterator[str]:
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
            "Documents made by `scrapy dedup synthesize`: which share of a source stands in the "
            "document, as its manifest says, and which share of it the method finds there. A "
            "method without direction gives its one score. Peers say yes or no, and are left out."
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
            lambda path: plots.expected(found, path),  # noqa: B023 - called at once
        )


def _errors(run: Run) -> Iterator[str]:
    found = [one for name in run.results.sets if (one := run.results.of(OURS, name))]
    if found:
        yield "## All errors of the cascade"
        yield (
            "As shipped, on main text, grouped by cause. The commands show each pair of pages side "
            f"by side; the pages are where the run has left them, in `{run.work / 'pages'}`."
        )
        yield error_list(found, run.sets, run.work / "pages", run.problems)
