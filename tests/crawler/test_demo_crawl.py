"""`scrapy crawl demo`: all of the demo web, and the summary at the end."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from tests.support.demo import crawl, items, journal, scrapy


@pytest.mark.parametrize("seed", ["57721", "57722"])
def test_the_demo_agrees_with_its_truth(seed, tmp_path):
    summary = crawl(tmp_path, "demo", "-a", f"seed={seed}")
    precision, recall = re.search(r"precision ([\d.]+), recall ([\d.]+)", summary).groups()
    assert precision == "1.000", summary
    assert float(recall) >= 0.98, summary
    assert "not judged" not in summary
    lines = summary.splitlines()
    assert len(lines) <= 30
    decisions = journal(tmp_path)
    dropped = sum(one["action"] == "drop" for one in decisions)
    assert f"{len(decisions)} pages judged" in lines[0]
    assert re.search(rf"passed +{len(decisions) - dropped} ", summary)
    assert re.search(rf"dropped +{dropped} ", summary)
    assert len(items(tmp_path)) == len(decisions) - dropped
    assert {"unique", "exact", "near", "contained", "contains", "unchanged", "updated"} == {
        one["verdict"] for one in decisions
    }


def test_a_second_run_equals_the_first_and_the_suggested_commands_work(tmp_path):
    # which requests are skipped depends on what arrives first; without that, runs are equal
    arguments = ("-a", "seed=57723", "-a", "pages=100", "-s", "DEDUP_SKIP=suggest")
    for _ in range(2):
        summary = crawl(tmp_path, "demo", *arguments)
        runs = sorted(tmp_path.glob(".scrapy/dedup/demo/*"))
        assert f"{len(journal(runs[-1]))} pages judged" in summary
    assert len(runs) == 2
    assert len(journal(runs[0])) == len(journal(runs[1]))
    commands = [shlex.split(line)[1:] for line in summary.splitlines() if "scrapy dedup " in line]
    done = [scrapy(tmp_path, *command) for command in commands]
    assert [one.returncode for one in done] == [0] * len(done)
    drops, show, compare, _ = done
    assert (tmp_path / "dedup-report.html").stat().st_size
    dropped = [one["url"] for one in journal(runs[-1]) if one["action"] == "drop"]
    assert all(url in drops.stdout for url in dropped)
    assert any(url in show.stdout for url in dropped)
    assert re.search(r"^near: \d+% of A is in B", compare.stdout, re.MULTILINE)
    for name in ("pages", "store"):
        (place,) = re.findall(rf"^  {name} +(\S+)$", summary, re.MULTILINE)
        assert (tmp_path / place).exists()


def test_only_pages_go_to_stdout(tmp_path):
    result = scrapy(tmp_path, "crawl", "demo", "-a", "pages=100", "-o", "-:jsonlines")
    assert all("verdict" in json.loads(line) for line in result.stdout.splitlines())
    assert "precision" in result.stderr
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("seed=x",), "demo: seed: 'x' is not a whole number"),
        (("pages=9",), "demo: A demo web has at least 100 pages, not 9"),
        (("url=http://a/",), "demo: url: no such argument; there are seed and pages"),
    ],
)
def test_wrong_arguments_are_refused_with_one_line(arguments, words, tmp_path):
    result = scrapy(tmp_path, "crawl", "demo", *(x for one in arguments for x in ("-a", one)))
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"{words}\n")
