"""Methods on labelled sets: simulated stores against naive and real ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page
from dedup_middleware.methods import Match, make_method
from lab.accuracy.methods import OWN, PEER
from lab.accuracy.passes import MAIN, RAW
from lab.accuracy.scoring import COUNTS, Judgement, Label, score
from lab.accuracy.simulate import KINDS, Found, Simulation, thresholds_of
from lab.accuracy.tasks import measure
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, C, D, E, label, page, write_set
from tests.support.measured import OwnRules, task

MENU = " ".join(f"Menu entry {number} of the one site." for number in range(60))


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


class NaiveStore:
    """One threshold, one page after the other."""

    def __init__(self) -> None:
        self.words: list[int] = []
        self.originals: set[int] = set()

    def process(self, words, equal, scores, kinds):
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
        simulation.judge(str(number), words, equal, found)
        for point, store in enumerate(naive):
            column = [row[point] for row in kinds]
            wanted[point][str(number)] = store.process(words, equal, (earlier, values), column)
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
        verdicts = simulation.verdicts(point)
        assert {
            url: (one.kind, None if one.original is None else int(one.original))
            for url, one in verdicts.items()
        } == wanted[point]
        counted = score(labels, verdicts)
        assert (counted.positives, counted.negatives) == (figures.positives, figures.negatives)
        for name in COUNTS:
            assert getattr(counted, name) == getattr(figures, name)[point]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8),
    st.sampled_from(["shingles", "fingerprints", "cascade", "fuzzy"]),
)
@settings(deadline=None)
def test_kinds_at_all_thresholds_are_those_of_the_method(scores, name) -> None:
    one = make_method(name)
    thresholds = thresholds_of(one)
    pairs = np.array(scores).reshape(-1, 2)
    kinds = thresholds.kinds(pairs[:, 0], pairs[:, 1])
    assert thresholds.values[thresholds.default] == one.threshold
    gap = getattr(one, "contained", one.threshold) - one.threshold
    for column in range(0, len(thresholds.values), 37):
        near = thresholds.values[column]
        extra = {"contained": min(1.0, near + gap)} if name == "cascade" else {}
        strict = make_method(name, threshold=near, **extra)
        for row, both in enumerate(scores):
            kind = strict.kind(Match("", *both))
            assert KINDS[kinds[row, column]] == str(kind or "unique")


def test_a_method_with_rules_of_its_own_decides() -> None:
    thresholds = thresholds_of(OwnRules())
    kinds = thresholds.kinds(np.array([0.5, 0.04]), np.array([0.0, 1.0]))
    called = [KINDS[kind] for kind in kinds[0]]
    assert called == ["near" if t <= 0.5 else "unique" for t in thresholds.values]
    assert not kinds[1].any()


@pytest.mark.parametrize(
    ("name", "options"), [("shingles", {}), ("shingles-containment", {"containment": True})]
)
def test_simulated_verdicts_are_those_of_the_deduplicator(
    small: Path, tmp_path: Path, name: str, options: dict
) -> None:
    measured = measure(task(small, name))
    labels = [Label(**row) for row in rows_of(small / "labels.jsonl.gz")]
    for place in (30, measured.default, 150):
        verdicts = {}
        choice = {"threshold": measured.thresholds[place], **options}
        with Deduplicator(
            tmp_path / f"store-{place}", method="shingles", method_options=choice
        ) as dedup:
            for row in rows_of(small / "pages.jsonl.gz"):
                verdict = dedup.process(Page(url=row["url"], html=row["html"]))
                verdicts[row["url"]] = Judgement(str(verdict.kind), verdict.original)
        counted = score(labels, verdicts)
        counted.mistakes.clear()
        assert measured.figures.at(place) == counted


def test_the_cascade_as_shipped_and_as_simulated(small: Path) -> None:
    measured = measure(task(small, "cascade"))
    assert (measured.shipped.finds, measured.shipped.positives) == (4, 4)
    assert (measured.shipped.kinds, measured.shipped.right_kinds, measured.shipped.drops) == (
        4,
        4,
        0,
    )
    shipped = measured.figures.at(measured.default)
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


def test_equal_pages_are_found_for_all_methods_and_short_ones_by_their_bytes(
    tmp_path: Path,
) -> None:
    pages = [page(A, "Too short."), page(B, "Too short."), page(C, "Too short. ")]
    pages += [page(D, ANIMAL_PAGE), page(E, ANIMAL_PAGE)]
    labels = [label(A, "negative"), label(B, "positive", {A: ["exact"]})]
    labels += [label(C, "negative"), label(D, "negative"), label(E, "positive", {D: ["exact"]})]
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
        measure(task(folder, "shingles-containment", text=text)).figures.drops
        for text in (MAIN, RAW)
    ]
    assert not drops[0].any()
    assert drops[1][0] == 1
