"""A store that only one run uses: changes are written together."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.store import hosts, open_reader
from dedup_middleware.store.lmdb import writer
from dedup_middleware.store.lmdb.snapshot import LmdbSnapshot
from dedup_middleware.urls import host_key
from tests.support.stores import invented
from tests.support.texts import article, html


def judged(folder: Path, count: int, *, is_sole: bool, names: int = 1) -> Deduplicator:
    dedup = Deduplicator(folder, is_sole=is_sole)
    for number in range(count):
        url = f"https://{'abcdef'[number % names]}.example/{number}"
        dedup.process(Page(url=url, html=html(article(number))))
    return dedup


def tables(folder: Path, *names: str) -> list[dict[bytes, bytes]]:
    with open_reader(folder) as reader, reader.snapshot() as view:
        return [dict(view.snapshot.scan(name)) for name in names]


def in_another_process(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


@pytest.fixture
def no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only the number of pages decide when changes are written."""
    monkeypatch.setattr(writer, "FLUSH_SECONDS", 3600.0)


LOOK = """
import sys
from dedup_middleware.store import open_reader
with open_reader(sys.argv[1]) as reader, reader.snapshot() as view:
    print(view.last_page, len(list(view.decisions())))
"""


@pytest.mark.usefixtures("no_timer")
def test_changes_are_written_together_and_the_journal_with_them(tmp_path: Path) -> None:
    dedup = Deduplicator(tmp_path / "s", is_sole=True)
    seen = []
    for number in range(130):
        dedup.process(Page(url=f"https://{number}.example/", text=invented(number)))
        if number in (62, 63, 129):
            looked = in_another_process(LOOK, str(tmp_path / "s")).stdout
            lines = dedup.journal.path.read_bytes().splitlines()
            seen.append((number, looked, len(lines)))
    assert seen == [(62, "0 0\n", 0), (63, "64 64\n", 64), (129, "128 128\n", 128)]
    page = Page(url="https://copy.example/", text=invented(129))
    assert dedup.process(page).original == "https://129.example/", "what waits is known"
    dedup.close()
    lines = [json.loads(line) for line in dedup.journal.path.read_bytes().splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, 132))


