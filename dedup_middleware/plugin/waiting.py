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
from typing import TYPE_CHECKING

from scrapy.utils.request import request_from_dict

from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy import Request, Spider

logger = logging.getLogger(__name__)

MOST_BYTES = 256 << 20  # of all requests that wait
LARGEST = 64 << 10  # bytes of one request

_WAITS, _KEPT, _RELEASED, _SENT = range(4)
"""What a request does: it waits for the page that stands for it, which was fetched meanwhile, or
failed; then it is to be sent, and was sent."""
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, rule TEXT, canonical TEXT, url TEXT, state INTEGER, request BLOB);
CREATE INDEX IF NOT EXISTS by_rule ON requests (rule);
CREATE INDEX IF NOT EXISTS by_state ON requests (state, url);
CREATE TABLE IF NOT EXISTS job (salt TEXT);
"""
_RELEASE = "UPDATE requests SET state = ? WHERE state < ? AND "


class Waiting:
    """Requests of one crawl that were skipped, by the rule and the URL that stands for them."""

    def __init__(self, path: Path | None) -> None:
        try:
            if path:
                make_private_folder(path.parent)
            self._database = sqlite3.connect(
                path or "", isolation_level=None, check_same_thread=False
            )
            weakref.finalize(self, self._database.close)  # a crawler may fail at start
            self._database.executescript(_TABLES)
            total = self._run("SELECT coalesce(sum(length(request)), 0) FROM requests")
            (self._bytes,) = total.fetchone()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"Can't open the queue of skipped requests {path}: {error}") from error
        # a process that was killed may have lost what it had sent, and what it had learned
        self._change("UPDATE requests SET state = ? WHERE state = ?", _RELEASED, _SENT)
        self._change("UPDATE requests SET state = ? WHERE state = ?", _WAITS, _KEPT)
        left = self._run("SELECT count(*) FROM requests WHERE state = ?", _RELEASED)
        (self.to_send,) = left.fetchone()
        """Requests that are released, but not sent yet."""
        self._sent = 0

    def salt(self) -> str:
        """Return the random text that is kept with the job."""
        found = self._run("SELECT salt FROM job").fetchone()
        if found:
            return str(found[0])
        salt = secrets.token_hex(8)
        self._change("INSERT INTO job VALUES (?)", salt)
        return salt

    def add(self, rule: str, canonical: str, request: Request, spider: Spider | None) -> bool:
        """Keep a request; return False if that is not possible, so that it must be sent."""
        try:
            packed = pickle.dumps(request.to_dict(spider=spider))
        except Exception:  # noqa: BLE001 - a callback that is no method, something in its meta
            return False
        if len(packed) > LARGEST or self._bytes + len(packed) > MOST_BYTES:
            return False
        values = (rule, canonical, request.url, _WAITS, packed)
        if not self._change("INSERT INTO requests VALUES (NULL, ?, ?, ?, ?, ?)", *values):
            return False
        self._bytes += len(packed)
        return True

    def release_rule(self, rule: str) -> None:
        """Have the requests sent that were skipped by a rule.

        Others may have been skipped by two rules, so they are looked at again.
        """
        self._change("UPDATE requests SET state = ? WHERE state = ?", _WAITS, _KEPT)
        self._release(_RELEASE + "rule = ?", rule)

    def settle(self, number: int, *, is_there: bool) -> None:
        """Note whether the page is there for which a request waits; else have it sent."""
        if is_there:
            self._change("UPDATE requests SET state = ? WHERE id = ?", _KEPT, number)
        else:
            self._release(_RELEASE + "id = ?", number)

    def unsettled(self) -> list[tuple[int, str, str]]:
        """Return number and URL of the requests that wait for a page, and the URL of that."""
        waits = "SELECT id, url, canonical FROM requests WHERE state = ? AND canonical != ''"
        return self._run(waits, _WAITS).fetchall()

    def take(self, most: int, spider: Spider | None) -> Iterator[Request]:
        """Yield the next requests that are to be sent."""
        if not self.to_send:
            return
        found = self._run(
            "SELECT id, request FROM requests WHERE state = ? LIMIT ?", _RELEASED, most
        ).fetchall()
        for number, packed in found:
            if not self._change("UPDATE requests SET state = ? WHERE id = ?", _SENT, number):
                self.to_send = 0  # or it would be sent again and again; the next crawl does it
                return
            self.to_send -= 1
            self._sent += 1
            try:
                # written by this crawl, next to Scrapy's own queues of the same kind
                request = request_from_dict(pickle.loads(packed), spider=spider)  # noqa: S301 - ours
            except Exception:
                logger.exception("A skipped request can't be read: has the spider changed?")
            else:
                yield request.replace(dont_filter=True)

    def forget_sent(self, url: str) -> None:
        """Forget a request that was sent, and whose outcome is known."""
        if self._sent:
            done = "DELETE FROM requests WHERE state = ? AND url = ?"
            self._sent -= self._change(done, _SENT, url)

    def close(self) -> None:
        """Close it at the regular end of a crawl: Scrapy keeps the requests that were sent."""
        self._change("DELETE FROM requests WHERE state = ?", _SENT)
        self._database.close()

    def _release(self, change: str, value: object) -> None:
        self.to_send += self._change(change, _RELEASED, _RELEASED, value)

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    def _change(self, statement: str, *values: object) -> int:
        """Change some requests; return how many, which is none if the disk is full, say."""
        try:
            return self._run(statement, *values).rowcount
        except sqlite3.Error:
            logger.exception("The queue of skipped requests can't be changed")
            return 0
