"""Summary at the end of a crawl, for people."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from scrapy import signals

from crawler.demo import Manifest, score
from dedup_middleware.inspect.decisions import Decision, Journals
from dedup_middleware.inspect.tallies import summed, tallies
from dedup_middleware.plugin.summary import command, counts, report_command
from dedup_middleware.text import complain, fit, safe, short_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from typing_extensions import Self

_COLUMNS = 100
_EXAMPLES = 3
_DISAGREEMENTS = 5
_EXAMPLE_KINDS = ("near", "contained", "exact", "unchanged")
_PACKAGE = __name__.partition(".")[0]


class Summary:
    """Print the summary when a spider of this project is done."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._reason = ""
        self._feeds: list[str] = []
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        crawler.signals.connect(self._feed_closed, signals.feed_slot_closed)
        crawler.signals.connect(self._print, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def _spider_closed(self, reason: str) -> None:
        self._reason = reason

    def _feed_closed(self, slot: Any) -> None:
        self._feeds.append(str(slot.uri))

    def _print(self) -> None:
        spider, stats = self._crawler.spider, self._crawler.stats
        if spider is None or stats is None or type(spider).__module__.split(".")[0] != _PACKAGE:
            return
        journal = stats.get_value("dedup/journal")
        decisions = list(Journals([Path(journal)], complain).decisions()) if journal else []
        seconds = stats.get_value("elapsed_time_seconds") or 0.0
        title = f"{spider.name}: {self._reason} after {seconds:.1f} s"
        lines = [
            *_counts(stats.get_stats(), decisions, title),
            *_examples(decisions),
            *_agreement(getattr(spider, "manifest", None), decisions),
            *_places(self._feeds, journal, stats.get_value("dedup/store")),
            *_next(decisions, stats.get_value("dedup/store")),
        ]
        _stream(self._feeds).write("\n".join(map(safe, lines)) + "\n")


def _stream(feeds: Iterable[str]) -> TextIO:
    """Return stderr if pages are written to stdout."""
    return sys.stderr if any(feed.startswith("stdout:") for feed in feeds) else sys.stdout


def _counts(stats: dict[str, Any], decisions: Sequence[Decision], title: str) -> Iterator[str]:
    responses = stats.get("response_received_count", 0)
    yield f"Crawl {title}; {responses:,} responses, {len(decisions):,} pages judged"
    yield from counts(summed(run.total for run in tallies(decisions)))
    errors = stats.get("log_count/ERROR", 0)
    if errors:
        yield f"  errors     {errors:6,}  in the log"


def _examples(decisions: Sequence[Decision]) -> Iterator[str]:
    dropped = [one for one in decisions if one.action == "drop" and one.original]
    first = {one.verdict: one for one in reversed(dropped)}
    chosen = [first[kind] for kind in _EXAMPLE_KINDS if kind in first][:_EXAMPLES]
    chosen += [one for one in dropped if one not in chosen][: _EXAMPLES - len(chosen)]
    if chosen:
        yield "Examples"
    for one in chosen:
        original = one.original or ""
        reason = one.reason.replace(original, "the original") if "://" in original else one.reason
        yield f"  {one.verdict:9}  {fit(safe(one.url), _COLUMNS - 13)}"
        yield f"  original   {fit(safe(original), _COLUMNS - 13)}"
        for line in textwrap.wrap(safe(reason), _COLUMNS - 13, max_lines=2, placeholder="…"):
            yield f"             {line}"


def _agreement(manifest: Manifest | None, decisions: Sequence[Decision]) -> Iterator[str]:
    if manifest is None:
        return
    result = score(manifest, (one.entry for one in decisions))
    wrong = result.disagreements
    yield (
        f"Truth known by construction: precision {result.precision:.3f}, recall "
        f"{result.recall:.3f} ({result.right} of {result.due} found, {len(wrong)} disagreements)"
    )
    yield from (f"  {sentence}" for sentence in wrong[:_DISAGREEMENTS])
    if result.missing:
        yield f"  {len(result.missing)} pages were not judged, as {result.missing[0]}"


def _places(feeds: Sequence[str], journal: str | None, store: str | None) -> Iterator[str]:
    for name, place in (
        *(("pages", feed) for feed in feeds),
        ("journal", journal),
        ("store", store),
    ):
        if place:
            yield f"  {name:9}  {_short(place)}"


def _next(decisions: Sequence[Decision], store: str | None) -> Iterator[str]:
    if not store:
        return
    yield "Next"
    yield f"  {command('drops', store)}"
    yield f"  {report_command(store)}"
    dropped = [one for one in decisions if one.action == "drop"]
    if not dropped:
        return
    doubtful = min(dropped, key=lambda one: 1.0 if one.score is None else one.score)
    yield f"  {command('show', store, doubtful.url)}"
    if doubtful.scores:
        yield f"  {command('compare', store, doubtful.url, doubtful.original or '')}"


def _short(place: str) -> str:
    return short_path(place.removeprefix("file://"))
