"""What a store does when it meets accidents, other users and strangers."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import lmdb
import pytest

from dedup_middleware import Deduplicator, NotAStore, Page, StoreError
from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader, open_store
from dedup_middleware.store.lmdb import checkpoint, environment
from dedup_middleware.store.lmdb.layout import DATABASES
from dedup_middleware.store.runs import live_runs
from dedup_middleware.store.verify import Damage
from tests.support.stores import invented

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files and processes")
ROOT = Path(__file__).parents[2]


def page(number: int) -> Page:
    return Page(url=f"https://{number}.example/", text=invented(number))


def filled(folder: Path, pages: int = 20) -> Path:
    with Deduplicator(folder) as dedup:
        for number in range(pages):
            dedup.process(page(number))
    return folder


def run(program: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, **options)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_data_that_have_lost_their_end_are_told_before_they_are_mapped(
    tmp_path: Path, share: float
) -> None:
    data = filled(tmp_path / "s") / "data.mdb"
    os.truncate(data, int(data.stat().st_size * share))
    for opened in (Deduplicator, open_reader):
        with pytest.raises(StoreError, match="its end is lost"):
            opened(tmp_path / "s")


@pytest.mark.parametrize("lost", [(), ("checkpoint",), ("checkpoint", "journal")])
def test_a_copy_without_data_is_no_new_store(tmp_path: Path, lost: tuple[str, ...]) -> None:
    ignored = shutil.ignore_patterns(*lost)
    copy = shutil.copytree(filled(tmp_path / "s"), tmp_path / "copy", ignore=ignored)
    os.truncate(copy / "data.mdb", 0)
    for opened in (Deduplicator, open_reader):
        with pytest.raises(StoreError, match="has 0 bytes, but had more: its end is lost"):
            opened(copy)


CUT = """
import os, random, shutil, sys
from pathlib import Path
from dedup_middleware import Deduplicator, StoreError
from dedup_middleware.store import open_reader
store, copy = Path(sys.argv[1]), Path(sys.argv[2])
size, rng = (store / "data.mdb").stat().st_size, random.Random(1)
for number in range(12):
    shutil.copytree(store, copy)
    if number % 3 == 0:
        (copy / "checkpoint").unlink()
    os.truncate(copy / "data.mdb", rng.randrange(8192, size))
    for opened in (open_reader, Deduplicator):
        try:
            with opened(copy) as store_or_dedup:
                (getattr(store_or_dedup, "store", store_or_dedup)).snapshot().__enter__()
        except StoreError as error:
            print("refused", error)
    shutil.rmtree(copy)
"""


def test_a_copy_that_has_lost_its_end_ends_no_process(tmp_path: Path) -> None:
    done = run(CUT, filled(tmp_path / "s", 60), tmp_path / "copy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused") > 12


@POSIX
def test_a_copy_is_read_in_a_process_of_its_own_before_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flipped bits in a copy ended a process by SIGBUS (torture, damage, seed 3)."""
    store = filled(tmp_path / "s")
    copy = shutil.copytree(store, tmp_path / "copy")
    monkeypatch.setattr(checkpoint, "_WALK", "import os; os.kill(os.getpid(), 7)")
    Deduplicator(store).close()  # its checkpoint is of this file
    for opened in (open_reader, Deduplicator):
        with pytest.raises(StoreError, match="reading it ends with SIGBUS"):
            opened(copy)


@POSIX
def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = filled(tmp_path / "s")
    for path in (store, *store.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


@POSIX
def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    filled(tmp_path / "real")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "data.mdb").symlink_to(tmp_path / "real" / "data.mdb")
    with pytest.raises(NotAStore, match="symbolic link"):
        Deduplicator(tmp_path / "s")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "real" / "journal" / "planted.jsonl").symlink_to(victim)
    with pytest.raises(StoreError, match=r"planted\.jsonl"):
        Deduplicator(tmp_path / "real", run="planted")
    assert victim.read_text() == "mine"


LOOK = """
import os, sys
import dedup_middleware.store.lmdb  # while it may read where Python is
from dedup_middleware.store import open_reader
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
with open_reader(sys.argv[1]) as reader, reader.snapshot() as view:
    print(view.last_page, len(list(view.decisions())))
"""


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_a_look_needs_no_right_to_write(tmp_path: Path) -> None:
    store = filled(tmp_path / "s")
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in tmp_path.parents:
        if path.owner() == "root" and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o555)
    tmp_path.chmod(0o755)
    done = run(LOOK, store)
    assert done.stdout == "20 20\n", done.stderr


@pytest.mark.skipif(not checkpoint.boot(), reason="the system does not tell its boot")
def test_a_store_that_somebody_has_open_is_not_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in containers, each of which may have a boot of its own."""
    program = """
    import sys
    from dedup_middleware import Deduplicator
    from dedup_middleware.store.lmdb import checkpoint
    checkpoint.boot = lambda: b"another boot".ljust(36)
    Deduplicator(sys.argv[1]).close()
    """
    monkeypatch.setattr(environment, "SYNC_SECONDS", 3600.0)
    with Deduplicator(tmp_path / "s") as dedup:
        dedup.process(page(1))
        done = run(program, tmp_path / "s")
        assert not done.stderr
        assert str(dedup.probe(page(1)).kind) == "unchanged"


@POSIX
def test_a_forked_child_does_not_keep_a_dead_run_alive(tmp_path: Path) -> None:
    program = """
    import os, sys, time
    from dedup_middleware import Deduplicator
    dedup = Deduplicator(sys.argv[1], run="parent")
    child = os.fork()
    if child == 0:
        os.close(1)
        os.close(2)
        sys.stdin.read()
        os._exit(0)
    print(child, flush=True)
    os._exit(9)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "s")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.stdout.read()
        assert parent.poll() is None or parent.returncode == 9
        assert not live_runs(tmp_path / "s" / "runs"), f"{child} holds its lock"
        with Deduplicator(tmp_path / "s") as dedup:
            assert str(dedup.process(page(1)).kind) == "unique"


