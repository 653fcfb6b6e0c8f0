from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import lmdb
import pytest

from dedup_middleware import (
    Deduplicator,
    NotAStore,
    Page,
    SchemeMismatch,
    StoreError,
    StoreFull,
)
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.page import Page as AnyPage
from dedup_middleware.read import read
from dedup_middleware.store import (
    open_reader,
    packing,
)
from dedup_middleware.store.packing import PageRecord, packed_page
from dedup_middleware.store.runs import OpenLock
from dedup_middleware.urls import url_key
from tests.support.stores import NO_TEXT, invented
from tests.support.texts import article, html


def test_records_and_outlines_survive_packing() -> None:
    page = AnyPage(url="https://a.example/\x00\ud800", html=html(article(2), site="news"))
    outline = read(page)
    made = fingerprint(page, outline)
    packed = packed_page(page.url, url_key(page.url), made, 3, (1, 2))
    again = PageRecord.unpack(7, packed, delivered=False)
    assert again.pack() == packed
    assert (again.number, again.run, again.delivered) == (7, 3, False)
    assert (again.url, again.digest, again.simhash) == (page.url, made.digest, made.simhash)
    assert again.sketch == made.sketch
    assert packing.unpack(packing.pack(outline)) == outline
    assert packing.unpack(packing.pack(NO_TEXT)) == NO_TEXT


@pytest.mark.parametrize("name", ["", "../../x", "a/b", ".hidden", "a\nb", "a\\b", "x" * 300])
def test_names_of_runs_that_no_file_can_have_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="can't have the name"):
        Deduplicator(tmp_path / "s", run=name)
    assert not [*tmp_path.rglob("*.jsonl"), *tmp_path.rglob("*.x.*")]
    with Deduplicator(tmp_path / "s", run="Nacht-1 ü") as dedup:
        assert dedup.store.run == "Nacht-1 ü"


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


def test_a_store_that_another_process_is_just_making_is_used(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    OpenLock(tmp_path / "s").close()  # the first step, before there is data
    assert [path.name for path in (tmp_path / "s").iterdir()]
    with Deduplicator(tmp_path / "s") as dedup:
        assert dedup.process(Page(url="https://a.example/", html=html(article(1)))).kind == "unique"


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
from tests.support.stores import invented
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store, mode = sys.argv[1:]
dedup = Deduplicator(store)
if mode == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
for seed in range(100_000):
    text = invented(seed)
    try:
        dedup.judge(Page(url=f"https://{seed}.example/", text=text), pending=mode == "pending")
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