def test_changes_are_written_soon(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        dedup.process(Page(url="https://a.example/", text=invented(1)))
        looked = ""
        while looked != "1 1\n":  # each look takes longer than the delay
            looked = in_another_process(LOOK, str(tmp_path / "s")).stdout


KILLED = """
import os, signal, sys
from dedup_middleware import Deduplicator, Page
from dedup_middleware.store.lmdb import writer
from tests.support.stores import invented
writer.FLUSH_SECONDS = 3600.0
dedup = Deduplicator(sys.argv[1], is_sole=True, run="20260101T000000-000000")
for number in range(100):
    dedup.process(Page(url=f"https://{number}.example/", text=invented(number)))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_kill_costs_what_was_not_written_and_the_journal_agrees(tmp_path: Path) -> None:
    in_another_process(KILLED, str(tmp_path / "s"))
    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        kinds = [
            str(dedup.probe(Page(url=f"https://{n}.example/", text=invented(n))).kind)
            for n in range(100)
        ]
    assert kinds == ["unchanged"] * 64 + ["unique"] * 36
    journal = tmp_path / "s" / "journal" / "20260101T000000-000000.jsonl"
    assert len(journal.read_bytes().splitlines()) == 64


OPEN = """
import sys
from dedup_middleware import Deduplicator, StoreError
from dedup_middleware.store import runs
runs.PATIENCE = 0.0
try:
    Deduplicator(sys.argv[1])
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks that can be shared")
def test_no_other_process_may_write_meanwhile(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", is_sole=True):
        assert "has it alone" in in_another_process(OPEN, str(tmp_path / "s")).stdout
    done = in_another_process(OPEN, str(tmp_path / "s"))
    assert not done.stdout
    assert not done.stderr


def test_others_of_the_same_process_share_what_waits(tmp_path: Path) -> None:
    page = Page(url="https://a.example/", text=invented(1))
    copy = Page(url="https://b.example/", text=invented(1))
    with Deduplicator(tmp_path / "s", is_sole=True) as one, Deduplicator(tmp_path / "s") as other:
        one.process(page)
        assert other.process(copy).original == page.url


@pytest.mark.usefixtures("no_timer")
def test_a_store_that_is_deleted_or_replaced_is_told(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        dedup.process(Page(url="https://a.example/", text=invented(1)))
        (tmp_path / "s").rename(tmp_path / "moved")
        with Deduplicator(tmp_path / "other") as other:
            other.process(Page(url="https://b.example/", text=invented(2)))
        (tmp_path / "other").rename(tmp_path / "s")
        with pytest.raises(StoreError, match="replaced"):
            Deduplicator(tmp_path / "s")


def test_the_same_is_learned_either_way(tmp_path: Path) -> None:
    learned = []
    for is_sole in (True, False):
        folder = tmp_path / str(is_sole)
        judged(folder, 9, is_sole=is_sole).close()
        judged(folder, 12, is_sole=is_sole).close()  # goes on with what it finds
        learned.append(tables(folder, "sites", "site_counts", "site_pages", "arrivals"))
    assert learned[0] == learned[1]
    # of twelve arrivals the last four wait for the next generation, of nine revisits the last one
    assert [len(table) for table in learned[0]] == [2, 2, 2, 5]


@pytest.mark.parametrize(
    ("bound", "most"), [("MOST_HOSTS", 1), ("MOST_PAGES", 7), ("MOST_BYTES", 1)]
)
def test_hosts_that_make_room_for_others_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    judged(many, 30, is_sole=True, names=3).close()
    monkeypatch.setattr(hosts, bound, most)
    judged(few, 30, is_sole=True, names=3).close()
    names = ("sites", "site_counts", "site_pages", "arrivals")
    assert tables(few, *names) == tables(many, *names)


@pytest.mark.usefixtures("no_timer")
def test_what_was_counted_of_a_host_is_not_read_while_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    get = LmdbSnapshot.get

    def noted(self: LmdbSnapshot, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        asked.append(table)
        return get(self, table, keys)

    monkeypatch.setattr(LmdbSnapshot, "get", noted)
    judged(tmp_path / "s", 16, is_sole=True).close()
    assert "site_counts" not in asked
    judged(tmp_path / "s", 32, is_sole=True).close()
    assert asked.count("site_counts") == 1  # by the next process


def test_what_is_remembered_of_hosts_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    menu = "".join(f"<p>Section {one}</p>" for one in range(50))  # ten bytes each, of each host
    monkeypatch.setattr(hosts, "MOST_BYTES", 1200)
    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        for number in range(40):
            page = Page(url=f"https://{number % 4}.example/{number}", html=menu + invented(number))
            dedup.process(page)
            known = [
                dedup.store.remembered_host(host_key(f"https://{n}.example")) for n in range(4)
            ]
            assert sum(len(one.units) for one in known) <= 1200
            assert any(one.units for one in known) == (number >= 13)  # with four of one


def test_what_many_hosts_publish_together_is_written_in_portions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most that was ever written at once decides how much memory a process has taken."""
    written = []
    flush = writer.Writer.flush

    def noted(self: writer.Writer) -> None:
        entries = [entry for table in self.buffer.tables.values() for entry in table.values()]
        written.append(sum(len(value) for value in entries if value))
        flush(self)

    monkeypatch.setattr(writer.Writer, "flush", noted)
    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        for number in range(60):  # the fourth page of each of 15 hosts publishes
            text = "".join(f"<p>{number} has {one} and {one * number}</p>" for one in range(1500))
            dedup.process(Page(url=f"https://{number % 15}.example/{number}", html=text))
    assert sum(written) > 1.5 * writer.FLUSH_BYTES
    assert max(written) < 1.2 * writer.FLUSH_BYTES


def test_the_thread_may_ask_whether_to_write_while_others_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = writer.Writer(None)  # type: ignore[arg-type]  # it writes nothing
    asked._since = 0.0

    def written_meanwhile() -> float:
        asked._since = None
        return 1.0

    monkeypatch.setattr(writer, "time", SimpleNamespace(monotonic=written_meanwhile))
    assert asked.is_due


def test_a_journal_that_the_thread_could_not_write_is_told(tmp_path: Path) -> None:
    told = []

    def fail(lines: list[bytes]) -> None:
        told.append(lines)
        raise StoreError("no room for the journal")

    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        dedup.store.listen(fail)
        dedup.process(Page(url="https://a.example/", text=invented(1)))
        while not told:  # the thread writes soon
            dedup.probe(Page(url="https://a.example/", text=invented(1)))
        dedup.store.listen(lambda _: None)
        with pytest.raises(StoreError, match="no room for the journal"):
            dedup.process(Page(url="https://b.example/", text=invented(2)))
        assert str(dedup.process(Page(url="https://c.example/", text=invented(3))).kind) == "unique"


def test_what_a_method_writes_at_once_counts_as_arrived(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", is_sole=True, method="minhash") as dedup:
        with dedup.store.snapshot() as view:
            before = view.version
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
        with dedup.store.snapshot() as view:
            assert view.version != before
