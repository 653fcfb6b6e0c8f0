"""Golden answers: those of pages that the project makes itself, and how differences are named."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from benchmarks.golden import parts
from benchmarks.golden.__main__ import main
from benchmarks.golden.files import FOLDER, INPUTS, Golden, Item, compared
from benchmarks.golden.inputs import Dice, edited, random_page

OWN = {part.title: part for part in parts.own_parts()}
FAST = ("core/random-00000", "verdicts/random")
DEMO = ("core/demo", "verdicts/demo")


@pytest.mark.parametrize("title", [*FAST, *DEMO])
def test_answers_are_as_frozen(title):
    part = OWN[title]
    frozen = part.frozen(FOLDER)
    assert frozen is not None
    found, difference = compared(part.items([]), part.block, "", frozen)
    if title in DEMO and found.digests[INPUTS] != frozen.digests[INPUTS]:
        pytest.skip("the demo web is another one: its texts are the docstrings of this Python")
    if difference:
        answers = str(difference.shown)[:3000]
        pytest.fail(
            f"{title}, {difference.place}: {difference.what}\nNow: {answers}", pytrace=False
        )


def test_random_pages_never_change():
    made = hashlib.blake2b(digest_size=8)
    for number in range(300):
        page = random_page(number)
        made.update(page + edited(number, page.decode("utf-8", "replace")).encode())
    assert made.hexdigest() == "656d3b49c60553a3"
    assert Dice(1).shuffled("abcde") == ["a", "e", "d", "b", "c"]


ITEMS = [
    Item(f"page {number}", b"%d" % number, {"text": [number, "ä"], "hash": {"b": 1, "a": number}})
    for number in range(7)
]


def changed(number: int, **answers: object) -> list[Item]:
    items = ITEMS.copy()
    items[number] = ITEMS[number]._replace(answers={**ITEMS[number].answers, **answers})
    return items


@pytest.fixture
def frozen(tmp_path) -> Golden:
    found, difference = compared(ITEMS, 3, "abc", None)
    assert difference is None
    found.write(tmp_path / "core" / "some.txt")
    return Golden.read(tmp_path / "core" / "some.txt")


def test_a_file_keeps_all(frozen):
    assert (frozen.commit, frozen.items, frozen.block) == ("abc", 7, 3)
    assert frozen.columns == ["text", "hash"]
    assert [len(line) for line in frozen.lines] == [9, 9, 9]
    assert compared(ITEMS, 3, "other", frozen)[1] is None


def test_the_first_difference_is_named(frozen):
    items = changed(4, hash=None)
    items[6] = changed(6, text=None)[6]
    _, difference = compared(items, 3, "", frozen)
    assert difference
    assert difference.place == "line 1, page 3 to page 5"
    assert difference.what == "hash is not as frozen; 2 of 3 lines differ"
    assert [item.answers["hash"] for item in difference.items][1] is None
    _, difference = compared(changed(6, text=0, hash=0), 3, "", frozen)
    assert difference
    assert difference.place == "line 2, page 6"
    assert difference.what.startswith("text, hash is not")


def test_what_has_no_place_is_a_difference(frozen):
    other = [item._replace(source=b"") for item in ITEMS]
    for items, what in (
        (ITEMS[:-1], "the inputs are others (6; frozen: 7)"),
        (other, "the inputs are others (7; frozen: 7)"),
        ([one._replace(answers={"text": 1}) for one in ITEMS], "the columns were ['text', 'hash']"),
    ):
        _, difference = compared(items, 3, "", frozen)
        assert difference
        assert difference.what.startswith(what)
        assert difference.place == ""


def test_equal_short_hashes_hide_nothing(frozen):
    found, _ = compared(changed(2, hash=5), 3, "", None)
    collided = Golden("abc", 7, 3, frozen.digests, found.lines)
    _, difference = compared(changed(2, hash=5), 3, "", collided)
    assert difference
    assert difference.what.startswith("hash: somewhere")


def test_the_command(small: Path, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frozen, data = tmp_path / "frozen", small.parent
    common = (str(data), "--folder", str(frozen), "--sets", "small", "--jobs", "1")
    monkeypatch.setattr("benchmarks.golden.__main__._commit", lambda: "abc")
    assert main(common) == 1
    assert "NOT FROZEN  7 items" in capsys.readouterr().out
    assert main([*common, "--freeze", "--only", "verdicts"]) == 0
    assert "frozen  7 items" in capsys.readouterr().out
    assert [path.name for path in frozen.rglob("*.txt")] == ["small.txt"]
    assert main([*common, "--only", "verdicts"]) == 0
    assert "all equal" in capsys.readouterr().out
    path = frozen / "verdicts" / "small.txt"
    lines = path.read_text().splitlines()
    lines[-5] = "0000"  # of the third page
    head = [line.replace("verdict ", "verdict 0") for line in lines]
    path.write_text("\n".join(head) + "\n")
    assert main([*common, "--only", "verdicts"]) == 1
    out = capsys.readouterr().out
    assert "line 2, https://c.example/: verdict is not as frozen; 1 of 7 lines differ" in out
    assert '"original": "https://a.example/"' in out
    shown = (tmp_path / "output" / "golden" / "verdicts-small-2.json").read_text()
    assert main([*common, "--only", "verdicts", "--show", "2"]) == 0
    assert capsys.readouterr().out == shown


def test_pages_that_are_not_there(tmp_path: Path, capsys, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "frozen" / "core").mkdir(parents=True)
    (tmp_path / "frozen" / "core" / "gone.txt").write_text("")
    monkeypatch.setattr("benchmarks.golden.__main__._run_all", lambda *_: 0)
    assert main([str(tmp_path / "data"), "--folder", str(tmp_path / "frozen")]) == 1
    assert "gone.txt: its pages are not in the data" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--sets", "nothing"])
    assert "there is no set 'nothing'" in capsys.readouterr().err
