"""Accuracy of the deduplicator alone: figures counted by hand, and malformed input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lab.accuracy.__main__ as command
from lab.accuracy import cascade
from lab.accuracy.actions import actions
from lab.accuracy.scoring import Judgement, Label, score
from tests.support.labelled import (
    ANIMAL_PAGE,
    TOOL_PAGE,
    A,
    B,
    C,
    D,
    label,
    page,
    run,
    stream,
    write_set,
)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """One set of each mode.

    Stream: b copies a, d differs from both. c copies a too but the labels call it a copy of
    d: a wrong original. Pairs: a copy is found; a page about other things is not; without the
    second store it would be taken for a copy of the first pair's.
    """
    stream_pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE),
        page(D, TOOL_PAGE),
        page(C, ANIMAL_PAGE, "One more."),
    ]
    stream_labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["exact", "near"]}),
        label(D, "negative"),
        label(C, "positive", {D: ["near"]}),
    ]
    pair_pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE),
        page(C, TOOL_PAGE),
        page(D, ANIMAL_PAGE),
    ]
    pair_labels = [
        label(A, "skip"),
        label(B, "positive", {A: ["contained"]}),
        label(C, "skip"),
        label(D, "negative"),
    ]
    write_set(tmp_path / "stream", "stream", stream_pages, stream_labels)
    write_set(tmp_path / "pairs", "pairs", pair_pages, pair_labels)
    return tmp_path


def test_accuracy_of_both_modes(sets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    journals = tmp_path_factory.mktemp("journals")
    done = run("lab.accuracy", sets, "--json", "--journal", journals)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    pairs, stream = json.loads(done.stdout)["sets"]
    assert (stream["set"], stream["positives"], stream["negatives"]) == ("stream", 2, 2)
    assert (stream["precision"], stream["recall"], stream["f1"]) == (0.5, 0.5, 0.5)
    assert (stream["wrong_originals"], stream["false_drops"]) == (1, 0)
    assert (stream["right_kind_share"], stream["right_kind_of"]) == (1.0, 1)
    assert [error["error"] for error in stream["errors"]] == ["wrong original"]
    assert stream["errors"][0]["original"] == A
    assert stream["peak_bytes"] > 10_000_000
    assert (pairs["precision"], pairs["recall"], pairs["false_drops"]) == (1.0, 1.0, 0)
    assert pairs["right_kind_share"] == 0.0
    lines = (journals / "pairs.jsonl").read_text().splitlines()
    verdicts = {row["url"]: row["verdict"] for row in map(json.loads, lines)}
    assert verdicts == {A: "unique", B: "exact", C: "unique", D: "unique"}


def test_accuracy_as_table_with_errors_and_a_setting(sets: Path) -> None:
    done = run("lab.accuracy", sets / "stream", "--errors", "--set", "min_words=30")
    assert done.returncode == 0, done.stderr
    head, row, what, copies, others, *errors = done.stdout.splitlines()
    assert what.split()[4:8] == ["dropped", "tagged", "contains", "missed"]
    assert copies.split()[:3] == ["stream", "all", "copy,"]
    assert others.split()[:4] == ["stream", "all", "no", "copy"]
    assert head.split()[:3] == ["set", "pos", "neg"]
    assert row.split()[:6] == ["stream", "2", "2", "0.5000", "0.5000", "0.5000"]
    assert errors[0] == f"stream: wrong original: {C}"
    assert f"original {A}" in errors[1]
    assert errors[2].strip() == f"gold positive: {D} (near)"


def test_actions_are_counted_by_site_and_group() -> None:
    near, inside = "https://www.a.example/near", "https://z.example/inside"
    labels = [
        Label(near, "positive", {A: ["near"]}, group="print"),
        Label(inside, "positive", {A: ["contained"]}),
        Label(C, "negative", {}),
        Label(D, "ignore", {}),
    ]
    said = {
        near: Judgement("near", A, action="drop"),
        inside: Judgement("contained", B, action="tag"),
        C: Judgement("near", A, action="tag"),
        D: Judgement("near", A, action="drop"),
    }
    found = actions(labels, said)
    assert found["", "copy, same site"] == {"pages": 1, "dropped": 1}
    assert found["print", "copy, same site"] == {"pages": 1, "dropped": 1}
    assert found["", "copy, other site"] == {"pages": 1, "wrong original": 1}
    assert found["", "no copy"] == {"pages": 1, "tagged": 1}
    assert len(found) == 4


def test_malformed_input_is_reported_and_the_rest_runs(sets: Path) -> None:
    broken = write_set(
        sets / "broken",
        "stream",
        [page(A, ANIMAL_PAGE), '{"url": "https://cut', page(D, TOOL_PAGE)],
        [label(A, "negative"), label(B, "maybe"), "[]", label(D, "negative")],
    )
    (sets / "unlabelled").mkdir()
    (sets / "unlabelled" / "meta.json").write_text('{"mode": "stream"}')
    (sets / "unlabelled" / "pages.jsonl").write_text(json.dumps(page(A, TOOL_PAGE)))
    done = run("lab.accuracy", sets / "missing", broken, sets / "unlabelled", "--json")
    assert done.returncode == 1
    assert [figures["negatives"] for figures in json.loads(done.stdout)["sets"]] == [2]
    reported = done.stderr.splitlines()
    assert reported[0] == f"{sets / 'missing'}: no such folder; skipped"
    assert reported[1] == f"{sets / 'unlabelled' / 'labels'}.jsonl.gz: not found; set skipped"
    assert reported[2].startswith(f"{broken / 'labels.jsonl.gz'}:2: 'gold' must be one of")
    assert reported[3] == f"{broken / 'labels.jsonl.gz'}:3: not a JSON object; line skipped"
    assert reported[4].startswith(f"{broken / 'pages.jsonl.gz'}:2: no JSON")


def test_accuracy_of_all_variants(tmp_path, monkeypatch, capsys) -> None:
    def run_here(page_set, settings, journal, problems):
        return cascade.run(page_set, settings, journal)  # a process for each would take long

    monkeypatch.setattr(command, "_run_in_process", run_here)
    write_set(tmp_path / "set", "stream", *stream(1, 12))
    assert command.main([str(tmp_path), "--variants", "--journal", str(tmp_path)]) == 0
    head, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head[:2] == ["set", "sentences"]
    variants = ["fuzzy", "thesis", "fourgrams", "overlap", "off"]
    assert [row[1] for row in rows] == variants
    assert all((tmp_path / f"set-{variant}.jsonl").exists() for variant in variants)
    with pytest.raises(SystemExit):
        command.main([str(tmp_path), "--variants", "--set", 'method_options={"sentences": "off"}'])
    assert "--variants goes through all values" in capsys.readouterr().err


def test_pages_that_were_compared_deeply_are_counted() -> None:
    result = cascade.Result("set", pages=8)
    result.stages.update(sentences=3, lookup=5)
    assert (
        cascade.summary([result, result]) == "Compared sentence by sentence: 6 of 16 pages (37.5%)"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage:"),
        (["x", "--set", "max_loss"], "'max_loss' is not NAME=VALUE with a JSON value"),
        (["x", "--set", "max_loss=0.8x"], "'max_loss=0.8x' is not NAME=VALUE with a JSON value"),
        (["x", "--set", "max_los=0.8"], "did you mean DEDUP_MAX_LOSS?"),
        (["x", "--set", "near=0.8"], "DEDUP_NEAR is no setting any more"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = command.main(arguments)
    except SystemExit as error:
        code = error.code
    output = capsys.readouterr()
    assert code == 2
    assert message in output.out + output.err


def test_a_wrong_original_is_a_miss_and_an_alarm() -> None:
    found = score([Label(C, "positive", {A: ["near"]})], {C: Judgement("near", B)})
    assert (found.finds, found.wrong_originals, found.precision, found.recall) == (0, 1, 0.0, 0.0)
    assert found.mistakes[0].what == "wrong original"


def test_an_original_that_is_left_open_is_a_find_without_a_kind() -> None:
    labels = [Label(C, "positive", {A: ["near"]}, [B]), Label(D, "positive", {A: ["contains"]})]
    found = score(labels, {C: Judgement("near", B), D: Judgement("contains", A)})
    assert (found.finds, found.kinds, found.right_kinds) == (2, 1, 1)
    assert found.f1 == 1.0


def test_contains_on_a_negative_is_an_alarm_but_no_drop() -> None:
    labels = [Label(A, "negative", {}), Label(B, "negative", {}), Label(C, "negative", {})]
    verdicts = {A: Judgement("contains", D), B: Judgement("contained", D), C: Judgement("updated")}
    found = score(labels, verdicts)
    assert (found.negatives, found.alarms, found.drops) == (3, 2, 1)
    assert [mistake.what for mistake in found.mistakes] == ["false alarm", "false drop"]


def test_a_page_without_a_verdict_has_passed_and_open_pages_do_not_count() -> None:
    labels = [
        Label(A, "positive", {D: ["near"]}),
        Label(B, "ignore", {}, [A]),
        Label(C, "skip", {}),
    ]
    found = score(labels, {B: Judgement("near", A), C: Judgement("near", A)})
    assert (found.positives, found.negatives, found.alarms) == (1, 0, 0)
    assert [mistake.what for mistake in found.mistakes] == ["missed"]
