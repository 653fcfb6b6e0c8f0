"""Feedback through the server: restored pages, and answers for judging."""

from __future__ import annotations

import json
from pathlib import Path

from dedup_middleware.inspect.overrides import restored_in
from dedup_middleware.viewer.feedback import MEANINGS
from lab.accuracy.sets import find_sets, labels_of
from lab.judge import Answer, LabelFolder, Pair
from tests.support.commands import lab
from tests.support.serving import row_of


def test_restore(server, folder, monkeypatch):
    monkeypatch.chdir(folder)
    url, original = "https://a.example/1/edited", "https://a.example/1"
    run, seq = row_of(server.rows(), url)
    which = {"run": run, "seq": seq}
    for headers in (
        {"x_dedup_token": None},
        {"x_dedup_token": ""},
        {"x_dedup_token": "wrong"},
        {"x_dedup_token": "ünknown".encode().decode("latin-1")},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{server.port}"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": f"evil.example:{server.port}"},
    ):
        reply = server.post("restore", which, **headers)
        assert reply.status == (421 if "host" in headers else 403), headers
        assert reply.json["error"]
    assert restored_in(Path("store")).all == ()
    reply = server.post("restore", which)
    assert reply.status == 200
    assert reply.json == {
        "message": f"{url} passes from now on, and never matches {original} again"
    }
    (one,) = restored_in(Path("store")).all
    assert (one.url, one.original, one.by) == (url, original, "ann")
    assert server.rows()["restored"] == [[url, original]]
    # people's own tools send neither Origin nor Sec-Fetch-Site
    again = server.post("restore", which, origin=None, sec_fetch_site=None)
    assert again.json == {"message": f"{url} was restored before"}
    unique = dict(zip(("run", "seq"), row_of(server.rows(), original), strict=True))
    refused = server.post("restore", unique)
    assert refused.status == 409
    assert "was not dropped" in refused.json["error"]


def test_answers_are_saved_for_judging(server, folder):
    url, original = "https://a.example/2/edited", "https://a.example/2"
    run, seq = row_of(server.rows(), url)
    for answer in ("different", "first-in-second", "same"):
        reply = server.post("answer", {"run": run, "seq": seq, "answer": answer})
        assert reply.status == 200
        assert reply.json["message"].startswith("Saved: ")
    short = row_of(server.rows(), "https://a.example/2/short")
    server.post("answer", {"run": short[0], "seq": short[1], "answer": "second-in-first"})
    answers = server.rows()["answers"]
    assert [url, original, "same"] in answers
    assert ["https://a.example/2/short", original, "second-in-first"] in answers
    for answer, status in ((None, 400), ("maybe", 400), (["same"], 400)):
        which = {"run": run, "seq": seq, "answer": answer}
        assert server.post("answer", which).status == status
    alone = row_of(server.rows(), original)
    which = {"run": alone[0], "seq": alone[1], "answer": "same"}
    assert server.post("answer", which).status == 409

    saved = folder / "store" / "answers"
    assert [path.name for path in saved.iterdir()] == ["answers.jsonl"]
    assert server.info["answers"] == "store/answers"
    assert LabelFolder(saved).answers.of(Pair(original, url)) == {"ann": Answer.SAME}
    judged = lab(
        *("judge", "--store", "store", "--output", "store/answers"),
        *("--methods", "shingles,simhash", "--pool-only", "--json"),
        cwd=folder,
    )
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)["gold"]["positive"] == 2
    (found,) = find_sets([saved], [])
    assert [label.gold for label in labels_of(found, [])].count("positive") == 2


def test_each_answer_has_a_meaning():
    assert MEANINGS.keys() == {*Answer}
