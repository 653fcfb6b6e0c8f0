"""The results, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.measure import spread
from benchmarks.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Result
    from .scoring import Mistake

HEAD = (
    "set",
    "pos",
    "neg",
    "precision",
    "recall",
    "F1",
    "false drops",
    "wrong orig.",
    "right kind",
    "by sentences",
    "ms/page",
    "× lxml",
    "median [quartiles]",
    "peak MB",
)


def as_table(results: Sequence[Result]) -> str:
    head, rows = list(HEAD), [_row(result) for result in results]
    if any(result.variant for result in results):
        head.insert(1, "sentences")
        for row, result in zip(rows, results, strict=True):
            row.insert(1, result.variant)
    return table(head, rows)


def summary(results: Sequence[Result]) -> str:
    """Say in a line how many pages needed the costly part."""
    deep = sum(result.compared_deeply for result in results)
    pages = sum(result.pages for result in results)
    share = deep / pages if pages else 0.0
    return f"Compared sentence by sentence: {deep:,} of {pages:,} pages ({share:.1%})"


def as_json(results: Sequence[Result], problems: Sequence[str]) -> str:
    sets = [_figures(result) for result in results]
    return json.dumps({"sets": sets, "problems": list(problems)}, indent=1)


def mistake_lines(result: Result) -> list[str]:
    """Describe each mistake in two lines."""
    return [_line(result.name, mistake) for mistake in result.score.mistakes]


def _row(result: Result) -> list[str]:
    score, ratios = result.score, _ratios(result)
    return [
        result.name,
        str(score.positives),
        str(score.negatives),
        f"{score.precision:.4f}",
        f"{score.recall:.4f}",
        f"{score.f1:.4f}",
        f"{score.drops} of {score.negatives}",
        str(score.wrong_originals),
        f"{score.right_kind_share:.1%} of {score.kinds}" if score.kinds else "–",
        f"{result.compared_deeply} of {result.pages}",
        f"{_mean(result.milliseconds):.2f}",
        f"{_total_ratio(result):.2f}",
        str(spread(ratios)),
        f"{result.peak_memory / 1e6:.0f}",
    ]


def _figures(result: Result) -> dict[str, Any]:
    score, ratios = result.score, spread(_ratios(result))
    return {
        "set": result.name,
        **({"sentences": result.variant} if result.variant else {}),
        "pages": result.pages,
        "positives": score.positives,
        "negatives": score.negatives,
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "f1": round(score.f1, 4),
        "false_alarms": score.alarms,
        "false_drops": score.drops,
        "wrong_originals": score.wrong_originals,
        "right_kind_share": round(score.right_kind_share, 4) if score.kinds else None,
        "right_kind_of": score.kinds,
        "stages": dict(result.stages),
        "compared_deeply": result.compared_deeply,
        "ms_per_page": round(_mean(result.milliseconds), 3),
        "lxml_ratio": round(_total_ratio(result), 3),
        "lxml_ratio_quartiles": [round(value, 3) for value in (ratios[1], ratios[0], ratios[2])],
        "peak_bytes": result.peak_memory,
        "peak_bytes_before": result.start_memory,
        "errors": [as_error(mistake) for mistake in score.mistakes],
        "problems": result.problems,
    }


def as_error(mistake: Mistake) -> dict[str, Any]:
    """Give all about a mistake, for JSON."""
    label, said = mistake.label, mistake.said
    return {
        "error": mistake.what,
        "url": label.url,
        "verdict": said.kind,
        "original": said.original,
        "closest": said.closest,
        "scores": dict(said.scores),
        "gold": label.gold,
        "positives": {url: list(kinds) for url, kinds in label.positives.items()},
        "neutral": list(label.neutral),
    }


def _line(name: str, mistake: Mistake) -> str:
    label, said = mistake.label, mistake.said
    beside = f" closest {said.closest}" if said.closest else ""
    scores = " ".join(f"{key}={value}" for key, value in said.scores.items()) or "no scores"
    right = [f"{url} ({'/'.join(kinds)})" for url, kinds in label.positives.items()]
    gold = f"{label.gold}{': ' if right else ''}{', '.join(right)}"
    return (
        f"{name}: {mistake.what}: {label.url}\n"
        f"    said {said.kind} original {said.original or '–'}{beside} {scores}\n"
        f"    gold {gold}"
    )


def _ratios(result: Result) -> list[float]:
    pairs = zip(result.milliseconds, result.parsing, strict=True)
    return [needed / parsing for needed, parsing in pairs if parsing]


def _total_ratio(result: Result) -> float:
    parsing = sum(result.parsing)
    return sum(result.milliseconds) / parsing if parsing else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
