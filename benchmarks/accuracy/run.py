"""One set through the public API, in a process of its own so that memory is that of the set."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from benchmarks.measure import parse
from dedup_middleware import Deduplicator, Page

from .cpu import cpu_timed
from .memory import peak_memory
from .scoring import Said, Score, score
from .sets import batches_of, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dedup_middleware import Verdict

    from .sets import PageSet, Row


@dataclass(slots=True)
class Result:
    """What came of a set."""

    name: str
    variant: str = ""
    """How sentences were compared, where several ways are."""
    score: Score = field(default_factory=Score)
    said: dict[str, Said] = field(default_factory=dict)
    pages: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    """Pages by the last stage that their verdict needed."""
    milliseconds: list[float] = field(default_factory=list)
    parsing: list[float] = field(default_factory=list)
    """What `lxml.html` needs for the same pages, taken page by page in turn."""
    peak_memory: int = 0
    start_memory: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def compared_deeply(self) -> int:
        """How many pages paid for comparing sentences, whatever came of it.

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
) -> Result:
    """Judge all pages of a set and score the verdicts."""
    _warm_up(settings)
    result = Result(page_set.name, start_memory=peak_memory())
    labels = labels_of(page_set, result.problems)
    if journal:
        journal.unlink(missing_ok=True)  # else the run would be appended to an earlier one
    hidden = True if quiet else None  # None: unless it is a terminal
    with tqdm(total=page_set.size, desc=page_set.name, unit="page", disable=hidden) as progress:
        for batch in batches_of(page_set, result.problems):
            for url, verdict in _judge(batch, settings, journal, result):
                result.said[url] = _said(verdict)
                progress.update()
    result.score = score(labels, result.said)
    result.peak_memory = peak_memory()
    return result


def _judge(
    rows: Iterator[Row], settings: Mapping[str, Any], journal: Path | None, result: Result
) -> Iterator[tuple[str, Verdict]]:
    folder = Path(tempfile.mkdtemp(prefix="accuracy-"))
    try:
        with Deduplicator(folder / "store", journal=journal, **settings) as dedup:
            for row in rows:
                url, body = row["url"], row["html"].encode("utf-8", "surrogatepass")
                parsing, _ = cpu_timed(lambda: parse(body))  # noqa: B023  (called at once)
                page = Page(url=url, html=body, encoding="utf-8")
                try:
                    needed, verdict = cpu_timed(lambda: dedup.process(page))  # noqa: B023 - called at once
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
    """Judge two pages that are compared: what is loaded or built once is no cost of a page."""
    text = "".join(f"<p>The tide of day {day} came at {day * 50 % 24} hours. " for day in range(99))
    with (
        tempfile.TemporaryDirectory(prefix="accuracy-") as folder,
        Deduplicator(f"{folder}/store", **settings) as dedup,
    ):
        for name in ("one", "two"):
            html = f"{text}<p>This was page {name}."
            dedup.process(Page(url=f"https://{name}.example/", html=html))


def _said(verdict: Verdict) -> Said:
    scores = asdict(verdict.evidence.scores)
    known = {name: value for name, value in scores.items() if value is not None}
    return Said(str(verdict.kind), verdict.original, known, verdict.evidence.closest)
