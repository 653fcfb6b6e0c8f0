"""`scrapy dedup sites`: what is known of whole sites, and rules that people change."""

from __future__ import annotations

import csv
import json
import re
import secrets
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from dedup_middleware.errors import DedupError
from dedup_middleware.sites import Sites
from dedup_middleware.store import open_reader, open_store
from dedup_middleware.text import width
from tests.support.commands import on_terminal, table_rows
from tests.support.servers import shared_server
from tests.support.shop import ACCOUNTS, DAYS, HOST, MIRROR, visit_shop

SESSIONS = f"{HOST} parameter sid"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("shop") / "store"
    visit_shop(store)
    return store


@pytest.fixture
def own(shop, tmp_path) -> Path:
    """A copy of the store, to be changed."""
    shutil.copytree(shop, tmp_path / "own")
    return tmp_path / "own"


def found(run, store: Path | str, *args: str) -> list[dict]:
    out, _, code = run("sites", "--store", store, "--json", *args)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def state(run, store: Path | str, name: str) -> str:
    (one,) = [one for one in found(run, store) if one["name"] == name]
    return one["facts"]["state"]


def test_rules_mirrors_walls_and_shapes_are_listed(run, shop):
    out, err, code = run("sites", "--store", shop)
    assert (err, code) == ("", 0)
    header, *rows = table_rows(out)
    assert header == ["what", "pages", "new", "name", "about", "example", "other"]
    kinds = [row[0] for row in rows]
    assert kinds == sorted(kinds, key=["rule", "mirror", "wall", "shape"].index)
    assert {*kinds} == {"rule", "mirror", "wall", "shape"}
    by_name = {row[3]: row for row in rows}
    assert "alike" in by_name[SESSIONS][4]
    assert all("?sid=" in url or url.endswith(".html") for url in by_name[SESSIONS][5:])
    trap = by_name[f"{HOST}/calendar/<date>"]
    assert int(trap[1]) == DAYS
    assert "a trap" in trap[4]
    assert any(row[0] == "mirror" and MIRROR in row[3] for row in rows)
    (wall,) = [row for row in rows if row[0] == "wall"]
    assert int(wall[1]) == ACCOUNTS


def test_json_has_all_that_is_known(run, shop):
    every = found(run, shop)
    (rule,) = [one for one in every if one["name"] == SESSIONS]
    assert (rule["what"], rule["host"]) == ("rule", HOST)
    assert (rule["facts"]["kind"], rule["facts"]["holds"]) == ("parameter", True)
    (trap,) = [one for one in every if one["what"] == "shape" and "calendar" in one["name"]]
    assert trap["facts"]["left"]
    assert trap["pages"] == trap["facts"]["fetched"] == DAYS


def test_csv(run, shop):
    out, _, code = run("sites", "--store", shop, "--csv")
    assert code == 0
    rows = [*csv.DictReader(out.splitlines())]
    assert {row["what"] for row in rows} == {"rule", "mirror", "wall", "shape"}
    assert {row["host"] for row in rows} == {HOST, MIRROR}


def test_a_host_a_kind_and_a_number(run, shop):
    assert {one["host"] for one in found(run, shop, "--host", MIRROR)} == {MIRROR}
    assert {one["what"] for one in found(run, shop, "--what", "shape")} == {"shape"}
    out, err, _ = run("sites", "--store", shop, "--what", "shape", "--limit", "1")
    (_, shape) = table_rows(out)
    every = found(run, shop, "--what", "shape")
    assert int(shape[1]) == max(one["pages"] for one in every)
    assert f"{len(every) - 1} more shape" in err
    out, err, code = run("sites", "--store", shop, "--host", "other.example")
    assert (table_rows(out)[1:], code) == ([], 0)
    assert f"Nothing is known about other.example, only about {MIRROR}, {HOST}\n" in err


def test_a_store_in_which_nothing_was_learned_says_who_learns(run, two_runs, tmp_path):
    with closing(open_store(tmp_path / "new")):
        pass
    out, err, code = run("sites", "--store", tmp_path / "new")
    assert (out, code) == ("", 0)
    assert "crawls learn while they run, unless DEDUP_SKIP" in err


def test_shapes_of_a_single_url_are_not_listed(run, shop):
    shapes = found(run, shop, "--what", "shape", "--limit", "1000")
    assert all("<" in one["name"] or "?" in one["name"] for one in shapes)


