"""What can be asked of a store: texts, contents, runs, and whether it is whole."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Self

import lmdb
import pytest

from dedup_middleware import Deduplicator, NotAStore, Page, SchemeMismatch, StoreError
from dedup_middleware.inspect.runs import ends_of, runs_of
from dedup_middleware.inspect.stores import contents, verify
from dedup_middleware.inspect.texts import Texts
from dedup_middleware.store import open_reader, open_store
from dedup_middleware.store.lmdb.layout import sealed, unsealed
from dedup_middleware.store.verify import Damage, Damages
from dedup_middleware.urls import url_key
from tests.support.texts import article, html
from tests.support.two_runs import ANOTHER_END, ARTICLE

A, B, C, D, E = (f"https://{name}.example/" for name in "abcde")
RUNS = "20260101T000000-000000", "20260102T000000-000000"
NEAR = [*ARTICLE[:-1], ANOTHER_END]
DROPS = {"near": "drop"}  # near copies of other sites, too
MAP = 1 << 30


@pytest.fixture
def place(tmp_path) -> Path:
    """A store in which two runs have judged six pages; nothing is wrong with it."""
    path = tmp_path / "store"
    with Deduplicator(path, run=RUNS[0], spider="news", map_size=MAP, cross_host=DROPS) as dedup:
        assert dedup.process(Page(url=A, html=titled(ARTICLE, "First"))).kind == "unique"
        assert dedup.process(Page(url=B, html=titled(NEAR, "Second"))).kind == "near"
        assert dedup.process(Page(url=C, html=titled(ARTICLE, "Third"))).kind == "exact"
    with Deduplicator(path, run=RUNS[1], spider="shop", map_size=MAP) as dedup:
        dedup.process(Page(url=D, html=html(article(9, 400))))
        dedup.judge(Page(url=E, html=html(article(5, 400))))
        verdict = dedup.process(Page(url=A, html=titled(ARTICLE, "First")))
        assert verdict.kind == "unchanged"
    return path


def titled(parts: list[str], title: str) -> str:
    """Change the title alone, which is no part of the visible text."""
    return html(parts).replace("<title>A page", f"<title>{title}")


def check(path: Path) -> Damages:
    with open_reader(path, map_size=MAP) as store:
        return verify(store, lambda _: None)


def repair(path: Path, damages: Damages) -> None:
    with open_reader(path, map_size=MAP) as store:
        store.repair(damages)


def journals(path: Path) -> list[Path]:
    return sorted(path.glob("journal/*.jsonl"))


class Tables:
    """The tables of a store as they are stored, to be damaged."""

    def __init__(self, path: Path) -> None:
        self._env = lmdb.open(str(path), max_dbs=32, map_size=MAP)
        self._txn = self._env.begin(write=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._txn.commit()
        self._env.close()

    def db(self, name: str):
        return self._env.open_db(name.encode(), txn=self._txn, create=False)

    def keys(self, name: str) -> list[bytes]:
        return [key for key, _ in self._txn.cursor(self.db(name))]

    def get(self, name: str, key: bytes) -> bytes:
        return unsealed(name, key, self._txn.get(key, db=self.db(name)))

    def put(self, name: str, key: bytes, value: bytes) -> None:
        self._txn.put(key, sealed(name, key, value), db=self.db(name))

    def put_raw(self, name: str, key: bytes, data: bytes) -> None:
        self._txn.put(key, data, db=self.db(name))

    def delete(self, name: str, key: bytes, value: bytes = b"") -> None:
        assert self._txn.delete(key, value, db=self.db(name))


# reading


def test_reading_a_store_leaves_no_trace(place):
    before = contents_of(place)
    with open_reader(place, map_size=MAP) as store, store.snapshot() as view:
        runs = view.runs()
    assert [run["spider"] for run in runs] == ["news", "shop"]
    assert contents_of(place) == before
    assert len(journals(place)) == 2


def contents_of(path: Path):
    with open_reader(path, map_size=MAP) as store:
        return contents(store)


def test_contents(place):
    held = contents_of(place)
    assert (held.pages, held.urls, held.aliases, held.pending) == (3, 5, 2, 1)
    assert (held.runs, held.alive, held.decisions, held.method) == (2, 0, 6, "cascade")
    assert "format-12" in held.scheme
    assert held.tables["pages"].entries == 3
    assert held.tables["outlines"].size > 0
    assert held.journal_size == sum(path.stat().st_size for path in journals(place))


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_where_no_store_is(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotAStore, match=f"There is no dedup store in .*{name}"):
        open_reader(tmp_path / name)
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_store_of_another_scheme_is_not_read(place):
    with Tables(place) as tables:
        tables.put("meta", b"header", b"other-scheme")
    for _ in range(2):  # the first refusal has let go of it
        with pytest.raises(SchemeMismatch, match="other-scheme"):
            open_reader(place, map_size=MAP)


def test_texts_of_pages_and_of_their_copies(place):
    with Texts(place, MAP) as texts:
        assert texts.outline(B).text.endswith(ANOTHER_END)
        assert texts.outline(C).text == texts.outline(A).text
        assert texts.outline("https://nowhere.example/") is None


def test_a_page_that_was_forgotten_has_no_text(place):
    store = open_store(place, map_size=MAP)
    store.settle(withdrawn=[1])
    store.close()
    with Texts(place, MAP) as texts:
        assert texts.outline(A) is None
        assert texts.outline(C) is None
        assert texts.outline(B).title == "Second"


def test_runs_tell_what_they_judged_and_how_they_ended(place):
    runs = runs_of(place)
    assert [(run.spider, run.state, run.judged, run.drops) for run in runs] == [
        ("news", "ended", 3, 2),
        ("shop", "ended", 3, 1),
    ]
    assert all(run.started <= run.ended for run in runs)
    assert [run.size for run in runs] == [path.stat().st_size for path in journals(place)]


def test_a_run_that_goes_on_is_alive_and_one_that_was_killed_has_died(tmp_path):
    code = f"""if True:
        import os
        from dedup_middleware import Deduplicator, Page
        dedup = Deduplicator({str(tmp_path / "s")!r}, spider="killed", map_size=1 << 30)
        dedup.process(Page(url="https://a.example/", text="one two three"))
        os._exit(9)
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    (died,) = runs_of(tmp_path / "s")
    assert died.state == "died"
    assert ends_of(tmp_path / "s", [died.name, "unknown"]) == {died.name: ("died", 0)}
    assert not check(tmp_path / "s").found
    with Deduplicator(tmp_path / "s", spider="next", map_size=MAP):
        runs = runs_of(tmp_path / "s")
    assert [(run.spider, run.state) for run in runs] == [("killed", "ended"), ("next", "alive")]


