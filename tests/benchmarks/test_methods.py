"""Many methods on made-up sets: simulated stores as real ones, choices by hand, and bad input."""

from __future__ import annotations

import doctest
import gzip
import importlib
import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.accuracy import errors
from benchmarks.accuracy.__main__ import main
from benchmarks.accuracy.apart import Work, do_all
from benchmarks.accuracy.choice import best, best_for_all
from benchmarks.accuracy.measured import Measured, read, write
from benchmarks.accuracy.measuring import Task, measure
from benchmarks.accuracy.memory import peak_memory
from benchmarks.accuracy.methods import LOOSEST, OWN, PEER, Entry, find
from benchmarks.accuracy.passes import Watch, pass_over
from benchmarks.accuracy.plots import difference
from benchmarks.accuracy.points import KINDS, points_of
from benchmarks.accuracy.provenance import content_digest
from benchmarks.accuracy.report import Run, _made_documents, _pictures
from benchmarks.accuracy.results import OURS, Results
from benchmarks.accuracy.scoring import Label, Said, Score, score
from benchmarks.accuracy.sets import find_sets
from benchmarks.accuracy.simulate import Found, Simulation
from benchmarks.accuracy.stream import MAIN, RAW, Pages
from benchmarks.accuracy.tables import champions_table
from benchmarks.fit.simulate import Figures
from benchmarks.peers import PEERS, MissingPeer, Peer, peer_class
from benchmarks.peers.textprofile import TextProfile, count_tokens, profile
from dedup_middleware import Deduplicator, Page
from dedup_middleware.lab.synthesis import (
    Plan,
    Range,
    SeriesPlan,
    SetFolder,
    label_sources,
    make_series,
    source_of,
)
from dedup_middleware.methods import Document, Match, Method, make_method
from dedup_middleware.verdict import Kind
from tests.benchmarks.test_accuracy import (
    ANIMALS,
    ROOT,
    TOOLS,
    A,
    B,
    C,
    D,
    label,
    page,
    text,
    write_set,
)
from tests.support.texts import paragraphs

