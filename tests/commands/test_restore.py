"""Drops that were wrong: what a person says holds, in every crawl that follows."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings

from dedup_middleware import Action, DedupError, Deduplicator, Kind, NotAStore, Page, Verdict
from dedup_middleware.commands import restore as command
from dedup_middleware.inspect.overrides import lists_of, project_list, restore, restored_in, undo
from dedup_middleware.judge import overrides as restored
from dedup_middleware.judge.overrides import NAME, Restoration, Restored, RestoredFiles, tell
from dedup_middleware.urls import url_key
from tests.support.crawling import Job, Result, Web, crawl, scrapy
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")
TEXT = html(article(1))
NEWS = html(article(1), site="news")  # the same text in another template: not exact
EDITED = html([text.replace(" the ", " that ", 1) for text in article(1)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def see(dedup: Deduplicator, url: str, source: str, **options: object) -> Verdict:
    return dedup.process(Page(url=url, html=source), **options)


def apart(store: Path, url: str, original: str) -> None:
    store.mkdir(exist_ok=True)
    tell(store / NAME, Restoration(url, original))


def said(verdict: Verdict) -> str:
    return " | ".join(verdict.evidence.notes)


# What is judged


@pytest.fixture
def opened(store: Path, tmp_path: Path) -> Iterator[Deduplicator]:
    """A new store where B was told apart from A in the project's list."""
    (tmp_path / "project").mkdir()
    listed = tmp_path / "project" / NAME
    tell(listed, Restoration(B, A))
    with Deduplicator(store, restored=listed) as dedup:
        yield dedup


@pytest.mark.parametrize("other", [TEXT, NEWS, EDITED], ids=["exact", "near", "edited"])
@pytest.mark.parametrize("order", [(A, B), (B, A)], ids=["as before", "turned"])
def test_two_pages_that_were_told_apart_never_match(
    opened: Deduplicator, order: tuple[str, str], other: str
) -> None:
    first = see(opened, order[0], TEXT)
    assert (first.kind, first.evidence.notes) == ("unique", ())
    assert opened.probe(Page(url=order[1], html=other)).kind == "unique"
    second = see(opened, order[1], other)
    assert (second.kind, second.action, second.original) == ("unique", "pass", None)
    assert said(second) == f"told apart from {order[0]} by a person"
    assert second.number is not None


def test_all_others_are_judged_as_ever(opened: Deduplicator) -> None:
    see(opened, A, TEXT)
    see(opened, B, NEWS)
    copies = see(opened, C, TEXT), see(opened, D, NEWS)
    assert [(one.kind, one.original, one.action) for one in copies] == [
        ("exact", A, "drop"),
        ("exact", B, "drop"),  # it stands for its own copies
    ]
    assert not any(one.evidence.notes for one in copies)


def test_a_restored_page_passes_whatever_copy_of_its_original_came_first(
    opened: Deduplicator,
) -> None:
    see(opened, C, TEXT)
    verdict = see(opened, B, NEWS)
    assert (verdict.kind, verdict.original, verdict.action) == ("near", C, "pass")
    assert said(verdict) == f"passes, restored by a person, although it is like {C}"
    assert see(opened, A, EDITED).action == "drop"  # only one of a pair is restored
    assert see(opened, D, NEWS).original == B


def test_an_exact_copy_of_another_page_passes_too_if_it_was_restored(opened: Deduplicator) -> None:
    see(opened, C, TEXT)
    see(opened, A, NEWS)
    verdict = see(opened, B, TEXT)
    assert (verdict.kind, verdict.original, verdict.action) == ("exact", C, "pass")
    assert opened.probe(Page(url=B, html=TEXT)).kind == "unchanged"


def test_what_passed_once_is_dropped_while_it_stays_as_it_is(opened: Deduplicator) -> None:
    see(opened, A, TEXT)
    see(opened, B, NEWS)
    again = see(opened, B, NEWS)
    assert (again.kind, again.original, again.action) == ("unchanged", B, "drop")
    assert see(opened, B, html(article(2))).kind == "updated"


