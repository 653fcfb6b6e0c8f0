"""What a crawl says of itself: stats, a line now and then, the summary at its end, its failure."""

from __future__ import annotations

import logging
import shlex
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

from scrapy.exceptions import NotConfigured
from scrapy.extensions.logstats import LogStats
from scrapy.utils.misc import load_object

from dedup_middleware.journal import OTHER_SITES, Tally
from dedup_middleware.sites import SiteTally
from dedup_middleware.text import duration, printable, scrapy_command, short_path, size
from dedup_middleware.verdict import REDUNDANT, Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.errors import DedupError
    from dedup_middleware.page import Page
    from dedup_middleware.verdict import Verdict

logger = logging.getLogger(__name__)

REPORT = "dedup-report.html"

WRITE_PAGES = 16  # so many pages are judged before their counts are written to the stats

# who logs what a crawl raises before it has begun: Scrapy leaves it to the event loop
_REPORTERS = ("asyncio", "twisted")


class Counts:
    """Counts of a crawl: the tally of verdicts, and others by name.

    A call of Scrapy's stats for each count would cost as much as the rest of what is done for a
    page, so they are written to the stats together: every 16 pages, once a second, and before the
    crawl ends.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats
        self.tally = Tally()
        self.numbers: Counter[str] = Counter()
        self.noted = SiteTally()
        """Notices about sites."""

    def count(self, name: str, number: int = 1) -> None:
        if number:
            self.numbers[name] += number

    def set(self, name: str, value: Any) -> None:
        if self._stats:
            self._stats.set_value(f"dedup/{name}", value)

    def decided(self, page: Page, verdict: Verdict, times: int = 1) -> None:
        """Count a verdict; -1 times if it is taken back."""
        self.tally.count(verdict, page.url, page.size, times)
        if self.tally.pages % WRITE_PAGES == 0:
            self.write()

    def sites(self) -> SiteTally:
        """Return what was saved because of what is known of sites, and what was found."""
        numbers, prefix = self.numbers, "skip/by/"
        by_kind = Counter(
            {
                name.removeprefix(prefix): number
                for name, number in numbers.items()
                if name.startswith(prefix)
            }
        )
        return replace(
            self.noted,
            skipped=by_kind if numbers["skip/requests"] else Counter(),
            suggested=by_kind if numbers["skip/suggested"] else Counter(),
            released=numbers["skip/released"],
            size=numbers["skip/bytes"],
            checked=numbers["skip/checked"],
            wrong=numbers["skip/wrong"],
            new=self.tally.new,
        )

    def write(self) -> None:
        """Write all counts to the stats of the crawl."""
        for name, number in {**self.numbers, **self.tally.stats()}.items():
            self.set(name, number)


class DedupLogStats(LogStats):
    """Log how much was judged and dropped, as often as LogStats and only where that is on."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not _logs_stats(crawler.settings):
            raise NotConfigured
        return super().from_crawler(crawler)

    def log(self, spider: Spider) -> None:
        before, self.pagesprev = self.pagesprev, self.stats.get_value("dedup/pages", 0)
        if not self.pagesprev:
            return
        dropped = self.stats.get_value("dedup/items/dropped", 0)
        ended = sum(self.stats.get_value(f"item_{end}_count", 0) for end in ("scraped", "dropped"))
        logger.info(
            "Judged %s pages (at %s pages/min), dropped %s items (%s)",
            f"{self.pagesprev:,}",
            f"{(self.pagesprev - before) * self.multiplier:,.0f}",
            f"{dropped:,}",
            f"{dropped / max(ended, dropped, 1):.1%}",
            extra={"spider": spider},
        )


def _logs_stats(settings: BaseSettings) -> bool:
    """Return True if the line is wanted beside which ours is to be."""
    extensions = settings.get_component_priority_dict_with_base("EXTENSIONS")
    enabled = [load_object(one) for one, order in extensions.items() if order is not None]
    return any(
        isinstance(one, type) and issubclass(one, LogStats) and not issubclass(one, DedupLogStats)
        for one in enabled
    )


