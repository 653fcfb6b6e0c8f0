"""Runs over one store: however their steps interleave, verdicts are those of a serial order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page
from dedup_middleware.deduplicator import Receipt
from tests.support.interleaving import SteppedRun
from tests.support.stores import Stores
from tests.support.texts import article, html, related_pages

RUNS = 3
steps = st.tuples(
    st.integers(0, RUNS - 1),
    st.sampled_from(["step", "step", "step", "step", "deliver", "withdraw", "kill"]),
)

Receipts = dict[tuple[int, int], Receipt]
"""By run and page."""


@dataclass(frozen=True)
class Event:
    """What changed the store: a page was entered, or settled, or a run was killed."""

    what: str
    run: int
    page: int = 0


def interleave(
    stores: Stores, shares: list[list[Page]], schedule: list[tuple[int, str]], group: int = 1
) -> tuple[list[Event], Receipts]:
    """Take the steps of a schedule, then the rest in turns; return what happened."""
    place, events = stores.new_place(), []
    runs = {
        number: SteppedRun(
            stores.open(place, run=f"run-{number}"),
            share,
            lambda page, number=number: events.append(Event("enter", number, page)),
            group,
        )
        for number, share in enumerate(shares)
    }
    receipts: Receipts = {}
    for number, what in schedule:
        if number not in runs:  # killed before
            continue
        run = runs[number]
        if what == "step":
            run.step()
        elif what == "kill":
            runs.pop(number).end(kill=stores.kill)
            events.append(Event("kill", number))
        elif run.receipts:
            done = run.receipts[-1].number
            run.dedup.settle(**{"delivered" if what == "deliver" else "withdrawn": [done]})
            events.append(Event(what, number, len(run.receipts) - 1))
        receipts |= {(number, page): one for page, one in enumerate(run.receipts)}
    while any(not run.is_finished for run in runs.values()):
        for run in runs.values():
            run.step()
    for number, run in runs.items():
        run.end()
        receipts |= {(number, page): one for page, one in enumerate(run.receipts)}
    return events, receipts


def one_after_another(stores: Stores, shares: list[list[Page]], events: list[Event]) -> Receipts:
    """Do the same, each page from look to commit before the next."""
    place = stores.new_place()
    runs = [Deduplicator(stores.open(place, run=f"run-{number}")) for number in range(len(shares))]
    receipts: Receipts = {}
    for event in events:
        dedup, at = runs[event.run], (event.run, event.page)
        if event.what == "enter":
            receipts[at] = dedup.judge(shares[event.run][event.page])
        elif event.what == "deliver":
            dedup.settle(delivered=[receipts[at].number])
        elif event.what == "withdraw":
            dedup.settle(withdrawn=[receipts[at].number])
        else:
            stores.kill(dedup.store)
            dedup.journal.close()
    killed = {event.run for event in events if event.what == "kill"}
    for number, dedup in enumerate(runs):
        if number not in killed:
            dedup.close()
    return receipts


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6), schedule=st.lists(steps, max_size=20), group=st.sampled_from([1, 3])
)
def test_verdicts_are_those_of_the_order_of_commits(
    stores: Stores, seed: int, schedule: list[tuple[int, str]], group: int
) -> None:
    pages = related_pages(seed, (2 if group == 1 else 4) * RUNS, urls=4)
    shares = [pages[number::RUNS] for number in range(RUNS)]
    events, receipts = interleave(stores, shares, schedule, group)
    expected = one_after_another(stores, shares, events)
    for at, receipt in receipts.items():
        assert answer(receipt) == answer(expected[at])
        assert receipt.in_doubt >= expected[at].in_doubt, "doubt may be over, but never missed"


def answer(receipt: Receipt) -> tuple[str, str | None, int | None, int | None]:
    verdict = receipt.verdict
    return str(verdict.kind), verdict.original, receipt.number, receipt.original


@pytest.mark.parametrize(
    ("meanwhile", "kind"),
    [("step", "exact"), ("deliver", "exact"), ("withdraw", "unique"), ("kill", "unique")],
)
def test_what_becomes_of_an_original_while_its_copy_is_judged(
    stores: Stores, meanwhile: str, kind: str
) -> None:
    source = html(article(1))
    shares = [[Page(url=f"https://{name}.example/", html=source)] for name in "ab"]
    entered = [(0, "step"), (0, "step")]
    _, receipts = interleave(stores, shares, [*entered, (1, "step"), (0, meanwhile)])
    assert receipts[1, 0].verdict.kind == kind


def test_of_copies_that_are_judged_at_once_one_is_an_original(stores: Stores) -> None:
    source = html(article(1))
    shares = [[Page(url=f"https://{name}.example/", html=source)] for name in "abc"]
    for order in permutations(range(3)):
        judged = [(number, "step") for number in range(3)]
        entered = [(number, "step") for number in order]
        _, receipts = interleave(stores, shares, judged + entered)
        kinds = [str(receipts[number, 0].verdict.kind) for number in order]
        assert kinds == ["unique", "exact", "exact"]
