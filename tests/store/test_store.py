from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import lmdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import (
    Deduplicator,
    NotAStore,
    Page,
    SchemeMismatch,
    StoreError,
    StoreFull,
)
from dedup_middleware.fingerprint import Fingerprint, fingerprint
from dedup_middleware.fingerprint.sample import sample
from dedup_middleware.page import Page as AnyPage
from dedup_middleware.read import Outline, read
from dedup_middleware.store import (
    Change,
    Committed,
    Registration,
    Seen,
    Store,
    open_reader,
    packing,
)
from dedup_middleware.store.lmdb import LmdbStore
from dedup_middleware.store.records import PageRecord, new_record
from dedup_middleware.urls import url_key
from tests.support.texts import article, html

NO_TEXT = Outline("", "", None, b"", (), b"", ())
CAP = {"cap": 64, "most": 32}


def invented(seed: int) -> str:
    rng = random.Random(seed)
    return " ".join(str(rng.randrange(10**6)) for _ in range(400))


def made_up(simhash: int, shingles: list[int]) -> Fingerprint:
    digest = hashlib.blake2b(f"{simhash} {shingles}".encode(), digest_size=32).digest()
    return Fingerprint(digest, b"", simhash, sample(np.array(shingles, np.uint64)), len(shingles))


def register(store: Store, url: str, page: Fingerprint) -> int:
    with store.snapshot() as view:
        found = view.candidates(page, alike=True, **CAP)
        seen = Seen(view.last_page, view.url(url_key(url)))
    new = Registration(url, page, NO_TEXT, found.keys[~found.full], delivered=True)
    done = store.commit(Change(url_key(url), new), seen)
    assert isinstance(done, Committed)
    return done.number


@settings(max_examples=30)
@given(
    values=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20),
    flipped=st.sets(st.integers(0, 63), max_size=3),
    data=st.data(),
)
def test_every_page_within_simhash_distance_3_is_found(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[int],
    flipped: set[int],
    data: st.DataObject,
) -> None:
    index = data.draw(st.integers(0, len(values) - 1))
    asked = values[index]
    for bit in flipped:
        asked ^= 1 << bit
    with LmdbStore(tmp_path_factory.mktemp("store") / "s") as store:
        numbers = [
            register(store, f"https://{n}.example/", made_up(value, [n + 1]))
            for n, value in enumerate(values)
        ]
        with store.snapshot() as view:
            found = view.candidates(made_up(asked, [10**9]), alike=True, **CAP).alike
    assert numbers[index] in found


def test_hot_keys_keep_their_earliest_entries_and_say_so(tmp_path: Path) -> None:
    rng = random.Random(1)
    with LmdbStore(tmp_path / "s") as store:
        for n in range(100):
            register(store, f"https://{n}.example/", made_up(rng.getrandbits(64), [5, 1000 + n]))
        with store.snapshot() as view:
            lookup = view.candidates(made_up(0, [5]), alike=True, cap=64, most=1000)
    assert lookup.alike == list(range(1, 65))
    assert lookup.capped == 1


def test_pages_that_share_rare_shingles_come_before_those_that_share_common_ones(
    tmp_path: Path,
) -> None:
    rng = random.Random(1)
    common = list(range(1, 9))
    with LmdbStore(tmp_path / "s") as store:
        for n in range(40):
            page = made_up(rng.getrandbits(64), [*common, 100 + n])
            register(store, f"https://{n}.example/", page)
        page = made_up(rng.getrandbits(64), [8, 50, 51, 52])
        rare = register(store, "https://rare.example/", page)
        with store.snapshot() as view:
            asked = made_up(rng.getrandbits(64), [*common, 50, 51, 52])
            assert rare in view.candidates(asked, alike=True, cap=64, most=1).alike


def test_records_and_outlines_survive_packing() -> None:
    page = AnyPage(url="https://a.example/\x00\ud800", html=html(article(2), site="news"))
    outline = read(page)
    made = fingerprint(page, outline)
    record = new_record(7, page.url, url_key(page.url), made, run=3, delivered=False, now=1234.5)
    again = PageRecord.unpack(7, record.pack())
    assert again.pack() == record.pack()
    assert (again.url, again.digest, again.simhash) == (page.url, made.digest, made.simhash)
    assert again.sample.hashes.tolist() == made.sample.hashes.tolist()
    assert packing.unpack(packing.pack(outline)) == outline
    assert packing.unpack(packing.pack(NO_TEXT)) == NO_TEXT