def test_a_request_can_not_have_it_dropped(opened: Deduplicator) -> None:
    see(opened, C, TEXT)
    verdict = see(opened, B, NEWS, actions={Kind.NEAR: Action.DROP})
    assert (verdict.kind, verdict.action) == ("near", "pass")
    assert verdict.number is not None


def test_a_tag_stays_a_tag(store: Path, tmp_path: Path) -> None:
    listed = tmp_path / NAME
    tell(listed, Restoration(B, A))
    with Deduplicator(store, restored=listed, actions={"near": "tag"}) as dedup:
        see(dedup, C, TEXT)
        assert see(dedup, B, NEWS).action == "tag"


def test_pages_of_few_words_are_told_apart_too(opened: Deduplicator) -> None:
    few = "<p>Only these five words stand here.</p>"
    see(opened, A, few)
    assert see(opened, C, few).kind == "exact"
    verdict = see(opened, B, few)
    assert (verdict.kind, said(verdict)) == ("unique", f"told apart from {A} by a person")


def test_a_page_that_holds_the_other_does_not_swallow_it(opened: Deduplicator) -> None:
    see(opened, A, TEXT)
    more = html([*article(1), *article(2), *article(3)])
    assert see(opened, B, more).kind == "unique"
    verdict = see(opened, C, more + "<p>And a last line.</p>")
    assert (verdict.kind, verdict.original) == ("near", B)


@pytest.mark.parametrize("name", ["shingles", "minhash", "patricia", "codet"])
def test_any_method_heeds_it(name: str, store: Path, tmp_path: Path) -> None:
    listed = tmp_path / NAME
    tell(listed, Restoration(B, A))
    with Deduplicator(store, restored=listed, method=name) as dedup:
        see(dedup, A, TEXT)
        for seed in range(2, 8):  # methods that weigh words by rarity need a corpus
            see(dedup, f"https://example.org/{seed}", html(article(seed)))
        verdict = see(dedup, B, NEWS)
        assert (verdict.kind, verdict.action) == ("unique", "pass")
        assert f"told apart from {A} by a person" in said(verdict)
        assert see(dedup, C, EDITED).original in {A, B}


# A store that goes on


def test_the_next_run_over_the_same_store_judges_it_afresh(store: Path) -> None:
    with Deduplicator(store) as dedup:
        see(dedup, A, TEXT)
        assert see(dedup, B, NEWS).action == "drop"
    with Deduplicator(store) as dedup:
        assert see(dedup, B, NEWS).kind == "unchanged"
    apart(store, B, A)
    with Deduplicator(store) as dedup:
        verdict = see(dedup, B, NEWS)
        assert (verdict.kind, verdict.action) == ("unique", "pass")  # not updated: it is as it was
        assert said(verdict) == f"told apart from {A} by a person"
        again = see(dedup, B, NEWS)
        assert (again.kind, again.original) == ("unchanged", B)
        assert see(dedup, A, TEXT).kind == "unchanged"


def test_a_drop_for_another_page_counts_no_more(store: Path) -> None:
    with Deduplicator(store) as dedup:
        see(dedup, C, TEXT)
        assert see(dedup, B, NEWS).original == C
    apart(store, B, A)
    with Deduplicator(store) as dedup:
        verdict = see(dedup, B, NEWS)
        assert (verdict.kind, verdict.original, verdict.action) == ("near", C, "pass")


def test_the_original_is_judged_afresh_where_it_was_the_one_that_was_dropped(store: Path) -> None:
    with Deduplicator(store) as dedup:
        see(dedup, B, NEWS)
        assert see(dedup, A, TEXT).original == B
    apart(store, B, A)
    with Deduplicator(store) as dedup:
        assert see(dedup, A, TEXT).kind == "unique"


