"""`python -m lab.judge`, in this process."""

from __future__ import annotations

import re

import pytest

from dedup_middleware.methods import method_names
from lab.accuracy.sets import find_sets, labels_of
from lab.judge import Answer, Answers, LabelFolder, Pair
from lab.judge.__main__ import DEFAULT_METHODS
from tests.support.judging import FEW, PAIR, pages
from tests.support.texts import article, html


def test_the_usual_methods_exist():
    assert set(DEFAULT_METHODS) <= set(method_names())


def test_a_pool_is_drawn_from_a_store(judge, tmp_path):
    out, err = judge("--store", "store", "--output", tmp_path, "--pool-only")
    assert (judge.code, err) == (0, "")
    assert out.startswith("Pool ")
    assert "Answers      none yet" in out
    told = judge.json("--output", tmp_path)
    pool = LabelFolder(tmp_path).pool
    assert pool.methods == DEFAULT_METHODS
    assert pool.pages == told["pages"] == 24  # those that were dropped as near are among them
    assert sum(told["strata"].values()) == told["pairs"] == len(pool.pairs)
    assert told["strata"]["disputed"] > told["strata"]["alike"]
    assert told["gold"] == {"positive": 0, "negative": 0, "ignore": told["pairs"]}
    urls = {url for one in pool.pairs for url in one.pair}
    assert urls <= set(pages())
    order = [*pages()]
    assert all(order.index(one.pair.first) < order.index(one.pair.second) for one in pool.pairs)


