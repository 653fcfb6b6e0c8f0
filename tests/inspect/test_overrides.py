"""Files that list restored pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import DedupError
from dedup_middleware.inspect.overrides import lists_of, project_list, restore, restored_in, undo
from dedup_middleware.judge import overrides
from dedup_middleware.judge.overrides import (
    NAME,
    OverrideFiles,
    Overrides,
    Restoration,
    append_restoration,
)
from dedup_middleware.urls import url_key

A, B, C, D = (f"https://{host}.example/" for host in "abcd")


def test_urls_are_compared_as_scrapy_does(tmp_path: Path) -> None:
    append_restoration(
        tmp_path / NAME, Restoration("https://b.example/?b=2&a=1#top", "https://A.example")
    )
    told = Overrides.read(tmp_path / NAME)
    assert told.of(url_key("https://b.example/?a=1&b=2")).restored
    assert told.of(url_key(A)).excluded == {url_key("https://b.example/?a=1&b=2")}


def test_torn_and_other_lines_are_skipped_and_reported(tmp_path: Path) -> None:
    path = tmp_path / NAME
    append_restoration(path, Restoration(B, A, by="ann", note="prices differ"))
    with path.open("ab") as file:
        file.write(b'{"v": 1, "url": "https://c.ex')
    assert Overrides.read(path).pairs == [(B, A)]
    append_restoration(path, Restoration(D, A))
    odd = [b"\xff\xfe", b"[]", b"7", b'{"url": "x"}', b'{"url": 1, "original": "x"}', b"[" * 9999]
    with path.open("ab") as file:
        file.write(b"\n".join((*odd, b"x" * (1 << 21), b"\n\n")))
    found = Overrides.read(path)
    assert found.pairs == [(B, A), (D, A)]
    assert (found.all[0].by, found.all[0].note) == ("ann", "prices differ")
    assert [int(text.split(":")[1]) for text in found.damaged] == [2, *range(4, 11)]


def test_a_list_that_can_not_be_read_stops_at_the_start(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(DedupError, match="restored pages are listed"):
        OverrideFiles(tmp_path / NAME)
    with pytest.raises(DedupError, match=f"Can't keep in .* that {B} was restored"):
        append_restoration(tmp_path / NAME, Restoration(B, A))


def test_a_list_that_becomes_unreadable_still_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(overrides, "LOOK_SECONDS", 0.0)
    path = tmp_path / NAME
    append_restoration(path, Restoration(B, A))
    files = OverrideFiles(path)
    path.unlink()
    path.mkdir()
    assert [files.now().pairs for _ in range(3)] == [[(B, A)]] * 3
    assert caplog.text.count("its last content still holds") == 1


@settings(max_examples=40)  # each line is written to the disk
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("abc"), st.booleans()), max_size=6),
    st.data(),
)
def test_the_last_line_about_a_page_counts_wherever_the_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, str, bool]],
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("list") / NAME
    path.touch()
    sizes = [0]
    for url, original, taken_back in lines:
        append_restoration(path, Restoration(url, original), undo=taken_back)
        sizes.append(path.stat().st_size)
    cut = data.draw(st.integers(0, sizes[-1]))
    path.write_bytes(path.read_bytes()[:cut])
    whole = sum(cut >= size - 1 for size in sizes[1:])  # the line feed may be missing
    expected = {pair: not back for *pair, back in lines[:whole] for pair in [tuple(pair)]}
    found = Overrides.read(path)
    assert set(found.pairs) == {pair for pair, holds in expected.items() if holds}
    for one in "abc":
        told = found.of(url_key(one))
        assert told.restored == any(one == url for url, _ in found.pairs)
        assert told.excluded == {
            url_key(other)
            for pair in found.pairs
            for other, this in (pair, pair[::-1])
            if this == one
        }


# Where lists are


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_list_of_the_project_applies_to_all_its_stores(project: Path, tmp_path: Path) -> None:
    listed = project / ".scrapy" / "dedup" / NAME
    assert project_list() == listed
    for store in (
        listed.parent / "news" / "1",
        listed.parent / "shared",
        project / "job" / "dedup",
    ):
        assert lists_of(store) == (listed, store / NAME)
    outside = tmp_path / "elsewhere"
    assert lists_of(outside) == (outside / NAME, listed)
    assert lists_of(None) == (listed,)


def test_restore_returns_what_is_new_and_undo_what_it_undid(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    for store in (None, project / "job", outside):
        told = restore(store, B, A, by="ann", note="why")
        assert (told is None) == (store == project / "job")  # the project's list has it
        assert restore(store, B, A) is None
    restore(outside, B, C)
    assert set(restored_in(outside).pairs) == {(B, A), (B, C)}
    assert [one.original for one in undo(outside, B)] == [A, C, A], "in both lists"
    assert undo(outside, B) == []
    entries = [json.loads(line) for line in project_list().read_bytes().splitlines()]
    assert [list(one) for one in entries] == [
        ["v", "time", "url", "original", "by", "note"],
        ["v", "time", "url", "original", "by", "note", "undo"],
    ]
    assert (entries[0]["by"], entries[0]["note"]) == ("ann", "why")