def test_an_unchanged_page_can_be_restored_for_good(store: Path) -> None:
    with Deduplicator(store) as dedup:
        see(dedup, A, TEXT)
        assert see(dedup, A, TEXT).action == "drop"
    apart(store, A, A)
    with Deduplicator(store) as dedup:
        for _ in range(2):
            verdict = see(dedup, A, TEXT)
            assert (verdict.kind, verdict.action, verdict.number) == ("unchanged", "pass", None)
        assert see(dedup, B, TEXT).original == A


def test_undone_it_is_dropped_again(store: Path) -> None:
    with Deduplicator(store) as dedup:
        see(dedup, A, TEXT)
        see(dedup, B, NEWS)
    apart(store, B, A)
    tell(store / NAME, Restoration(B, A), undo=True)
    with Deduplicator(store) as dedup:
        verdict = see(dedup, B, NEWS)
        assert (verdict.kind, verdict.original, verdict.action) == ("unchanged", A, "drop")


def test_a_deduplicator_at_work_hears_of_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restored, "LOOK_SECONDS", 0.0)
    with Deduplicator(store) as dedup:
        see(dedup, A, TEXT)
        assert see(dedup, B, NEWS).action == "drop"
        apart(store, B, A)
        assert see(dedup, B, NEWS).kind == "unique"
        tell(store / NAME, Restoration(B, A), undo=True)
        assert see(dedup, C, EDITED).action == "drop"


def test_it_does_not_look_for_each_page(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restored, "LOOK_SECONDS", 3600.0)
    store.mkdir()
    files = RestoredFiles(store / NAME)
    apart(store, B, A)
    assert files.now().all == ()
    monkeypatch.setattr(restored, "LOOK_SECONDS", 0.0)
    assert files.now().pairs == [(B, A)]


# The list


def test_urls_are_compared_as_scrapy_does(tmp_path: Path) -> None:
    tell(tmp_path / NAME, Restoration("https://b.example/?b=2&a=1#top", "https://A.example"))
    told = Restored.read(tmp_path / NAME)
    assert told.of(url_key("https://b.example/?a=1&b=2")).restored
    assert told.of(url_key(A)).apart == {url_key("https://b.example/?a=1&b=2")}


def test_a_torn_line_and_others_words_are_skipped_and_said(tmp_path: Path) -> None:
    path = tmp_path / NAME
    tell(path, Restoration(B, A, by="ann", note="prices differ"))
    with path.open("ab") as file:
        file.write(b'{"v": 1, "url": "https://c.ex')
    assert Restored.read(path).pairs == [(B, A)]
    tell(path, Restoration(D, A))
    odd = [b"\xff\xfe", b"[]", b"7", b'{"url": "x"}', b'{"url": 1, "original": "x"}', b"[" * 9999]
    with path.open("ab") as file:
        file.write(b"\n".join((*odd, b"x" * (1 << 21), b"\n\n")))
    found = Restored.read(path)
    assert found.pairs == [(B, A), (D, A)]
    assert (found.all[0].by, found.all[0].note) == ("ann", "prices differ")
    assert [int(text.split(":")[1]) for text in found.damaged] == [2, *range(4, 11)]


def test_a_list_that_can_not_be_read_stops_at_the_start(store: Path) -> None:
    store.mkdir()
    (store / NAME).mkdir()
    with pytest.raises(DedupError, match="restored pages are listed"):
        RestoredFiles(store / NAME)
    with pytest.raises(DedupError, match=f"Can't keep in .* that {B} was restored"):
        tell(store / NAME, Restoration(B, A))


def test_a_list_that_can_be_read_no_more_still_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(restored, "LOOK_SECONDS", 0.0)
    path = tmp_path / NAME
    tell(path, Restoration(B, A))
    files = RestoredFiles(path)
    path.unlink()
    path.mkdir()
    assert [files.now().pairs for _ in range(3)] == [[(B, A)]] * 3
    assert caplog.text.count("what it said before still holds") == 1