ANIMAL_PAGE, TOOL_PAGE = text(ANIMALS, 0), text(TOOLS, 5000)
HALF, REST = ANIMAL_PAGE[: len(ANIMAL_PAGE) // 2], ANIMAL_PAGE[len(ANIMAL_PAGE) // 2 :]
E1, F1, G1 = (f"https://{name}.example/" for name in "efg")
MENU = " ".join(f"Menu entry {number} of the one site." for number in range(60))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Make a stream of one page, a near copy, an equal one, a part, another page and a shell."""
    pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE, "One more line about the otter."),
        page(C, ANIMAL_PAGE),
        page(D, TOOL_PAGE),
        page(E1, HALF),
        page(F1, TOOL_PAGE, ANIMAL_PAGE),
        page(G1, "Too short."),
    ]
    labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["near", "contains"]}),
        label(C, "positive", {A: ["exact", "near"]}),
        label(D, "negative"),
        label(E1, "positive", {A: ["contained"]}),
        label(F1, "positive", {A: ["contains"], D: ["contains"]}),
        label(G1, "negative"),
    ]
    return write_set(tmp_path / "small", "stream", pages, labels)


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def task(folder: Path, name: str, group: str = OWN, text_: str = MAIN) -> Task:
    (page_set,) = find_sets([folder], [])
    return Task(Entry(group, name), page_set, text_, "data", "code")


def made(
    name: str = "x", method: str = "methods/x", text_: str = MAIN, **counts: list[int]
) -> Measured:
    """Make a result of three thresholds, .2, .5 and .8, with 10 positives and 200 negatives."""
    none = [0, 0, 0]
    arrays = {
        key: np.array(counts.get(key, none), np.int64)
        for key in ("finds", "wrong_originals", "alarms", "drops", "kinds", "right_kinds")
    }
    shipped = Score(10, 200, finds=int(arrays["finds"][1]), drops=int(arrays["drops"][1]))
    return Measured(
        method=method,
        set=name,
        text=text_,
        data="",
        code="",
        label=method.partition("/")[2],
        knob="threshold",
        thresholds=[0.2, 0.5, 0.8],
        default=1,
        figures=Figures(10, 200, **arrays),
        shipped=shipped,
        confusion={},
        pages=210,
        ms_parsing=1.0,
        ms_reading=2.0,
        ms=3.0,
        peak=100,
        peak_before=50,
    )


# ---- what a store would say


class NaiveStore:
    """One threshold, one page after the other."""

    def __init__(self) -> None:
        self.words: list[int] = []
        self.originals: set[int] = set()

    def see(self, words, equal, scores, kinds):
        number = len(self.words)
        self.words.append(words)
        same = [earlier for earlier in equal if earlier in self.originals]
        if same:
            return "exact", min(same)
        there = [
            (-value, earlier, KINDS[kind])
            for earlier, value, kind in zip(*scores, kinds, strict=True)
            if earlier in self.originals and kind
        ]
        small = [one for one in there if one[2] == "contained" and self.words[one[1]] > 2 * words]
        redundant = [one for one in there if one[2] != "contains" and one not in small]
        if redundant:
            _, earlier, kind = min(redundant)
            return kind, earlier
        self.originals.add(number)
        rest = small or there
        if rest:
            _, earlier, kind = min(rest)
            return kind, earlier
        return "unique", None


@st.composite
def streams(draw):
    """Draw some pages, each with scores of earlier ones at three thresholds."""
    pages = []
    for number in range(draw(st.integers(1, 8))):
        earlier = sorted(draw(st.sets(st.integers(0, number - 1)))) if number else []
        equal = sorted(draw(st.sets(st.integers(0, number - 1), max_size=2))) if number else []
        values = [draw(st.sampled_from([0.2, 0.5, 0.9])) for _ in earlier]
        kinds = [[draw(st.sampled_from([0, 2, 3, 4])) for _ in range(3)] for _ in earlier]
        words = draw(st.sampled_from([50, 100, 101, 400]))
        pages.append((words, equal, earlier, values, kinds))
    return pages


@given(streams(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_the_simulation_is_a_store_at_each_threshold(stream, chance: Random) -> None:
    simulation, naive = Simulation(3), [NaiveStore() for _ in range(3)]
    wanted = [{} for _ in range(3)]
    for number, (words, equal, earlier, values, kinds) in enumerate(stream):
        shaped = np.array(kinds, np.int8).reshape(-1, 3)
        found = Found(earlier, np.array(values)[:, None], shaped)
        simulation.see(str(number), words, equal, found)
        for point, store in enumerate(naive):
            column = [row[point] for row in kinds]
            wanted[point][str(number)] = store.see(words, equal, (earlier, values), column)
    labels = [
        Label(
            str(number),
            chance.choice(["positive", "negative", "ignore"]),
            {str(one): chance.choice([["near"], ["exact", "contained"], ["contains"]])}
            if (one := chance.randrange(len(stream))) != number
            else {},
            [str(chance.randrange(len(stream)))],
        )
        for number in range(len(stream))
    ]
    figures = simulation.figures(labels)
    for point in range(3):
        said = simulation.said(point)
        assert {
            url: (one.kind, None if one.original is None else int(one.original))
            for url, one in said.items()
        } == wanted[point]
        counted = score(labels, said)
        assert (counted.positives, counted.negatives) == (figures.positives, figures.negatives)
        for name in ("finds", "wrong_originals", "alarms", "drops", "kinds", "right_kinds"):
            assert getattr(counted, name) == getattr(figures, name)[point]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8),
    st.sampled_from(["shingles", "fingerprints", "cascade", "fuzzy"]),
)
@settings(deadline=None)
def test_kinds_at_all_thresholds_are_those_that_the_method_says(scores, name) -> None:
    one = make_method(name)
    points = points_of(one)
    pairs = np.array(scores).reshape(-1, 2)
    kinds = points.kinds(pairs[:, 0], pairs[:, 1])
    assert points.thresholds[points.default] == one.threshold
    apart = getattr(one, "contained", one.threshold) - one.threshold
    for column in range(0, len(points.thresholds), 37):
        near = points.thresholds[column]
        extra = {"contained": min(1.0, near + apart)} if name == "cascade" else {}
        strict = make_method(name, threshold=near, **extra)
        for row, both in enumerate(scores):
            kind = strict.kind(Match("", *both))
            assert KINDS[kinds[row, column]] == str(kind or "unique")


@dataclass
class Own(Method):
    """A method with a rule of its own: near or nothing, by the first share."""

    threshold: float = 0.4

    def add(self, document):
        if "broken" in document.text:
            raise RuntimeError("no such luck")

    def candidates(self, _document):
        return []

    def kind(self, match):
        return Kind.NEAR if match.forward >= self.threshold else None


def test_a_method_with_rules_of_its_own_is_asked() -> None:
    points = points_of(Own())
    kinds = points.kinds(np.array([0.5, 0.04]), np.array([0.0, 1.0]))
    called = [KINDS[kind] for kind in kinds[0]]
    assert called == ["near" if t <= 0.5 else "unique" for t in points.thresholds]
    assert not kinds[1].any()


@pytest.mark.parametrize(
    ("name", "options"), [("shingles", {}), ("shingles-containment", {"containment": True})]
)
def test_what_is_simulated_is_what_the_deduplicator_says(
    small: Path, tmp_path: Path, name: str, options: dict
) -> None:
    measured = measure(task(small, name))
    labels = [Label(**row) for row in rows_of(small / "labels.jsonl.gz")]
    for place in (30, measured.default, 150):
        said = {}
        choice = {"threshold": measured.thresholds[place], **options}
        with Deduplicator(
            tmp_path / f"store-{place}", method="shingles", method_options=choice
        ) as dedup:
            for row in rows_of(small / "pages.jsonl.gz"):
                verdict = dedup.process(Page(url=row["url"], html=row["html"]))
                said[row["url"]] = Said(str(verdict.kind), verdict.original)
        counted = score(labels, said)
        counted.mistakes.clear()
        assert measured.at(place) == counted


def test_the_cascade_as_shipped_and_as_simulated(small: Path) -> None:
    measured = measure(task(small, "cascade"))
    assert (measured.shipped.finds, measured.shipped.positives) == (4, 4)
    assert (measured.shipped.kinds, measured.shipped.right_kinds, measured.shipped.drops) == (
        4,
        4,
        0,
    )
    shipped = measured.at(measured.default)
    assert (shipped.finds, shipped.right_kinds, shipped.drops) == (4, 4, 0)
    assert measured.confusion == {
        "negative": {"unique": 3},
        "near/contains": {"near": 1},
        "exact/near": {"exact": 1},
        "contained": {"contained": 1},
        "contains": {"contains": 1},
    }
    assert measured.errors == measured.problems == []
    assert 0 < measured.ms_parsing < measured.ms_reading < measured.ms
    assert measured.peak >= measured.peak_before > 10_000_000


def test_equal_pages_are_found_for_everyone_and_short_ones_by_their_bytes(tmp_path: Path) -> None:
    pages = [page(A, "Too short."), page(B, "Too short."), page(C, "Too short. ")]
    pages += [page(D, ANIMAL_PAGE), page(E1, ANIMAL_PAGE)]
    labels = [label(A, "negative"), label(B, "positive", {A: ["exact"]})]
    labels += [label(C, "negative"), label(D, "negative"), label(E1, "positive", {D: ["exact"]})]
    folder = write_set(tmp_path / "short", "stream", pages, labels)
    for entry in (("imatch", OWN), ("textprofile", PEER)):
        measured = measure(task(folder, *entry))
        assert (measured.shipped.finds, measured.shipped.right_kinds) == (2, 2)
        assert measured.shipped.alarms == 0


def test_raw_page_text_has_the_menus_in_it(tmp_path: Path) -> None:
    menu = f"<nav><ul><li>{MENU}</ul></nav>"
    pages = [page(A, ANIMAL_PAGE), page(B, TOOL_PAGE[:600])]
    for row in pages:
        row["html"] = row["html"].replace("<main>", f"{menu}<main>")
    folder = write_set(tmp_path / "menus", "stream", pages, [label(B, "negative")])
    drops = [
        measure(task(folder, "shingles-containment", text_=text_)).figures.drops
        for text_ in (MAIN, RAW)
    ]
    assert not drops[0].any()
    assert drops[1][0] == 1


# ---- thresholds, chosen


def test_the_best_threshold_keeps_within_the_limit() -> None:
    one = made(finds=[10, 8, 8], drops=[3, 1, 1], alarms=[3, 1, 1])
    found = best(one, 0.01)
    assert found is not None
    assert (found.threshold, found.score.finds, found.score.drops) == (0.8, 8, 1)  # the strictest
    loose = best(one, 0.02)
    assert loose is not None
    assert loose.threshold == 0.2
    assert best(made(finds=[9, 9, 9], drops=[3, 3, 3]), 0.01) is None


def test_one_threshold_for_all_sets_keeps_within_the_limit_of_each() -> None:
    first = made("a", finds=[10, 9, 2])
    second = made("b", finds=[9, 6, 5], drops=[3, 2, 0], alarms=[3, 2, 0])
    chosen = best_for_all([first, second], 0.01)
    assert chosen is not None
    assert {name: (one.threshold, one.score.finds) for name, one in chosen.items()} == {
        "a": (0.5, 9),
        "b": (0.5, 6),
    }
    assert best_for_all([first, made("b", drops=[3, 3, 3])], 0.01) is None


def test_the_report_says_who_is_best() -> None:
    ours = made("a", OURS, finds=[9, 8, 7])
    tie = made("a", "methods/other", finds=[1, 2, 9])
    raw = made("a", "methods/other", RAW, finds=[9, 0, 0], drops=[3, 0, 0])
    row = champions_table(Results([ours, tie, raw], 0.01)).splitlines()[2]
    assert row == (
        "| a | 2 of 200 | .889 / 0 | .333 / 0, other on main text | yes | .947 / 0 @ 0.2 "
        "| .947 / 0 @ 0.8, other on main text | yes (ties: 1) |"
    )
    better = made("a", "peers/third", RAW, finds=[10, 9, 0])
    row = champions_table(Results([ours, tie, better], 0.01)).splitlines()[2]
    assert row.count("| **no**: third on raw page text |") == 2


def test_a_set_with_nothing_to_find_says_who_drops_too_much() -> None:
    figures = Figures(0, 200, *np.zeros((6, 3), np.int64))
    ours, other = made("a", OURS), made("a", "methods/other")
    ours.figures = other.figures = figures
    ours.shipped, other.shipped = Score(0, 200, drops=1), Score(0, 200, drops=7)
    row = champions_table(Results([ours, other], 0.01)).splitlines()[2]
    assert row == (
        "| a | 2 of 200 | 1 dropped | 1 of 1 drop more, up to 7 (other on main text) "
        "| within the limit | – | – | – |"
    )


# ---- peers


def test_profiles_of_texts() -> None:
    assert count_tokens("The tide, the TIDE; a b_c tides!") == {"the": 2, "tide": 2, "tides": 1}
    counts = count_tokens("boat " * 400 + "tide " * 9 + "moon " * 7 + "star " * 3)
    assert profile(counts, 0.01) == [("boat", 400), ("tide", 8), ("moon", 4)]
    assert profile(count_tokens(""), 0.01) == []


def test_documents_with_the_same_profile_are_the_same() -> None:
    peer = TextProfile()
    peer.add(Document.of_text("a", "The tide, the tide came in, and nobody saw it."))
    assert peer.candidates(Document.of_text("b", "The tide: the tide! Everybody slept.")) == [
        Match("a", 1.0, 1.0)
    ]
    assert peer.candidates(Document.of_text("c", "The boat: the boat!")) == []


def test_the_default_of_a_peer_is_tried_and_needs_no_library_to_be_known() -> None:
    for name in PEERS:
        module = importlib.import_module(f"benchmarks.peers.{name}")
        (adapter,) = (
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Peer) and value is not Peer
        )
        assert adapter().threshold in adapter.grid
        assert adapter.label
        assert adapter.about


@pytest.mark.parametrize("name", PEERS)
def test_peers_find_a_copy_and_nothing_in_another_text(name: str) -> None:
    try:
        adapter = peer_class(name)
    except MissingPeer as error:
        pytest.skip(f"peers are no dependency: {error}")
    for threshold in (None, adapter.grid[-1]):
        peer = adapter() if threshold is None else adapter(threshold=threshold)
        peer.add(Document.of_text("a", ANIMAL_PAGE))
        peer.add(Document.of_text("b", TOOL_PAGE))
        assert peer.candidates(Document.of_text("c", ANIMAL_PAGE)) == [Match("a", 1.0, 1.0)]
        assert peer.kind(Match("a", 1.0, 1.0)) is Kind.NEAR
        assert peer.candidates(Document.of_text("d", "Quite another thing. " * 9)) == []


def test_a_peer_that_is_not_installed_is_told_and_the_rest_runs(
    small: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)  # as if it were not there
    arguments = [small, "--peers", "rensa,textprofile,nonsense", "--work", tmp_path / "w"]
    assert main([*map(str, arguments), "--main-text", "--json"]) == 1
    output = capsys.readouterr()
    rows = json.loads(output.out)["results"]
    assert [(row["method"], row["shipped"]["finds"]) for row in rows] == [("peers/textprofile", 2)]
    told = output.err.splitlines()
    assert told[0] == (
        "there is no peer 'nonsense'; choose from datasketch, rensa, gaoya, simhash, textprofile, "
        "or all"
    )
    assert told[1] == (
        "rensa: rensa is not installed: pip install rensa, or all peers with "
        "pip install '.[peers]'; left out"
    )


def test_methods_are_found_by_name() -> None:
    problems: list[str] = []
    found = find("shingles, shingles-containment,no", "", problems)
    assert [entry.key for entry in found] == ["methods/shingles", "methods/shingles-containment"]
    assert len(problems) == 1
    assert problems[0].startswith("there is no method 'no'; choose from cascade, shingles,")
    assert [entry.key for entry in find("", "", problems)] == []
    for name in LOOSEST:
        entry = Entry(OWN, name)
        assert type(entry.make_loosest()) is type(entry.make())


# ---- tasks, kept and failing


def test_results_are_kept_until_the_data_change_or_they_are_wanted_anew(
    small: Path, tmp_path: Path
) -> None:
    one = task(small, "shingles")
    problems: list[str] = []
    (first,) = do_all([one], Work(tmp_path), problems)
    path = Work(tmp_path).path(one)
    marked = read(path)
    assert marked is not None
    marked.ms = 1234.5
    write(marked, path)
    assert do_all([one], Work(tmp_path), problems)[0].ms == 1234.5
    other = Task(one.entry, one.page_set, MAIN, "other data", "code")
    assert Work(tmp_path).kept(other) is None
    assert Work(tmp_path, again=("all",)).kept(one) is None
    assert Work(tmp_path, again=("dsc",)).kept(one) is not None
    (second,) = do_all([one], Work(tmp_path, again=("shingles",)), problems)
    assert second.ms != 1234.5
    assert second.figures.finds.tolist() == first.figures.finds.tolist()
    path.write_text('{"version": 1, "figures": 7}')
    assert read(path) is None
    assert problems == []


def test_tasks_that_fail_are_told_and_the_rest_goes_on(small: Path, tmp_path: Path) -> None:
    problems: list[str] = []
    broken, sound = task(small, "nonsense"), task(small, "textprofile", PEER)
    results = do_all([broken, sound], Work(tmp_path, jobs=2), problems)
    assert [one.method for one in results] == ["peers/textprofile"]
    assert len(problems) == 1
    assert problems[0].startswith("nonsense on small (main text): SettingError: There is no")
    assert do_all([task(small, "dsc")], Work(tmp_path, patience=0.01), problems) == []
    assert problems[1] == "dsc on small (main text): not finished after 0.01 s; given up"


def test_pages_that_a_method_fails_on_are_let_through(tmp_path: Path) -> None:
    long = " ".join(f"broken number {number}" for number in range(20))
    rows = [page(f"https://{n}.example/", f"{long} {n}") for n in range(5)]
    folder = write_set(tmp_path / "broken", "stream", [*rows, page(A, ANIMAL_PAGE)], [])
    problems: list[str] = []
    pages = Pages(task(folder, "x").page_set, MAIN, problems)
    passed = pass_over(pages, Own, Watch("own on broken", problems))
    assert len(passed.pages.urls) == 6
    assert problems[0] == (
        "own on broken: https://0.example/: RuntimeError: no such luck; let through"
    )
    assert problems[3:] == ["own on broken: 2 more pages failed; let through"]


def test_memory_and_digests(tmp_path: Path) -> None:
    assert peak_memory() > 10_000_000
    (tmp_path / "a.jsonl").write_bytes(b"one line\n")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"one line\n"))
    plain, packed = (content_digest([tmp_path / name]) for name in ("a.jsonl", "a.jsonl.gz"))
    assert plain == packed != content_digest([])
    broken = tmp_path / "b.jsonl.gz"
    broken.write_bytes(b"\x1f\x8b nonsense")
    assert content_digest([broken]) != plain


# ---- the report


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.accuracy", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_report_of_a_run(tmp_path: Path) -> None:
    pages = [page(A, ANIMAL_PAGE), page(B, TOOL_PAGE), page(C, ANIMAL_PAGE, "One more line.")]
    labels = [label(A, "negative"), label(B, "positive", {A: ["near"]}), label(C, "negative")]
    data = tmp_path / "data"
    data.mkdir()
    write_set(data / "odd", "stream", pages, [*labels, "[]"])
    pair = {"set": "s", "a": "The tide rose.", "b": "The tide rose.", "label": 1}
    (data / "sentences.jsonl").write_text(json.dumps(pair))
    report, work = tmp_path / "out" / "evaluation.md", tmp_path / "work"
    arguments = [data, data / "none", "--methods", "cascade", "--peers", "textprofile"]
    arguments += ["--main-text", "--no-published", "--work", work, "--report", report]
    done = run(*arguments)
    assert done.returncode == 1
    told = done.stderr.splitlines()
    assert told[0] == f"{data / 'none'}: no such folder; skipped"
    assert told[1].startswith(f"{data / 'odd' / 'labels.jsonl.gz'}:4: not a JSON object")
    assert told[-1] == f"Written: {report}"
    markdown = report.read_text()
    assert str(data) not in markdown
    assert "python -m benchmarks.accuracy DATA/data DATA/none --methods cascade " in markdown
    assert "| odd | 3 | 1 | 2 | stream | `" in markdown
    assert "## Pairs of sentences" in markdown
    assert "DATA/data/odd/labels.jsonl.gz:4: not a JSON object; line skipped" in markdown
    section = markdown[markdown.index("### odd") :]
    row = next(line for line in section.splitlines() if line.startswith("| **cascade**"))
    assert row.startswith("| **cascade** | .000 | .000 | .000 | 1 of 2 | 0 | – |")
    missed = f"- `odd`, missed: `{B}`; said unique; gold `{A}` (near)"
    dropped = f"- `odd`, false drop: `{C}`; said near of `{A}`; gold negative"
    assert missed in markdown
    assert dropped in markdown
    assert "**not looked at yet** (2 errors)" in markdown
    after = markdown[markdown.index(dropped) :].splitlines()
    command = shlex.split(after[2].strip().removeprefix("<br>").strip("`"))
    assert command[:3] == ["scrapy", "dedup", "compare"]
    shown = subprocess.run(
        [sys.executable, "-m", "scrapy", *command[1:], "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(shown.stdout)["verdict"] == "near"
    names = sorted(path.name for path in (report.parent / "evaluation").iterdir())
    if find_spec("matplotlib"):
        assert names == ["curves-peers.png", "f1.png"]
        assert "![F1 of all methods and peers](evaluation/f1.png)" in markdown
    else:
        assert names == []
        assert "f1.png: not drawn" in done.stderr


def test_pictures_of_some_methods_without_the_cascade(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="what draws pictures is no dependency")
    one = made("a", finds=[9, 8, 0], alarms=[9, 1, 0], drops=[9, 1, 0])
    results = Results([one, made("b", finds=[9, 8, 7])], 0.01)
    run_ = Run(results, {}, {}, [], "", tmp_path, tmp_path / "evaluation.md")
    run_.images.mkdir()
    assert [part.partition("]")[0] for part in _pictures(run_)][2:] == [
        "![Precision over recall of all methods",
        "![F1 of all methods and peers",
    ]
    for name in ("curves-methods", "f1"):
        assert (run_.images / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_made_documents_are_expected_and_obtained(tmp_path: Path) -> None:
    pages = [
        page(f"https://{name}.example/", *map(escape, paragraphs()[start::40][:12]))
        for start, name in enumerate(("first", "second"))
    ]
    sources = [source_of(Page(url=row["url"], html=row["html"])) for row in pages]
    with SetFolder(tmp_path / "made") as folder:
        for row, of_source in zip(pages, label_sources(sources), strict=True):
            folder.add_source(row["url"], row["html"])
            folder.add_label(of_source)
        for one in make_series(sources, SeriesPlan(6, Range(1, 2), Plan(Range(0.2, 0.8)))):
            folder.add_made(one)
        folder.finish({})
    measured = measure(task(tmp_path / "made", "shingles-containment"))
    assert len(measured.obtained) >= 6
    assert all(0.2 <= expected < 1 for expected, _ in measured.obtained)
    # shingles across the seams of paragraphs are lost, or are there by chance
    assert max(abs(expected - got) for expected, got in measured.obtained) < 0.1
    assert 0 < difference(measured) < 0.08
    measured.set = "made"
    run_ = Run(Results([measured], 0.01), {}, {}, [], "", tmp_path, tmp_path / "r" / "e.md")
    run_.images.mkdir(parents=True)
    parts = list(_made_documents(run_))
    assert parts[0] == "## Expected and obtained similarity: made"
    assert f"| shingles-containment | {len(measured.obtained)} |" in parts[2]
    assert (run_.images / "expected-made.png").exists() == bool(find_spec("matplotlib"))


def test_causes_are_read_with_care(tmp_path: Path) -> None:
    path = tmp_path / "causes.json"
    entry = {"set": "s", "url": A, "original": B, "cause": "menu"}
    odd = [7, {**entry, "cause": "unheard of"}, {**entry, "url": None}]
    path.write_text(json.dumps({"causes": {"menu": "A menu."}, "errors": [entry, *odd]}))
    problems: list[str] = []
    found = errors.read_causes(path, problems)
    assert found.found == {("s", A, B): "menu"}
    assert [problem.split(":")[1].split(" of ")[0].strip() for problem in problems] == [
        "entry 2",
        "entry 3",
        "entry 4",
    ]
    row = {"url": A, "original": None, "closest": C, "positives": {B: ["near"]}}
    assert found.of("s", row) == "menu"
    assert found.of("t", row) == ""
    assert found.of("s", {**row, "positives": {D: ["near"]}}) == ""
    for content in ("[]", "{", '{"causes": []}'):
        path.write_text(content)
        assert errors.read_causes(path, problems) == errors.Causes()
    assert len(problems) == 6


def test_the_causes_that_ship_are_sound() -> None:
    problems: list[str] = []
    found = errors.read_causes(errors.CAUSES, problems)
    assert problems == []
    assert set(found.found.values()) == set(found.about)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "--errors"], "are about the cascade alone"),
        (["--methods", "all", "--set", "near=0.8"], "are about the cascade alone"),
        (["--limit", "2"], "must be a number from 0 to 1, not '2'"),
        (["--jobs", "1.5"], "must be a whole number, not '1.5'"),
        (["--patience", "x"], "must be a number from 1 to 1e+09, not 'x'"),
    ],
)
def test_usage(arguments: list[str], said: str, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["x", *arguments])
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["choice", "many", "measuring", "points", "tables"])
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"benchmarks.accuracy.{name}"))
    assert found.attempted
    assert not found.failed
