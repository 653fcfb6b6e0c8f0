"""Spiders whose store comes to harm in mid-crawl."""

from __future__ import annotations

import os
import resource
import shutil
import threading
import time
from pathlib import Path

from components import Full, Pages
from followers import Steps

from dedup_middleware.page import Page
from dedup_middleware.plugin.crawl import Crawl
from dedup_middleware.plugin.queue import DEADLINE


class Vandal(Full):
    """Does some harm to the store after the first step."""

    def requests(self):
        if self.seen:
            self.harm()
        self.seen.append("step")
        yield from super().requests()


class NoRoom(Pages):
    """Let no file grow from the second step on, and again from the last."""

    def next_step(self):
        if len(self.steps) == 4:
            largest = max(path.stat().st_size for path in Path(".scrapy").rglob("*.mdb"))
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
        elif len(self.steps) == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            while not Crawl.of(self.crawler).breaker.allows:  # longer, the longer it lasted
                time.sleep(0.05)
        super().next_step()


class NoRoomToSkip(Steps):
    """Let the queue of skipped requests not grow from the last step but one on."""

    def next_step(self):
        if len(self.steps) == 2:
            size = Path("job/dedup-skipped.sqlite-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        elif not self.steps:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        super().next_step()


class ReadOnly(Pages):
    """Let nobody write to the store from the second step on, as on a disk that failed."""

    def next_step(self):
        if len(self.steps) == 4:
            for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 - of no folder
                path = Path(f"/proc/self/fd/{number}")
                if path.is_symlink() and path.readlink().suffix in {".mdb", ".jsonl"}:
                    self.close_to_writes(int(number), path.readlink())
        super().next_step()

    def close_to_writes(self, number, path):
        store = Path(self.crawler.stats.get_value("dedup/store")).resolve()
        if path.is_relative_to(store) and path.name != "lock.mdb":
            only_read = os.open(path, os.O_RDONLY)
            os.dup2(only_read, number)
            os.close(only_read)


class Unanswered(Pages):
    """The store has registered pages before: its answers were lost, so nobody follows them."""

    def __init__(self, registered=(), **options):
        super().__init__(**options)
        self.registered = registered

    def requests(self):
        for text in self.registered:
            Crawl.of(self.crawler).dedup.judge(Page(url="http://lost.example/", html=text))
        yield from super().requests()


class Delete(Vandal):
    def harm(self):
        shutil.rmtree(self.crawler.stats.get_value("dedup/store"), ignore_errors=True)


class DeleteAtEnd(Pages):
    """The store goes when all has been done but its end."""

    def closed(self, _reason):
        shutil.rmtree(self.crawler.stats.get_value("dedup/store"))


class Bug(Vandal):
    """From the second step on no page can be judged."""

    def harm(self):
        Crawl.of(self.crawler).dedup._read = None


class Hang(Vandal):
    """From the second step on the thread is at a job that does not end before the last."""

    def harm(self):
        queue = Crawl.of(self.crawler).queue
        if queue.is_idle:
            self.end = threading.Event()
            queue._deadline = 0.2
            queue.submit(self.end.wait)
        elif not self.steps[1:]:
            self.end.set()
            while queue._started is not None:
                time.sleep(0.01)
            queue._deadline = DEADLINE