def test_the_same_seed_draws_the_same_pool(judge, tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        judge("feed.jsonl", "--output", tmp_path / name, *FEW, "--seed", seed, "--pool-only")
    first, again, other = (LabelFolder(tmp_path / name).pool.pairs for name in "abc")
    assert first == again
    assert first != other


def test_answers_are_asked_kept_and_resumed(judge, tmp_path):
    first = ("feed.jsonl", "--output", tmp_path, *FEW, "--judge", "ann")
    out, err = judge(*first, answers="s\nwhat?\n\nd\nq\n")
    assert [(match[1], match[2]) for match in PAIR.finditer(out)] == [
        ("1", "8"),
        ("2", "8"),
        ("3", "8"),
    ]
    assert "'what?' is none of s 1 2 d ? v b h q." in out
    assert len(re.findall(r"^  1  Title of \d.*  2  Title of \d", out, re.MULTILINE)) == 3
    assert "https://a.example/" in out
    assert out.count("does the other one say anything new?") == 1
    assert err == "Stopped; the same command goes on\n"
    # no page is named now: those of the pool are kept with it
    out, _ = judge("--output", tmp_path, "--judge", "ann", answers="1\n2\n?\n")
    assert [int(match[1]) for match in PAIR.finditer(out)] == [3, 4, 5, 6]
    assert "Answers      ann 5" in out
    folder = LabelFolder(tmp_path)
    said = [folder.answers.of(one.pair).get("ann") for one in folder.pool.pairs]
    assert [one and str(one) for one in said] == [
        *("same", "different", "first-in-second", "second-in-first", "open", None, None, None)
    ]
    (found,) = find_sets([tmp_path], [])
    golds = [label.gold for label in labels_of(found, [])[1::2]]
    assert golds == ["positive", "negative", "positive", "positive", *["ignore"] * 4]
    out, err = judge("--output", tmp_path, "--judge", "ann", answers="s\ns\ns")  # no last newline
    assert err == ""
    assert "Answers      ann 8" in out
    assert "ann has answered all 8 pairs" in judge("--output", tmp_path, "--judge", "ann")[1]


def test_an_answer_can_be_changed(judge, tmp_path):
    out, _ = judge(
        "feed.jsonl", "--output", tmp_path, *FEW, "--judge", "ann", answers="b\ns\ns\nb\nb\nd\n"
    )
    assert "This is the first pair." in out
    assert [int(match[1]) for match in PAIR.finditer(out)] == [1, 1, 2, 3, 2, 1, 3]
    assert out.count("Your answer was: they say the same. Press Enter to keep it.") == 2
    out, _ = judge("--output", tmp_path, "--judge", "ann", answers="b\n\nq\n")
    assert [int(match[1]) for match in PAIR.finditer(out)] == [3, 2, 3]
    told = judge.json("--output", tmp_path)
    assert told["answered"] == {"ann": 2}
    assert told["gold"] == {"positive": 1, "negative": 1, "ignore": 6}


def test_all_of_a_pair_can_be_seen(judge, tmp_path):
    out, _ = judge("feed.jsonl", "--output", tmp_path, *FEW, answers="v\nh\nq\n")
    shown, everything, helped, _ = out.split(" > ")
    assert len(re.findall("^= ", everything, re.MULTILINE)) > len(
        re.findall("^= .* the same in both", shown, re.MULTILINE)
    )
    assert "does the other one say anything new?" in helped
    assert max(map(len, out.splitlines())) <= 100


def test_two_judges_agree_or_are_resolved(judge, tmp_path):
    out, _ = judge("feed.jsonl", "--output", tmp_path, *FEW, "--kappa")
    assert "before two judges have answered" in out
    assert "nothing to resolve" in judge("--output", tmp_path, "--resolve", "--judge", "c")[1]
    judge("--output", tmp_path, "--judge", "ann", answers="s\ns\ns\ns\nd\nd\nd\nd\n")
    out, _ = judge("--output", tmp_path, "--judge", "ben", answers="s\ns\ns\nd\nd\nd\nd\n1\n")
    assert "Conflicts    2, 2 to be resolved: --resolve" in out
    assert "Settled      3 alike, 3 different; 2 open" in out
    out, _ = judge("--output", tmp_path, "--kappa")
    assert "ann and ben" in out
    assert "both alike 3, only ann 1, only ben 1, both different 3" in out
    assert "8 pairs, P(a) 0.75, P(c) 0.50, kappa 0.50: moderate" in out
    out, _ = judge("--output", tmp_path, "--resolve", "--judge", "cat", answers="2\n")
    assert [match.group().split()[0] for match in PAIR.finditer(out)] == ["1/2", "2/2"]
    assert not {"ann", "ben"} & set(out.split("Pool ")[0].split())  # a third judge is not told
    assert "Conflicts    2, 1 to be resolved" in out
    out, _ = judge("--output", tmp_path, "--resolve", "--judge", "cat", answers="d\n")
    assert [match.group().split()[0] for match in PAIR.finditer(out)] == ["1/1"]
    assert "Conflicts    2, 0 to be resolved\n" in out
    assert "Settled      4 alike, 4 different; 0 open" in out
    told = judge.json("--output", tmp_path)
    assert told["answered"] == {"ann": 8, "ben": 8}  # who resolves is no third judge
    assert told["agreement"][0]["alike"]["kappa"] == 0.5
    methods = told["methods"]
    assert methods.keys() == {"cascade", "shingles"}
    for one in methods.values():
        assert one["right"] <= one["judged"] <= one["called"]
        assert one["alike"] == 4


def test_a_pool_grows_but_does_not_change(judge, tmp_path):
    judge("feed.jsonl", "--output", tmp_path, *FEW, "--judge", "ann", answers="s\nd\n")
    before = LabelFolder(tmp_path)
    _, err = judge("--output", tmp_path, "--pool-only", "--seed", "7", "--methods", "cascade,dsc")
    assert err.count("stays as it is") == 2
    assert "was made with --seed 1" in err
    _, err = judge("--store", "store", "--output", tmp_path, "--pool-only")
    assert err == ""  # the same pages, from elsewhere
    _, err = judge("--output", tmp_path, "--most", "20", "--pool-only")
    assert err == ""
    after = LabelFolder(tmp_path)
    assert after.pool.pairs[:8] == before.pool.pairs
    assert len(after.pool.pairs) == 20
    assert after.outlines(3) == before.outlines(3)
    assert judge.json("--output", tmp_path)["answered"] == {"ann": 2}
    urls = {url for one in after.pool.pairs for url in one.pair}
    assert len(urls) > 8
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "page.html").write_text(html(article(99)))
    _, err = judge("feed.jsonl", tmp_path / "more", "--output", tmp_path, "--most", "30")
    assert "These pages (25) are not those that the pool in" in err
    assert "was drawn from (24)" in err
    assert len(LabelFolder(tmp_path).pool.pairs) == 20


