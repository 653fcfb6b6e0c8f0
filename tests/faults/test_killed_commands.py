"""What changes a store by hand, killed at any moment: the store opens, and can be used on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader
from dedup_middleware.store.forgetting import Expiry, expired
from dedup_middleware.store.lmdb.engine import compact
from tests.support.faults import SEED, number_of_faults, report
from tests.support.stores import invented

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
KILLS = number_of_faults(2)
PAGES = 300


def page(number: int) -> Page:
    return Page(url=f"https://a.example/{number}", text=invented(number))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, of which the first saw all pages, the second a few."""
    place = tmp_path_factory.mktemp("killed") / "s"
    for run, pages in (("first", PAGES), ("second", 10)):
        with Deduplicator(place, run=run, commit="finish") as dedup:
            for number in range(pages):
                dedup.process(page(number))
    return place


def do_compact(place: Path) -> None:
    compact(place, 1 << 30)


def do_forget(place: Path) -> None:
    with open_reader(place, write=True) as reader:
        with reader.snapshot() as view:
            chosen = expired(view, Expiry(runs=1))
        reader.forget(chosen)


def do_discard(place: Path) -> None:
    with open_reader(place, write=True) as reader:
        reader.discard_run("first")


def killed(job: Callable[[Path], None], place: Path, seconds: float) -> bool:
    """Do something in a child that is killed after so long; return False if it was done before."""
    child = os.fork()
    if child == 0:
        try:
            job(place)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("job", [do_compact, do_forget, do_discard])
def test_a_store_is_whole_whenever_it_was_killed(
    store: Path, tmp_path: Path, job: Callable[[Path], None]
) -> None:
    rng = random.Random(SEED)
    began = time.monotonic()
    job(Path(shutil.copytree(store, tmp_path / "whole")))
    longest = time.monotonic() - began
    count = 0
    for number in range(KILLS):
        place = Path(shutil.copytree(store, tmp_path / str(number)))
        count += killed(job, place, rng.random() * longest)
        with Deduplicator(place) as dedup:
            kinds = [str(dedup.probe(page(one)).kind) for one in range(PAGES)]
            assert str(dedup.process(page(PAGES)).kind) == "unique"
        assert {*kinds} <= {"unchanged", "unique"}
        if job is do_compact:
            assert {*kinds} == {"unchanged"}
        with open_reader(place) as reader:
            assert not verify(reader, lambda _: None).found
        job(place)  # and it can be done to its end
    report(kills=count)
