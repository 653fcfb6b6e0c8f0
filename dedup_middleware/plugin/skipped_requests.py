"""The queue of skipped requests: on disk, until their pages are known to be there or are fetched.

It is a database in the job's folder, so that a crawl which was killed loses none of them; without a
job it is a temporary file, which the system removes with the process.
"""

from __future__ import annotations

import logging
import pickle
import secrets
import sqlite3
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.job import job_dir
from scrapy.utils.request import request_from_dict

from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from dedup_middleware.settings import Settings

    from .crawl import Crawl
    from .report import Counts

logger = logging.getLogger(__name__)

QUEUE = "dedup-skipped.sqlite"
MOST_BYTES = 256 << 20  # of all requests that wait
LARGEST = 64 << 10  # bytes of one request
MOST_AT_ONCE = 100  # requests that are sent, or looked at, in one go

_WAITS, _RELEASED, _SENT = range(3)
"""A request waits for the page that stands for it, or is to be sent, or was sent."""
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, rule TEXT, canonical TEXT, url TEXT, state INTEGER, request BLOB);
CREATE INDEX IF NOT EXISTS by_rule ON requests (rule, state);
CREATE INDEX IF NOT EXISTS by_state ON requests (state, url);
CREATE INDEX IF NOT EXISTS behind_others ON requests (state, id) WHERE canonical != '';
CREATE TABLE IF NOT EXISTS released_rules (rule TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS job (salt TEXT);
"""
_MARK = "UPDATE requests SET state = ? WHERE id = ?"


def skips(settings: Settings) -> bool:
    """Return True if requests are skipped."""
    return settings.skip == "on" and not settings.dry_run


class SkippedRequests:
    """Requests of one crawl that were skipped, by the rule and the URL that stands for them.

    Those that are released it sends, some at a time. When it can't be written, because the disk is
    full, say, nothing is skipped any more, and all that it holds is sent.
    """

    @classmethod
    def of_crawl(cls, crawl: Crawl) -> Self | None:
        """Open the queue of a crawl; if it skips none, requests that its job has skipped are sent.

        None if it is not needed; a job that may skip later needs its salt.
        """
        settings, job = crawl.settings, job_dir(crawl.crawler.settings)
        path = Path(job, QUEUE) if job else None
        has_salt = path is not None and settings.skip != "off" and not settings.dry_run
        if not (skips(settings) or has_salt or (path and path.exists())):
            return None
        queue = cls(crawl.crawler, crawl.counts, path)
        left = 0 if skips(settings) else queue.release_all()
        if left:
            logger.info("Requests of this job that were skipped before are sent: %d", left)
        return queue

    def __init__(self, crawler: Crawler, counts: Counts, path: Path | None) -> None:
        self._crawler = crawler
        self._counts = counts
        try:
            if path:
                make_private_folder(path.parent)
            self._database = sqlite3.connect(
                path or "", isolation_level=None, check_same_thread=False
            )
            weakref.finalize(self, self._database.close)  # a crawler may fail at start
            self._database.executescript(_TABLES)
            # a process that was killed may have lost what it had sent
            self._run("UPDATE requests SET state = ? WHERE state = ?", _RELEASED, _SENT)
            self._bytes = self._number("SELECT coalesce(sum(length(request)), 0) FROM requests")
            self._released = self._number("SELECT count(*) FROM requests WHERE state = 1")
            rules = self._run("SELECT rule FROM released_rules").fetchall()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"Can't open the queue of skipped requests {path}: {error}") from error
        self._rules = [rule for (rule,) in rules]
        self._looked_at = 0
        """The last request that was looked at; all up to it wait for pages that are there."""
        self._all_from: int | None = None
        """The last request that was sent, if all are."""
        self._is_broken = False
        self._sent = 0
        crawler.signals.connect(self._spider_idle, signals.spider_idle)

    @property
    def salt(self) -> str:
        """The random text that is kept with the job."""
        found = self._run("SELECT salt FROM job").fetchone()
        if found:
            return str(found[0])
        salt = secrets.token_hex(8)
        self._change("INSERT INTO job VALUES (?)", salt)
        return salt

    def add(self, rule: str, canonical: str, request: Request) -> bool:
        """Keep a request; return False if that is not possible, so that it must be sent."""
        if self._is_broken:
            return False
        try:
            packed = pickle.dumps(request.to_dict(spider=self._crawler.spider))
        except Exception:  # noqa: BLE001 - a callback that is no method, something in its meta
            return False
        if len(packed) > LARGEST or self._bytes + len(packed) > MOST_BYTES:
            return False
        values = (rule, canonical, request.url, _WAITS, packed)
        if not self._change("INSERT INTO requests VALUES (NULL, ?, ?, ?, ?, ?)", *values):
            return False
        self._bytes += len(packed)
        return True

    def release(self, number: int) -> None:
        """Have a request sent: the page is not there for which it waits."""
        self._released += self._change(_MARK, _RELEASED, number)

    def release_rule(self, rule: str) -> None:
        """Have the requests sent that were skipped by a rule.

        Others may have been skipped by two rules, so they are looked at again.
        """
        self._looked_at = 0
        if rule not in self._rules:
            self._rules.append(rule)
            self._change("INSERT INTO released_rules VALUES (?)", rule)

    def release_all(self) -> int:
        """Have all requests sent; return how many there are."""
        self._all_from = 0
        return self._number("SELECT count(*) FROM requests")

    def next_waiting(self) -> list[tuple[int, str]]:
        """Return number and URL of the next requests that wait for a page."""
        waits = (
            "SELECT id, url FROM requests "
            "WHERE state = 0 AND canonical != '' AND id > ? ORDER BY id LIMIT ?"
        )
        found = self._run(waits, self._looked_at, MOST_AT_ONCE).fetchall()
        if found:
            self._looked_at = found[-1][0]
        return found

    def send_released(self) -> bool:
        """Send some of the requests that are released; return False if there are none."""
        engine = self._crawler.engine
        if not (self._released or self._rules or self._all_from is not None):
            return False
        if not engine or not engine.spider:
            return True
        is_sent, sends_all = False, self._all_from is not None
        for number, packed in self._next_released():
            is_noted = not self._is_broken and self._change(_MARK, _SENT, number)
            if not is_noted and not sends_all:
                return True  # from the next time on, all are sent
            self._sent += 1
            is_sent = True
            try:
                # written by this crawl, next to Scrapy's own queues of the same kind
                request = request_from_dict(pickle.loads(packed), spider=engine.spider)  # noqa: S301 - ours
            except Exception:
                logger.exception("A skipped request can't be read: has the spider changed?")
            else:
                self._counts.count("skip/released")
                engine.crawl(request.replace(dont_filter=True))
        return is_sent

    def forget_sent(self, url: str) -> None:
        """Forget a request that was sent, and whose outcome is known."""
        if self._sent and not self._is_broken:
            done = "DELETE FROM requests WHERE state = ? AND url = ?"
            self._sent -= self._change(done, _SENT, url)

    def close(self) -> None:
        """Close it at the regular end of a crawl: Scrapy keeps the requests that were sent."""
        if not self._is_broken:
            self._change("DELETE FROM requests WHERE state = ?", _SENT)
        self._database.close()
        self._sent = self._released = 0
        self._rules, self._all_from = [], None

    def _next_released(self) -> Iterator[tuple[int, bytes]]:
        """Yield the next requests that are to be sent."""
        select = "SELECT id, request FROM requests WHERE "
        if self._all_from is not None:
            every = f"{select} id > ? AND state < 2 ORDER BY id LIMIT ?"
            found = self._run(every, self._all_from, MOST_AT_ONCE).fetchall()
            self._all_from = found[-1][0] if found else None
            self._released, self._rules = 0, []
            yield from found
            return
        found = self._run(f"{select} state = 1 LIMIT ?", MOST_AT_ONCE).fetchall()
        self._released = max(0, self._released - len(found)) if found else 0
        yield from found
        for rule in self._rules.copy():
            left = MOST_AT_ONCE - len(found)
            some = self._run(f"{select} rule = ? AND state = 0 LIMIT ?", rule, left).fetchall()
            if len(some) < left:
                self._rules.remove(rule)
                self._change("DELETE FROM released_rules WHERE rule = ?", rule)
            found += some
            yield from some

    def _spider_idle(self) -> None:
        if self.send_released():
            raise DontCloseSpider

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    def _number(self, question: str) -> int:
        return int(self._run(question).fetchone()[0])

    def _change(self, statement: str, *values: object) -> int:
        """Change some requests; return how many, which is none if the disk is full, say."""
        try:
            return self._run(statement, *values).rowcount
        except sqlite3.Error as error:
            if not self._is_broken:
                self._is_broken = True
                self._all_from = self._all_from or 0
                logger.warning(
                    "The queue of skipped requests can't be written: %s. Nothing is skipped any "
                    "more, and what was skipped is sent",
                    error,
                )
            return 0