def test_two_users_in_one_process_share_an_environment(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as one:
        with Deduplicator(tmp_path / "s") as other:
            one.process(Page(url="https://a.example/", html=html(article(1))))
            verdict = other.process(Page(url="https://b.example/", html=html(article(1))))
            assert verdict.original == "https://a.example/"
        assert one.probe(Page(url="https://c.example/", html=html(article(1)))).kind == "exact"


def test_a_store_outlives_its_process(tmp_path: Path) -> None:
    for expected in ("unique", "unchanged", "unchanged"):
        with Deduplicator(tmp_path / "s") as dedup:
            page = Page(url="https://a.example/", html=html(article(1)))
            assert dedup.process(page).kind == expected


def test_another_scheme_is_refused_and_left_alone(tmp_path: Path) -> None:
    Deduplicator(tmp_path / "s").close()
    environment = lmdb.open(str(tmp_path / "s"), max_dbs=9)
    with environment.begin(write=True) as txn:
        txn.put(b"header", b"dedup-0/md5 format-1", db=environment.open_db(b"meta", txn))
    environment.close()
    with pytest.raises(SchemeMismatch, match=r"dedup-0/md5.*Start a new store"):
        Deduplicator(tmp_path / "s")


def test_what_is_not_a_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(NotAStore, match="is a file"):
        Deduplicator(file)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "letter.txt").write_text("Dear")
    with pytest.raises(NotAStore, match="not empty"):
        Deduplicator(folder)
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    junk = tmp_path / "junk"
    junk.mkdir()
    (junk / "data.mdb").write_bytes(b"junk" * 5000)
    with pytest.raises(NotAStore):
        Deduplicator(junk)
    foreign = lmdb.open(str(tmp_path / "foreign"))
    with foreign.begin(write=True) as txn:
        txn.put(b"key", b"value")
    foreign.close()
    with pytest.raises(NotAStore, match="no dedup store"):
        Deduplicator(tmp_path / "foreign")
    with pytest.raises(NotAStore, match="no dedup store"):
        open_reader(tmp_path / "nowhere")


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("x")
    with pytest.raises(StoreError, match="blocked"):
        Deduplicator(blocked / "s")


def test_the_map_limit_is_told_and_costs_nothing_that_was_stored(tmp_path: Path) -> None:
    stored = 0
    with Deduplicator(tmp_path / "s", map_size=1 << 20) as dedup:
        with pytest.raises(StoreFull, match="DEDUP_MAP_SIZE"):
            for seed in range(10_000):
                text = invented(seed)
                dedup.process(Page(url=f"https://{seed}.example/", text=text))
                stored = seed
        assert stored > 10
    with Deduplicator(tmp_path / "s", map_size=1 << 24) as dedup:
        for seed in (0, stored):
            text = invented(seed)
            assert dedup.probe(Page(url=f"https://{seed}.example/", text=text)).kind == "unchanged"


CHILD = """
import os, resource, signal, sys
from dedup_middleware import Deduplicator, Page, StoreFull
from tests.store.test_store import invented
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store, mode = sys.argv[1:]
dedup = Deduplicator(store)
if mode == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
for seed in range(100_000):
    text = invented(seed)
    try:
        dedup.receive(Page(url=f"https://{seed}.example/", text=text), pending=mode == "pending")
    except StoreFull as error:
        print("full", seed, error, flush=True)
        os._exit(0)
    if mode != "full":
        print(seed, flush=True)
"""


def child(store: Path, mode: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(store), mode],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_full_disk_is_told_and_costs_nothing_that_was_stored(tmp_path: Path) -> None:
    with child(tmp_path / "s", "full") as process:
        assert process.stdout is not None
        word, seed, message = process.stdout.readline().split(" ", 2)
    assert word == "full"
    assert "intact" in message
    with Deduplicator(tmp_path / "s") as dedup:
        last = int(seed) - 1
        text = invented(last)
        assert dedup.probe(Page(url=f"https://{last}.example/", text=text)).kind == "unchanged"


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("mode", ["delivered", "pending"])
def test_kill_9_loses_nothing_that_was_promised(tmp_path: Path, mode: str) -> None:
    with child(tmp_path / "s", mode) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 40:
                break
        os.kill(process.pid, signal.SIGKILL)
    with Deduplicator(tmp_path / "s") as dedup:
        kinds = {
            str(dedup.probe(Page(url=f"https://{n}.example/", text=text)).kind)
            for n in range(40)
            for text in [invented(n)]
        }
    # delivered pages are known; pending ones of a dead run match nothing and pass again
    assert kinds == ({"unchanged"} if mode == "delivered" else {"unique"})
