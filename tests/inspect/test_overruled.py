"""Decisions that a later line overrules are left out wherever journals are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.journals import Journals, StoreJournal
from dedup_middleware.inspect.runs import runs_of
from dedup_middleware.inspect.tallies import summed, tallies
from dedup_middleware.viewer.api import LiveDecisions
from tests.support.texts import article, html


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal in which a copy was to be dropped, and passed after all."""
    with Deduplicator(tmp_path / "store") as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
        copy = Page(url="https://b.example/", html=html(article(1)))
        receipt = dedup.judge(copy)
        taken_back = dedup.overrule(copy.url, receipt, "It passes.", copy.size)
        assert (str(taken_back.verdict.action), taken_back.sequence) == ("pass", 3)
        assert dedup.journal.path
        return dedup.journal.path


def test_the_line_names_the_one_that_it_overrules(journal: Path) -> None:
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    assert [line.get("overrules") for line in lines] == [None, None, 2]
    assert [line["action"] for line in lines] == ["pass", "drop", "pass"]


def store_of(journal: Path) -> Path:
    return journal.parent.parent


def test_readers_leave_it_out(journal: Path) -> None:
    for source in (journal, StoreJournal(store_of(journal), "store")):
        found = list(Journals([source]).decisions())
        assert [(one.sequence, one.action) for one in found] == [(1, "pass"), (3, "pass")]
        assert list(Journals([source]).decisions([b'"action":"drop"'])) == []
        tally = summed(run.total for run in tallies(found))
        assert (tally.pages, tally.drops, tally.saved) == (2, 0, 0)


def test_lists_of_runs_count_what_holds(journal: Path) -> None:
    (run,) = runs_of(store_of(journal), pytest.fail)
    assert (run.judged, run.drops) == (2, 0)
    lines = journal.read_bytes().replace(b'"action":"drop"', b'"action":"pass"')
    third = lines.splitlines()[0].replace(b'"seq":1', b'"seq":4').replace(b'"pass"', b'"drop"')
    journal.write_bytes(lines + third + b"\n")  # what was overruled need not be a drop
    (store_of(journal) / "data.mdb").unlink()
    told: list[str] = []
    (run,) = runs_of(store_of(journal), told.append)
    assert (run.judged, run.drops, len(told)) == (3, 1, 1)


def test_the_live_viewer_leaves_it_out(journal: Path) -> None:
    new = LiveDecisions(store_of(journal)).after(0)
    assert [one.sequence for one in new.decisions] == [1, 3]
