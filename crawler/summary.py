"""Summary at the end of a crawl, for people."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from scrapy import signals

from crawler.demo import pages_shown, score, score_requests
from crawler.spiders.demo import DemoSpider
from dedup_middleware.inspect.decisions import Decision, doubt
from dedup_middleware.inspect.tallies import summed, tallies
from dedup_middleware.plugin.report import REPORT, counts
from dedup_middleware.text import (
    escape,
    printable,
    same_beginning,
    scrapy_command,
    short_path,
    truncate_around,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler

_WIDEST = 100
_LABEL = 13
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
        decisions = _decisions_in(Path(journal)) if journal else []
        seconds = stats.get_value("elapsed_time_seconds") or 0.0
        title = f"{spider.name}: {self._reason} after {seconds:.1f} s"
        stream = _stream(self._feeds)
        columns = shutil.get_terminal_size().columns if stream.isatty() else _WIDEST
        lines = [
            *_counts(stats.get_stats(), decisions, title, columns),
            *_examples(decisions, min(columns, _WIDEST)),
            *(_agreement(spider, decisions, columns) if isinstance(spider, DemoSpider) else ()),
            *_places(
                self._feeds,
                self._crawler.settings.get("DEDUP_DROPPED_FEED"),
                stats.get_value("dedup/store"),
            ),
            *(_next(decisions) if stats.get_value("dedup/store") else ()),
        ]
        stream.write("\n".join(map(escape, lines)) + "\n")


def _decisions_in(journal: Path) -> list[Decision]:
    """Return the decisions of a crawl, without those that were overruled."""
    found = [one for line in journal.open("rb") if (one := Decision.parse(line))]
    overruled = {one.overrules for one in found}
    return [one for one in found if one.sequence not in overruled]


def _stream(feeds: Iterable[str]) -> TextIO:
    """Return stderr if pages are written to stdout."""
    return sys.stderr if any(feed.startswith("stdout:") for feed in feeds) else sys.stdout


def _counts(
    stats: dict[str, Any], decisions: Sequence[Decision], title: str, columns: int
) -> Iterator[str]:
    responses = stats.get("response_received_count", 0)
    yield f"Crawl {title}; {responses:,} responses, {len(decisions):,} pages judged"
    is_dry = any(one.is_dry for one in decisions)
    for line in counts(summed(run.total for run in tallies(decisions)), dry_run=is_dry):
        yield from textwrap.wrap(line, columns, subsequent_indent=" " * (_LABEL + 8))
    errors = stats.get("log_count/ERROR", 0)
    if errors:
        yield f"  errors     {errors:6,}  in the log"


def _examples(decisions: Sequence[Decision], columns: int) -> Iterator[str]:
    room = columns - _LABEL
    dropped = [one for one in decisions if one.action == "drop" and one.original]
    first = {one.verdict: one for one in reversed(dropped)}
    chosen = [first[kind] for kind in _EXAMPLE_KINDS if kind in first][:_EXAMPLES]
    chosen += [one for one in dropped if one not in chosen][: _EXAMPLES - len(chosen)]
    if chosen:
        yield "Examples"
    for one in chosen:
        original = one.original or ""
        reason = one.reason.replace(original, "the original") if "://" in original else one.reason
        place = same_beginning(one.url, original)
        yield f"  {one.verdict:9}  {truncate_around(escape(one.url), room, place)}"
        yield f"  original   {truncate_around(escape(original), room, place)}"
        for line in textwrap.wrap(escape(reason), room, max_lines=2, placeholder="…"):
            yield " " * _LABEL + line


def _agreement(spider: DemoSpider, decisions: Sequence[Decision], columns: int) -> Iterator[str]:
    result = score(spider.manifest, (one.entry for one in decisions))
    wrong, fetched = result.disagreements, spider.server.visits.keys()
    shown = pages_shown(spider.manifest)
    missing = [one for one in result.missing if one in fetched or one not in shown]
    requests = score_requests(shown, fetched)
    truth = (
        f"Truth known by construction: precision {result.precision:.3f}, recall "
        f"{result.recall:.3f} ({result.right} of {result.due} found, {len(wrong)} disagreements)"
    )
    yield from textwrap.wrap(truth, columns, subsequent_indent="  ")
    saved = (
        f"Requests: {requests.saved} of {requests.redundant} redundant ones not sent, "
        f"{requests.entered} of {requests.empty} empty ones sent, "
        f"{len(requests.missed)} of {requests.pages} new pages missed"
    )
    yield from textwrap.wrap(saved, columns, subsequent_indent="  ")
    notes = [*wrong[:_DISAGREEMENTS], *(f"Missed: {url}" for url in requests.missed[:_EXAMPLES])]
    if missing:
        notes.append(f"{len(missing)} pages were not judged, as {missing[0]}")
    for note in notes:
        yield from textwrap.wrap(
            note, columns, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )


def _places(feeds: Sequence[str], dropped: str | None, store: str | None) -> Iterator[str]:
    named = (("dropped" if feed == dropped else "pages", feed) for feed in feeds)
    for name, place in (*named, ("store", store)):
        if place:
            yield f"  {name:9}  {_short(place)}"


def _next(decisions: Sequence[Decision]) -> Iterator[str]:
    """Yield commands to go on with; they take the store that was used last."""
    dedup = f"  {scrapy_command()} dedup"
    dropped = [one for one in decisions if one.action == "drop"]
    yield "Next"
    yield f"{dedup} drops --sort doubt"
    if dropped:
        doubtful = max(dropped, key=doubt)
        name = shlex.quote(printable(_brief_name(doubtful.url, decisions)))
        yield f"{dedup} show {name}"
        if doubtful.scores:
            yield f"{dedup} compare {name}"
    yield f"{dedup} report --output {REPORT}"


def _brief_name(url: str, decisions: Iterable[Decision]) -> str:
    """Return the path of a URL, unless it is a part of other URLs too."""
    path = url.partition("://")[2].partition("/")[2]
    urls = {one.url for one in decisions if path in one.url}
    return path if path and urls == {url} else url


def _short(place: str) -> str:
    return short_path(place.removeprefix("file://"))
