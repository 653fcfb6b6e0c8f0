"""The reference against the code: every setting, option, stat, signal and key is described."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections.abc import Hashable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

import dedup_middleware
from dedup_middleware import errors
from dedup_middleware.inspect.decisions import STAGES
from dedup_middleware.journal import Tally, decision, skipped
from dedup_middleware.judge.overrides import Restoration
from dedup_middleware.methods import method_class, method_names
from dedup_middleware.plugin import exceptions, signals
from dedup_middleware.settings import PREFIX, SETTINGS, Settings
from dedup_middleware.sites.values import RuleKind, What
from dedup_middleware.verdict import (
    CHANGE_CLASSES,
    Action,
    Changes,
    Evidence,
    Kind,
    Lost,
    Scores,
    Verdict,
)
from tests.support.documentation import DOCS, first_column, page, row

PLUGIN = Path(dedup_middleware.__file__).parent / "plugin"


def test_settings():
    entries = re.split(r"^### ", page("settings"), flags=re.MULTILINE)[1:]
    described = {
        entry.split("\n")[0]: [" ".join(part.split()) for part in entry.split("\n\n")[1:3]]
        for entry in entries
    }
    known = {f"{PREFIX}{name.upper()}": field for name, field in SETTINGS.items()}
    assert sorted(described) == sorted(known)
    assert len(entries) == len(known)
    defaults = Settings()
    for name, field in known.items():
        (text, meaning), limits = described[name], field.metadata
        default = eval(re.match("Default: `(.+?)`", text)[1])
        value = getattr(defaults, field.name)
        assert default == (value if isinstance(value, Hashable) else {**value}), name
        kind = {"float": "Number", "int": "Whole number", "bool": "Flag."}.get(field.type, "")
        assert kind in text, name
        assert meaning.replace("`", "").startswith(limits["help"].replace("`", "")), name
        if "low" in limits:
            low, high = re.search("from `(.+?)` to `(.+?)`", text).groups()
            assert (eval(low), eval(high)) == (limits["low"], limits["high"]), name
        if limits.get("choices"):
            assert re.findall("`([^`]+)`", text.partition("One of")[2]) == [*limits["choices"]]


def test_options_of_methods():
    text = page("methods")
    assert first_column(text, "method") == method_names()
    for name, part in zip(
        method_names(), re.split(r"^### ", text, flags=re.MULTILINE)[1:], strict=True
    ):
        assert part.splitlines()[0] == name
        found = method_class(name)
        place = "store" if found.in_store or name == "cascade" else "memory"
        assert row(text, name).endswith(f"| {place} |")
        described = {
            re.match("`(.+?)`, default `(.+?)`", entry).groups(): " ".join(entry.split())
            for entry in part.split("\n- ")[1:]
        }
        options = [one for one in fields(found) if "help" in one.metadata]
        assert [*described] == [(one.name, repr(one.default)) for one in options]
        for (option, _), one in zip(described, options, strict=True):
            entry, limits = described[option, repr(one.default)], one.metadata
            assert entry.endswith(f": {limits['help']}"), (name, option)
            if "low" in limits:
                assert f"from `{limits['low']}` to `{limits['high']}`" in entry
            for one_of in limits.get("choices", ()):
                assert f"`{one_of}`" in entry


def stats_in_code() -> set[str]:
    """Find the names that stats are counted and set by; `<>` is what is filled in."""
    tally = Tally()
    decided = ("<kind>", "<action>", "<stage>")
    tally.add(*decided)
    found = {re.sub("<.*>", "<>", name) for name in tally.stats()}
    for path in PLUGIN.glob("*.py"):
        tree = ast.parse(path.read_text())
        loops = {
            loop.target.id: [ast.literal_eval(one) for one in loop.iter.elts]
            for loop in ast.walk(tree)
            if isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and isinstance(loop.iter, ast.Tuple)
            and all(isinstance(one, ast.Constant) for one in loop.iter.elts)
        }
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            receiver = ast.unparse(call.func.value)
            if call.func.attr not in {"count", "set"} or not receiver.endswith("counts"):
                continue
            name = call.args[0]
            if isinstance(name, ast.Constant):
                found.add(name.value)
            elif isinstance(name, ast.JoinedStr):
                parts = [
                    part.value if isinstance(part, ast.Constant) else "<>" for part in name.values
                ]
                found.add("".join(parts))
            elif isinstance(name, ast.IfExp):
                found.update((ast.literal_eval(name.body), ast.literal_eval(name.orelse)))
            else:
                found.update(loops[ast.unparse(name)])
    return {f"dedup/{name}" for name in found}


def test_stats(crawls):
    text = page("stats")
    described = [name for name in first_column(text, "key") if name.startswith("dedup/")]
    assert len(described) == len(set(described))
    plain = {re.sub("<.*>", "<>", name) for name in described}
    assert plain == stats_in_code()
    filled = {
        "<kind>": [str(kind) for kind in Kind],
        "<action>": [str(action) for action in Action],
        "<stage>": list(STAGES),
    }
    assert first_column(text, "part") == list(filled)
    for part, values in (("<rule>", get_args(RuleKind)), ("<what>", get_args(What))):
        filled[part] = list(values)
        assert first_column(text, f"`{part}`") == filled[part]
    possible = set(described)
    for part, values in filled.items():
        if part in first_column(text, "part"):
            assert re.findall("`([^`]+)`", row(text, part))[1:] == values
        possible |= {name.replace(part, value) for name in described for value in values}
    for done in crawls.values():
        assert {name for name in done.stats if name.startswith("dedup/")} <= possible


def test_signals():
    text = page("signals")
    names = {name for name in vars(signals) if not name.startswith("_")}
    assert set(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == names
    calls = {
        ast.unparse(node.args[0]).removeprefix("signals."): node.keywords
        for path in PLUGIN.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("send_catch_log")
    }
    assert calls.keys() == names
    for name, keywords in calls.items():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        described = first_column(section, "argument")
        assert described == [keyword.arg for keyword in keywords]
    attributes = {field.name for field in fields(Verdict)} | {"redundant"}
    assert set(first_column(text, "attribute")) == attributes
    parts = text.partition("The parts of the evidence")[2].partition("are those")[0]
    evidence = re.findall("`([a-z]+)`", parts)
    assert evidence == [field.name for field in fields(Evidence)]


def test_exceptions():
    drops, problems = page("exceptions").split("## Errors")
    assert set(first_column(drops, "class")) == {
        name
        for name, one in vars(exceptions).items()
        if isinstance(one, type) and issubclass(one, exceptions.DroppedPage)
    }
    for kind in Kind:
        verdict = Verdict(kind, "", 1, "", Evidence("read"))
        name = type(exceptions.make_drop(verdict, "INFO")).__name__
        assert row(drops, name).split("|")[2].strip().startswith(f"`{kind}`")
    assert set(first_column(problems, "class")) == {
        name
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, errors.DedupError)
    }
    described = {*first_column(drops, "class"), *first_column(problems, "class")}
    assert described <= set(dedup_middleware.__all__)


def test_what_is_generated_is_fresh():
    for name, text in runpy.run_path(str(DOCS / "generate.py"))["pages"]().items():
        stale = (DOCS / "reference" / name).read_text() != text
        assert not stale, f"docs/reference/{name} is stale: run python docs/generate.py"


def test_every_public_name_is_described():
    described = {*re.findall(r"^### (\w+)$", page("api"), re.MULTILINE)}
    elsewhere = {*first_column(page("exceptions"), "class"), "signals"}
    assert set(dedup_middleware.__all__) <= described | elsewhere


def test_messages_in_troubleshooting_come_from_the_code():
    shown = re.findall(r"\*\*`(.+?)`\*\*", page("troubleshooting"), re.DOTALL)
    assert len(shown) > 15
    known = "\n".join(
        message
        for path in Path(dedup_middleware.__file__).parent.rglob("*.py")
        for message in messages_in(ast.parse(path.read_text()))
    )
    for message in shown:
        plain = " ".join(message.split())
        assert re.search(re.escape(plain).replace("…", ".+?"), known), plain


def messages_in(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module; what is filled in is `…`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else "…" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.sub("%[a-z.]+", "…", node.value)


def test_the_list_of_restored_pages():
    entry = Restoration("https://example.org/1", "https://example.org/2").as_json(undo=True)
    assert first_column(page("restore"), "field") == list(entry)


def test_classes_of_changes():
    text = (DOCS / "usage/recrawl.md").read_text()
    rows = [f"| `{name}` | {meaning} |" for name, meaning in CHANGE_CLASSES.items()]
    assert "\n".join(["| class | meaning |", "|---|---|", *rows, ""]) in text


def test_journal(articles):
    text = page("journal")
    scores = Scores(1, 1.0, 1.0, 1.0, (1.0, 1.0), 1.0, (1.0, 1.0))
    url = "https://example.org/"
    evidence = Evidence(
        "sentences",
        scores,
        closest=url,
        suspect=url,
        supersedes=url,
        changes=Changes(0.5, (), (), (0, 0), ()),
        notes=("note",),
        generation=1,
        level="high",
    )
    lost = Lost(0.1, 1, 1, 2, ("a",), (("a", "b"),), ("a",), 0.05)
    verdict = Verdict(Kind.UNIQUE, None, 0.0, "", evidence, lost=lost)
    entry = decision(
        verdict,
        url="",
        run="",
        spider="",
        milliseconds=0,
        settings=Settings(dry_run=True),
        overrules=1,
        first=True,
    )
    assert first_column(text, "key") == list(entry)
    request = skipped("", "", "", "", run="", spider="", more=1)
    assert first_column(text, "key of a request") == list(request)[6:]
    assert first_column(text, "part of `lost`") == list(lost.as_json())
    assert first_column(text, "score") == [field.name for field in fields(Scores)]
    assert first_column(text, "stage") == list(STAGES)
    lines = Path(articles.stats["dedup/journal"]).read_text().splitlines()
    assert all(set(json.loads(line)) <= set(first_column(text, "key")) for line in lines)
    assert {"thresholds", "versions"} <= set(json.loads(lines[0]))
    assert not {"thresholds", "versions"} & set(json.loads(lines[1]))
