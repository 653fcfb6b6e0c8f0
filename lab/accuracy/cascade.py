"""The deduplicator alone on labelled sets, with any settings: its run, its table and its JSON."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from dedup_middleware import Deduplicator, Page
from lab.measure import cpu_timed, parse, peak_memory, spread
from lab.progress import progress_bar
from lab.table import table

from .actions import Actions, action_rows, actions
from .scoring import Judgement, Score, score
from .sets import batches_of, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware import Verdict

    from .scoring import Mistake
    from .sets import PageSet, Row

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


@dataclass(slots=True)
class Result:
    """The verdicts on a set, their score and their cost."""

    name: str
    variant: str = ""
    """How sentences were compared, if several ways are."""
    score: Score = field(default_factory=Score)
    verdicts: dict[str, Judgement] = field(default_factory=dict)
    actions: Actions = field(default_factory=dict)
    pages: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    """Pages by the last stage that their verdict needed."""
    milliseconds: list[float] = field(default_factory=list)
    parsing: list[float] = field(default_factory=list)
    """Milliseconds of `lxml.html` for the same pages, measured in turn."""
    peak_memory: int = 0
    start_memory: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def compared_deeply(self) -> int:
        """How many pages were compared by sentences, whatever the result.

        A page counts by the stage that its evidence names: that of the original, or of the closest
        known page.
        """
        return self.stages["sentences"]


def run(
    page_set: PageSet,
    settings: Mapping[str, Any],
    journal: Path | None = None,
    *,
    quiet: bool = False,
    order: int = 0,
) -> Result:
    """Judge all pages of a set and score the verdicts; shuffled by `order`, unless that is 0."""
    _warm_up(settings)
    result = Result(page_set.name, start_memory=peak_memory())
    labels = labels_of(page_set, result.problems)
    if journal:
        journal.unlink(missing_ok=True)  # otherwise the run would be appended to an earlier one
    with nullcontext() if quiet else progress_bar(page_set.size, page_set.name) as advance:
        for batch in batches_of(page_set, result.problems):
            if order:
                batch = _shuffled(batch, order)  # noqa: PLW2901 - the same pages
            for url, verdict in _judge(batch, settings, journal, result):
                result.verdicts[url] = _judgement(verdict)
                if advance:
                    advance(1)
    result.score = score(labels, result.verdicts)
    result.actions = actions(labels, result.verdicts)
    result.peak_memory = peak_memory()
    return result


def _shuffled(rows: Iterator[Row], order: int) -> Iterator[Row]:
    mixed = list(rows)
    Random(order).shuffle(mixed)
    return iter(mixed)


def _judge(
    rows: Iterator[Row], settings: Mapping[str, Any], journal: Path | None, result: Result
) -> Iterator[tuple[str, Verdict]]:
    folder = Path(tempfile.mkdtemp(prefix="accuracy-"))
    try:
        with Deduplicator(folder / "store", journal=journal, **settings) as dedup:
            for row in rows:
                url, body = row["url"], row["html"].encode("utf-8", "surrogatepass")
                parsing, _ = cpu_timed(partial(parse, body))
                page = Page(url=url, html=body, encoding="utf-8")
                try:
                    needed, verdict = cpu_timed(partial(dedup.process, page))
                except Exception as error:  # noqa: BLE001  (one page must not end the run)
                    result.problems.append(f"{result.name}: {url}: {type(error).__name__}: {error}")
                    continue
                result.parsing.append(parsing)
                result.milliseconds.append(needed)
                result.pages += 1
                result.stages[verdict.evidence.stage] += 1
                yield url, verdict
    finally:
        shutil.rmtree(folder)


def _warm_up(settings: Mapping[str, Any]) -> None:
    """Judge two similar pages: what is loaded or built once must not count as cost of a page."""
    # in German, because the stemmers of nltk take longest to load, and English needs none
    text = "".join(
        f"<p>Die Flut am Tag {day} kam um {day * 50 % 24} Uhr, und das Wasser war nicht kalt. "
        for day in range(99)
    )
    with (
        tempfile.TemporaryDirectory(prefix="accuracy-") as folder,
        Deduplicator(f"{folder}/store", **settings) as dedup,
    ):
        for name in ("one", "two"):
            html = f"{text}<p>Das ist die Seite {name}."
            dedup.process(Page(url=f"https://{name}.example/", html=html))


def _judgement(verdict: Verdict) -> Judgement:
    scores = asdict(verdict.evidence.scores)
    known = {name: value for name, value in scores.items() if value is not None}
    kind, action = str(verdict.kind), str(verdict.action)
    closest = verdict.evidence.closest
    return Judgement(kind, verdict.original, known, closest, action, verdict.reason)


def as_table(results: Sequence[Result]) -> str:
    head, rows = list(HEAD), [_row(result) for result in results]
    if any(result.variant for result in results):
        head.insert(1, "sentences")
        for row, result in zip(rows, results, strict=True):
            row.insert(1, result.variant)
    return table(head, rows)


def summary(results: Sequence[Result]) -> str:
    """Return a line that says how many pages needed the costly part."""
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
        "actions": action_rows(result.actions),
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
    """Return a mistake for JSON."""
    label, said = mistake.label, mistake.judgement
    return {
        "error": mistake.what,
        "url": label.url,
        "verdict": said.kind,
        "action": said.action,
        "reason": said.reason,
        "original": said.original,
        "closest": said.closest,
        "scores": dict(said.scores),
        "gold": label.gold,
        "positives": {url: list(kinds) for url, kinds in label.positives.items()},
        "neutral": list(label.neutral),
    }


def _line(name: str, mistake: Mistake) -> str:
    label, said = mistake.label, mistake.judgement
    closest = f" closest {said.closest}" if said.closest else ""
    scores = " ".join(f"{key}={value}" for key, value in said.scores.items()) or "no scores"
    right = [f"{url} ({'/'.join(kinds)})" for url, kinds in label.positives.items()]
    gold = f"{label.gold}{': ' if right else ''}{', '.join(right)}"
    return (
        f"{name}: {mistake.what}: {label.url}\n"
        f"    said {said.kind} original {said.original or '–'}{closest} {scores}\n"
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
