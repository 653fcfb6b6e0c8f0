"""`scrapy dedup doctor`: what is installed, where the store is, what would be judged."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from dedup_middleware import Addon, core
from dedup_middleware.commands import doctor
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.store import open_store
from tests.support.commands import scrapy, table_rows, texts


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Call the command in an empty folder; return exit code, answer and messages."""
    monkeypatch.chdir(tmp_path)

    def check(**settings) -> tuple[int, dict, list[str]]:
        options = Namespace(json=True, wide=False)
        small = {"DEDUP_MAP_SIZE": 1 << 24}
        code = doctor.run(options, Settings({**small, **settings}))
        every = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        found = {one["what"]: one["found"] for one in every}
        return code, found, [one["problem"] for one in every if one["problem"]]

    return check


def test_in_a_process_of_its_own(tmp_path):
    done = scrapy("doctor", cwd=tmp_path)
    out, err = texts(done)
    rows = dict(table_rows(out)[1:])
    assert {"Python", "scrapy-dedup", "Scrapy", "lmdb", "lxml", "core", "store"} <= {*rows}
    assert rows["store"].endswith("can be made")
    assert (done.returncode, err) == (0, "All is well\n")
    assert rows["compiler"].startswith("rustc 1.")
    assert rows["scheme"] == SCHEME
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind"


def test_a_missing_core_is_said_with_what_to_do(check, monkeypatch):
    monkeypatch.setattr(core, "FOLDER", Path("nowhere"))
    core.load.cache_clear()
    code, found, problems = check()
    core.load.cache_clear()
    assert code == 1
    assert found["core"] == "can't be used"
    assert len(problems) == 1
    assert "No page can be judged: The compiled core is not in nowhere" in problems[0]


def test_where_the_store_is(check, tmp_path):
    assert check()[1]["store"] == ".scrapy/dedup/SPIDER/RUN, can be made"
    assert check(DEDUP_SCOPE="shared")[1]["store"] == ".scrapy/dedup/shared, can be made"
    assert check(JOBDIR="job")[1]["store"] == "job/dedup, can be made"
    open_store(tmp_path / "mine", map_size=1 << 24).close()
    assert check(DEDUP_SCOPE="./mine")[0] == 0


def test_a_store_that_cannot_be_opened(check, tmp_path):
    (tmp_path / "file").write_text("no store")
    for place in ("./file", "/proc/nowhere"):
        code, _, problems = check(DEDUP_SCOPE=place)
        assert code == 1
        assert "The store can't be used" in problems[0]


def test_what_would_be_judged(check, tmp_path):
    code, found, problems = check()
    assert (code, problems) == (0, [])
    assert found["judged"] == "nothing here: this folder is in no Scrapy project"
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = none\n")
    code, found, problems = check()
    assert (code, found["judged"]) == (1, "nothing")
    assert len(problems) == 1
    assert 'write ADDONS = {"dedup_middleware.Addon": 500} in its settings' in problems[0]
    for addon in ("dedup_middleware.Addon", Addon):
        code, found, _ = check(ADDONS={addon: 500}, DEDUP_STRICTNESS="strict")
        loss = "strict, at most 1.0% of a page may be lost"
        assert (code, found["strictness"]) == (0, loss)
        assert found["judged"] == "HTML below status 400, and items with url and html or text"
        assert found["dropped"] == "exact, near, contained, unchanged"
    assert check(ADDONS={Addon: 500}, DEDUP_DRY_RUN=True)[1]["dropped"] == "none"
    off = check(ADDONS={Addon: 500}, DEDUP_ENABLED=False)[1]
    assert off["judged"] == "nothing: DEDUP_ENABLED is False"


def test_a_disk_that_is_nearly_full(check, monkeypatch):
    assert check()[1]["disk"].endswith(" free")
    monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 60)
    code, _, problems = check()
    assert code == 1
    assert problems[0].startswith("The disk of the store is nearly full: ")
