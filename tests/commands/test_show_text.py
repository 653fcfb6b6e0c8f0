"""`scrapy dedup show --text`: what counted of a page, on a terminal, as JSON."""

from __future__ import annotations

import json
import re

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.text import width
from tests.support.commands import BAD, call, on_terminal
from tests.support.texts import article

OFFER = "Our spring sale has begun, and whoever buys two of anything pays for one of them."
URL = "https://shop.example/{}"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def page_of(number: int) -> str:
    body = "".join(f"<p>{part.replace('&', '').replace('<', '')}" for part in article(number, 120))
    name = f"Page number {number}"
    return (
        f"<title>{name}</title><nav><ul><li><a href=/>Home</a></ul></nav><main><h1>{name}</h1>"
        f"{body}<p>{OFFER}<ul><li>Item {number}<ul><li>水 {'水' * 60} {number}</ul></ul>"
        f"<p hidden>Cheap \x1b[2J watches {number}</p></main>"
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    with Deduplicator(folder / "store", map_size=1 << 30) as dedup:
        for number in range(12):
            dedup.process(Page(url=URL.format(number), html=page_of(number)))
    return folder


def show(place, capsys, *args) -> str:
    assert call("show", URL.format(9), "--store", place / "store", *args) == 0
    out, err = capsys.readouterr()
    assert not any(mark in out + err for mark in BAD)
    return out


def test_marks_say_what_is_not_its_own(place, capsys):
    head, _, body = show(place, capsys, "--text").partition("\n\n")
    lines = head.splitlines()
    assert lines[0] == URL.format(9)
    assert re.fullmatch(r"   \d+ words its own", lines[1])
    assert lines[2] == f"R  {len(OFFER.split())} words repeated by its host"
    assert lines[3] == "B  1 word boilerplate by structure"
    assert lines[4] == "H  4 words hidden"
    assert lines[5] == "   Of hidden text a store keeps the beginning."
    assert "B  - Home\n\n   # Page number 9\n\n" in body
    assert f"\nR  {OFFER}\n" in body
    assert re.search(r"^H  Cheap .*watches 9$", body, re.MULTILINE)


def test_json(place, capsys):
    found = json.loads(show(place, capsys, "--text", "--json"))
    assert found["url"] == URL.format(9)
    assert found["words"].keys() == {"own", "repeated", "boilerplate", "hidden"}
    assert {"counted": "repeated", "kind": "text", "text": OFFER} in found["blocks"]


def test_a_terminal_of_80_columns(place):
    args = ("show", URL.format(9), "--store", "store", "--text")
    shown, code = on_terminal(place, *args, columns=80)
    assert code == 0, shown
    assert "\x1b[" in shown
    lines = _ESCAPES.sub("", shown).replace("\r\n", "\n").splitlines()
    assert max(map(width, lines)) <= 80
    repeated = [line[3:] for line in lines if line.startswith("R  ")][1:]
    assert " ".join(repeated) == OFFER