def test_answers_from_elsewhere_come_into_the_pool(judge, tmp_path):
    """As the viewer of a crawl would give them."""
    urls = [*pages()]
    answers = Answers(tmp_path / "answers.jsonl")
    answers.record(Pair(urls[9], urls[2]), "ann", Answer.DIFFERENT)
    answers.record(Pair(urls[9], "https://elsewhere.example/"), "ann", Answer.SAME)
    judge("feed.jsonl", "--output", tmp_path, *FEW, "--pool-only")
    folder = LabelFolder(tmp_path)
    (taken,) = [one for one in folder.pool.pairs if not one.drawn]
    assert taken.pair == Pair(urls[2], urls[9])
    assert judge.json("--output", tmp_path)["gold"]["negative"] == 1
    answers.record(Pair(urls[8], urls[23]), "ann", Answer.SAME)
    _, err = judge("--output", tmp_path, "--pool-only")
    assert err.startswith("Answers to pairs outside the pool: 2; ")
    judge("feed.jsonl", "--output", tmp_path, "--pool-only")
    told = judge.json("--output", tmp_path)
    assert (told["gold"]["negative"], told["gold"]["positive"]) == (1, 1)
    assert told["pairs"] == 10


def test_only_so_many_pages_are_looked_at(judge, tmp_path):
    _, err = judge("feed.jsonl", "--output", tmp_path, *FEW, "--pages", "10", "--pool-only")
    assert err == "Only the first 10 pages are looked at, 14 are not: --pages N\n"
    assert judge.json("--output", tmp_path)["pages"] == 10


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--methods", "cascade,codect"], "there is no method 'codect'; choose among cascade,"),
        (["--methods", "cascade"], "one alone can't disagree; add to cascade"),
        (["--most", "0"], "--most must be from 1 to 10,000, not 0"),
        (["--pages", "-3"], "--pages must be from 1 to 1,000,000, not -3"),
        (["--judge", " "], "--judge must be a name, not ' '"),
        (["--judge", "a\x1b[2J"], r"--judge must be a name, not 'a\\x1b[2J'"),
    ],
)
def test_what_a_user_gets_wrong(judge, tmp_path, capsys, args, message):
    with pytest.raises(SystemExit) as stopped:
        judge("feed.jsonl", "--output", tmp_path, *args)
    assert stopped.value.code == 2
    assert message.replace(r"\\", "\\") in capsys.readouterr().err.replace(r"\\", "\\")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["absent.jsonl"], "absent.jsonl: No such file or directory"),
        (["--store", "absent"], "There is no dedup store in absent"),
        ([], "There is no store under "),
        (["one.html"], "There is no pair to judge among 1 pages; name more pages"),
        (["short.html"], "among 0 pages (left out: 1 too short or cut)"),
    ],
)
def test_pages_that_are_not_there(judge, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.html").write_text(html(article(1)))
    (tmp_path / "short.html").write_text("<p>Short.")
    out, err = judge(*args, "--output", tmp_path / "out")
    assert judge.code == 1
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_damage_is_reported(judge, tmp_path):
    judge("feed.jsonl", "--output", tmp_path, *FEW, "--judge", "ann", answers="s\ns\n")
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write('{"torn')
    out, err = judge("--output", tmp_path, "--judge", "ann", answers="d\n")
    assert "answers.jsonl:3: incomplete or no answer; skipped\n" in err
    assert [int(match[1]) for match in PAIR.finditer(out)] == [3, 4]
    assert judge.json("--output", tmp_path)["answered"] == {"ann": 3}
    (tmp_path / "pages.jsonl.gz").write_bytes(b"nothing")
    out, err = judge("--output", tmp_path, "--judge", "ann")
    assert judge.code == 1
    assert "pages.jsonl.gz is damaged or missing" in err
