from __future__ import annotations

import json

import pytest

from dedup_middleware.errors import DedupError
from dedup_middleware.sites import Rule
from dedup_middleware.sites.exchange import Priors, installed_rules, read_rules, write_rules

RULES = [
    {"order": 0, "processor": "queryRemoval", "urlPattern": {"include": [""]}, "args": ["utm_id"]},
    {
        "order": 0,
        "processor": "queryRemoval",
        "urlPattern": {"include": ["www.a.example/shop", "b.example"]},
        "args": ["ref", "pid"],
    },
    {"order": 1, "processor": "normalizer", "urlPattern": {"include": ["a.example"]}},
    {
        "order": 0,
        "processor": "subpathRemoval",
        "urlPattern": {"include": ["a.example"]},
        "args": [0],
    },
    {"order": 0, "processor": "queryRemovalExcept", "urlPattern": {"include": ["a.example"]}},
]


def test_priors_of_a_file(tmp_path):
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    rules = read_rules(tmp_path / "rules.json")
    assert {rule.state for rule in rules} == {"prior"}
    priors = Priors(rules)
    assert priors.has("anything.example", "parameter", "utm_id", "")
    assert priors.has("sub.b.example", "parameter", "ref", "")
    assert priors.has("a.example", "slash", "", "")
    assert not priors.has("c.example", "parameter", "ref", "")
    assert not priors.has("a.example", "parameter", "size", "")
    assert len(rules) == 7


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"processor": 1}]', "[" * 100_000])
def test_files_that_hold_something_else(tmp_path, text):
    (tmp_path / "rules.json").write_text(text)
    with pytest.raises(DedupError, match=r"rules\.json does not hold rules in the format"):
        read_rules(tmp_path / "rules.json")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DedupError, match="No such file"):
        read_rules(tmp_path / "rules.json")


def test_what_others_can_load(tmp_path):
    rules = [
        Rule("a.example", "parameter", "sid"),
        Rule("a.example", "parameter", "ref", state="pinned"),
        Rule("a.example", "parameter", "id", state="withdrawn"),
        Rule("a.example", "value", "page", "1"),
        Rule("a.example", "www"),
        Rule("a.example", "slash"),
        Rule("b.example", "www"),
    ]
    text = write_rules(rules)
    assert json.loads(text) == [
        {
            "order": 0,
            "processor": "queryRemoval",
            "urlPattern": {"include": ["a.example"]},
            "args": ["ref", "sid"],
        },
        {"order": 0, "processor": "normalizer", "urlPattern": {"include": ["a.example"]}},
    ]
    (tmp_path / "rules.json").write_text(text)
    assert {rule.key for rule in read_rules(tmp_path / "rules.json")} == {
        rule.key
        for rule in rules
        if rule.host == "a.example" and rule.holds and rule.kind != "value"
    }


def test_without_the_package_there_are_no_priors(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duplicate_url_discarder_rules", None)
    assert installed_rules() == []
