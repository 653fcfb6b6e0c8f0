"""Damaged files: bits flipped, ends lost, parts exchanged, in stores and in copies of them.

A damaged store may be refused, or know less. It never drops a page for one that it does not repeat,
and ends no process.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.store.lmdb import checkpoint
from dedup_middleware.verdict import Action
from tests.support.faults import SEED, number_of_faults, report
from tests.support.stores import invented

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
TRIALS = number_of_faults(4)
PAGES = 80
PART = 4096  # of which LMDB makes its file


def url(number: int, name: str = "a") -> str:
    return f"https://{name}.example/{number}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("damage") / "s"
    with Deduplicator(place) as dedup:
        for number in range(PAGES):
            dedup.process(Page(url=url(number), text=invented(number)))
    return place


def flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 8, 100))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.choice((rng.randrange(len(data)), PART * rng.randrange(len(data) // PART))) :]


def swap(data: bytearray, rng: random.Random) -> None:
    one, other = (PART * at for at in rng.sample(range(len(data) // PART), 2))
    first = data[one : one + PART]
    data[one : one + PART] = data[other : other + PART]
    data[other : other + PART] = first


def outcome(place: Path) -> str:
    """Use a damaged store as a crawl does; return how it went."""
    wrong = []
    try:
        with Deduplicator(place) as dedup:
            for number in range(PAGES):
                again = dedup.process(Page(url=url(number), text=invented(number)))
                copy = dedup.process(Page(url=url(number, "b"), text=invented(number)))
                new = dedup.process(Page(url=url(number, "c"), text=invented(PAGES + number)))
                originals = {url(number), url(number, "b")}
                wrong += [
                    f"{number}: {verdict}\n"
                    for verdict, right in ((again, originals), (copy, originals), (new, ()))
                    if verdict.action == Action.DROP and verdict.original not in right
                ]
    except StoreError:
        return "refused"
    sys.stderr.writelines(wrong)
    return "wrong" if wrong else "used"


OUTCOMES = ("used", "refused", "wrong", "failed")


def in_child(place: Path) -> str:
    """Return how it went in a process of its own, or the number of the signal that ended it."""
    child = os.fork()
    if child == 0:
        found = "failed"
        checkpoint.subprocess = subprocess  # a server to fork from would be started for this child
        try:
            found = outcome(place)
        except BaseException:  # noqa: BLE001 - whatever it is, it is a find
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(OUTCOMES.index(found))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return OUTCOMES[os.waitstatus_to_exitcode(status)]


@pytest.mark.parametrize("damage", [flip, cut, swap])
@pytest.mark.parametrize("is_copy", [False, True])
def test_a_damaged_store_drops_nothing_wrongly(
    store: Path, tmp_path: Path, damage: Callable[[bytearray, random.Random], None], is_copy: bool
) -> None:
    rng = random.Random(f"{SEED} {damage.__name__} {is_copy}")
    counts = Counter[str]()
    for number in range(TRIALS):
        place = tmp_path / str(number)
        shutil.copytree(store, place)
        data = place / "data.mdb"
        if not is_copy:  # it has been used where it is, so that its checkpoint is of this file
            with Deduplicator(place) as dedup:
                dedup.process(Page(url=url(0), text=invented(0)))
        damaged = bytearray(data.read_bytes())
        damage(damaged, rng)
        data.write_bytes(damaged)
        counts[in_child(place)] += 1
        shutil.rmtree(place)
    report(**{damage.__name__: TRIALS}, **counts)
    assert {*counts} <= {"used", "refused"}
