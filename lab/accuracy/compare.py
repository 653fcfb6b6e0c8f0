"""Many methods on many sets: the run, its table and its JSON."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lab.provenance import code_digest, set_digest
from lab.table import table

from .methods import find
from .passes import MAIN, RAW, TEXTS
from .report import Run, write_report
from .results import Results
from .sections import unseen_first
from .tasks import Task, Work, run_all
from .variations import measure

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from .results import Choice, Measured
    from .scoring import Score
    from .sets import PageSet

_HEAD = ("method", "set", "text", "precision", "recall", "F1", "false drops", "ms/page", "peak MB")
_BEST = ("best at", "F1", "false drops")


def run_methods(
    options: Namespace, sets: Sequence[PageSet], arguments: Sequence[str], problems: list[str]
) -> None:
    """Measure methods and peers; print the figures, or write the report."""
    methods = options.methods or ("all" if options.report and not options.peers else "")
    peers = options.peers or ("all" if options.report and not options.methods else "")
    found: list[str] = []
    entries = find(methods, peers, found)
    for problem in found:
        print(problem, file=sys.stderr)
    problems += found
    sets = unseen_first(sets, problems)
    digests = {one.name: set_digest(one) for one in sets}
    code = code_digest()
    tasks = [
        Task(entry, one, text, digests[one.name], code, shipped=options.shipped)
        for entry in entries
        for one in sets
        for text in ([MAIN] if options.main_text or options.shipped else [MAIN, RAW])
    ]
    again = [name.strip() for name in (options.again or "").split(",") if name.strip()]
    work = Work(options.work, options.jobs, options.patience, options.minutes, again)
    varied: dict[str, dict[str, dict[str, Any]]] = {}
    try:
        # what is about this project first, then small sets: time may be short
        ours = run_all([task for task in tasks if task.entry.is_cascade], work, problems)
        if options.report and options.variations:
            varied = measure(sets, digests, options.work, problems)
        others = [task for task in tasks if not task.entry.is_cascade]
        others.sort(key=lambda task: task.page_set.size or 0)
        found_for = {
            (one.method, one.set, one.text): one
            for one in (*ours, *run_all(others, work, problems))
        }
        keys = ((task.entry.key, task.page_set.name, task.text) for task in tasks)
        measured = [found_for[key] for key in keys if key in found_for]
        results = Results(measured, options.limit, options.shipped)
    except KeyboardInterrupt:
        print("Interrupted; the same command continues from here", file=sys.stderr)
        raise SystemExit(130) from None
    if results.measured and options.report:
        before = len(problems)
        command = shlex.join(["python", "-m", "lab.accuracy", *arguments])
        by_name = {one.name: one for one in sets}
        run = Run(
            results,
            by_name,
            digests,
            options.folders,
            command,
            options.work,
            options.report,
            variations=varied,
            published=not options.no_published,
            names=_names(options.folders),
            problems=problems,
        )
        write_report(run)
        for problem in problems[before:]:
            print(problem, file=sys.stderr)
        print(f"Written: {options.report}", file=sys.stderr)
    if options.json:
        print(_as_json(results, problems))
    elif results.measured and not options.report:
        print(_as_table(results))


def _names(folders: Sequence[Path]) -> dict[str, str]:
    """Return names for the folders that lie outside, as their paths are not for the report.

    >>> from pathlib import Path
    >>> _names([Path("/x/sets")]), _names([Path("../one"), Path("/x/two"), Path("three")])
    ({'/x/sets': 'DATA'}, {'../one': 'DATA/one', '/x/two': 'DATA/two'})
    """
    outside = [folder for folder in folders if folder.is_absolute() or folder.parts[:1] == ("..",)]
    return {
        str(folder): "DATA" if len(folders) == 1 else f"DATA/{folder.name}" for folder in outside
    }


def _as_table(results: Results) -> str:
    return table([*_HEAD, *_BEST], [_row(results, one) for one in results.measured])


def _row(results: Results, one: Measured) -> list[str]:
    best = results.best(one.method, one.set, one.text)
    return [
        one.label,
        one.set,
        TEXTS[one.text],
        *(f"{share:.4f}" for share in _shares(one.shipped)),
        f"{one.shipped.drops} of {one.shipped.negatives}",
        f"{one.ms:.2f}",
        f"{one.peak / 1e6:.0f}",
        f"{best.threshold:g}" if best else "none",
        f"{best.score.f1:.4f}" if best else "–",
        f"{best.score.drops} of {best.score.negatives}" if best else "–",
    ]


def _as_json(results: Results, problems: Sequence[str]) -> str:
    rows = [
        {
            "method": one.method,
            "set": one.set,
            "text": one.text,
            "threshold": one.thresholds[one.default],
            "shipped": _plain(one.shipped),
            "best": _plain_choice(results.best(one.method, one.set, one.text)),
            "pages": one.pages,
            "ms_per_page": round(one.ms, 3),
            "ms_reading": round(one.ms_reading, 3),
            "lxml_ratio": round(one.ratio, 3),
            "peak_bytes": one.peak,
            "peak_bytes_before": one.peak_before,
            "errors": one.errors,
        }
        for one in results.measured
    ]
    return json.dumps({"results": rows, "problems": list(problems)}, indent=1)


def _plain(score: Score) -> dict[str, Any]:
    counts = {name: value for name, value in asdict(score).items() if name != "mistakes"}
    names = ("precision", "recall", "f1")
    shares = zip(names, _shares(score), strict=True)
    return {**counts, **{name: round(share, 4) for name, share in shares}}


def _plain_choice(choice: Choice | None) -> dict[str, Any] | None:
    return {"threshold": choice.threshold, **_plain(choice.score)} if choice else None


def _shares(score: Score) -> tuple[float, float, float]:
    return score.precision, score.recall, score.f1