def summary(
    tally: Tally,
    store: str,
    *,
    unjudged: int = 0,
    dry_run: bool = False,
    sites: SiteTally | None = None,
) -> Iterator[str]:
    r"""Sum up a crawl in at most ten lines, and some about whole sites if there is news of them.

    >>> from collections import Counter
    >>> from dedup_middleware.journal import Tally
    >>> verdicts, dropped = Counter(unique=3, near=1), Counter(near=1)
    >>> one = Tally(4, verdicts, dropped=dropped, milliseconds=12, size=4096, saved=512)
    >>> print(*[*summary(one, "/stores/1")][:4], sep="\n")
    Judged 4 pages in 12 ms: 75.0% passed, 25.0% dropped
      passed          3  unique 3 (75.0%)
      dropped         1  near 1 (25.0%)
      saved       12.5%  512 B of 4.0 KiB
    """
    drops = "would be dropped" if dry_run else "dropped"
    if tally.pages:
        rate, milliseconds = tally.drop_rate, tally.milliseconds
        took = f" in {duration(milliseconds / 1000)}" if milliseconds else ""
        yield (
            f"Judged {tally.pages:,} page{'s' * (tally.pages > 1)}{took}: "
            f"{1 - rate:.1%} passed, {rate:.1%} {drops}"
        )
    else:
        yield "Judged no page: no response was HTML, and no item had the text of a page"
    if unjudged:
        yield f"  unjudged   {unjudged:6,}  passed without a verdict; the log says why"
    if tally.pages:
        yield from counts(tally, dry_run=dry_run)
    told = list(sites.lines()) if sites else []
    for line in told:
        yield f"  {line.name:11}{line.figure:>6}  {printable(line.text)}"
    yield f"  store      {printable(short_path(store))}"
    if tally.pages:
        yield f"  drops      {command('drops', store)}"
    if told:
        yield f"  sites      {command('sites', store)}"
    if tally.pages:
        yield f"  report     {command('report', store)} --output {REPORT}"


def counts(tally: Tally, *, dry_run: bool = False) -> Iterator[str]:
    """Yield how many pages passed and were dropped, by verdict, and how much that saved."""
    kept = tally.verdicts - tally.dropped
    drops = "would drop" if dry_run else "dropped"
    for name, counter in (("passed", kept), (drops, +tally.dropped)):
        kinds = (f"{one} {n:,} ({n / tally.pages:.1%})" for one, n in counter.most_common())
        # where unique pages are tagged, too, only those that repeat others are told
        alike = sum(kept[kind] for kind in REDUNDANT) if counter is kept else 0
        tagged = min(alike, tally.actions[Action.TAG])
        text = ", ".join(kinds) + (f"; {tagged:,} tagged" if tagged else "")
        yield f"  {name:11}{counter.total():6,}  {text}".rstrip()
    if tally.size and not dry_run:
        share = f"{tally.saved / tally.size:.1%}"
        yield f"  saved      {share:>6}  {size(tally.saved)} of {size(tally.size)}"
    if tally.words:
        yield f"  lost       {tally.loss(dry_run=dry_run)}"
    if tally.other_sites:
        yield f"  other sites{tally.other_sites:6,}  {OTHER_SITES}"


def command(name: str, store: str, *arguments: str) -> str:
    """Write a command about a store as it can be typed here."""
    words = [name, *arguments, "--store", short_path(store)]
    return f"{scrapy_command()} dedup {shlex.join(map(printable, words))}"


def warn_of_failed_run(dedup: Deduplicator, failures: Sequence[str], *, noted: bool) -> None:
    """Say that a run did not succeed, why, and whether its pages count; nothing if it did."""
    store, count = dedup.store, False
    if not noted:
        count = dedup.settings.commit != "finish"  # as they did before
        failures = [*failures, "its end could not be noted"] if failures or not count else []
    if failures:
        logger.warning(
            "This run did not succeed: %s. %s: %s",
            "; ".join(failures),
            "Its pages still count; when the store works, have them pass again"
            if count
            else "Its pages don't count and pass again; if they are safe",
            command("runs", store.name, "discard" if count else "commit", store.run),
        )


def fail(error: DedupError) -> NoReturn:
    """Log an error at the start of a crawl in one line, and raise it without a second report."""
    logger.error("%s", error)

    def is_news(record: logging.LogRecord) -> bool:
        raised = record.exc_info[1] if record.exc_info else None
        is_head = record.getMessage().startswith("Unhandled error in Deferred")
        return raised is not error and not is_head

    for name in _REPORTERS:
        logging.getLogger(name).addFilter(is_news)
    raise error