@POSIX
def test_fork_in_the_script_of_a_user_is_harmless(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", is_sole=True) as dedup:
        dedup.process(page(1))
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        dedup.process(page(2))
    with Deduplicator(tmp_path / "s") as dedup:
        assert {str(dedup.probe(page(number)).kind) for number in (1, 2)} == {"unchanged"}


def test_readers_that_died_are_cleared(tmp_path: Path) -> None:
    program = """
    import os, sys
    from dedup_middleware.store import open_reader
    reader = open_reader(sys.argv[1])
    snapshot = reader.snapshot()
    snapshot.__enter__()
    os._exit(9)
    """
    with open_store(tmp_path / "s") as store:
        run(program, tmp_path / "s")
        env = store.engine.environment.env
        assert len(env.readers().splitlines()) > 2, "the dead one, our own, and the head"
        store.engine.environment._sync()
        assert len(env.readers().splitlines()) == 2


def test_a_map_that_others_have_enlarged_is_adopted(tmp_path: Path) -> None:
    program = """
    import sys
    from dedup_middleware import Deduplicator, Page
    from tests.support.stores import invented
    with Deduplicator(sys.argv[1], map_size=1 << 29) as dedup:
        for number in range(100, 500):
            dedup.process(Page(url=f"https://{number}.example/", text=invented(number)))
    """
    with Deduplicator(tmp_path / "s", map_size=1 << 21) as dedup:
        dedup.process(page(1))
        done = run(program, tmp_path / "s")
        assert not done.stderr
        assert (tmp_path / "s" / "data.mdb").stat().st_size > 1 << 21
        assert str(dedup.process(page(450)).kind) == "unchanged"
        assert str(dedup.process(page(1)).kind) == "unchanged"


def damaged(folder: Path, table: str) -> Path:
    """Change one byte of the first value of a table."""
    env = lmdb.open(str(folder), max_dbs=len(DATABASES))
    database = env.open_db(table.encode(), create=False)
    with env.begin(write=True) as txn, txn.cursor(database) as cursor:
        assert cursor.first()
        value = bytearray(cursor.value())
        value[len(value) // 2] ^= 8
        cursor.put(cursor.key(), bytes(value))
    env.close()
    return folder


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("pages", Damage.PAGE),
        ("outlines", Damage.TEXT),
        ("urls", Damage.ADDRESS),
        ("decisions", Damage.DECISION),
        ("recent", Damage.INDEX),
        ("site_pages", Damage.SITE),
        ("sites", Damage.SITE),
        ("site_counts", Damage.SITE),
        ("arrivals", Damage.SITE),
        ("runs", Damage.RUN),
    ],
)
def test_a_changed_byte_is_found_and_costs_no_page(
    tmp_path: Path, table: str, damage: Damage
) -> None:
    with Deduplicator(filled(tmp_path / "s")) as dedup:
        for number in range(30, 36):  # enough for what they have in common to be published
            dedup.process(Page(url=f"https://a.example/{number}", text=invented(number)))
    store = damaged(tmp_path / "s", table)
    with open_reader(store) as reader:
        assert damage in verify(reader, lambda _: None).found
    with Deduplicator(store) as dedup:
        kinds = {str(dedup.process(page(number)).kind) for number in range(20)}
        assert kinds <= {"unchanged", "unique", "exact", "updated"}
        assert all(
            dedup.process(page(number)).action in ("pass", "drop") for number in range(20, 25)
        )


@pytest.mark.parametrize("table", ["recent", "site_pages", "outlines"])
def test_an_entry_of_another_table_is_damage(tmp_path: Path, table: str) -> None:
    """As where parts of the file were exchanged; keys of several tables are the same numbers."""
    store = filled(tmp_path / "s")
    env = lmdb.open(str(store), max_dbs=len(DATABASES))
    pages, other = (env.open_db(name.encode(), create=False) for name in ("pages", table))
    with env.begin(write=True) as txn:
        for key, value in [*txn.cursor(pages)]:
            txn.put(key, value, db=other)
    env.close()
    with Deduplicator(store) as dedup:
        for number in range(20):
            assert dedup.process(page(number)).kind in ("unchanged", "unique", "exact")
            assert str(dedup.process(page(number + 20)).kind) == "unique"


def test_damage_of_what_counts_pages_stops_the_run(tmp_path: Path) -> None:
    store = damaged(filled(tmp_path / "s"), "meta")
    with pytest.raises(StoreError, match=r"damaged|no dedup store|scheme"):
        Deduplicator(store)


def test_a_copy_of_a_store_is_a_store(tmp_path: Path) -> None:
    shutil.copytree(filled(tmp_path / "s"), tmp_path / "copy")
    with Deduplicator(tmp_path / "copy") as dedup:
        assert {str(dedup.probe(page(number)).kind) for number in range(20)} == {"unchanged"}