def test_a_terminal_of_80_columns_is_wide_enough(shop):
    shown, code = on_terminal(shop.parent, "sites", "--store", "store", columns=80)
    lines = _ESCAPES.sub("", shown).replace("\r\n", "\n").splitlines()
    assert code == 0, shown
    assert max(map(width, lines)) <= 80, shown
    (name,) = [at for at, line in enumerate(lines) if line.rstrip().endswith(SESSIONS)]
    assert "alike" in lines[name + 1]
    assert lines[name + 2].strip().startswith("e.g. ")


@pytest.mark.parametrize("words", [SESSIONS.split(), [SESSIONS], ["Parameter SID"], ["parameter"]])
def test_a_rule_is_withdrawn_and_pinned_by_its_name_or_a_part_of_it(run, own, words):
    assert state(run, own, SESSIONS) == "learned"
    out, _, code = run("sites", "withdraw", *words, "--store", own)
    assert (out, code) == (f"{SESSIONS} never holds again.\n", 0)
    assert state(run, own, SESSIONS) == "withdrawn"
    out, _, _ = run("sites", "pin", *words, "--store", own, "--json")
    assert json.loads(out) == {"store": str(own), "action": "pin", "rule": SESSIONS}
    assert state(run, own, SESSIONS) == "pinned"


@pytest.mark.parametrize("name", [f"{HOST}/calendar/<date>", f"{HOST} trap /calendar/<date>"])
def test_a_trap_is_withdrawn(run, own, name):
    assert run("sites", "withdraw", name, "--store", own)[2] == 0
    (shape,) = [one for one in found(run, own) if one["name"] == f"{HOST}/calendar/<date>"]
    assert shape["about"].endswith("no trap: withdrawn by hand")
    assert not [one for one in found(run, own, "--what", "rule") if "calendar" in one["name"]]
    with open_reader(own, map_size=1 << 30) as reader:
        decision = Sites(reader).consider(f"https://{HOST}/calendar/2031-01-01")
    assert (decision.action, decision.steps) == ("send", 0)


def test_a_mirror_is_pinned(run, own):
    (mirror,) = found(run, own, "--what", "mirror")
    assert run("sites", "pin", mirror["name"], "--store", own)[2] == 0
    assert found(run, own, "--what", "mirror")[0]["facts"]["skips"]


def test_crawlers_of_a_server_share_what_was_withdrawn(run, shop):
    place = f"{shared_server().url}?prefix=s{secrets.token_hex(4)}"
    visit_shop(place)
    here, there = (
        sorted((one["name"], one["pages"]) for one in found(run, store)) for store in (shop, place)
    )
    assert here == there
    with closing(open_store(place, run="another crawler", spider="shop")) as store:
        sites = Sites(store, explore=0)
        before, after = (f"https://{HOST}/articles/1.html?sid={sid}" for sid in ("new", "newer"))
        sites.sent(f"https://{HOST}/articles/1.html")
        assert sites.consider(before).rule.key == SESSIONS
        assert run("sites", "withdraw", SESSIONS, "--store", place)[2] == 0
        sites = Sites(store, explore=0)
        sites.sent(f"https://{HOST}/articles/1.html")
        assert sites.consider(after).rule.kind == "trap"
    assert state(run, place, SESSIONS) == "withdrawn"


def test_a_rule_that_nobody_knows(run, own):
    with pytest.raises(DedupError, match=f"did you mean '{SESSIONS}'"):
        run("sites", "withdraw", HOST, "parameter", "sdi", "--store", own)
    with pytest.raises(DedupError, match="`scrapy dedup sites` lists them"):
        run("sites", "pin", "nonsense", "--store", own)
    with pytest.raises(DedupError, match=r"may be one of these: .*Name it in full"):
        run("sites", "pin", "example", "--store", own)


@pytest.mark.parametrize(
    "args",
    [
        ("pin",),
        ("list", "sid"),
        ("pin", "sid", "--what", "rule"),
        ("withdraw", "sid", "--csv"),
    ],
)
def test_what_does_not_go_together_is_refused(run, shop, args, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run("sites", *args, "--store", shop)
    assert list(tmp_path.iterdir()) == []


def test_a_withdrawn_rule_is_not_used(run, own):
    run("sites", "withdraw", "parameter sid", "--store", own)
    url = f"https://{HOST}/articles/1.html?sid=never-seen"
    with open_reader(own, map_size=1 << 30) as reader:
        rule = Sites(reader, explore=0).consider(url).rule
        assert rule is None or rule.kind == "trap"
