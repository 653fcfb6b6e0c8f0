"""The same pages in the same order: all kinds of stores give the same answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator
from tests.support.stores import KINDS, Stores
from tests.support.texts import related_pages

steps = st.lists(
    st.tuples(
        st.sampled_from(["judge"] * 5 + ["pass", "deliver", "withdraw", "kill", "close"]),
        st.integers(0, 1),
    ),
    min_size=5,
    max_size=20,
)
NO_COPIES = {"actions": {"exact": "tag", "near": "pass"}}


def answers(
    stores: Stores, seed: int, todo: list[tuple[str, int]], options: dict[str, Any]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return what two runs over one store said, and what the store holds afterwards."""
    place = stores.new_place()
    runs: dict[int, Deduplicator] = {}
    receipts: list[Any] = []
    for step, page in enumerate(related_pages(seed, len(todo), urls=6)):
        what, which = todo[step]
        if which not in runs:
            store = stores.open(place, run=f"run-{step}", spider="s")
            runs[which] = Deduplicator(store, **options)
        dedup = runs[which]
        number = receipts[-1].number if receipts else None
        if what in {"judge", "pass"}:
            receipts.append(dedup.judge(page, pending=what == "judge"))
        elif what == "deliver":
            dedup.settle(delivered=[number])
        elif what == "withdraw":
            dedup.settle(withdrawn=[number])
        elif what == "close":
            runs.pop(which).close()
        else:
            stores.kill(runs.pop(which).store)
            dedup.journal.close()
    for dedup in runs.values():
        dedup.close()
    with stores.open(place, run="last") as last, last.snapshot() as view:
        decisions = [json.loads(line) for line in view.decisions()]
        records = view.records(range(view.last_page + 1))
        kept = [(record.url, view.last_text(record.key)) for record in records]
    for decision in decisions:
        del decision["time"], decision["ms"]
    assert not stores.damages(place)
    return receipts, decisions, kept


@pytest.mark.parametrize("options", [{}, NO_COPIES, {"method": "minhash"}])
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), todo=steps)
def test_all_stores_answer_alike(
    tmp_path_factory: pytest.TempPathFactory,
    options: dict[str, Any],
    seed: int,
    todo: list[tuple[str, int]],
) -> None:
    def new_folder() -> Path:
        return tmp_path_factory.mktemp("store")

    first, *others = [answers(kind(new_folder), seed, todo, options) for kind in KINDS.values()]
    for other in others:
        assert other == first