@settings(max_examples=40)  # each line is written to the disk
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("abc"), st.booleans()), max_size=6),
    st.data(),
)
def test_the_last_word_counts_however_much_of_the_file_is_there(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, str, bool]],
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("list") / NAME
    path.touch()
    sizes = [0]
    for url, original, taken_back in lines:
        tell(path, Restoration(url, original), undo=taken_back)
        sizes.append(path.stat().st_size)
    cut = data.draw(st.integers(0, sizes[-1]))
    path.write_bytes(path.read_bytes()[:cut])
    whole = sum(cut >= size - 1 for size in sizes[1:])  # the line feed may be missing
    expected = {pair: not back for *pair, back in lines[:whole] for pair in [tuple(pair)]}
    found = Restored.read(path)
    assert set(found.pairs) == {pair for pair, holds in expected.items() if holds}
    for one in "abc":
        told = found.of(url_key(one))
        assert told.restored == any(one == url for url, _ in found.pairs)
        assert told.apart == {
            url_key(other)
            for pair in found.pairs
            for other, this in (pair, pair[::-1])
            if this == one
        }


# Where it is kept


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_list_of_the_project_holds_for_all_its_stores(project: Path, tmp_path: Path) -> None:
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


def test_restore_says_whether_it_is_new_and_undo_what_it_took_back(
    project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere"
    for store in (None, project / "job", outside):
        told = restore(store, B, A, by="ann", note="why")
        assert (told is None) == (store == project / "job")  # the project's list has it
        assert restore(store, B, A) is None
    restore(outside, B, C)
    assert set(restored_in(outside).pairs) == {(B, A), (B, C)}
    assert [one.original for one in undo(outside, B, A)] == [A, A]  # in both lists
    assert restored_in(outside).pairs == [(B, C)]
    assert [one.original for one in undo(outside, B)] == [C]
    assert undo(outside, B) == []
    entries = [json.loads(line) for line in project_list().read_bytes().splitlines()]
    assert [list(one) for one in entries] == [
        ["v", "time", "url", "original", "by", "note"],
        ["v", "time", "url", "original", "by", "note", "undo"],
    ]
    assert (entries[0]["by"], entries[0]["note"]) == ("ann", "why")


# Real crawls and the real command

SCOPES = {
    "run": {},
    "shared": {"DEDUP_SCOPE": "shared"},
    "job": {"JOBDIR": "jobs/1"},
    "method": {"DEDUP_METHOD": "shingles"},
}


class Crawls:
    """In each scope: two pages that are alike and a copy, crawled; one restored; crawled again."""

    def __init__(self, folder: Path, web: Web) -> None:
        self.folder, self.web = folder, web
        for number, scope in enumerate(SCOPES):
            parts = article(20 + number)
            web.put(f"/{scope}/a", html(parts))
            web.put(f"/{scope}/b", html(parts, site="news"))
            web.put(f"/{scope}/c", html(parts, site="news").replace("12", "13"))
        self.first = self.crawl("abc", *SCOPES)
        self.restored = {
            scope: scrapy(folder, "dedup", "restore", web.url(f"/{scope}/b"), *self.store(scope))
            for scope in SCOPES
        }
        self.second = self.crawl("abc", *SCOPES)
        self.turned = self.crawl("ba", "run", "shared")

    def crawl(self, order: str, *scopes: str) -> dict[str, Result]:
        jobs = {
            scope: Job(
                "components:Pages",
                {"steps": [[self.web.url(f"/{scope}/{name}")] for name in order]},
                SCOPES[scope],
            )
            for scope in scopes
        }
        return dict(zip(jobs, crawl(self.folder, *jobs.values(), timeout=120), strict=True))

    def store(self, scope: str) -> tuple[str, str]:
        return "--store", self.first[scope].stats["dedup/store"]


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawls]:
    folder = tmp_path_factory.mktemp("restore") / "project"
    folder.mkdir()
    with Web() as web:
        yield Crawls(folder, web)


