"""Random use of a store by several runs at once, compared with a naive model after each step."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dedup_middleware.fingerprint import Fingerprint
from dedup_middleware.read import Identity, Outline
from dedup_middleware.store import (
    Candidates,
    Change,
    Committed,
    Copy,
    Ending,
    Registration,
    Seen,
    Store,
    UrlRecord,
    View,
)
from dedup_middleware.store.tables import Tables
from dedup_middleware.store.verify import Damage
from dedup_middleware.urls import url_key
from tests.support.faults import number_of_faults, report
from tests.support.store_model import Model
from tests.support.stores import Stores, made_up

MOST_RUNS = 3
STEPS = number_of_faults(4000)
URLS = [f"https://{name}.example/" for name in "abcdefgh"]
OUTLINES = [Outline(Identity(title=f"Title {n}")) for n in range(6)]

urls = st.sampled_from(URLS)
outlines = st.sampled_from(OUTLINES)
# few values, so that pages meet: equal ones, some a few bits apart, some with shared shingles
fingerprints = st.builds(
    made_up,
    st.sampled_from([0, 0b111, 1 << 63, 2**64 - 1, 0x0123456789ABCDEF]),
    st.lists(st.integers(1, 6), max_size=4, unique=True).map(sorted),
)
some_run = st.integers(0, MOST_RUNS - 1)
ages = st.integers(0, 3)
some_page = st.integers(0, 100)
some_pages = st.sets(some_page, max_size=2)
watching = st.sampled_from(["its lists", "every page", "nothing"])


@dataclass(frozen=True)
class Look:
    """What somebody saw who may commit later."""

    url: str
    fingerprint: Fingerprint
    found: Candidates
    last_page: int
    at_url: UrlRecord | None

    def seen(self, watched: str, original: int | None) -> Seen:
        keys = self.found.keys if watched == "its lists" else None
        return Seen(self.last_page, self.at_url, original, keys, watched == "every page")


@dataclass(frozen=True)
class HeldView:
    view: View
    stack: ExitStack
    numbers: list[int]
    """The pages that were there when it was taken."""


def index(tables: Tables, number: int) -> None:
    """Do what a published method does: enter a page into tables of its own."""
    tables.post(np.array([number % 3], np.uint64), number)
    tables.put(b"last", b"%d" % number)


class StoreMachine(RuleBasedStateMachine):
    def __init__(self, stores: Stores) -> None:
        super().__init__()
        self.stores = stores
        self.place = stores.new_place()
        self.model = Model()
        self.open: list[Store] = []
        self.looks: list[Look] = []
        self.held: dict[int, HeldView] = {}
        self.indexed: list[int] = []
        self.steps = 0

    def store(self, run: int) -> Store:
        return self.open[run % len(self.open)]

    def earlier_look(self, age: int) -> Look:
        return self.looks[-1 - age % len(self.looks)]

    def page(self, number: int) -> int:
        """Return the number of a page that is there, or now and then of one that was."""
        numbers = [*self.model.pages, self.model.last_page, 1]
        return numbers[number % len(numbers)]

    def commit(self, run: int, change: Change, seen: Seen) -> None:
        store = self.store(run)
        expected = self.model.commit(store.run_number, change, seen)
        assert store.commit(change, seen) == expected
        indexes = isinstance(change.page, Registration) and change.page.index
        if indexes and isinstance(expected, Committed):
            self.indexed.append(expected.number)

    # runs

    @initialize()
    def begin(self) -> None:
        self.open_run("page", False)

    @precondition(lambda self: len(self.open) < MOST_RUNS)
    @rule(commit=st.sampled_from(["page", "finish"]), joins=st.booleans())
    def open_run(self, commit: str, joins: bool) -> None:
        name = "joined" if joins else f"run-{len(self.model.runs)}"
        store = self.stores.open(self.place, run=name, spider="s", commit=commit)
        assert store.run_number == self.model.open_run(name, commit)
        self.open.append(store)

    @precondition(lambda self: self.open)
    @rule(run=some_run, how=st.sampled_from(["well", "badly", "killed"]))
    def end_run(self, run: int, how: str) -> None:
        store = self.store(run)
        self.open.remove(store)
        self.let_go(store.run_number)
        self.model.end_run(store.run_number, how=how)
        if how == "killed":
            self.stores.kill(store)
        else:
            store.close(Ending(succeeded=how == "well"))

    @precondition(lambda self: self.open and self.model.dead_runs())
    @rule(run=some_run)
    def finish_dead_run(self, run: int) -> None:
        name = self.model.dead_runs()[0]
        self.store(run).finish_run(name)
        for one in self.model.runs:
            one.is_finished |= one.name == name

    # pages

    @precondition(lambda self: self.open)
    @rule(
        run=some_run,
        url=urls,
        fingerprint=fingerprints,
        alike=st.booleans(),
        cap=st.sampled_from([1, 2, 64]),
        most=st.sampled_from([1, 2, 32]),
    )
    def look(
        self, run: int, url: str, fingerprint: Fingerprint, alike: bool, cap: int, most: int
    ) -> None:
        with self.store(run).snapshot() as view:
            found = view.candidates(fingerprint, alike=alike, cap=cap, most=most)
            look = Look(url, fingerprint, found, view.last_page, view.url(url_key(url)))
        assert found.same_digest == self.model.same_digest(fingerprint)
        assert found.alike == (self.model.alike(fingerprint, most) if alike else [])
        lengths = [len(self.model.listed_under(key)) for key in found.keys.tolist()]
        assert found.full.tolist() == [length >= cap for length in lengths]
        self.looks.append(look)

    @precondition(lambda self: self.open and self.looks)
    @rule(
        age=ages,
        run=some_run,
        outline=outlines,
        delivered=st.booleans(),
        indexes=st.booleans(),
        watched=watching,
        original=st.none() | some_page,
    )
    def register(
        self,
        age: int,
        run: int,
        outline: Outline,
        delivered: bool,
        indexes: bool,
        watched: str,
        original: int | None,
    ) -> None:
        look = self.earlier_look(age)
        keys = look.found.keys[~look.found.full]
        page = Registration(
            look.url,
            look.fingerprint,
            outline,
            keys,
            delivered=delivered,
            index=index if indexes else None,
        )
        named = None if original is None else self.page(original)
        self.commit(run, Change(url_key(look.url), page), look.seen(watched, named))

    @precondition(lambda self: self.open)
    @rule(run=some_run, url=urls, fingerprint=fingerprints, outline=outlines, pending=st.booleans())
    def look_and_register(
        self, run: int, url: str, fingerprint: Fingerprint, outline: Outline, pending: bool
    ) -> None:
        self.look(run, url, fingerprint, alike=True, cap=64, most=32)
        before = self.model.last_page
        self.register(0, run, outline, not pending, False, "every page", None)
        assert self.model.last_page == before + 1, "nothing came in between"
        self.looks.pop()

    @precondition(lambda self: self.open and self.looks and self.model.pages)
    @rule(age=ages, run=some_run, original=some_page, kept=st.none() | outlines, watched=watching)
    def note_copy(
        self, age: int, run: int, original: int, kept: Outline | None, watched: str
    ) -> None:
        look, named = self.earlier_look(age), self.page(original)
        page = Copy(look.fingerprint.digest, named, kept)
        self.commit(run, Change(url_key(look.url), page), look.seen(watched, named))

    @precondition(lambda self: self.open and self.looks and self.model.pages)
    @rule(age=ages, run=some_run, place=some_page, watched=watching)
    def take_place(self, age: int, run: int, place: int, watched: str) -> None:
        look, number = self.earlier_look(age), self.page(place)
        change = Change(url_key(look.url), supersedes=number)
        self.commit(run, change, look.seen(watched, None))

    @precondition(lambda self: self.open and self.looks)
    @rule(age=ages, run=some_run, watched=watching)
    def decide(self, age: int, run: int, watched: str) -> None:
        look = self.earlier_look(age)
        decision = {"seq": None, "url": look.url, "verdict": "ünique", "action": "pass"}
        self.commit(run, Change(url_key(look.url), None, decision), look.seen(watched, None))

    @precondition(lambda self: self.open)
    @rule(
        run=some_run,
        delivered=some_pages,
        withdrawn=st.sets(some_page, max_size=1),
        seen_again=some_pages,
        superseded=some_pages,
    )
    def settle(
        self,
        run: int,
        delivered: set[int],
        withdrawn: set[int],
        seen_again: set[int],
        superseded: set[int],
    ) -> None:
        chosen = [{*map(self.page, one)} for one in (delivered, withdrawn, seen_again, superseded)]
        self.model.settle(*chosen)
        self.store(run).settle(*chosen)

    # views

    @precondition(lambda self: self.open)
    @rule(run=some_run)
    def hold_a_view(self, run: int) -> None:
        store, stack = self.store(run), ExitStack()
        self.let_go(store.run_number)
        view = stack.enter_context(store.snapshot())
        self.held[store.run_number] = HeldView(view, stack, list(self.model.pages))

    def let_go(self, run: int) -> None:
        if run in self.held:
            self.held.pop(run).stack.close()

    @precondition(lambda self: self.held)
    @rule(fingerprint=fingerprints)
    def look_at_held_views(self, fingerprint: Fingerprint) -> None:
        """What came later is not seen; what was there is, unless it was withdrawn meanwhile."""
        for held in self.held.values():
            numbers = list(held.view.numbers())
            assert numbers == sorted({*numbers} & {*held.numbers})
            assert {*numbers} >= {*held.numbers} & {*self.model.pages}
            assert held.view.last_page >= max(numbers, default=0)
            found = held.view.candidates(fingerprint, alike=True, cap=64, most=32)
            assert {*found.same_digest, *found.alike} <= {*numbers}

    @precondition(lambda self: self.open)
    @invariant()
    def the_store_holds_what_the_model_holds(self) -> None:
        self.steps += 1
        store, model = self.store(self.steps), self.model
        assert store.dead_runs() == model.dead_runs()
        with store.snapshot() as view:
            assert view.last_page == model.last_page
            self.compare_pages(view, store.run_number)
            for url in URLS:
                key = url_key(url)
                assert view.url(key) == model.urls.get(key)
                for own in (False, True):
                    assert view.last_text(key, own=own) == model.shown_at(key, own=own)
            assert view.copies() == sum(record.alias for record in model.urls.values())
            marks = ("finished", "committed", "discarded")
            runs = [(run["run"], *(mark in run for mark in marks)) for run in view.runs()]
            assert runs == [
                (run.name, run.is_finished, run.is_committed, run.is_discarded)
                for run in model.runs
            ]
            after = self.steps % 5
            assert list(view.decisions(after)) == model.decisions[after:]
            assert view.last_sequence() == len(model.decisions)
            posted = view.tables().postings(np.arange(3, dtype=np.uint64)).numbers.tolist()
            assert sorted(posted) == self.indexed
            last = b"%d" % self.indexed[-1] if self.indexed else None
            assert view.tables().get(b"last") == last

    def compare_pages(self, view: View, run: int) -> None:
        pages = self.model.pages
        after = self.steps % 5
        assert list(view.numbers(after)) == [number for number in pages if number > after]
        every_number = range(self.model.last_page + 1)
        records = view.records(every_number)
        assert [
            (
                record.number,
                record.url,
                record.key,
                record.digest,
                record.simhash,
                record.words,
                record.sketch,
                record.run,
                record.delivered,
                record.superseded,
                record.last_seen > record.first_seen,
            )
            for record in records
        ] == [
            (
                page.number,
                page.url,
                page.key,
                page.fingerprint.digest,
                page.fingerprint.simhash,
                page.fingerprint.words,
                page.fingerprint.sketch,
                page.run,
                page.delivered,
                page.superseded,
                page.seen_again,
            )
            for page in pages.values()
        ]
        assert view.outlines(list(pages)) == [page.outline for page in pages.values()]
        assert [page.number for page in view.pages(every_number)] == self.model.originals(run)

    def teardown(self) -> None:
        while self.open:
            self.end_run(0, "well")
        # a made-up page has no text that its digest could be of
        assert self.stores.damages(self.place) <= {Damage.DIGEST}
        if self.stores.has_folder:
            shutil.rmtree(self.place)


def test_a_store_does_what_the_model_does(stores: Stores) -> None:
    machines: list[StoreMachine] = []
    steps = int(STEPS * stores.share)
    done = 0

    def new_machine() -> StoreMachine:
        nonlocal done
        done += sum(machine.steps for machine in machines)
        machines[:] = [StoreMachine(stores)]
        return machines[0]

    run_state_machine_as_test(
        new_machine,
        settings=settings(max_examples=steps // 40, stateful_step_count=40, deadline=None),
    )
    report(steps=done)
    assert done > steps // 4
