"""The summary at the end of a crawl: what became of its pages, and what to look at next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from dedup_middleware.journal import OTHER_SITES
from dedup_middleware.text import duration, printable, scrapy_command, short_path, size

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from dedup_middleware.journal import Tally

REPORT = "dedup-report.html"


def summary(tally: Tally, store: str, *, unjudged: int = 0, dry_run: bool = False) -> Iterator[str]:
    r"""Sum up a crawl in at most ten lines.

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
        yield f"  unjudged   {unjudged:6,}  passed all the same; the log says why"
    if tally.pages:
        yield from counts(tally, dry_run=dry_run)
    yield f"  store      {printable(short_path(store))}"
    if tally.pages:
        yield f"  drops      {command('drops', store)}"
        yield f"  report     {report_command(store)}"


def counts(tally: Tally, *, dry_run: bool = False) -> Iterator[str]:
    """Yield how many pages passed and were dropped, by verdict, and how much that saved."""
    kept = tally.verdicts - tally.dropped
    drops = "would drop" if dry_run else "dropped"
    for name, counter in (("passed", kept), (drops, +tally.dropped)):
        line = f"  {name:11}{counter.total():6,}  {_kinds(counter, tally.pages)}"
        yield line.rstrip()
    if tally.size and not dry_run:
        share = f"{tally.saved / tally.size:.1%}"
        yield f"  saved      {share:>6}  {size(tally.saved)} of {size(tally.size)}"
    if tally.other_sites:
        yield f"  other sites{tally.other_sites:6,}  {OTHER_SITES}"


def command(name: str, store: str, *arguments: str) -> str:
    """Write a command about a store as it can be typed here."""
    words = [name, *arguments, "--store", short_path(store)]
    return f"{scrapy_command()} dedup {shlex.join(map(printable, words))}"


def report_command(store: str) -> str:
    return f"{command('report', store)} --output {REPORT}"


def _kinds(counter: Counter[str], pages: int) -> str:
    shares = (f"{kind} {number:,} ({number / pages:.1%})" for kind, number in counter.most_common())
    return ", ".join(shares)