def names(result: Result) -> str:
    return "".join(path[-1] for path in result.paths)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_page_that_was_restored_passes_in_the_next_crawl(crawls: Crawls, scope: str) -> None:
    assert names(crawls.first[scope]) == "a"
    done = crawls.restored[scope]
    assert done.code == 0, done.log
    page, original = (crawls.web.url(f"/{scope}/{name}") for name in "ba")
    assert f"{page}\n  told apart from {original} (near, " in done.log
    lasts = scope in {"shared", "job"}  # all others show what they showed, and so are dropped
    assert names(crawls.second[scope]) == ("b" if lasts else "ab")
    notes = {one["url"]: one.get("notes") for one in crawls.second[scope].journal}
    assert notes[page] == [f"told apart from {original} by a person"]
    assert not crawls.second[scope].troubles


def test_it_holds_the_other_way_round_and_what_passed_is_then_unchanged(crawls: Crawls) -> None:
    assert names(crawls.turned["run"]) == "ba"
    assert crawls.turned["shared"].dedup["verdict/unchanged"] == 2
    listed = crawls.folder / ".scrapy" / "dedup" / NAME
    assert len(listed.read_bytes().splitlines()) == len(SCOPES)


def test_what_can_not_be_restored_is_said(
    crawls: Crawls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url, run = crawls.web.url, crawls.store("run")
    monkeypatch.chdir(crawls.folder)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)

    def says(*arguments: str, code: int) -> str:
        """Run the command in this process: to start one takes longest."""
        parser = ArgumentParser()
        command.add_arguments(parser)
        parser.set_defaults(parser=parser)
        assert command.run(parser.parse_args(arguments), Settings()) == code
        return "".join(capsys.readouterr())

    kept = url("/run/a")
    log = says(kept, url("/run/x"), url("/run/c"), *run, code=1)
    assert f"{kept} was not dropped: it was unique" in log
    assert f"Nothing was decided about {url('/run/x')}" in log
    assert f"{url('/run/c')}\n  told apart from {kept} (" in log  # the others are done
    log = says(url("/run/c"), "--original", url("/run/b"), *run, code=1)
    assert f"was never dropped for {url('/run/b')}; it was for {kept}" in log
    with pytest.raises(SystemExit, match="2"):
        says(code=0)
    assert "say which page" in capsys.readouterr().err
    for arguments in ([kept], ["--list"]):
        with pytest.raises(NotAStore, match="nowhere"):
            says(*arguments, "--store", "nowhere", code=0)
    listed = [json.loads(line) for line in says("--list", "--json", *run, code=0).splitlines()]
    assert listed[-1]["url"] == url("/run/c")
    assert "may match" in says(url("/run/c"), "--undo", *run, code=0)
    assert "is not restored; --list" in says(url("/run/c"), "--undo", *run, code=1)


def test_of_several_drops_the_newest_counts(tmp_path: Path) -> None:
    lines = [
        {"url": B, "verdict": "near", "action": "drop", "original": A, "scores": {"known": [0.9]}},
        {"url": B, "verdict": "exact", "action": "drop", "original": C},
        {"url": B, "verdict": "unique", "action": "pass", "original": None},
        {"url": D, "verdict": "unique", "action": "drop", "original": None},
        {"url": A, "verdict": "unchanged", "action": "drop", "original": A},
    ]
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal = ("--journal", "j.jsonl")
    done = scrapy(tmp_path, "dedup", "restore", "b.example/", D, A, *journal)
    assert done.code == 1
    assert f"dropped 2 times; the newest counts, for {C}. Name another with --original: {A}" in (
        done.log
    )
    assert f"{B}\n  told apart from {C} (exact, 1.00)" in done.log
    assert "change DEDUP_ACTIONS" in done.log
    assert f"{A}\n  passes from now on, although its text stays as it is" in done.log
    done = scrapy(tmp_path, "dedup", "restore", B, "--original", "a.example/", *journal, "--json")
    assert done.code == 0
    assert json.loads(done.log)["original"] == A
    assert Restored.read(tmp_path / ".scrapy/dedup" / NAME).pairs == [(B, C), (A, A), (B, A)]