# whole or not


def test_a_store_that_is_whole(place):
    findings = check(place)
    assert not findings.found
    assert findings.notes == []


def test_a_store_in_use_is_whole(place):
    with Deduplicator(place, map_size=MAP) as dedup:
        dedup.judge(Page(url="https://f.example/", html=html(article(3, 400))))
        dedup.journal.path.write_bytes(b'{"v":1,"seq":')  # as while a line is written
        findings = check(place)
        assert not findings.found
        with pytest.raises(StoreError, match="is in use by"):
            repair(place, findings)


def test_copies_of_withdrawn_pages_are_no_damage(place):
    store = open_store(place, map_size=MAP)
    store.settle(withdrawn=[1])
    store.close()
    findings = check(place)
    assert not findings.found
    assert findings.notes[0].startswith("2 URLs repeat pages that were withdrawn since")


NUMBER = struct.Struct(">I").pack
SEQUENCE = NUMBER
FIRST, ONE = b"\0\0", b"\0\1"
"""The key of the first piece of a text, and that there is one."""


def _swap_outlines(tables: Tables) -> None:
    for key in tables.keys("outlines"):
        if key.startswith(NUMBER(1)):
            tables.delete("outlines", key)
        elif key.startswith(NUMBER(2)):
            tables.put("outlines", NUMBER(1) + key[4:], tables.get("outlines", key))


DAMAGES = {
    "page": (Damage.PAGE, lambda tables: tables.put("pages", NUMBER(1), b"short")),
    "outline": (
        Damage.TEXT,
        lambda tables: tables.put("outlines", NUMBER(1) + FIRST, ONE + b"no zstd"),
    ),
    "outline gone": (Damage.TEXT, lambda tables: tables.delete("outlines", NUMBER(1) + FIRST)),
    "swapped": (Damage.DIGEST, _swap_outlines),
    "url": (Damage.ADDRESS, lambda tables: tables.delete("urls", url_key(A))),
    "url odd": (Damage.URL, lambda tables: tables.put("urls", b"k" * 16, b"odd")),
    "url beyond": (
        Damage.URL,
        lambda tables: tables.put("urls", b"k" * 16, struct.pack(">BI32s", 1, 99, b"")),
    ),
    "orphan": (Damage.ORPHAN, lambda tables: tables.put("outlines", NUMBER(99) + FIRST, b"")),
    "pending": (Damage.PENDING, lambda tables: tables.put_raw("pending", NUMBER(1), b"odd")),
    "pending gone": (Damage.PENDING, lambda tables: tables.put("pending", NUMBER(99), b"")),
    "kept": (Damage.KEPT, lambda tables: tables.put("redundant", url_key(B) + FIRST, ONE + b"odd")),
    "counter": (Damage.COUNTER, lambda tables: tables.put("meta", b"page", bytes(8))),
    "sequence": (Damage.COUNTER, lambda tables: tables.put("meta", b"sequence", bytes(8))),
    "decision": (Damage.DECISION, lambda tables: tables.put("decisions", SEQUENCE(2), b"{odd")),
    "gap": (Damage.GAP, lambda tables: tables.delete("decisions", SEQUENCE(2))),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_repaired(place, name):
    kind, damage = DAMAGES[name]
    with Tables(place) as tables:
        damage(tables)
    findings = check(place)
    assert kind in findings.found
    assert findings.found[kind].example
    for _ in range(2):  # what was behind the first damage is found in the next pass
        repair(place, findings)
        findings = check(place)
    assert not findings.found
    with Deduplicator(place, map_size=MAP) as dedup:
        verdict = dedup.process(Page(url="https://f.example/", html=html(article(9, 400))))
    assert verdict.kind == "exact"  # page 2 is as it was


def test_postings_that_are_all_gone(place):
    with Tables(place) as tables:
        for key in tables.keys("recent"):
            tables.delete("recent", key)
    findings = check(place)
    assert findings.found[Damage.UNFOUND].count == 3
    repair(place, findings)
    assert not check(place).found
    assert contents_of(place).pages == 0


def test_runs_and_lost_decisions_cannot_be_mended(place):
    with Tables(place) as tables:
        tables.put("runs", NUMBER(2), b"{odd")
        tables.delete("decisions", SEQUENCE(2))
    path = journals(place)[0]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:1]))
    findings = check(place)
    assert findings.found.keys() == {Damage.RUN, Damage.GAP}
    assert not findings.repairable
